"""Claims that barred rooms matter: the silent plan is executed where exactly the named bars are lifted."""

from __future__ import annotations

from msgspec import structs

from otherminds.household.epistemic.certificate import Claim, EpistemicProblem, PlanAct, Words
from otherminds.household.epistemic.check import refuted
from tests.cases import for_each
from tests.household.epistemic.small import (
    BOX,
    ONE,
    OPEN,
    OPENS,
    PROBLEM,
    SECRET,
    SHUT_IN,
    TOLD,
    WALK,
    ZERO,
    changed,
)

BAR, LOFT = ("is_restricted", ZERO, "den"), ("is_restricted", ZERO, "loft")
DOORS = tuple(("door", *pair) for one in (("hall", "den"), ("den", "loft")) for pair in (one, one[::-1]))
ROOMS: tuple[Words, ...] = (*(("spot_in", room, room) for room in ("hall", "den", "loft")), *DOORS)
BARRED = changed(
    names=PROBLEM.names | {"spot": ("hall", "den", "loft")},
    static=(*PROBLEM.static, ("may_go", ONE, "loft"), *ROOMS, BAR, LOFT),
)
"""Agent 0 cannot enter the den, nor the loft behind it."""
WALKS, OPENED = PlanAct("walk", (ZERO, "hall", "den")), PlanAct("open", (ZERO, "den", "box_1"))
BOTH = ((ZERO, "den"), (ZERO, "loft"))
MATTERS = Claim(
    "barred",
    "bars",
    (((), OPEN),),
    (WALKS, OPENED),
    never=(BOX, SHUT_IN),
    unknown=(((ONE,), SECRET),),
    deepest=0,
    lifted=BOTH,
)


def test_bars_that_matter_are_accepted() -> None:
    assert refuted(BARRED, MATTERS) == ""
    assert refuted(BARRED, structs.replace(MATTERS, lifted=BOTH[:1])) == ""
    assert str(MATTERS).endswith("with these rooms open: den to agent_0, loft to agent_0")


@for_each(
    ("changes", "why"),
    [
        ({"lifted": ()}, "no evidence"),
        ({"lifted": ((ZERO, "hall"),)}, "no bar"),
        ({"lifted": ((ONE, "den"),)}, "no bar"),
        ({"lifted": (BOTH[0], BOTH[0])}, "no bar"),
        ({"lifted": BOTH[1:]}, "a need does not hold"),
        (
            {"plan": (WALKS, PlanAct("walk", (ZERO, "den", "loft"))), "lifted": BOTH[:1]},
            "a need does not hold",
        ),
        ({"plan": (WALKS,)}, "do not all hold after the plan"),
        ({"plan": (TOLD, PlanAct("walk", (ONE, "hall", "den")), OPENS)}, "not silent"),
        ({"plan": (PlanAct("walk", (ONE, "hall", "den")), OPENS)}, "no reason is known"),
        ({"never": (BOX,)}, "may be possible"),
        ({"unknown": ()}, "may be possible"),
        ({"deepest": 2}, "no evidence"),
        ({"without": (ONE,)}, "no evidence"),
        ({"evidence": "plan"}, "no evidence"),
        ({"kind": "reached", "evidence": "plan"}, "no evidence"),
    ],
)
def test_other_bars_and_other_evidence_are_rejected(changes: dict[str, object], why: str) -> None:
    assert why in refuted(BARRED, structs.replace(MATTERS, **changes))


def test_only_claims_about_bars_lift_some() -> None:
    plan = (TOLD, PlanAct("walk", (ONE, "hall", "den")), OPENS)
    assert refuted(BARRED, Claim("reached", "plan", (((), OPEN),), plan)) == ""
    assert refuted(BARRED, Claim("reached", "plan", (((), OPEN),), plan, lifted=BOTH))
    assert refuted(BARRED, Claim("reached", "plan", (((), OPEN),), (WALKS, OPENED), lifted=BOTH))


def without(*facts: Words) -> EpistemicProblem:
    return structs.replace(BARRED, static=tuple(one for one in BARRED.static if one not in facts))


@for_each(
    "problem",
    [
        without(("may_go", ONE, "loft")),
        without(("may_go", ZERO, "hall")),
        without(BAR, LOFT),
        without(DOORS[0]),
        without(("spot_in", "hall", "hall")),
        structs.replace(BARRED, static=(*BARRED.static, ("is_restricted", ONE, "den"))),
        structs.replace(BARRED, start=(("at", ZERO, "den"), *BARRED.start[1:])),
    ],
)
def test_where_agents_may_go_must_follow_from_bars_and_doors(problem: EpistemicProblem) -> None:
    """Also where the wrong walks make no difference for the plan."""
    claim = structs.replace(MATTERS, lifted=BOTH[:1] if LOFT in problem.static else ())
    assert refuted(problem, claim)


def test_from_a_room_that_is_barred_to_it_an_agent_goes_nowhere() -> None:
    held = structs.replace(
        BARRED,
        static=tuple(one for one in BARRED.static if one[:2] != ("may_go", ZERO)),
        start=(SHUT_IN, *BARRED.start[1:]),
        literals={OPEN: (("at", ZERO, "hall"),)},
        actions=(*PROBLEM.actions[1:], WALK),
    )
    claim = structs.replace(MATTERS, plan=(PlanAct("walk", (ZERO, "den", "hall")),), unknown=())
    claim = structs.replace(claim, never=(("at", ZERO, "hall"),))
    assert refuted(held, claim) == ""
    assert refuted(held, structs.replace(claim, lifted=BOTH[1:])) != ""
