"""The parts of the kit: comparing, snapshots, other processes, simple minds, the stage."""

from __future__ import annotations

import random
import sys
import threading
from collections import Counter, deque
from itertools import count
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from gymnasium.spaces import Box, Discrete, MultiDiscrete, Tuple

from otherminds.core.contracts import Mind
from otherminds.core.data import Brief, Game, Invalid, Moment, Question, SkillChoice
from otherminds.games.player import AutomatonPlayer
from otherminds.games.registry import automaton, ipd
from otherminds.play.seat_context import CallMade, Now, SeatContext
from otherminds.testing import MindConformance, RandomMind, ScriptedMind, StageWorld, WorldConformance
from otherminds.testing.compare import (
    find_changes,
    form,
    global_randomness,
    member,
    outside,
    plain,
    promise,
    round_trips,
    snapshot,
)
from otherminds.testing.episodes import chosen, elsewhere, load
from otherminds.testing.partners import stage
from otherminds.testing.worlds import read_back
from tests.cases import for_each
from tests.testing.toy_scenario import asked

SPACES = [
    Discrete(3),
    Discrete(2, start=1),
    MultiDiscrete([2, 3]),
    Box(-1.0, 1.0, (2,)),
    Tuple((Discrete(2), Discrete(3))),
]


class TestStage(WorldConformance):
    """The kit's own world keeps what every world keeps, though its seats have unlike behaviours."""

    def make_world(self) -> StageWorld:
        game = Game(
            "odd", (("a", "b"), ("x", "y", "z")), (((1, 2), (0, 0), (3, 1)), ((0, 1), (2, 2), (1, 0)))
        )
        return StageWorld(game, rounds=4)

    def questions(self) -> list[Question]:
        return [Question("next", "ego", "after", "?", ("x", "y", "z"), 1 / 3, about="partner_0")]


class SimpleCase(MindConformance):
    def make_scenario(self) -> Any:
        def partner() -> Mind:
            return AutomatonPlayer(automaton("noisy_tit_for_tat", ipd(), 5, {}))

        return asked(stage(ipd(), 5, partner))


class TestRandomMind(SimpleCase):
    def make_mind(self) -> Mind:
        return RandomMind()


class TestScriptedMind(SimpleCase):
    def make_mind(self) -> Mind:
        return ScriptedMind(["defect", "cooperate", "defect"])


def begun(mind: Any, brief: Brief) -> Any:
    mind.begin(brief, SeatContext("ego", 0, Now()))
    return mind


def brief(space: Any, skills: tuple[str, ...] = ()) -> Brief:
    return Brief("ego", (), space, {"ego": ("wave", "nod")}, (0.0, 1.0), 5, skills)


async def turns(mind: Any, n: int) -> list[Any]:
    made = []
    for step in range(n):
        await mind.perceive(Moment(step, None))
        made.append(await mind.act())
    return made


def now(waiting: Any) -> Any:
    with pytest.raises(StopIteration) as done:
        waiting.send(None)
    return done.value.value


@for_each("space", SPACES, ids=str)
def test_a_random_mind_plays_everything_in_any_space(space: Any) -> None:
    made = now(turns(begun(RandomMind(), brief(space)), 60))
    assert all(member(space, action) for action in made)
    assert len({form(action) for action in made}) >= 2
    if isinstance(space, Discrete):
        assert {type(action) for action in made} == {int}
        assert len(set(made)) == space.n


def test_a_random_mind_chooses_among_behaviours_that_are_skills() -> None:
    made = now(turns(begun(RandomMind(), brief(Discrete(9), ("wave", "nod", "sit"))), 30))
    assert set(made) == {SkillChoice("wave"), SkillChoice("nod")}


def test_a_random_mind_answers_every_option_and_no_open_question() -> None:
    mind = begun(RandomMind(), brief(Discrete(2)))
    question = Question("q", "ego", "before", "?", ("a", "b", "c"), 1 / 3)
    said = []
    for step in range(60):
        now(mind.perceive(Moment(step, None)))
        said.append(now(mind.answer(question)))
    assert set(said) == {"a", "b", "c"}
    assert isinstance(now(mind.answer(Question("q", "ego", "before", "?", (), 0.0))), Invalid)


def test_a_scripted_mind_keeps_to_its_script_and_stays_with_its_end() -> None:
    mind = begun(ScriptedMind(["wave", "nod", "wave", "nod"]), brief(Discrete(2), ("nod",)))
    assert now(turns(mind, 6)) == [
        0,
        SkillChoice("nod"),
        0,
        SkillChoice("nod"),
        SkillChoice("nod"),
        SkillChoice("nod"),
    ]
    assert chosen(brief(Discrete(2)), "nod") == 1


