"""The tellings of the *in the matrix* substrates: exact words, strict reading, and a language mind that plays by them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from random import Random
from typing import Any

import numpy as np
import pytest

from otherminds.core.contracts import Mind, Probe, Scaffold
from otherminds.core.data import (
    Brief,
    Encounter,
    Ended,
    Invalid,
    Moment,
    Partner,
    Question,
    Seat,
    SkillChoice,
    Turn,
)
from otherminds.core.record import Record, SeatSpec, prompts
from otherminds.core.scenario import Participant, Population, Scenario, Setup
from otherminds.games.best_response import TIE
from otherminds.gridworlds.grid.rules import NOOP
from otherminds.gridworlds.in_the_matrix import rules as columns
from otherminds.gridworlds.in_the_matrix.naming import collect_boxes, imagine_duels, pays
from otherminds.gridworlds.in_the_matrix.rules import PD_REPEATED, RWS_ARENA, RWS_REPEATED, Rules
from otherminds.gridworlds.in_the_matrix.skills import skills
from otherminds.gridworlds.in_the_matrix.verbalizer import InTheMatrixVerbalizer
from otherminds.gridworlds.in_the_matrix.world import InTheMatrixWorld
from otherminds.minds.registry import make_mind
from otherminds.models.scripted import ScriptedModel, scripted
from otherminds.testing import ScenarioConformance
from otherminds.testing.episodes import played
from tests.cases import depth, for_each
from tests.matrix import test_reading as replies

CLOSE = """
WWWWWW
Wn11nW
W1a2nW
Wn22nW
WWWWWW
"""
ROOMY = """
WWWWWWWWWWW
WP  11   PW
W   11 33 W
WP   P 33 W
W   22    W
WP  22   PW
WWWWWWWWWWW
"""
SUBSTRATES = [RWS_REPEATED, RWS_ARENA, PD_REPEATED]


class Player(Mind):
    """Plays one behaviour for ever."""

    def __init__(self, behaviour: str) -> None:
        self.behaviour = behaviour

    def begin(self, brief: Brief, context: Any) -> None: ...

    async def perceive(self, moment: Moment) -> None: ...

    async def act(self) -> Any:
        return SkillChoice(self.behaviour)

    async def answer(self, question: Question) -> Any:
        return question.options[0]


class NoScaffold(InTheMatrixVerbalizer):
    """These maps have no room for the worked plans of a scaffold."""

    @property
    def scaffolds(self) -> Mapping[str, Scaffold]:
        return {}


def scenario(rules: Rules, when: Any = "before") -> Scenario:
    """``rules`` against partners that always play the last class, with one question about each."""
    names = rules.classes
    others = [f"partner_{i}" for i in range(rules.players - 1)]

    def draw(rng: Random) -> dict[str, Any]:
        order = list(range(len(names)))
        rng.shuffle(order)
        return {"order": order}

    def due(moment: Moment) -> bool:
        return moment.step == 0 or bool(moment.encounters)

    return Scenario(
        id=f"{rules.name.removesuffix('-v1')}-toy-v1",
        world=lambda: InTheMatrixWorld(rules, skills=tuple(skills(rules)), rounds=12),
        population=Population(((Fraction(1), (SeatSpec("constant"),) * len(others)),)),
        partner=lambda spec, seat: (Player(names[-1]), Partner(spec.mind)),
        probes=tuple(
            Probe(Question(f"next:{seat}", "ego", when, "?", names, 1 / len(names), about=seat), due)
            for seat in others
        ),
        skills=skills(rules),
        draw=draw,
        verbalizer=lambda drawn, seat: NoScaffold(rules, seat, tuple(drawn["order"])),
        game=rules.game,
    )


def short(rules: Rules, **changes: Any) -> Rules:
    return replace(rules, **{"minimum": 150, "maximum": 300, "interval": 10, **changes})


def telling(rules: Rules, seat: Seat = "ego") -> InTheMatrixVerbalizer:
    return InTheMatrixVerbalizer(rules, seat, tuple(range(len(rules.classes))))


def brief(rules: Rules, seat: Seat = "ego", **granted: Any) -> Brief:
    world = InTheMatrixWorld(rules)
    world.reset(0, {"grants": {seat: granted}})
    return world.brief(seat)


def played_by(strategy: str, rules: Rules, model: str, seed: int = 0, **params: Any) -> Record:
    built = scenario(rules)
    mind = make_mind(SeatSpec(strategy, params, model=f"scripted:{model}"))
    return played(Setup(built, {"ego": Participant(mind, scripted(model))}, seed))


class TestCloseScissors(ScenarioConformance):
    """The kit's checks on words, questions and messages, where duels come often."""

    def make_scenario(self) -> Scenario:
        return scenario(short(RWS_REPEATED, drawing=CLOSE.replace("1", "r").replace("2", "s"), maximum=160))


