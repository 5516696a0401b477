"""The telling of cooking: exact words, strict reading, and a language mind that cooks by them."""

from __future__ import annotations

import re
from dataclasses import replace
from fractions import Fraction
from random import Random
from typing import Any

import pytest

from otherminds.core.contracts import Mind, Probe
from otherminds.core.data import Brief, Encounter, Ended, Moment, Partner, Question, Seat, SkillChoice, Turn
from otherminds.core.record import SeatSpec, prompts
from otherminds.core.scenario import Participant, Population, Scenario, Setup
from otherminds.gridworlds.cooking import acts
from otherminds.gridworlds.cooking import rules as columns
from otherminds.gridworlds.cooking.rules import (
    COOKING_ASYMMETRIC,
    DISH,
    SOUP,
    TOMATO,
    Rules,
)
from otherminds.gridworlds.cooking.sightings import LABELS, side
from otherminds.gridworlds.cooking.skills import skills
from otherminds.gridworlds.cooking.verbalizer import CookingVerbalizer
from otherminds.gridworlds.cooking.world import CookingWorld
from otherminds.gridworlds.grid.rules import DX, DY
from otherminds.minds.registry import make_mind
from otherminds.models.scripted import scripted
from otherminds.testing import ScenarioConformance
from otherminds.testing.episodes import played
from tests.cases import depth, for_each
from tests.matrix import test_reading as replies

SHORT = Rules(
    "kitchen-toy-v1", COOKING_ASYMMETRIC.drawing, 2, COOKING_ASYMMETRIC.view, cooking=4, maximum=300
)
ORDER = tuple(range(len(acts.BEHAVIOURS)))


class Cook(Mind):
    """Cooks all alone, in the order of the recipe."""

    PLAN = (*[acts.FILLED_POT] * 3, acts.DELIVERED)

    def begin(self, brief: Brief, context: Any) -> None:
        self.done = 0

    async def perceive(self, moment: Moment) -> None: ...

    async def act(self) -> Any:
        self.done += 1
        return SkillChoice(self.PLAN[(self.done - 1) % len(self.PLAN)])

    async def answer(self, question: Question) -> Any:
        return question.options[0]


def scenario(rules: Rules = SHORT) -> Scenario:
    question = Question(
        "next:partner_0", "ego", "before", "?", acts.BEHAVIOURS, 1 / len(acts.BEHAVIOURS), about="partner_0"
    )

    def draw(rng: Random) -> dict[str, Any]:
        order = list(ORDER)
        rng.shuffle(order)
        return {"order": order}

    return Scenario(
        id=rules.name,
        world=lambda: CookingWorld(rules, skills=tuple(skills(rules))),
        population=Population(((Fraction(1), (SeatSpec("cook"),)),)),
        partner=lambda spec, seat: (Cook(), Partner(spec.mind)),
        probes=(Probe(question, lambda moment: moment.step == 0 or bool(moment.encounters)),),
        skills=skills(rules),
        draw=draw,
        verbalizer=lambda drawn, seat: CookingVerbalizer(rules, seat, tuple(drawn["order"])),
    )


def telling(seat: Seat = "ego") -> CookingVerbalizer:
    return CookingVerbalizer(COOKING_ASYMMETRIC, seat, ORDER)


class TestKitchen(ScenarioConformance):
    """The kit's checks on words, questions and messages."""

    seeds = (0, 1)

    def make_scenario(self) -> Scenario:
        return scenario(replace(SHORT, maximum=120))


class World(CookingWorld):
    """A kitchen in a given state."""

    def seen(self, grants: Any = None) -> dict[str, Any]:
        """What ``ego`` observes."""
        self._grants = {"ego": grants or {}}
        return self._heard(dict.fromkeys(self.agents, ()))[0]["ego"]

    def put(self, player: int, x: int, y: int, facing: int, held: int = 0) -> None:
        state = self.engine.state
        state.here[0][state.here[0] == player + 1] = 0
        state.avatars[0, player, [columns.X, columns.Y, columns.FACING, columns.HELD]] = x, y, facing, held
        state.here[0, y * self.rules.size[0] + x] = player + 1


