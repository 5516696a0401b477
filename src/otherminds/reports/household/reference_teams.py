"""Who solves the tasks of a pool: the reference teams, the best cheap team, and the planner, as a table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from otherminds.reports.sheets import NONE, Pair, Row, Sheet, percent
from otherminds.worlds.household.pool.entry import PooledTask
from otherminds.worlds.household.pool.stats import cheap_counts
from otherminds.worlds.household.proofs.fairness import SEEDS, TEAMS, WHOLE
from otherminds.worlds.household.teams.panel import PANEL

PLANNER = "planner"
BEST = "best cheap team"
CHEAP = (
    f"{BEST}: of {len(PANEL)} teams without a model of partners, the one that solves the most tasks, after T*, 2 T* or 4 T* "
    "turns each; another such team may solve more"
)
PLANNED = f"{PLANNER}: carries out the shortest plan that was found with all secrets public; F = 1"
UNTRIED = f"{BEST}: not tried on these tasks"


def team_sheet(title: str, tasks: Sequence[PooledTask]) -> Sheet:
    """The share of runs of each reference team that solve their task, in %, and of tasks for the best cheap team."""
    counts = cheap_counts(tasks)
    team, solved = next(iter(counts.most_common()), ("", 0)) if counts is not None else ("", None)
    rows: list[Row] = [((name,), (share,)) for name, share in _shares(tasks)]
    best = (percent(solved / len(tasks)), team) if solved is not None and tasks else NONE
    planned = sum(pooled.task.calibration is not None for pooled in tasks)
    rows += [((BEST,), (best,)), ((PLANNER,), (_percent(planned, len(tasks)),))]
    notes = (UNTRIED if counts is None else CHEAP, PLANNED)
    return Sheet(title, ("team", "solved %"), tuple(rows), notes=notes, inline=True)


def _shares(tasks: Sequence[PooledTask]) -> Iterator[tuple[str, Pair]]:
    """The reference teams that every entry has, with the share of their runs that solve the task."""
    for name in TEAMS:
        runs = [pooled.entry.levels.get(name) for pooled in tasks]
        known = [one for one in runs if one is not None]
        if known and len(known) == len(runs) and not name.endswith(WHOLE):
            yield name, _percent(sum(known), len(SEEDS) * len(known))


def _percent(part: int, whole: int) -> Pair:
    return percent(part / whole if whole else None), ""