class TestCloseArena(ScenarioConformance):
    seeds = (0,)

    def make_scenario(self) -> Scenario:
        return scenario(short(RWS_ARENA, drawing=ROOMY, players=3, maximum=200, freeze=2, respawn=3))


@for_each("rules", SUBSTRATES, ids=lambda rules: rules.name)
def test_the_rules_say_every_number_of_the_substrate(rules: Rules) -> None:
    told = telling(rules).rules(brief(rules))
    width, height = rules.size
    for said in (
        f"a map of {width} by {height} cells",
        f"at least {rules.minimum} steps",
        f"every {rules.interval} steps with probability {rules.ending:g}",
        f"after {rules.maximum} steps",
        f"from {rules.delay} steps after a box has gone, it comes back with probability {rules.regrowth:g}",
        f"stand still for {rules.freeze + 1} steps",
        f"come back {rules.respawn + 1} steps later",
        f"{rules.view.forward} ahead of you, {rules.view.backward} behind you, and {rules.view.left} to each side",
        *(
            f"{colour} ones stand for {name}"
            for colour, name in zip(rules.colours, rules.classes, strict=True)
        ),
    ):
        assert said in told
    assert ("all boxes come back at once" in told) is rules.refill
    assert ("You are player 0, one of 8 players" in told) is (rules.players == 8)
    assert told.isascii()


@for_each("rules", SUBSTRATES, ids=lambda rules: rules.name)
def test_the_places_without_walls_are_told_exactly(rules: Rules) -> None:
    told = telling(rules).rules(brief(rules)).split("These places are free of walls: ")[1].split(".")[0]
    free: set[tuple[int, int]] = set()
    for row in told.split("; "):
        y, runs = row.removeprefix("y=").split(": x=")
        for run in runs.split(", "):
            low, _, high = run.partition("-")
            free |= {(x, int(y)) for x in range(int(low), int(high or low) + 1)}
    width, height = rules.size
    assert free | {*rules.walls} == {(x, y) for x in range(width) for y in range(height)}
    assert not free & {*rules.walls}


@for_each("rules", SUBSTRATES, ids=lambda rules: rules.name)
def test_payoffs_are_told_only_where_they_are_granted(rules: Rules) -> None:
    words = telling(rules)
    bare, granted = words.rules(brief(rules)), words.rules(brief(rules, game=rules.game))
    assert granted.startswith(bare.removesuffix("\n"))
    assert "bring you" not in bare
    names = rules.classes
    sign = "+" if rules is not PD_REPEATED else ""
    for i, mine in enumerate(names):
        for j, its in enumerate(names):
            pay = rules.row[i][j]
            shown = f"{sign if pay > 0 else ''}{pay:g}"
            assert f"Your {mine} and its {its} bring you {shown} and" in granted
    assert words.examples(Turn(), brief(rules)) == ()


def test_a_secret_is_told_with_others_called_as_they_are_in_the_prompt() -> None:
    told = telling(RWS_ARENA).rules(brief(RWS_ARENA, secrets=("partner_3 is rock_margin_0",)))
    assert told.endswith("You are told a secret: player 4 is rock_margin_0.\n")


def observed(rules: Rules, grants: Any = None, **avatars: tuple[int, int, int]) -> dict[str, Any]:
    """What ``ego`` observes where the avatars stand as ``a0=(x, y, facing)``, ... say."""
    world = InTheMatrixWorld(rules)
    world.reset(0, {"grants": {"ego": grants or {}}})
    state = world.engine.state
    state.here[0] = 0
    for i in range(rules.players):
        x, y, facing = avatars.get(f"a{i}", (0, 0, 0))
        state.avatars[0, i, [columns.X, columns.Y, columns.FACING]] = x, y, facing
        state.here[0, y * rules.size[0] + x] = i + 1
    return world._heard(dict.fromkeys(world.agents, ()))[0]["ego"]


def test_what_is_seen_is_told_in_places_of_the_map() -> None:
    """In every orientation; (7, 3) to (8, 5) are rock, paper is out of sight."""
    words = telling(RWS_REPEATED)
    for facing, seen in ((0, "(7, 3), (8, 3), (7, 4), (8, 4), (7, 5), (8, 5)"), (2, "(7, 5), (8, 5)")):
        told = words.tell(Moment(0, observed(RWS_REPEATED, a0=(7, 6, facing), a1=(6, 5, 0))))
        others = re.sub(r"(, )?\(9, \d\)", "", told)  # what chance drew
        assert told.startswith(
            f"Step 0. You are at (7, 6) facing {'NESW'[facing]}, hold rock 1, paper 1, scissors 1, and are not ready. "
        )
        assert f"yellow boxes: {seen}" in others
        assert "the other player: at (6, 5), not ready." in told