def kitchen() -> World:
    world = World()
    world.reset(0)
    return world


def test_the_rules_say_every_number_of_the_substrate() -> None:
    told = telling().rules(kitchen().brief("ego"))
    for said in (
        "in a kitchen of 9 by 5 cells, for 1000 steps",
        "It has 2 sides",
        "3 tomatoes go into a pot",
        "it cooks for 20 steps",
        "pays 20 to each of you",
        "a window of 5 by 5 cells: 3 ahead of you, 1 behind you, and 2 to each side",
        "does none of the others for 40 steps stands around",
    ):
        assert said in told
    assert told.isascii()
    assert telling().examples(Turn(), kitchen().brief("ego")) == ()


@pytest.mark.parametrize(
    ("x", "own"),
    [
        (
            2,
            "On your side one can stand at y=1: x=1; y=2: x=1-3; y=3: x=1-3. Around it stand: tomato dispenser: (0, 1); "
            "dish dispenser: (3, 4); place of delivery: (3, 1); pots: (4, 2), (4, 3); "
            "counters: (1, 0), (2, 1), (0, 2), (0, 3), (1, 4), (2, 4).",
        ),
        (
            6,
            "On your side one can stand at y=1: x=7; y=2: x=5-7; y=3: x=5-7. Around it stand: tomato dispenser: (5, 1); "
            "dish dispenser: (5, 4); place of delivery: (8, 1); pots: (4, 2), (4, 3); "
            "counters: (7, 0), (6, 1), (8, 2), (8, 3), (6, 4), (7, 4).",
        ),
    ],
)
def test_the_own_side_is_told_at_the_start(x: int, own: str) -> None:
    world = kitchen()
    world.put(1, 8 - x, 3, 0)
    world.put(0, x, 2, 1)
    told = telling().tell(Moment(0, world.seen()))
    assert told.startswith(f"Step 0. {own} You are at ({x}, 2) facing E and hold nothing. In view: ")


def stocked() -> World:
    world = kitchen()
    world.put(1, 5, 3, 3, DISH)
    world.put(0, 3, 2, 1, TOMATO)
    state = world.engine.state
    containers = list(world.rules.containers)
    state.items[0, containers.index((2, 1))] = DISH
    state.items[0, containers.index((8, 3))] = SOUP
    state.pots[0, 0, columns.INSIDE] = 1
    state.pots[0, 1, [columns.INSIDE, columns.BAR]] = 3, 7
    return world


def test_what_is_seen_is_told_in_places_of_the_map() -> None:
    told = telling().tell(Moment(8, stocked().seen(), ended=Ended(False, "the pot is full")))
    assert told == (
        "Step 8. What you chose failed: the pot is full. You are at (3, 2) facing E and hold a tomato. In view: "
        "pot (4, 2) with 1 tomato; pot (4, 3) with 3 tomatoes, bar 7 of 10; dish on counter (2, 1); "
        "your teammate at (5, 3) facing W, holding a dish."
    )
    world = stocked()
    world.put(0, 1, 1, 0)
    told = telling().tell(Moment(8, world.seen(), ended=Ended(True)))
    assert told == (
        "Step 8. What you chose is done. You are at (1, 1) facing N and hold nothing. In view: "
        "dish on counter (2, 1); your teammate not seen."
    )


def near(cell: tuple[int, int], facing: int, place: tuple[int, int]) -> bool:
    """Whether one sees ``place`` from ``cell``."""
    dx, dy = DX[facing], DY[facing]
    across, down = place[0] - cell[0], place[1] - cell[1]
    return -1 <= across * dx + down * dy <= 3 and -2 <= down * dx - across * dy <= 2