@for_each("space", SPACES, ids=str)
def test_actions_outside_a_space_are_outside_and_members_come_back_from_json(space: Any) -> None:
    bad = outside(space)
    assert len(bad) >= 5
    assert not any(member(space, action) for action in bad)
    space.seed(3)
    for _ in range(5):
        sample = space.sample()
        back = read_back(space, sample)
        assert member(space, back)
        assert plain(back) == plain(sample)


@for_each(
    ("make", "change"),
    [
        (lambda: [1, [2]], lambda it: it[1].append(3)),
        (lambda: {"a": {"b": 1}}, lambda it: it["a"].update(b=2)),
        (lambda: SimpleNamespace(a=SimpleNamespace(b=1)), lambda it: setattr(it.a, "b", 2)),
        (lambda: Counter("aab"), lambda it: it.update("a")),
        (lambda: deque([1, 2]), lambda it: it.rotate()),
        (lambda: {1, 2}, lambda it: it.add(3)),
        (lambda: np.zeros(3), lambda it: it.__setitem__(0, 1.0)),
        (lambda: random.Random(1), lambda it: it.random()),
        (lambda: np.random.default_rng(1), lambda it: it.random()),
        (count, next),
        (lambda: SeatContext("ego", 0, Now()), lambda it: it.rng.random()),
        (lambda: SeatContext("ego", 0, Now()), lambda it: it.note("a", 1)),
        (lambda: Slotted(1), lambda it: setattr(it, "held", 2)),
        (lambda: Bound().method, lambda it: setattr(it.__self__, "held", 2)),
    ],
)
def test_a_snapshot_shows_every_change_and_no_other(make: Any, change: Any) -> None:
    thing = make()
    before = snapshot(thing)
    assert not find_changes(before, snapshot(thing))
    change(thing)
    assert find_changes(before, snapshot(thing))


def test_a_snapshot_copes_with_loops_locks_and_calls() -> None:
    loop: list[Any] = [threading.Lock(), len, random]
    loop.append(loop)
    assert not find_changes(snapshot(loop), snapshot(loop))
    context = SeatContext("ego", 0, Now())
    before = snapshot(context)
    context.calls.append(CallMade(0, "predict", 0, (), None, None, 0.1))
    assert not find_changes(before, snapshot(context))


class Slotted:
    __slots__ = ("held",)

    def __init__(self, held: int) -> None:
        self.held = held


class Bound:
    held = 1

    def method(self) -> None:
        """Bound to its object."""


@for_each("value", [{1: 2}, {"a": {3: 4}}, object()])
def test_what_has_no_json_form_is_reported(value: Any) -> None:
    with pytest.raises(AssertionError, match="promised: data with a JSON form"):
        round_trips(Moment(0, value), Moment)


@for_each("value", [{1, 2}, [float("nan")], [float("inf")], b"bytes"])
def test_what_json_changes_is_seen(value: Any) -> None:
    assert not round_trips(Moment(0, value), Moment)


@for_each("value", [(1, 2), np.arange(3), np.int64(4), {"a": (None, True, 0.1)}, "text"])
def test_what_json_gives_back_is_accepted(value: Any) -> None:
    assert round_trips(Moment(0, value), Moment)


def test_global_randomness_is_given_back() -> None:
    before = random.getstate(), np.random.get_state()[1].tolist()
    with global_randomness(5):
        first = random.random(), np.random.random()
    with global_randomness(5):
        assert (random.random(), np.random.random()) == first
    assert (random.getstate(), np.random.get_state()[1].tolist()) == before


def test_a_broken_promise_says_what_was_promised_and_what_happened() -> None:
    promise(True, "rain", "rain")
    with pytest.raises(AssertionError, match=r"^promised: rain; happened: snow$"):
        promise(False, "rain", "snow")


class Elsewhere:
    def where(self) -> str:
        return f"{sys.flags.hash_randomization} {hash('a text')}"

    def fail(self) -> str:
        raise ValueError("a fault on the other side")


def test_other_processes_have_other_hash_seeds() -> None:
    one, two = elsewhere(Elsewhere(), "where")
    assert one != two
    assert elsewhere(Elsewhere(), "where") == [one, two]


def test_a_class_inside_a_function_cannot_be_made_elsewhere() -> None:
    class Local:
        """Nobody can name it from outside."""

    with pytest.raises(AssertionError, match="must be defined at the top level of a file"):
        elsewhere(Local(), "anything")


def test_a_fault_elsewhere_is_reported_and_its_process_replaced() -> None:
    before = elsewhere(Elsewhere(), "where")
    with pytest.raises(AssertionError, match="a fault on the other side"):
        elsewhere(Elsewhere(), "fail")
    assert elsewhere(Elsewhere(), "where") == before


def test_a_file_that_is_not_there_cannot_be_loaded() -> None:
    with pytest.raises(ImportError, match=r"no Python file .*nowhere\.py"):
        load("nowhere.py")
    assert load(__file__) is load(__file__)
