"""Who solves the tasks of a pool: the reference teams, the best cheap team, and the planner, as a table."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from otherminds.household.pool.entry import PooledTask
from otherminds.household.pool.splits import load_split, shipped_splits
from otherminds.household.pool.stats import cheap_counts
from otherminds.household.proofs.fairness import SEEDS, TEAMS, WHOLE
from otherminds.household.scenarios import named
from otherminds.household.teams.panel import PANEL
from otherminds.reports.sheets import NONE, Pair, Row, Sheet, percent

PLANNER = "planner"
BEST = "best cheap team"
CHEAP = (
    f"{BEST}: of {len(PANEL)} teams without a model of partners, the one that solves the most tasks, after T*, 2 T* or 4 T* "
    "turns each; another such team may solve more"
)
PLANNED = f"{PLANNER}: carries out the shortest plan that was found with all secrets public; F = 1"
SHOWN = ("no_message", "level 1", "level 2", "level 3")
IN_A_RUN = (2,)
"""The length of a run in a study, in multiples of T*."""
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


def solved_shares(split: str, scenarios: Iterable[str]) -> dict[str, float]:
    """The share (0 to 1) of runs of 2 T* turns in which each reference team meets the goal, in tasks of a shipped split.

    The best cheap team is called after its rules. Empty where a scenario is not a task of the split, or the teams were not
    tried on all of them.
    """
    shipped = load_split(split) if split in shipped_splits() else {}
    by_scenario = {named(name, split): pooled for name, pooled in shipped.items()}
    listed = [*scenarios]
    tasks = [by_scenario[scenario] for scenario in listed if scenario in by_scenario]
    counts = cheap_counts(tasks, IN_A_RUN)
    if not tasks or len(tasks) < len(listed) or counts is None:
        return {}
    runs = {name: [pooled.entry.levels.get(name, 0) for pooled in tasks] for name in SHOWN}
    team, solved = next(iter(counts.items()), ("none meets a goal", 0))
    planned = sum(pooled.task.calibration is not None for pooled in tasks)
    return {
        **{name: sum(wins) / (len(SEEDS) * len(tasks)) for name, wins in runs.items()},
        f"{BEST}: {team}": solved / len(tasks),
        PLANNER: planned / len(tasks),
    }


def _shares(tasks: Sequence[PooledTask]) -> Iterator[tuple[str, Pair]]:
    """The reference teams that every entry has, with the share of their runs that solve the task."""
    for name in TEAMS:
        runs = [pooled.entry.levels.get(name) for pooled in tasks]
        counts = [count for count in runs if count is not None]
        if counts and len(counts) == len(runs) and not name.endswith(WHOLE):
            yield name, _percent(sum(counts), len(SEEDS) * len(counts))


def _percent(part: int, total: int) -> Pair:
    return percent(part / total if total else None), ""