def test_what_is_told_is_what_the_state_has_within_the_window() -> None:
    """From every floor cell of both sides and in every orientation."""
    for cell in [*side(COOKING_ASYMMETRIC, (2, 2)).floor, *side(COOKING_ASYMMETRIC, (6, 2)).floor]:
        for facing in range(4):
            world = stocked()
            if cell == (5, 3):
                world.put(1, 2, 2, 0, DISH)
            world.put(0, *cell, facing)
            told = telling().tell(Moment(8, world.seen(), ended=Ended(True)))
            mate = (2, 2) if cell == (5, 3) else (5, 3)
            assert ("pot (4, 2) with 1 tomato" in told) is near(cell, facing, (4, 2))
            assert ("pot (4, 3) with 3 tomatoes, bar 7 of 10" in told) is near(cell, facing, (4, 3))
            assert ("dish on counter (2, 1)" in told) is near(cell, facing, (2, 1))
            assert ("soup on counter (8, 3)" in told) is near(cell, facing, (8, 3))
            shown = f"your teammate at ({mate[0]}, {mate[1]}) facing {'N' if cell == (5, 3) else 'W'}, holding a dish"
            assert (shown in told) is near(cell, facing, mate)
            assert ("your teammate not seen" in told) is not near(cell, facing, mate)


def test_the_whole_kitchen_is_told_to_who_is_granted_it() -> None:
    world = stocked()
    world.put(0, 1, 1, 0)
    told = telling().tell(Moment(8, world.seen({"map": True}), ended=Ended(True)))
    assert told.endswith(
        "In the whole kitchen: pot (4, 2) with 1 tomato; pot (4, 3) with 3 tomatoes, bar 7 of 10; "
        "dish on counter (2, 1); soup on counter (8, 3); your teammate at (5, 3), holding a dish."
    )


def test_a_delivery_is_told_with_what_is_known_of_each() -> None:
    seen = stocked().seen()
    known = Encounter(57, {"ego": (acts.TOOK_DISH, acts.DELIVERED), "partner_0": (acts.FILLED_POT,)}, 20.0)
    undelivered = tuple(act for act in acts.BEHAVIOURS if act != acts.DELIVERED)
    unseen = Encounter(90, {"ego": (acts.DELIVERED,), "partner_0": undelivered}, 20.0)
    hidden = Encounter(99, {"ego": (acts.STOOD,), "partner_0": acts.BEHAVIOURS}, 40.0)
    idle = Encounter(99, {"ego": (acts.DELIVERED,), "partner_0": (acts.STOOD,)}, 20.0)
    words = telling()
    for encounter, told in (
        (
            known,
            "20. Until then you picked up a dish and delivered soup; your teammate as far as you know put a tomato into a pot.",
        ),
        (unseen, "20. Until then you delivered soup; your teammate did what you did not see."),
        (
            hidden,
            "40. Until then you stood around; your teammate did what you did not see, perhaps the delivery.",
        ),
        (idle, "20. Until then you delivered soup; your teammate stood around."),
    ):
        step = encounter.step + 1
        said = words.tell(Moment(step, seen, encounters=(encounter,)))
        assert said.startswith(f"Step {step}. Soup was delivered, and paid you {told} You are at (3, 2)")
    summed = words.summary(
        [Moment(58, seen, encounters=(known,)), Moment(91, seen, encounters=(unseen,)), Moment(95, seen)]
    )
    own, _, rest = summed.partition("\n")
    assert own.startswith(
        "On your side one can stand at y=1: x=1; y=2: x=1-3; y=3: x=1-3. Around it stand: tomato"
    )
    assert rest == (
        "Up to step 95 soup was delivered (step: what it paid you; what you did before):\n"
        "58: 20; you picked up a dish and delivered soup; your teammate as far as you know put a tomato into a pot\n"
        "91: 20; you delivered soup; your teammate did what you did not see"
    )
    assert words.summary([Moment(7, seen)]) == f"{own}\nUp to step 7 no soup was delivered."
    assert words.summary([]) == ""
    assert words.tell(Moment(7, seen)) == ""
    assert words.tell(Moment(7, seen, last=True)) == "Step 7. The episode is over."


