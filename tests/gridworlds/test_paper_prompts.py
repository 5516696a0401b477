"""The scaffold ``paper_prompts``: the published facts in every world that has it, numbers kept, and nothing more told."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

import msgspec
import pytest

from otherminds.core.contracts import RememberedSighting, Scaffold, Sighting
from otherminds.core.data import SCAFFOLD, UNUSABLE, Brief, Message, Moment
from otherminds.core.errors import StudyError
from otherminds.core.model import Completion, Decoding
from otherminds.core.record import Record, prompts
from otherminds.core.scenario import Participant, Setup, scenario
from otherminds.gridworlds.in_the_matrix.paper_prompts import PaperPrompts
from otherminds.gridworlds.in_the_matrix.rules import PD_REPEATED, RWS_ARENA, RWS_REPEATED
from otherminds.gridworlds.in_the_matrix.world import InTheMatrixWorld
from otherminds.measures.notes import about
from otherminds.minds.registry import minds
from otherminds.models.registry import open_model
from otherminds.play.loop import play
from tests.cases import for_each, thinned

NAME = "paper_prompts"
RWS, PD, ARENA, COOKING = (
    "rws-repeated-6-v1",
    "pd-repeated-5-v1",
    "rws-arena-5-v1",
    "cooking-asymmetric-0-v1",
)
SUBSTRATES = (RWS, PD, ARENA, COOKING)
DUELS = {RWS: RWS_REPEATED, PD: PD_REPEATED, ARENA: RWS_ARENA}
FACTS = {
    RWS: (
        "running_with_scissors_in_the_matrix",
        "a yellow box is rock, a purple box is paper and a blue box is scissors",
        "begins with 1 of each kind",
        "pick up 5 or more resources",
        "weakly, about 3",
        "after 4 to 6 resources",
        "{'rock/yellow': 7, 'paper/purple': 1, 'scissors/blue': 1} a duel tells you much",
        "Your rock/yellow and its scissors/blue bring you +10 and the other player -10.",
        "rock/yellow beats scissors/blue",
        "lie between -5 and 5; -10 and 10 are the limits",
        "window of 5 by 5",
        "may be outdated",
        "- fire_at(",
    ),
    ARENA: (
        "one of 8 players",
        "25 by 24 cells",
        "window of 11 by 11",
        "To find a certain player, go where it was seen last",
        "no good strategy here to wait in the middle",
        "seek those that you can exploit",
    ),
    PD: (
        "23 by 15 cells",
        "a green box is cooperate and a red box is defect",
        "pick up 6 or more resources",
        "weakly, about 2",
        "{'cooperate/green': 1, 'defect/red': 1} and {'cooperate/green': 3, 'defect/red': 3} bring the same",
        "Your defect/red and its cooperate/green bring you 5 and the other player 0.",
        "the one with more cooperate resources gets less",
        "has consequences later",
    ),
    COOKING: (
        "Collaborative Cooking Asymmetric",
        "at x = 4 a barrier",
        "1. put 3 tomatoes into a pot",
        "brings your team 20",
        "window of 5 by 5",
        "infer the strategy of your teammate",
        "- wait(",
        "free your hands",
    ),
}
"""What the system messages of the paper tell (appendices G.1 to G.4), as ours say it."""
ENTRIES = {
    RWS: ("possible_opponent_inventory", "Opponent_strategy", "predicted_opponent_next_inventory"),
    PD: ("possible_other_player_inventory", "Other_player_strategy", "predicted_other_player_next_inventory"),
    ARENA: ("possible_opponent_inventory", "Opponent_strategy", "opponents_to_seekout"),
    COOKING: ("predicted_next_behavior", "evaluate_predicted_behavior"),
}


def told(name: str, seed: int = 0) -> tuple[Scaffold, Scaffold, Brief]:
    """Both scaffolds of one draw, payoffs granted: the own one and the published one."""
    built = scenario(name, {})
    world = built.world()
    world.reset(seed=seed, options={"grants": {"ego": {"game": built.game} if built.game else {}}})
    drawn = built.drawn(seed)
    assert built.verbalizer is not None
    made = built.verbalizer(drawn, "ego").scaffolds
    return made["own"], made[NAME], world.brief("ego")


def episode(name: str, mind: str = "hm", model: Any = None) -> Record:
    made = Participant(minds.make(mind, {"scaffold": NAME}), model or open_model("competent"), "labelled")
    record, _ = asyncio.run(play(Setup(scenario(name, {"steps": 250}), {"ego": made})))
    assert record.outcome.status == "scored", record.outcome
    return record


def asked(record: Record) -> list[tuple[str, str]]:
    """The purpose and the user's message of each call."""
    put = zip(record.calls, prompts(record.calls), strict=True)
    return [(call.purpose.partition(":")[0], messages[-1].content) for call, messages in put]


