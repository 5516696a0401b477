"""The order of things within a step, and what may not change anything."""

import asyncio
import dataclasses
from random import Random
from types import ModuleType
from typing import Any

import msgspec
import pytest

from otherminds.core.contracts import Probe
from otherminds.core.data import Invalid, ReceivedMessage
from otherminds.core.encoding import encode
from otherminds.core.record import Record
from otherminds.core.scenario import Participant, Setup
from otherminds.play.loop import play, play_now
from tests.play import toys


def test_the_order_of_a_step() -> None:
    log: list[Any] = []
    probes = tuple(toys.question(when, when) for when in ("end", "after", "before"))
    minds = {seat: toys.Diary(log=log) for seat in toys.SEATS}
    play_now(Setup(toys.scenario(lambda: toys.Line(2, log=log), probes), minds, 1))

    def step(t: int) -> list[Any]:
        return [
            ("perceive", "ego", t),
            ("perceive", "partner_0", t),
            ("before", "ego", t),
            ("act", "ego", t),
            ("act", "partner_0", t),
            ("after", "ego", t),
            ("step", {"ego": 1, "partner_0": 1}),
        ]

    closing = [("perceive", "ego", 2), ("perceive", "partner_0", 2), ("end", "ego", 2)]
    truths = [("truth", id, t) for t in (0, 1) for id in ("before", "after")] + [("truth", "end", 2)]
    assert log == step(0) + step(1) + closing + truths


def test_what_a_seat_hears() -> None:
    word = ReceivedMessage("partner_0", "hello")
    world = lambda: toys.Line(2, told={1: {"ego": (word,)}, 2: {"partner_0": (word,)}})  # noqa: E731 - a factory in one line
    ego, partner = toys.Diary([2, 0]), toys.Diary([0, 2])
    record, _ = play_now(Setup(toys.scenario(world), {"ego": ego, "partner_0": partner}, 1))
    assert [m.step for m in ego.moments] == [0, 1, 2]
    assert [m.observation for m in ego.moments] == [0, 1, 2]
    assert [m.reward for m in ego.moments] == [0.0, 2.0, 0.0]
    assert [m.last for m in ego.moments] == [False, False, True]
    assert [m.told for m in ego.moments] == [(), (word,), ()]
    assert [m.told for m in partner.moments] == [(), (), (word,)], "the closing moment brings messages too"
    assert [len(m.encounters) for m in ego.moments] == [0, 1, 1]
    assert record.met["ego"] == tuple(e for m in ego.moments for e in m.encounters)
    assert record.met["partner_0"][0].reward == 0.0
    assert record.actions == [(2, 0), (0, 2)]
    assert record.rewards == [(2.0, 0.0), (0.0, 2.0)]


def test_answers_and_truths_are_written_down() -> None:
    probes = (toys.question("next", "after"), toys.question("count", "end"))
    minds = {"ego": toys.Diary(answer="right"), "partner_0": toys.Diary([2, 0])}
    record, _ = play_now(Setup(toys.scenario(lambda: toys.Line(2), probes), minds, 1))
    assert [q.id for q in record.questions] == ["next", "count"]
    assert [(a.step, a.question, a.answer, a.truth) for a in record.asked] == [
        (0, 0, "right", "right"),
        (1, 0, "right", "left"),
        (2, 1, "right", 2),
    ]


def test_an_unclear_answer_is_kept_as_unclear() -> None:
    unclear = Invalid("no option named", "hm")
    minds = {"ego": toys.Diary(answer=unclear), "partner_0": toys.Diary()}
    record, _ = play_now(Setup(toys.scenario(probes=(toys.question("next", "after"),)), minds, 1))
    assert {a.answer for a in record.asked} == {None}
    assert {a.invalid for a in record.asked} == {unclear}
    assert record.outcome.status == "scored", "an answer is not an action"


def test_a_probe_is_put_only_when_due() -> None:
    probe = toys.question("next", "before")
    rare = Probe(probe.question, lambda moment: moment.observation % 2 == 1)
    record, _ = play_now(Setup(toys.scenario(lambda: toys.Line(5), (rare,)), {"ego": toys.Diary()}, 1))
    assert [a.step for a in record.asked] == [1, 3]


def test_what_is_asked_may_depend_on_what_chance_drew() -> None:
    named = tuple(toys.question(f"next:{name}", "before") for name in toys.MOVES)
    scene = dataclasses.replace(
        toys.scenario(),
        draw=lambda rng: {"probe": rng.randrange(3)},
        probes=lambda drawn: (named[drawn["probe"]],),
    )
    asked: set[str] = set()
    for seed in range(8):
        record, _ = play_now(Setup(scene, {"ego": toys.Diary()}, seed))
        assert record.questions == (named[record.drawn["probe"]].question,)
        assert record.asked
        asked.add(record.questions[0].id)
    assert len(asked) == 3


def test_closing_questions_come_in_an_order_that_the_seed_draws() -> None:
    """They are listed as the scenario lists them, and put in any order: which is what it is in each episode of a seed."""
    names = ("count a", "count b", "count c")
    scene = toys.scenario(probes=tuple(toys.question(name, "end") for name in names))

    def put(seed: int) -> tuple[int, ...]:
        record, _ = play_now(Setup(scene, {"ego": toys.Diary()}, seed))
        assert tuple(question.id for question in record.questions) == names
        return tuple(answer.question for answer in record.asked)

    orders = [put(seed) for seed in range(20)]
    assert {tuple(sorted(order)) for order in orders} == {(0, 1, 2)}
    assert len({*orders}) > 3
    assert [put(seed) for seed in range(20)] == orders