def test_choices_and_questions_have_one_form() -> None:
    words = telling("partner_0")
    turn = words.ask(Turn(), Moment(5, None))
    assert turn.text.startswith(
        "It is step 5.\nQ: What do you do next, Option pick up a tomato, Option put a tomato"
    )
    assert turn.options == tuple(SkillChoice(act) for act in acts.BEHAVIOURS)
    assert turn.labels == tuple(LABELS[act] for act in acts.BEHAVIOURS)
    question = Question("q", "partner_0", "after", "?", acts.BEHAVIOURS, 1 / 7, about="ego")
    asked = words.ask(question, Moment(5, None), SkillChoice(acts.DELIVERED))
    assert asked.text.startswith(
        "It is step 5. You chose Option deliver soup.\nQ: What does your teammate do next, Option"
    )
    assert (asked.labels, asked.options) == (turn.labels, acts.BEHAVIOURS)
    other = Question("r", "ego", "end", "Does it help you?", ("yes", "no"), 1 / 2, about="partner_0")
    assert (
        telling().ask(other, Moment(9, None)).text
        == "It is step 9.\nQ: Does it help you? Option yes or Option no?"
    )


@for_each("literal", [False, True])
@pytest.mark.parametrize("many", depth(250, 10_000))
def test_no_garbled_reply_becomes_an_action(literal: bool, many: int) -> None:
    """Mutations of real replies, 10,000 in the slow run, held against a second reader: no coercion."""
    words, rng = telling(), Random(13 + literal)
    question = Question("q", "ego", "before", "?", acts.BEHAVIOURS, 1 / 7, about="partner_0")
    ask = words.ask(question if literal else Turn(), Moment(0, None))
    read = [replies.check(words, ask, replies.filled(replies.mutated(rng), ask.labels)) for _ in range(many)]
    assert 0.1 < sum(found is not None for found in read) / many < 0.9, "both kinds are met"


@pytest.mark.parametrize("strategy", ["lm", "qa", "cot", "social_qa"])
def test_language_minds_cook_by_these_words(strategy: str) -> None:
    built, model = scenario(), scripted("uniform")
    mind = make_mind(SeatSpec(strategy, model="scripted:uniform"))
    record = played(Setup(built, {"ego": Participant(mind, model)}, 1))
    assert record.outcome.status == "scored"
    mine = [choice.made for choice in record.choices if choice.seat == "ego"]
    assert len({made.name for made in mine if isinstance(made, SkillChoice)}) >= 3
    assert all(isinstance(made, SkillChoice) for made in mine)
    texts = [prompt[-1].content for prompt in prompts(record.calls)]
    calls = zip(record.calls, texts, strict=True)
    step, last = [(call.step, text) for call, text in calls if call.purpose == "act"][-1]
    heard = [met for met in record.met["ego"] if met.step < step]
    assert last.count("Soup was delivered, and paid you") == len(heard)
    assert all(re.search(r"\nStep 0\. On your side", text) for text in texts)


def test_a_full_context_keeps_the_own_side_and_every_delivery() -> None:
    built, model = scenario(COOKING_ASYMMETRIC), scripted("uniform")
    model.context = 1500
    mind = make_mind(SeatSpec("qa", model="scripted:uniform"))
    record = played(Setup(built, {"ego": Participant(mind, model)}, 0))
    assert any(note.kind == "context_folded" for note in record.notes)
    texts = [prompt[-1].content for prompt in prompts(record.calls)]
    assert all(text.count("On your side one can stand at") == 1 for text in texts)
    assert all(model.count(text) <= model.context for text in texts)
    last = record.calls[-1].step
    for met in record.met["ego"]:
        said = (f"\n{met.step + 1}: 20; you ", f"Step {met.step + 1}. Soup was delivered, and paid you 20.")
        assert sum(one in texts[-1] for one in said) == (met.step < last)
