"""Tables of a pool: its composition beside the paper's (Juneja et al. 2026, table 3), and which teams solve its tasks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from otherminds.household.epistemic.formula import depth
from otherminds.household.epistemic.parse import goal_of
from otherminds.household.generating.properties import AGENTS, DEPTHS, MECHANICS
from otherminds.household.pool.store import PooledTask, load_split, shipped_splits
from otherminds.household.proofs.episodes import MULTIPLES, SEEDS, TEAMS, WHOLE
from otherminds.household.scenarios import named
from otherminds.household.teams import PANEL
from otherminds.reports.sheets import NONE, Pair, Row, Sheet, percent


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
