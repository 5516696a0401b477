"""Rooms with a box, from which the classical problems of epistemic planning are built."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from otherminds.household.epistemic.certificate import (
    EpistemicProblem,
    Gate,
    Known,
    ProblemAction,
    SightRule,
    Words,
)
from tests.household.epistemic.random_problems import CLOSE, MEETING, OPEN, OPENNESS, WALK, Case, case

OPENED = "(is_open box)"


def room(
    agents: Iterable[str],
    goal: Iterable[Known],
    *,
    spots: Mapping[str, str] | None = None,
    meets: Iterable[tuple[str, str]] = (),
    sees: Iterable[str] = ("s", "window"),
    walks: Mapping[str, Iterable[str]] | None = None,
    leads: Iterable[tuple[str, str]] = (),
    links: Mapping[str, Words] | None = None,
    budgets: Mapping[str, int] | None = None,
    known: Iterable[Known] = (),
    gates: Iterable[Gate] = (),
    actions: tuple[ProblemAction, ...] = (WALK, OPEN),
    sights: tuple[SightRule, ...] = (MEETING, *OPENNESS),
    closing: bool = False,
    start: Words = ("is_closed", "box"),
) -> Case:
    """A closed box at ``s``, which all who are there, or at a spot of ``sees``, see, and only they at ``s`` can turn.

    Agents are at ``s`` unless ``spots`` says otherwise, walk to the spots of ``walks`` along ``leads``, and see the
    agents at their own spot and along ``meets``.
    """
    names = tuple(agents)
    at = {a: (spots or {}).get(a, "s") for a in names}
    ways = {(one, two) for pair in leads for one, two in (pair, pair[::-1])}
    places = tuple(
        dict.fromkeys(["s", *at.values(), *sees, *(spot for pair in ways for spot in sorted(pair))])
    )
    static = [("reaches", "s", "box"), *(("sees", spot, "box") for spot in sees)]
    static += [("meets", spot, spot) for spot in places] + [("meets", *pair) for pair in meets]
    static += [("leads", *pair) for pair in ways]
    static += [("may_go", a, spot) for a, found in (walks or {}).items() for spot in found]
    problem = EpistemicProblem(
        task="classic",
        digest="",
        agents=names,
        names={"agent": names, "spot": places, "furniture": ("box",), "object": ()},
        actions=(*actions, CLOSE) if closing else actions,
        sights=sights,
        static=tuple(sorted(static)),
        start=(*(("at", a, spot) for a, spot in at.items()), start),
        known=tuple(known),
        links=dict(links or {}),
        budgets=dict(budgets or {}),
        gates=tuple(gates),
        literals={OPENED: (("is_open", "box"),)},
        goal=tuple(goal),
    )
    return case(problem, ((("is_open", "box"), ("is_closed", "box")),))