def near(rules: Rules, pose: tuple[int, int, int], cell: tuple[int, int]) -> bool:
    """Whether one sees ``cell`` from ``pose``."""
    (x, y, facing), view = pose, rules.view
    (forward, down), (right, over) = (
        ((0, -1), (1, 0), (0, 1), (-1, 0))[(facing + turn) % 4] for turn in (0, 1)
    )
    dx, dy = cell[0] - x, cell[1] - y
    ahead, side = dx * forward + dy * down, dx * right + dy * over
    return -view.backward <= ahead <= view.forward and -view.left <= side <= view.right


def test_what_is_told_is_what_the_state_has_within_the_window() -> None:
    """Against the true state, wherever and however one stands, with all others in sight or not."""
    for rules in SUBSTRATES:
        rng = Random(3)
        walls = {*rules.walls}
        width, height = rules.size
        free = [(x, y) for x in range(width) for y in range(height) if (x, y) not in walls]
        for _ in range(25):
            spots = rng.sample(free, rules.players)
            poses = {f"a{i}": (*cell, rng.randrange(4)) for i, cell in enumerate(spots)}
            told = telling(rules).tell(Moment(0, observed(rules, **poses)))
            named = told.split("In view: ")[1]
            boxes = {cell for cell in rules.places if near(rules, poses["a0"], cell)}
            before, _, others = named.partition("other player")
            assert {tuple(map(int, c)) for c in re.findall(r"\((\d+), (\d+)\)", before)} == boxes
            assert {tuple(map(int, c)) for c in re.findall(r"\((\d+), (\d+)\)", others)} == {
                cell for cell in spots[1:] if near(rules, poses["a0"], cell)
            }
            if rules.distinct:
                who = {
                    int(n): (int(a), int(b))
                    for n, a, b in re.findall(r"player (\d) at \((\d+), (\d+)\)", others)
                }
                assert who == {
                    i: cell for i, cell in enumerate(spots) if i and near(rules, poses["a0"], cell)
                }


def test_the_whole_map_is_told_to_who_is_granted_it() -> None:
    grants = {"map": True}
    told = telling(PD_REPEATED).tell(
        Moment(0, observed(PD_REPEATED, grants=grants, a0=(1, 1, 0), a1=(20, 13, 0)))
    )
    named = told.split("On the whole map: ")[1]
    boxes, _, other = named.partition("the other player: ")
    assert len(re.findall(r"\(\d+, \d+\)", boxes)) == len(PD_REPEATED.places)
    assert other == "at (20, 13).", "its marker is not seen from here"


def test_a_duel_is_told_with_the_doubt_that_the_reward_leaves() -> None:
    words = telling(RWS_ARENA)
    seen = observed(RWS_ARENA, a0=(1, 1, 0))
    sure = Encounter(57, {"ego": ("rock",), "partner_2": ("scissors",)}, 25 / 7)
    torn = Encounter(57, {"partner_0": ("paper", "rock"), "ego": ("rock", "paper")}, -0.0)
    assert words.tell(Moment(58, seen, encounters=(sure,))).startswith(
        "Step 58. A duel is over: you played rock, player 3 played scissors, and your reward is +3.571. You are at (1, 1)"
    )
    assert words.tell(Moment(58, seen, encounters=(torn,))).startswith(
        "Step 58. A duel is over: you played rock and paper, player 1 played paper or rock "
        "(your reward fits each of these, the likeliest first), and your reward is 0. "
    )
    summed = words.summary([Moment(58, seen, encounters=(sure,)), Moment(90, seen, encounters=(torn,))])
    assert summed.endswith(
        "Your duels until then (step: you; the other player; your reward):\n"
        "58: rock; player 3 scissors; +3.571\n58: rock and paper; player 1 paper or rock; 0"
    )


def test_the_ends_of_skills_are_told_and_nothing_else_is() -> None:
    words = telling(RWS_ARENA)
    seen = observed(RWS_ARENA, a0=(1, 1, 0))
    assert words.tell(Moment(7, seen)) == ""
    why = "a duel with partner_1 came in between"
    assert words.tell(Moment(7, seen, ended=Ended(False, why))).startswith(
        "Step 7. What you chose failed: a duel with player 2 came in between. You are at (1, 1) facing N"
    )
    assert words.tell(Moment(7, seen, ended=Ended(True, "at (1, 1)"))).startswith(
        "Step 7. What you chose is done: at (1, 1). You are at"
    )
    assert words.tell(Moment(7, seen, last=True)) == "Step 7. The episode is over."