@for_each("name", SUBSTRATES)
def test_the_system_message_has_the_published_facts(name: str) -> None:
    _, published, brief = told(name)
    system = published.system(brief)
    for fact in FACTS[name]:
        assert fact in system


@for_each("name", SUBSTRATES)
def test_it_tells_nothing_of_the_dynamics_that_the_paper_leaves_out(name: str) -> None:
    """How boxes grow back, where beams reach, how long soup cooks: the own scaffold tells it."""
    own, published, brief = told(name)
    for words in ("probability", "stand still", "columns to its left", "cooks for"):
        assert words not in published.system(brief)
    assert any(words in own.system(brief) for words in ("probability", "cooks for"))


@for_each("name", DUELS)
def test_payoffs_are_told_only_where_they_are_granted(name: str) -> None:
    _, published, brief = told(name)
    assert "bring you" in published.system(brief)
    assert "bring you" not in published.system(msgspec.structs.replace(brief, game=None))


@pytest.mark.parametrize(
    ("name", "rewards"),
    [(RWS, ("-2.286", "+3.571", "+2")), (PD, ("0.592", "4.163", "2.806", "1.306", "2.6"))],
)
def test_example_duels_are_the_published_ones_and_have_no_arithmetic(
    name: str, rewards: tuple[str, ...]
) -> None:
    """Printed: -2.285, 3.571 and 2.0 (G.1.1); 0.59, 4.16, 2.80, 1.31 and 2.60 (public code)."""
    own, published, _ = told(name)
    clues = published.clues()
    assert [line.split("your reward was ")[1].split(";")[0] for line in clues.splitlines()[1:]] == [*rewards]
    assert " * " in own.clues()
    assert " * " not in clues
    assert "they_played" not in clues


def test_high_rewards_with_one_type_are_a_hint_and_hypotheses_say_always() -> None:
    for name, rules in DUELS.items():
        own, published, _ = told(name)
        assert own.hints("hypothesise") == ""
        assert "each time you play the same type" in published.hints("hypothesise")
        (example,) = published.strategies()
        assert example.startswith("They always play a pure ")
        assert any(
            f"{kind}/{colour}" in example for kind, colour in zip(rules.classes, rules.colours, strict=True)
        )


def test_counts_are_kept_as_the_model_wrote_them() -> None:
    own, published, _ = told(RWS)
    weak = {"paper/purple": "3", "rock/yellow": 1, "scissors/blue": 1}
    assert published.read(weak, "partner_0") == "paper"
    assert published.retold(weak, "partner_0") == {"rock/yellow": 1, "paper/purple": 3, "scissors/blue": 1}
    assert own.retold({"rock": 1, "paper": 3, "scissors": 1}, "partner_0")["paper"] == 5


