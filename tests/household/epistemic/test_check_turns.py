"""Claims about the fewest joint turns: what is accepted is the number that a search of all states finds."""

from __future__ import annotations

import random

import pytest
from msgspec import structs

from otherminds.household.epistemic.certificate import Claim, EpistemicProblem, PlanAct, ProblemAction, Words
from otherminds.household.epistemic.check import refuted
from otherminds.household.epistemic.check_rules import ProblemRules, RejectedError
from otherminds.household.epistemic.check_searches import fewest_turns
from tests.cases import for_each
from tests.household.epistemic.two_objects import (
    ACTIONS,
    BOTH,
    CUP,
    CUP_THERE,
    JAR,
    JAR_THERE,
    ONE,
    PLAN,
    SHUT,
    TRACKED,
    ZERO,
    act,
    exact,
)

PARTS = (((), CUP), ((), JAR))
MOST = 12


def shortest(*turns: tuple[PlanAct, ...], tracked: tuple[Words, ...] = TRACKED) -> Claim:
    return Claim("shortest", "turns", PARTS, turns=turns, slowest=PARTS[:1], tracked=tracked)


def fewest(problem: EpistemicProblem, tracked: tuple[Words, ...], *literals: str) -> int:
    return fewest_turns(ProblemRules(problem), tracked, [((), one) for one in literals], MOST)


def test_a_shortest_plan_is_accepted() -> None:
    assert refuted(BOTH, shortest(*PLAN)) == ""
    assert str(shortest(*PLAN)).endswith("hold after 8 turns, and after no fewer")


def test_a_lower_bound_that_is_one_too_high_is_rejected() -> None:
    assert refuted(BOTH, shortest(*PLAN, ())) == "8 turns may be enough"


def in_one(first: int) -> tuple[tuple[PlanAct, ...], ...]:
    """The plan with two turns as one."""
    both = tuple(sorted((*PLAN[first], *PLAN[first + 1]), key=lambda one: one.values))
    return (*PLAN[:first], both, *PLAN[first + 2 :])


@for_each(
    ("turns", "why"),
    [
        (PLAN[:-1], "the parts do not all hold"),
        (PLAN[1:], "a need does not hold"),
        (in_one(0), "agents act in their order, each once a turn"),
        (((PLAN[0][1], PLAN[0][0]), *PLAN[1:]), "agents act in their order, each once a turn"),
        (((act("fly", ZERO, "hall", "den"),), *PLAN), "no action"),
        (((act("walk", ONE, "hall", "den"),), *PLAN), "a need does not hold"),
        ((((act("walk", "agent_9", "hall", "den")),), *PLAN), "agents act in their order, each once a turn"),
        (in_one(4), "nobody can know that at the start of the turn"),
    ],
)
def test_turns_that_are_no_turns_are_rejected(turns: tuple[tuple[PlanAct, ...], ...], why: str) -> None:
    assert why in refuted(BOTH, shortest(*turns))


def test_what_was_in_closed_furniture_is_taken_in_the_turn_after_it_was_opened() -> None:
    """Agent 1 stands beside agent 0, which opens the chest."""
    beside = structs.replace(
        BOTH, start=tuple((*one[:2], "den") if one[0] == "at" else one for one in BOTH.start)
    )
    opens, picks = act("open", ZERO, "den", "chest_1"), act("pick_within", ONE, "den", "chest_1", "cup_1")
    assert "nobody can know" in refuted(beside, shortest((opens, picks)))
    assert "the parts do not all hold" in refuted(beside, shortest((opens,), (picks,)))


@for_each(
    "changed",
    [
        {"slowest": ()},
        {"slowest": (((), JAR),)},
        {"slowest": (((), SHUT),)},
        {"tracked": ()},
        {"tracked": (CUP_THERE,)},
        {"tracked": (CUP_THERE, ("at", ONE, "hall"))},
        {"tracked": (*TRACKED, ("is_on_top", "?o", "bench_1"))},
        {"tracked": (*TRACKED, ("is_on_top",))},
        {"tracked": (*TRACKED, ())},
        {"evidence": "plan"},
        {"evidence": "planner"},
        {"plan": PLAN[0]},
        {"never": (CUP_THERE,)},
        {"without": (ONE,)},
        {"lifted": ((ONE, "den"),)},
        {"parts": ()},
        {"parts": (((), "(is_on_top cup_1 rack_1)"),)},
    ],
)
def test_other_evidence_is_rejected(changed: dict[str, object]) -> None:
    assert refuted(BOTH, structs.replace(shortest(*PLAN), **changed))


def test_only_claims_about_turns_have_turns() -> None:
    claim = Claim("unreachable", "never", PARTS[:1], never=(CUP_THERE,), turns=PLAN)
    assert refuted(BOTH, claim) == "no evidence for this kind"


@for_each(
    ("tracked", "turns"),
    [
        (TRACKED, 8),
        ((CUP_THERE, ("is_inside", "cup_1", "chest_1")), 7),
        ((CUP_THERE,), 7),
    ],
)
def test_less_that_is_tracked_gives_a_lower_bound_that_is_not_higher(
    tracked: tuple[Words, ...], turns: int
) -> None:
    """Without the lid nobody has to open the chest."""
    assert fewest(BOTH, tracked, CUP) == turns