def test_who_is_granted_inventories_is_told_them_when_the_duel_begins() -> None:
    words = telling(PD_REPEATED)
    seen = observed(PD_REPEATED, grants={"inventories": True}, a0=(1, 1, 0))
    assert words.tell(Moment(0, seen)).startswith("Step 0. You are at")
    begun = {**seen, "INTERACTION_INVENTORIES": np.array([[4.0, 1.0], [1.0, 3.0]])}
    assert words.tell(Moment(9, begun)).startswith(
        "Step 9. A duel begins: you hold cooperate 4, defect 1; your opponent holds cooperate 1, defect 3."
    )
    quiet = {**seen, "INTERACTION_INVENTORIES": np.full((2, 2), -1.0)}
    assert words.tell(Moment(9, quiet)) == ""


def test_boxes_that_were_told_are_summed_up_by_place() -> None:
    words = telling(RWS_REPEATED)
    moments = [Moment(n, observed(RWS_REPEATED, a0=(7, 6, facing))) for n, facing in enumerate((2, 0))]
    told = words.summary(moments)
    assert told.startswith(
        "Up to step 1 you were told of boxes at these places: yellow boxes: (7, 3), (7, 4), (7, 5), (8, 3)"
    )
    assert words.summary([Moment(3, observed(RWS_REPEATED, a0=(1, 6, 3)))]) == ""


def test_choices_and_questions_have_one_form() -> None:
    words = InTheMatrixVerbalizer(RWS_ARENA, "partner_1", (2, 0, 1))
    turn = words.ask(Turn(), Moment(5, None))
    assert turn.text == (
        "It is step 5.\nQ: What do you play next, Option scissors, Option rock or Option paper?"
    )
    assert turn.options == (SkillChoice("scissors"), SkillChoice("rock"), SkillChoice("paper"))
    question = Question("q", "partner_1", "after", "?", RWS_ARENA.classes, 1 / 3, about="ego")
    asked = words.ask(question, Moment(5, None), SkillChoice("rock"))
    assert asked.text == (
        "It is step 5. You chose Option rock.\n"
        "Q: What does player 0 play in its next duel, Option scissors, Option rock or Option paper?"
    )
    assert (asked.labels, asked.options) == (turn.labels, ("scissors", "rock", "paper"))
    elsewhere = words.ask(question, Moment(5, None), SkillChoice("fire_at", ("partner_2",)))
    assert elsewhere.text.startswith("It is step 5. You chose fire_at(player 3).\nQ:")
    assert (asked.cue, asked.template, asked.schema) == (turn.cue, turn.template, turn.schema)


def test_other_questions_are_put_in_their_own_words() -> None:
    words = telling(PD_REPEATED)
    text = "Does the other player ever forgive?"
    question = Question("q", "ego", "end", text, ("yes", "no"), 1 / 2, about="partner_0")
    asked = words.ask(question, Moment(9, None))
    assert asked.text == f"It is step 9.\nQ: {text} Option yes or Option no?"
    assert (asked.labels, asked.options) == (("yes", "no"), ("yes", "no"))
    again = Question(
        "r", "ego", "before", "What does it expect of you?", PD_REPEATED.classes, 1 / 2, "partner_0", "q"
    )
    assert "Q: What does it expect of you? Option cooperate" in words.ask(again, Moment(9, None)).text


@for_each("rules", SUBSTRATES, ids=lambda rules: rules.name)
def test_examples_are_right_and_in_the_form_asked_for(rules: Rules) -> None:
    """Rewards are what such duels pay, and the answers are read back as the best ones."""
    words, given = telling(rules), brief(rules, game=rules.game)
    question = Question("q", "ego", "after", "?", rules.classes, 1 / 2, about=given.others[-1])
    for about in (Turn(), question):
        shown = words.examples(about, given)
        assert len(shown) == 3
        for one, text in zip(imagine_duels(rules.game, words.order), shown, strict=True):
            right = one.best if about is not question else one.coming
            assert (
                words.read(words.ask(about, Moment(0, None)), text.splitlines()[-1])
                == words.ask(about, Moment(0, None)).options[right]
            )
            kinds = len(rules.classes)
            for i, j in zip(one.own, one.others, strict=True):
                paid = pays(rules.game, collect_boxes(i, kinds), collect_boxes(j, kinds))[0]
                sign = "+" if paid > TIE and rules is not PD_REPEATED else ""
                assert f"your reward is {sign}{round(paid, 3):g}." in text
    assert len({words.examples(Turn(), given)[n].splitlines()[-1] for n in range(3)}) == len(rules.classes)


