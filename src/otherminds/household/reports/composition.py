"""The composition of a pool beside the paper's, as a table (Juneja et al. 2026, table 3)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from otherminds.household.generating.composition import AGENTS, DEPTHS, MECHANICS
from otherminds.household.pool.entry import PooledTask
from otherminds.household.pool.stats import counted
from otherminds.reports.sheets import Row, Sheet, percent

PAPER: Mapping[str, Mapping[str, float]] = {
    "agents": {str(agents): share for agents, share in AGENTS.items()},
    "depth": {str(depth): share for depth, share in DEPTHS.items()},
    "mechanic": MECHANICS,
    "category": {"cooperative": 50, "mixed": 50},
}
"""Shares of tasks in % by property."""
CALLED = {"depth": "depth of the question"}
SOURCE = "paper: Juneja et al. 2026, table 3"


def composition_sheet(title: str, tasks: Sequence[PooledTask]) -> Sheet:
    """The number and share of tasks with each value of each property, and the paper's share.

    Raises:
        FormulaError: a goal cannot be parsed.
    """
    rows: list[Row] = []
    for group, counts in counted(tasks).items():
        paper = PAPER.get(group, {})
        for value in (*paper, *sorted(counts.keys() - paper.keys())):
            share = f"{paper[value]:g}" if value in paper else ""
            rows.append(_row(CALLED.get(group, group), value, counts[value], len(tasks), share))
    different = len({pooled.entry.structure for pooled in tasks})
    rows.append(_row("structures", "", different, len(tasks), ""))
    rows.append((("tasks", ""), ((str(len(tasks)), ""), ("", ""), ("", ""))))
    return Sheet(
        title, ("property", "value", "tasks", "%", "paper %"), tuple(rows), notes=(SOURCE,), inline=True
    )


def _row(group: str, value: str, count: int, total: int, paper: str) -> Row:
    return (group, value), ((str(count), ""), (percent(count / total if total else None), ""), (paper, ""))
