"""What cheap teams (:mod:`..teams`) make of a task, and how many of them a task of a split may fall to.

A team solves a task if its goal holds after T*, 2 T* or 4 T* turns, T* being the length of the shortest plan with all
secrets public. No rule looks at how many turns there are, so that one episode of 4 T* turns shows all three.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, TypeAlias

from otherminds.core.contracts import Mind
from otherminds.core.errors import InternalError
from otherminds.household.calibrate import played
from otherminds.household.epistemic.formula import physical, show
from otherminds.household.house import House
from otherminds.household.reference.roster import ROSTER
from otherminds.household.teams.panel import PANEL

MULTIPLES = (1, 2, 4)
"""The lengths of an episode, in multiples of T*."""
MOST = 2
"""The largest number of cheap teams that solve a hard task."""
SHARES: Mapping[bool, float] = MappingProxyType({True: 0.1, False: 0.4})
"""The largest share of a split that one cheap team solves: of a hard one, and of any other."""

CheapSolvers: TypeAlias = Mapping[str, tuple[int, ...]]
"""The cheap teams that solve a task, each with the multiples of T* after which the goal holds."""


def cheap_solvers(
    house: House, shortest: int, teams: Iterable[str] = tuple(PANEL), most: int | None = None
) -> CheapSolvers:
    """The ``teams`` that solve a task whose shortest plan has ``shortest`` turns.

    With ``most``, the first ``most`` + 1 of them: enough to see that there are too many.

    Raises:
        InternalError: a mind fails.
    """
    multiples_by_team: dict[str, tuple[int, ...]] = {}
    for team in teams:
        if solved := solved_after(house, team, shortest):
            multiples_by_team[team] = solved
            if most is not None and len(multiples_by_team) > most:
                break
    return multiples_by_team


def solved_after(house: House, team: str, shortest: int, seed: int = 0) -> tuple[int, ...]:
    """The multiples of ``shortest`` turns after which the goal holds, in one episode of a team.

    Raises:
        InternalError: a mind fails.
    """
    return find_solved_multiples(house, {seat: ROSTER[team](house) for seat in house.agents}, shortest, seed)


def find_solved_multiples(
    house: House, minds: Mapping[str, Mind], shortest: int, seed: int = 0
) -> tuple[int, ...]:
    """:func:`solved_after` for a team of any ``minds``, by seat.

    Raises:
        InternalError: a mind fails.
    """
    record = played(house, minds, MULTIPLES[-1] * shortest, seed)
    if record.outcome.status != "scored":
        raise InternalError(f"a cheap team in task {house.task.task_id!r}: {record.outcome.reason}")
    tracks: Mapping[str, Sequence[Sequence[Any]]] = record.facts["held"]
    goal = [tracks[show(literal)] for literal in physical(house.goal)]
    return tuple(
        multiple for multiple in MULTIPLES if all(held_at(track, multiple * shortest) for track in goal)
    )


def held_at(track: Sequence[Sequence[Any]], turn: int) -> bool:
    """Whether a literal held after ``turn`` turns; its track has the turns in which that changed.

    >>> held_at([(0, False), (3, True), (5, False)], 4), held_at([(0, False), (3, True), (5, False)], 5)
    (True, False)
    """
    return bool([holds for since, holds in track if since <= turn][-1])