def test_a_duel_pays_what_the_examples_say() -> None:
    for rules in SUBSTRATES:
        kinds = len(rules.classes)
        for i in range(kinds):
            for j in range(kinds):
                p, q = np.array(collect_boxes(i, kinds)), np.array(collect_boxes(j, kinds))
                due = p / p.sum() @ np.array(rules.row) @ (q / q.sum())
                assert pays(rules.game, collect_boxes(i, kinds), collect_boxes(j, kinds))[0] == pytest.approx(
                    due
                )


@for_each("rules", [RWS_ARENA, PD_REPEATED], ids=lambda rules: rules.name)
@for_each("literal", [False, True])
@pytest.mark.parametrize("many", depth(250, 10_000))
def test_no_garbled_reply_becomes_an_action(rules: Rules, literal: bool, many: int) -> None:
    """Mutations of real replies, 10,000 in the slow run for each, held against a second reader: no coercion."""
    words, rng = telling(rules), Random(11 + literal)
    question = Question("q", "ego", "before", "?", rules.classes, 1 / 2, about="partner_0")
    ask = words.ask(question if literal else Turn(), Moment(0, None))
    read = [replies.check(words, ask, replies.filled(replies.mutated(rng), ask.labels)) for _ in range(many)]
    assert 0.1 < sum(found is not None for found in read) / many < 0.9, "both kinds are met"


@pytest.mark.parametrize("strategy", ["lm", "qa", "cot", "cot_3shot", "reflexion", "social_lm"])
def test_language_minds_play_by_these_words(strategy: str) -> None:
    record = played_by(strategy, short(RWS_REPEATED), "echo_last" if strategy == "lm" else "uniform")
    assert record.outcome.status == "scored"
    mine = [choice.made for choice in record.choices if choice.seat == "ego"]
    assert len(mine) >= 3
    assert all(isinstance(made, SkillChoice) and made.name in RWS_REPEATED.classes for made in mine)
    duels = [met for met in record.met["ego"] if met.step < len(record.actions)]
    assert len(duels) >= 2
    texts = [prompt[-1].content for prompt in prompts(record.calls)]
    for met in duels[:-1]:
        assert any(f"Step {met.step + 1}. A duel is over: you played " in text for text in texts)
    assert all(asked.answer in RWS_REPEATED.classes for asked in record.asked)


def test_who_cannot_be_read_stands_still() -> None:
    built = scenario(short(PD_REPEATED, minimum=20, maximum=20))
    mind = make_mind(SeatSpec("qa", {"tries": 1}, model="scripted:first"))

    mute = ScriptedModel(lambda messages, decoding: "I would rather not.")
    record = played(Setup(built, {"ego": Participant(mind, mute)}, 0))
    assert {row[0] for row in record.actions} == {NOOP}
    assert all(isinstance(choice.made, Invalid) for choice in record.choices if choice.seat == "ego")


def test_prompts_grow_by_little_and_only_at_their_end() -> None:
    """A whole episode of 1,000 steps fits a context of 8,192 tokens many times over."""
    record = played_by("qa", short(RWS_REPEATED, minimum=1000, maximum=1000), "uniform")
    texts = [
        prompt[-1].content
        for call, prompt in zip(record.calls, prompts(record.calls), strict=True)
        if call.purpose == "act"
    ]
    stories = [text.rpartition("\nIt is step ")[0] for text in texts]
    for before, after in pairwise(stories):
        assert after.startswith(before)
    assert len(texts) > 15
    assert len(texts[-1]) < 12_000


def test_a_full_context_keeps_every_duel() -> None:
    built, model = scenario(short(RWS_REPEATED, minimum=1000, maximum=1000)), scripted("uniform")
    model.context = 1400
    mind = make_mind(SeatSpec("qa", model="scripted:uniform"))
    record = played(Setup(built, {"ego": Participant(mind, model)}, 0))
    assert any(note.kind == "context_folded" for note in record.notes)
    texts = [prompt[-1].content for prompt in prompts(record.calls)]
    assert all(model.count(text) <= model.context for text in texts)
    last = record.calls[-1].step
    for met in record.met["ego"]:
        said = (f"\n{met.step + 1}: ", f"Step {met.step + 1}. A duel is over: ")
        assert sum(one in texts[-1] for one in said) == (met.step < last)
