"""The composition of a pool (its tasks by agents, depth, mechanics, category and pattern), and who solves its tasks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator

from otherminds.household.epistemic.formula import depth
from otherminds.household.epistemic.parse import goal_of
from otherminds.household.pool.entry import PooledTask
from otherminds.household.proofs.cheap import MULTIPLES
from otherminds.household.teams.panel import PANEL


def counted(tasks: Iterable[PooledTask]) -> dict[str, Counter[str]]:
    """The number of tasks with each value of each property; a task has several mechanics.

    Raises:
        FormulaError: a goal cannot be parsed.
    """
    counts: dict[str, Counter[str]] = {}
    for pooled in tasks:
        for name, value in set(_properties(pooled)):
            counts.setdefault(name, Counter()).update([value])
    return {
        name: counts[name]
        for name in ("agents", "depth", "mechanic", "category", "pattern")
        if name in counts
    }


def cheap_counts(tasks: Iterable[PooledTask], lengths: Collection[int] = MULTIPLES) -> Counter[str] | None:
    """The number of tasks that each cheap team solves, the most first, after a number of turns in ``lengths`` (times T*).

    Equal teams are in the order of the panel. ``None`` if the cheap teams were not tried on every task.
    """
    entries = [pooled.entry for pooled in tasks]
    if any(entry.cheap is None for entry in entries):
        return None
    counts = Counter(
        team
        for entry in entries
        for team, met in (entry.cheap or {}).items()
        if not set(met).isdisjoint(lengths)
    )
    place = {team: n for n, team in enumerate(PANEL)}
    return Counter(
        dict(
            sorted(
                counts.items(), key=lambda team_count: (-team_count[1], place.get(team_count[0], len(place)))
            )
        )
    )


def _properties(pooled: PooledTask) -> Iterator[tuple[str, str]]:
    task = pooled.task
    yield "agents", str(task.num_agents)
    yield "depth", str(depth(goal_of(task.problem_pddl)))
    yield "category", task.category
    yield "pattern", pooled.entry.pattern
    for binding in task.mechanic_bindings:
        yield "mechanic", binding.mechanic_type
