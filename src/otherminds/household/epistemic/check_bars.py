"""Where agents may go if some rooms were not barred to them, for the checker (:mod:`.check`).

``is_restricted agent room`` is a bar, and ``door room room`` an open door, in both directions. An agent may go to the spots
of all rooms to which doors lead from that of its start without one that is barred to it; it may go nowhere from a room
that is barred to it.
"""

from __future__ import annotations

from collections.abc import Collection

from otherminds.household.epistemic.certificate import EpistemicProblem, Words
from otherminds.household.epistemic.check_rules import need


def bars_of(problem: EpistemicProblem) -> frozenset[tuple[str, str]]:
    """The bars of a problem, each an agent and a room."""
    return frozenset(
        (fact[1], fact[2]) for fact in problem.static if fact[0] == "is_restricted" and len(fact) == 3
    )


def without_bars(problem: EpistemicProblem, lifted: Collection[tuple[str, str]]) -> frozenset[Words]:
    """Where agents may go without the bars in ``lifted``: all facts ``may_go``, also those that hold anyway.

    Raises:
        RejectedError: one of them is no bar of the problem, one is there twice, or where agents may go with all bars is
            not what bars and doors imply.
    """
    bars = bars_of(problem)
    need(len(set(lifted)) == len(lifted) and bars.issuperset(lifted), "this is no bar of the problem")
    declared = {fact for fact in problem.static if fact[0] == "may_go"}
    need(declared == _walks(problem, bars), "where agents may go is not what bars and doors imply")
    return frozenset(_walks(problem, bars.difference(lifted)))


def _walks(problem: EpistemicProblem, bars: Collection[tuple[str, str]]) -> set[Words]:
    static = [fact for fact in problem.static if len(fact) == 3]
    room = {fact[1]: fact[2] for fact in static if fact[0] == "spot_in"}
    doors = [fact[1:] for fact in static if fact[0] == "door"]
    walks: set[Words] = set()
    for agent, start in (fact[1:] for fact in problem.start if fact[0] == "at" and len(fact) == 3):
        near, edge = set[str](), [room[start]] if start in room else []
        while edge:
            here = edge.pop()
            if here not in near and (agent, here) not in bars:
                near.add(here)
                edge += [far_side for side, far_side in doors if side == here]
        walks |= {("may_go", agent, spot) for spot, where in room.items() if where in near}
    return walks
