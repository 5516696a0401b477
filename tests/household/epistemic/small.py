"""A task of two rooms as an epistemic problem, written by hand, with true claims about it.

Agent 0 knows that the box must end open, and cannot enter the den, where the box is; agent 1 can. Each has one message.
"""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec import structs

from otherminds.household.epistemic.certificate import (
    RUNS,
    TEAMS,
    Certificate,
    Claim,
    EpistemicProblem,
    Gate,
    Known,
    PlanAct,
    PlanTell,
    ProblemAction,
    SightRule,
    TeamEpisode,
)
from otherminds.household.epistemic.check import check_evidence, read_certificate

SECRET, OPEN = "(goal (is_open box_1))", "(is_open box_1)"
ZERO, ONE = "agent_0", "agent_1"
BOX = ("is_open", "box_1")


def _on_box(name: str, needed: str, added: str) -> ProblemAction:
    return ProblemAction(
        name,
        (("?a", "agent"), ("?s", "spot"), ("?f", "furniture")),
        (("at", "?a", "?s"), ("reaches", "?s", "?f"), (needed, "?f")),
        ((added, "?f"),),
        ((needed, "?f"),),
    )


def _sight(shows: str) -> SightRule:
    needs = (("at", "?a", "?s"), ("sees", "?s", "?f"))
    return SightRule((("?a", "agent"), ("?s", "spot"), ("?f", "furniture")), needs, (shows, "?f"))


WALK = ProblemAction(
    "walk",
    (("?a", "agent"), ("?s", "spot"), ("?t", "spot")),
    (("at", "?a", "?s"), ("may_go", "?a", "?t")),
    (("at", "?a", "?t"),),
    (("at", "?a", "?s"),),
)
PROBLEM = EpistemicProblem(
    task="two_rooms",
    digest="",
    agents=(ZERO, ONE),
    names={"agent": (ZERO, ONE), "spot": ("hall", "den"), "furniture": ("box_1",)},
    actions=(WALK, _on_box("open", "is_closed", "is_open"), _on_box("close", "is_open", "is_closed")),
    sights=(_sight("is_open"), _sight("is_closed")),
    static=(
        ("may_go", ZERO, "hall"),
        ("may_go", ONE, "hall"),
        ("may_go", ONE, "den"),
        ("reaches", "den", "box_1"),
        ("sees", "den", "box_1"),
        ("meets", "den", "den"),
    ),
    start=(("at", ZERO, "hall"), ("at", ONE, "hall"), ("is_closed", "box_1")),
    known=(((ZERO,), SECRET),),
    links={ZERO: (ONE,), ONE: (ZERO,)},
    budgets={ZERO: 1, ONE: 1},
    gates=(Gate(("open",), (BOX,), (SECRET,)),),
    literals={OPEN: (BOX,)},
    goal=(((), OPEN), ((ZERO,), OPEN), ((ZERO, ONE), OPEN)),
)
TOLD = PlanTell(ZERO, (ONE,), ((), SECRET))
GO = PlanAct("walk", (ONE, "hall", "den"))
OPENS = PlanAct("open", (ONE, "den", "box_1"))
CLOSES = PlanAct("close", (ONE, "den", "box_1"))
REPORT = PlanTell(ONE, (ZERO,), ((), OPEN))
PLAN = (TOLD, GO, OPENS, REPORT)
SHUT_IN = ("at", ZERO, "den")
"""Agent 0 in the den, where it never is."""


def changed(problem: EpistemicProblem = PROBLEM, **fields: Any) -> EpistemicProblem:
    return structs.replace(problem, **fields)


def reached(*plan: PlanAct | PlanTell, parts: tuple[Known, ...] = PROBLEM.goal) -> Claim:
    return Claim("reached", "plan", parts, plan)


def never(*facts: tuple[str, ...], **fields: Any) -> Claim:
    """The claim that the box never opens, or other ``parts``, because of ``facts`` and ``unknown``."""
    parts: tuple[Known, ...] = fields.pop("parts", (((), OPEN),))
    return Claim("unreachable", "never", parts, never=facts, **fields)


CLAIMS = {
    "solvable": reached(*PLAN[:3], parts=PROBLEM.goal[:1]),
    "not solved at the start": Claim("open", "start", PROBLEM.goal[:1]),
    "needs messages": never(BOX, SHUT_IN, unknown=(((ONE,), SECRET),), deepest=0),
    "needs agent_0": never(BOX, unknown=(((ONE,), SECRET),), without=(ZERO,)),
    "needs agent_1": never(BOX, SHUT_IN, without=(ONE,)),
    "needs depth 2 of K agent_0 K agent_1 (is_open box_1)": never(
        SHUT_IN, parts=PROBLEM.goal[2:], unknown=(((ZERO, ONE), OPEN),), deepest=1
    ),
}
"""Some of the claims that are due."""


def evidence(raw: bytes) -> dict[str, str]:
    """Why the evidence of each claim in a file does not prove it, under whatever name."""
    return check_evidence(read_certificate(raw))


def certificate(problem: EpistemicProblem = PROBLEM, **claims: Claim) -> bytes:
    """The content of a file; by default with all the true claims."""
    return msgspec.json.encode(Certificate(problem, problem.sha256(), claims or CLAIMS))


SHORTEST = Claim(
    "shortest",
    "turns",
    PROBLEM.goal[:1],
    turns=((GO,), (OPENS,)),
    slowest=PROBLEM.goal[:1],
    tracked=(BOX,),
)
DUE = CLAIMS | {
    "knows K agent_0 (is_open box_1)": reached(*PLAN, parts=PROBLEM.goal[:2]),
    "needs depth 1 of K agent_0 (is_open box_1)": never(
        SHUT_IN, parts=PROBLEM.goal[1:2], unknown=(((ZERO,), OPEN),), deepest=0
    ),
    "knows K agent_0 K agent_1 (is_open box_1)": reached(*PLAN, parts=PROBLEM.goal[::2]),
    "shortest plan": SHORTEST,
}
"""All the claims that are due."""
EPISODES = tuple(
    TeamEpisode(team, RUNS, (("Wait[]", "Wait[]"),), team.startswith(("level 2", "level 3", "informed")))
    for team in TEAMS
)
"""Episodes that nobody played: that of each team, as the checker counts them."""
WHOLE = Certificate(PROBLEM, PROBLEM.sha256(), DUE, EPISODES)