@for_each("rules", DUELS.values(), ids=DUELS)
def test_memory_tells_distances(rules: Any) -> None:
    world = InTheMatrixWorld(rules)
    observations, _ = world.reset(0)
    scaffold = PaperPrompts(rules, "ego", tuple(range(len(rules.classes))))
    here = tuple(int(v) for v in observations["ego"]["POSITION"])
    moment = Moment(9, observations["ego"])
    thing = f"box of {rules.classes[0]}/{rules.colours[0]}"
    far = max(rules.spawns, key=lambda place: abs(place[0] - here[0]) + abs(place[1] - here[1]))
    first = scaffold.recall([RememberedSighting(Sighting(thing, far), 4)], moment).splitlines()[0]
    distance = abs(far[0] - here[0]) + abs(far[1] - here[1])
    assert first == f"Boxes of {rules.classes[0]}/{rules.colours[0]} seen earlier: [({far}, 4, {distance})]"


@pytest.mark.parametrize("name", thinned(SUBSTRATES, 2))
def test_an_episode_is_played_with_it_and_the_record_names_it(name: str) -> None:
    record = episode(name)
    assert not [note for note in record.notes if note.kind == UNUSABLE]
    assert [note.data for note in record.notes if note.kind == SCAFFOLD] == [{"name": NAME}]
    assert about(record).scaffolds == (NAME,)
    put = asked(record)
    text = "\n".join(content.rpartition("in this form:")[2] for _, content in put)
    for key in (*ENTRIES[name], "action_plan"):
        assert f"'{key}'" in text
    for step in ("hypothesise", "plan"):
        some = [content for purpose, content in put if purpose == step]
        assert some
        assert all("Your rewards so far: " in content for content in some)
    if name in DUELS:
        inferred = [content for purpose, content in put if purpose == "infer"]
        assert all("/" in content.split("What they can play: ")[1].splitlines()[0] for content in inferred)
        assert all("distance" in content for purpose, content in put if purpose == "plan")


@pytest.mark.parametrize("mind", thinned(["vmp", "he_hr", "react", "plan_react", "reflexion_agent"], 2))
def test_ablations_and_baselines_take_it_too(mind: str) -> None:
    record = episode(RWS, mind)
    assert not [note for note in record.notes if note.kind == UNUSABLE]
    assert about(record).scaffolds == (NAME,)


INFERRED = {"rock/yellow": 3, "paper/purple": 1, "scissors/blue": 1}
WANTED = {"rock/yellow": 1, "paper/purple": 7, "scissors/blue": 2}


class Numbering:
    """``competent``, but inventories that it infers and wants have numbers of their own."""

    spec = "numbering"
    concurrency = 1

    def __init__(self) -> None:
        self.model = open_model("competent")
        self.context = self.model.context

    async def generate(self, messages: Sequence[Message], decoding: Decoding) -> Completion:
        asked = messages[-1].content.rpartition("in this form:")[2]
        said: dict[str, Any] = {}
        if "possible_opponent_inventory" in asked:
            said["possible_opponent_inventory"] = INFERRED
        if "my_next_inventory" in asked:
            said |= {"predicted_opponent_next_inventory": INFERRED, "my_next_inventory": WANTED}
        return Completion(repr(said)) if said else await self.model.generate(messages, decoding)

    def count(self, text: str) -> int:
        return self.model.count(text)


def test_numbers_come_back_in_later_prompts() -> None:
    """How strongly the other commits, and how strongly one wants to, is told as it was written."""
    put = asked(episode(RWS, model=Numbering()))
    histories = [content for purpose, content in put if purpose == "hypothesise"]
    assert histories
    assert all(f"; they played {INFERRED}" in content for content in histories)
    plans = [content for purpose, content in put if purpose == "plan"]
    assert all(f"Your next behaviour: {WANTED}" in content for content in plans)


def test_a_scaffold_that_a_scenario_does_not_have_is_refused_by_name() -> None:
    built = scenario("rps-single-v1", {"rounds": 3})
    made = Participant(minds.make("hm", {"scaffold": NAME}), open_model("competent"))
    with pytest.raises(StudyError, match="no scaffold 'paper_prompts'"):
        asyncio.run(play(Setup(built, {"ego": made})))