def drawn(draw: random.Random) -> EpistemicProblem:
    """The problem with other places, walks and reach, and perhaps with a lid that shuts when the rack is touched."""
    rooms, pieces = BOTH.names["spot"], BOTH.names["furniture"]
    rests = [
        draw.choice([("is_inside", one, "chest_1"), ("is_on_top", one, "rack_1"), ("is_held_by", one, ZERO)])
        for one in draw.sample(BOTH.names["object"], 2)
    ]
    if rests[0][2] == rests[1][2] == ZERO:
        rests[1] = ("is_on_top", *rests[1][1:2], "rack_1")
    full = {one[2] for one in rests}
    start = [("hand_empty", one) for one in BOTH.agents if one not in full]
    static = [("may_go", one, room) for one in BOTH.agents for room in rooms if draw.random() < 0.7]
    static += [("reaches", room, piece) for room in rooms for piece in pieces if draw.random() < 0.45]
    static += [("surface", piece) for piece in pieces[1:]]
    lid = draw.choice(("is_open", "is_closed"))
    latch = ProblemAction(
        "latch",
        (("?a", "agent"), ("?s", "spot")),
        (("at", "?a", "?s"), ("reaches", "?s", "rack_1")),
        (("is_closed", "chest_1"),),
        (("is_open", "chest_1"),),
    )
    return structs.replace(
        BOTH,
        actions=(*ACTIONS, latch) if draw.random() < 0.5 else ACTIONS,
        static=tuple(static),
        start=(*(("at", one, draw.choice(rooms)) for one in BOTH.agents), *start, *rests, (lid, "chest_1")),
    )


def test_the_bound_of_a_projection_is_never_above_the_exact_number_and_all_tracked_gives_it() -> None:
    draw = random.Random(0)
    tight = different = 0
    every = (
        *TRACKED,
        ("is_inside", "jar_1", "chest_1"),
        ("is_on_top", "cup_1", "rack_1"),
        ("is_closed", "chest_1"),
    )
    for _ in range(100):
        problem = drawn(draw)
        goal = draw.choice([(CUP,), (JAR,), (CUP, JAR), (CUP, SHUT)])
        facts = [problem.literals[one][0] for one in goal]
        true = exact(problem, facts, MOST)
        assert fewest(problem, every, *goal) == true, (problem, goal)
        some = tuple(dict.fromkeys((*facts, *draw.sample(every, draw.randrange(5)))))
        bound = fewest(problem, some, *goal)
        assert bound <= true, (problem, goal, some)
        different += bound < true
        tight += 1 < true < MOST
    assert tight > 30
    assert different > 2


@for_each(
    ("fields", "why"),
    [
        ({"start": (*BOTH.start, ("at", ZERO, "den"))}, "two facts"),
        ({"start": (*BOTH.start, ("is_on_top", "cup_1", "rack_1"))}, "two facts"),
        ({"start": (*BOTH.start, ("is_held_by", "jar_1", ZERO))}, "two facts"),
        ({"start": BOTH.start[1:]}, "an agent is nowhere"),
        ({"names": BOTH.names | {"furniture": (*BOTH.names["furniture"], ONE)}}, "several meanings"),
    ],
)
def test_a_problem_in_which_merged_facts_hold_together_is_rejected(
    fields: dict[str, object], why: str
) -> None:
    problem = structs.replace(BOTH, **fields)
    with pytest.raises(RejectedError, match=why):
        fewest_turns(ProblemRules(problem), TRACKED, PARTS, MOST)


@for_each(
    ("action", "changes", "why"),
    [
        ("walk", {"removes": ()}, "second fact of at"),
        ("walk", {"adds": (("at", "?a", "?t"), ("is_open", "chest_1"))}, "a walk adds what is tracked"),
        ("walk", {"adds": (("at", ZERO, "?t"),), "removes": (("at", ZERO, "?s"),)}, "second fact of at"),
        ("pick_on", {"removes": (("hand_empty", "?a"),)}, "second fact of is_on_top"),
        ("place_on", {"removes": ()}, "second fact of is_on_top"),
        ("place_on", {"adds": (("is_on_top", "?o", "?f"),)}, "second fact of hand_empty"),
    ],
)
def test_an_action_after_which_merged_facts_hold_together_is_rejected(
    action: str, changes: dict[str, object], why: str
) -> None:
    actions = tuple(structs.replace(one, **changes) if one.name == action else one for one in ACTIONS)
    with pytest.raises(RejectedError, match=why):
        fewest_turns(ProblemRules(structs.replace(BOTH, actions=actions)), TRACKED, PARTS, MOST)


def test_a_hand_holds_one_object() -> None:
    """Agent 1 has both objects beside it; it must walk twice to bring them."""
    alone = structs.replace(
        BOTH,
        start=(
            ("at", ZERO, "den"),
            ("at", ONE, "hall"),
            ("hand_empty", ZERO),
            ("hand_empty", ONE),
            ("is_on_top", "cup_1", "rack_1"),
            ("is_on_top", "jar_1", "rack_1"),
            ("is_open", "chest_1"),
        ),
    )
    tracked = (CUP_THERE, JAR_THERE, ("is_on_top", "cup_1", "rack_1"), ("is_on_top", "jar_1", "rack_1"))
    assert fewest(alone, tracked, CUP, JAR) == exact(alone, (CUP_THERE, JAR_THERE)) == 7
    assert fewest(alone, tracked, CUP) == 3


def test_objects_are_put_on_furniture_alone() -> None:
    """A name of two types would be merged as one and not as the other."""
    named = structs.replace(BOTH, names=BOTH.names | {"room": BOTH.names["furniture"]})
    moved = tuple((name, "room" if name == "?f" else kind) for name, kind in ACTIONS[-1].parameters)
    actions = (*ACTIONS[:-1], structs.replace(ACTIONS[-1], parameters=moved))
    with pytest.raises(RejectedError, match="is no place"):
        fewest_turns(ProblemRules(structs.replace(named, actions=actions)), TRACKED, PARTS, MOST)
