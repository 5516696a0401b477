"""Two agents, three rooms in a row and two objects as an epistemic problem, and its fewest turns by a search of all states.

Agent 0 is in the den and the hall, agent 1 in the hall and the yard. The cup is in the closed chest in the den, and the jar on
the rack in the hall; both must be on the bench in the yard. Each object passes from hand to hand in the hall.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import product

from otherminds.household.epistemic.certificate import EpistemicProblem, PlanAct, ProblemAction, Words
from otherminds.household.epistemic.check_rules import bound

ZERO, ONE = "agent_0", "agent_1"
ROOMS = {"den": "chest_1", "hall": "rack_1", "yard": "bench_1"}
"""The furniture of each room, which has one spot."""
CUP, JAR, SHUT = "(is_on_top cup_1 bench_1)", "(is_on_top jar_1 bench_1)", "(is_closed chest_1)"
AT_HAND = (("at", "?a", "?s"), ("reaches", "?s", "?f"))
ON = ("is_on_top", "?o", "?f")
IN = ("is_inside", "?o", "?f")
HOLDS, EMPTY = ("is_held_by", "?o", "?a"), ("hand_empty", "?a")


def _act(name: str, needs: Sequence[Words], adds: Sequence[Words], removes: Sequence[Words]) -> ProblemAction:
    kinds = {"?a": "agent", "?s": "spot", "?t": "spot", "?f": "furniture", "?o": "object"}
    used = {word for one in (*needs, *adds) for word in one}
    parameters = tuple((name, kind) for name, kind in kinds.items() if name in used)
    return ProblemAction(name, parameters, tuple(needs), tuple(adds), tuple(removes))


def _turns(name: str, old: str, new: str) -> ProblemAction:
    return _act(name, (*AT_HAND, (old, "?f")), ((new, "?f"),), ((old, "?f"),))


ACTIONS = (
    _act("walk", (("at", "?a", "?s"), ("may_go", "?a", "?t")), (("at", "?a", "?t"),), (("at", "?a", "?s"),)),
    _turns("open", "is_closed", "is_open"),
    _turns("close", "is_open", "is_closed"),
    _act("pick_within", (*AT_HAND, ("is_open", "?f"), IN, EMPTY), (HOLDS,), (IN, EMPTY)),
    _act("pick_on", (*AT_HAND, ON, EMPTY), (HOLDS,), (ON, EMPTY)),
    _act("place_on", (*AT_HAND, ("surface", "?f"), HOLDS), (ON, EMPTY), (HOLDS,)),
)
BOTH = EpistemicProblem(
    task="two_objects",
    digest="",
    agents=(ZERO, ONE),
    names={
        "agent": (ZERO, ONE),
        "spot": tuple(ROOMS),
        "furniture": tuple(ROOMS.values()),
        "object": ("cup_1", "jar_1"),
    },
    actions=ACTIONS,
    sights=(),
    static=(
        *(("may_go", ZERO, room) for room in ("den", "hall")),
        *(("may_go", ONE, room) for room in ("hall", "yard")),
        *(("reaches", room, piece) for room, piece in ROOMS.items()),
        ("surface", "rack_1"),
        ("surface", "bench_1"),
    ),
    start=(
        ("at", ZERO, "hall"),
        ("at", ONE, "hall"),
        ("hand_empty", ZERO),
        ("hand_empty", ONE),
        ("is_closed", "chest_1"),
        ("is_inside", "cup_1", "chest_1"),
        ("is_on_top", "jar_1", "rack_1"),
    ),
    known=(),
    links={},
    budgets={},
    gates=(),
    literals={
        CUP: (("is_on_top", "cup_1", "bench_1"),),
        JAR: (("is_on_top", "jar_1", "bench_1"),),
        SHUT: (("is_closed", "chest_1"),),
    },
    goal=(((), CUP), ((), JAR), ((), SHUT)),
)
CUP_THERE, JAR_THERE = (BOTH.literals[one][0] for one in (CUP, JAR))
TRACKED = (CUP_THERE, JAR_THERE, *BOTH.start[-3:], ("is_open", "chest_1"))
"""All that makes a difference for both objects."""


def act(name: str, agent: str, where: str, *others: str) -> PlanAct:
    return PlanAct(name, (agent, where, *others))


PLAN = (
    (act("walk", ZERO, "hall", "den"), act("pick_on", ONE, "hall", "rack_1", "jar_1")),
    (act("open", ZERO, "den", "chest_1"), act("walk", ONE, "hall", "yard")),
    (act("pick_within", ZERO, "den", "chest_1", "cup_1"), act("place_on", ONE, "yard", "bench_1", "jar_1")),
    (act("walk", ZERO, "den", "hall"), act("walk", ONE, "yard", "hall")),
    (act("place_on", ZERO, "hall", "rack_1", "cup_1"),),
    (act("pick_on", ONE, "hall", "rack_1", "cup_1"),),
    (act("walk", ONE, "hall", "yard"),),
    (act("place_on", ONE, "yard", "bench_1", "cup_1"),),
)
"""A shortest plan for both objects."""


def exact(problem: EpistemicProblem, goal: Iterable[Words], most: int = 12) -> int:
    """The fewest turns by a search of all states of the problem with the memory of what was seen; ``most`` if not less."""
    acts = {agent: [*_ground(problem, agent)] for agent in problem.agents}
    wanted = frozenset(goal)
    front = {(frozenset(problem.start), frozenset[str]())}
    for turn in range(most):
        if any(wanted <= state for state, _ in front):
            return turn
        after: set[tuple[frozenset[Words], frozenset[str]]] = set()
        for before, known in front:
            seen = known | {f[1] for f in before if f[0] == "is_inside" and ("is_open", f[2]) in before}
            states = {before}
            for agent in problem.agents:
                states |= {
                    state.difference(removes) | adds
                    for state in states
                    for needs, adds, removes in acts[agent]
                    if needs <= state
                    and all(f in before for f in needs if f[0] in ("is_on_top", "is_inside"))
                    and all(f[1] in seen for f in needs if f[0] == "is_inside")
                }
            after |= {(state, seen) for state in states}
        front = after
    return most


def _ground(
    problem: EpistemicProblem, agent: str
) -> Iterator[tuple[frozenset[Words], frozenset[Words], frozenset[Words]]]:
    static = set(problem.static)
    for action in problem.actions:
        names = [problem.names[kind] for _, kind in action.parameters[1:]]
        for chosen in product((agent,), *names):
            values = dict(zip(dict(action.parameters), chosen, strict=True))
            needs = frozenset(f for f in bound(action.needs, values) if f not in static)
            if not any(f[0] in ("may_go", "reaches", "surface") for f in needs):
                yield needs, frozenset(bound(action.adds, values)), frozenset(bound(action.removes, values))