def test_the_truth_may_be_what_another_seat_answers() -> None:
    probes = (
        toys.question("what would it say", "end", truth_is="what it says"),
        toys.question("what it says", "end", "partner_0"),
    )
    ego = toys.Diary(answer="left")
    for said, truth in (("left", "left"), ("right", "right"), (Invalid("hm"), None)):
        minds = {"ego": ego, "partner_0": toys.Diary(answer=said)}
        record, _ = play_now(Setup(toys.scenario(probes=probes), minds, 1))
        assert record.asked[0].answer == "left"
        assert record.asked[0].truth == truth
        assert record.asked[1].truth == 3, "the world's"


class TestAskingNeverChangesActing:
    def played(self, toys: ModuleType, mind: Any, ask: bool) -> Record:
        probes = tuple(toys.question(when, when) for when in ("before", "after", "end"))
        ego = Participant(mind, toys.Parrot()) if mind.suspends else mind
        return play_now(Setup(toys.scenario(lambda: toys.Line(6), probes), {"ego": ego}, 1, ask=ask))[0]

    def test_with_a_model(self) -> None:
        asked, silent = (self.played(toys, toys.Speaker(), ask) for ask in (True, False))
        assert asked.actions == silent.actions
        assert len({row[0] for row in asked.actions}) > 1, "the model's replies do differ"
        assert silent.asked == ()
        seeds = {(c.step, c.purpose): c.config["seed"] for c in asked.calls}
        assert {(c.step, c.purpose): c.config["seed"] for c in silent.calls}.items() <= seeds.items()
        assert len(asked.calls) == len(silent.calls) + len(asked.asked)

    def test_with_a_random_stream(self) -> None:
        class Chance(toys.Diary):
            async def act(self) -> int:
                return self.context.rng.randrange(3)

        asked, silent = (self.played(toys, Chance(), ask) for ask in (True, False))
        assert asked.actions == silent.actions


class TestRandomStreams:
    def partner_actions(self, toys: ModuleType, ego: Any, seed: int = 1) -> list[int]:
        class Chance(toys.Diary):
            async def act(self) -> int:
                return self.context.rng.randrange(3)

        minds = {"ego": ego(Chance), "partner_0": Chance()}
        record, _ = play_now(Setup(toys.scenario(lambda: toys.Line(8)), minds, seed))
        return [row[1] for row in record.actions]

    def test_exchanging_ego_leaves_the_partners_draws_as_they_were(self) -> None:
        drawing = self.partner_actions(toys, lambda chance: chance())
        assert drawing == self.partner_actions(toys, lambda chance: toys.Diary())

    def test_the_world_has_a_stream_of_its_own(self) -> None:
        def seed(number: int, ego: Any) -> int:
            return play_now(Setup(toys.scenario(), {"ego": ego}, number))[0].facts["seed"]

        assert seed(1, toys.Diary()) == seed(1, toys.Diary([0, 2])) != seed(2, toys.Diary())
        assert 0 <= seed(1, toys.Diary()) < 2**31, "NumPy's generators take no more"

    def test_another_seed_draws_differently(self) -> None:
        one, two = (self.partner_actions(toys, lambda chance: chance(), seed) for seed in (1, 2))
        assert one != two

    def test_the_seats_have_streams_of_their_own(self) -> None:
        class Note(toys.Diary):
            async def act(self) -> int:
                self.context.note("draw", self.context.rng.random())
                return 1

        record, _ = play_now(Setup(toys.scenario(), {"ego": Note(), "partner_0": Note()}, 1))
        assert len({note.data for note in record.notes}) == 6

    def test_what_chance_fixes_hangs_on_the_seed_alone(self) -> None:
        def drawn(seed: int) -> Any:
            def draw(rng: Random) -> dict[str, Any]:
                return {"order": rng.sample(range(9), 9)}

            scene = dataclasses.replace(toys.scenario(), draw=draw)
            return play_now(Setup(scene, {"ego": toys.Diary()}, seed))[0].drawn

        assert drawn(1) == drawn(1) != drawn(2)


def test_the_same_episode_twice_is_one_record() -> None:
    def once() -> Record:
        probes = (toys.question("next", "after"),)
        return play_now(
            Setup(toys.scenario(probes=probes), {"ego": Participant(toys.Speaker(), toys.Parrot())}, 1)
        )[0]

    one, two = once(), once()
    assert encode(one) == encode(two)
    assert msgspec.json.decode(encode(one), type=Record).hash == two.hash


def test_wall_clock_figures_stand_outside_the_record() -> None:
    record, timing = play_now(Setup(toys.scenario(), {"ego": Participant(toys.Speaker(), toys.Parrot())}, 1))
    assert len(timing.calls) == len(record.calls) == 3
    assert timing.cached_tokens == 3
    assert sum(timing.calls) <= timing.seconds + 1e-5
    assert (record.calls[0].prompt_tokens, record.calls[0].completion_tokens) == (2, 1)


def test_played_within_an_event_loop() -> None:
    record, _ = asyncio.run(play(Setup(toys.scenario(), {"ego": toys.Sleepy()}, 1)))
    assert len(record.actions) == 3


@pytest.mark.parametrize("steps", [1, 4])
def test_every_step_has_its_row(steps: int) -> None:
    record, _ = play_now(Setup(toys.scenario(lambda: toys.Line(steps)), {"ego": toys.Diary()}, 1))
    assert len(record.actions) == len(record.rewards) == steps
    assert record.partners["partner_0"].name == "stayer"
    assert record.seats == ("ego", "partner_0")
