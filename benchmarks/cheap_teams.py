"""What cheap teams, which have no model of their partners, make of the splits and of the hand-made tasks, as tables.

Each cell has the tasks that a team solves in T* / 2 T* / 4 T* turns, in %. Teams are in the order of the tasks that they
solve in any of these.

``--neighbours`` instead has every rule of when to speak, with every rule of what to say and every acting rule, play each task:
teams like those of the panel, against which no task was made. It prints how many of them solve it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from statistics import median
from time import process_time
from types import FunctionType
from typing import Any, NamedTuple

from common import arguments, finish
from msgspec import structs
from tables import table

from otherminds.core.record import SeatSpec
from otherminds.household import teams
from otherminds.household.calibrate import played
from otherminds.household.house import House
from otherminds.household.pool.store import load_split, shipped_splits
from otherminds.household.proofs.episodes import (
    MOST_SOLVERS,
    MULTIPLES,
    SHARES,
    find_solved_multiples,
    solved_after,
)
from otherminds.household.reference.roster import ROSTER, told
from otherminds.household.scenes.load import load_scene
from otherminds.household.task import Task
from otherminds.household.tasks.load import load_task, shipped_tasks
from otherminds.household.teams import ACTING, PANEL, TALKING, CheapTeam, TalkingRule

HAND_MADE = "hand-made"
ALL = "all"
REFERENCES: Mapping[str, SeatSpec] = {
    "no_message": SeatSpec("no_message"),
    **{f"level {k}": SeatSpec("level_k", {"k": k}) for k in range(4)},
    "planner": SeatSpec("planner"),
}


class TaskResult(NamedTuple):
    """By team, the multiples of T* in which it solves a task; the processor time of the panel in seconds."""

    task: Task
    solved: dict[str, tuple[int, ...]]
    seconds: float


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--every", type=int, default=1, help="only each k-th task (default: all)")
    parser.add_argument(
        "--statements", type=int, help="statements a message, instead of what the tasks have (0: no limit)"
    )
    parser.add_argument("--splits", nargs="+", default=[*shipped_splits(), HAND_MADE])
    parser.add_argument("--neighbours", action="store_true", help="the neighbours of the panel (see above)")
    options = parser.parse_args()
    figures: dict[str, Any] = {}
    if options.neighbours:
        for name in options.splits:
            found = {
                one.task_id: count_neighbours(one, options.seed) for one in tasks_of(name)[:: options.every]
            }
            print(f"## {name}: {len(neighbours())} neighbours of the panel\n\n{neighbour_table(found)}\n")
            figures |= {f"{name}.neighbours.{task}": counts for task, counts in found.items()}
        return finish(options, figures)
    for name in options.splits:
        results = [*play_all(tasks_of(name)[:: options.every], options.statements, options.seed)]
        print(f"## {name}: {len(results)} tasks\n\n{as_table(results)}")
        print("\n".join(conclusions(name, results)) + "\n")
        figures |= {f"{name}.{team}": shares(results, team) for team in (*REFERENCES, *PANEL)}
        figures[f"{name}.seconds"] = sum(one.seconds for one in results) / len(results)
    finish(options, figures)


def tasks_of(name: str) -> list[Task]:
    """The tasks of a split, or the hand-made ones."""
    if name == HAND_MADE:
        return [load_task(one) for one in shipped_tasks()]
    return [pooled.task for pooled in load_split(name).values()]


def play_all(tasks: Sequence[Task], statements: int | None, seed: int) -> Iterator[TaskResult]:
    """Has all teams play all tasks."""
    for task in tasks:
        task = task if statements is None else with_statements(task, statements)
        assert task.calibration is not None, task.task_id
        house, shortest = House(task, load_scene(task.scene_id)), task.calibration.turns
        began = process_time()
        solved = {team: solved_after(house, team, shortest, seed) for team in PANEL}
        seconds = process_time() - began
        for team, spec in REFERENCES.items():
            solved[team] = tuple(one for one in MULTIPLES if solves(house, spec, one * shortest, seed))
        yield TaskResult(task, solved, seconds)


def neighbours() -> list[CheapTeam]:
    """Every pair of a speaker and a choice of the panel's rules, with every acting rule."""
    speakers = dict.fromkeys(rule.speaker for rule in TALKING.values())
    choices = [
        rule
        for rule in vars(teams).values()
        if isinstance(rule, FunctionType)
        and rule.__module__ == teams.__name__
        and not rule.__name__.startswith("_")
    ]
    return [
        CheapTeam(TalkingRule(*rule), acting)
        for rule in product(speakers, choices)
        for acting in ACTING.values()
    ]


def count_neighbours(task: Task, seed: int) -> list[int]:
    """How many neighbours solve a task in each multiple of T* turns."""
    assert task.calibration is not None, task.task_id
    house, shortest = House(task, load_scene(task.scene_id)), task.calibration.turns
    secrets = told(house)
    solved = [
        find_solved_multiples(house, {seat: team.member(secrets) for seat in house.agents}, shortest, seed)
        for team in neighbours()
    ]
    return [sum(one in multiples for multiples in solved) for one in MULTIPLES]


def neighbour_table(found: Mapping[str, Sequence[int]]) -> str:
    """How many neighbours solve each task."""
    return table(
        ["task", "T*", "2 T*", "4 T*"], [[f"`{task}`", *map(str, counts)] for task, counts in found.items()]
    )


def with_statements(task: Task, statements: int) -> Task:
    """The task with another number of statements a message."""
    bindings = (
        structs.replace(one, statements=statements) if one.mechanic_type == "limited_bandwidth" else one
        for one in task.mechanic_bindings
    )
    return structs.replace(task, mechanic_bindings=tuple(bindings))


def solves(house: House, spec: SeatSpec, turns: int, seed: int) -> bool:
    """Whether a team of reference minds solves a task; unlike cheap ones, they may look at the number of turns."""
    minds = {seat: ROSTER[spec.mind](house, **spec.params) for seat in house.agents}
    return bool(played(house, minds, turns, seed).facts["solved"])


def as_table(results: Sequence[TaskResult]) -> str:
    """The teams by pattern."""
    patterns = sorted({one.task.pattern or one.task.category for one in results})
    groups = {ALL: results} | {
        pattern: [one for one in results if (one.task.pattern or one.task.category) == pattern]
        for pattern in patterns
    }
    order = sorted(PANEL, key=lambda team: (-anywhen(results, team), -shares(results, team)[1]))
    rows = [
        [
            f"`{team}`",
            *(" / ".join(f"{share:.0f}" for share in shares(some, team)) for some in groups.values()),
        ]
        for team in (*REFERENCES, *order)
    ]
    return table(["team", *(f"{name} ({len(some)})" for name, some in groups.items())], rows)


def shares(results: Sequence[TaskResult], team: str) -> list[float]:
    """The tasks that a team solves in each number of turns, in %."""
    return [100 * sum(one in result.solved[team] for result in results) / len(results) for one in MULTIPLES]


def anywhen(results: Sequence[TaskResult], team: str) -> int:
    """The number of tasks that a team solves in any number of turns."""
    return sum(bool(result.solved[team]) for result in results)


def conclusions(name: str, results: Sequence[TaskResult]) -> Iterator[str]:
    """What a hard split has to show, and the processor time."""
    best = max(PANEL, key=lambda team: anywhen(results, team))
    solvers = [sum(bool(result.solved[team]) for team in PANEL) for result in results]
    share = 100 * anywhen(results, best) / len(results)
    limit = "" if name == HAND_MADE else f" (limit {100 * SHARES[name == 'hard']:.0f} %)"
    yield f"- Best cheap team: `{best}` solves {share:.1f} % in T*, 2 T* or 4 T* turns{limit}."
    yield f"- Tasks that more than {MOST_SOLVERS} of {len(PANEL)} cheap teams solve: {sum(one > MOST_SOLVERS for one in solvers)}."
    doubled = sum(any(MULTIPLES[1] in result.solved[team] for team in PANEL) for result in results)
    yield f"- Tasks that any cheap team solves: {sum(one > 0 for one in solvers)}; in 2 T* turns: {doubled}."
    seconds = [one.seconds for one in results]
    yield f"- Processor time of the panel a task: median {median(seconds):.2f} s, largest {max(seconds):.2f} s."


if __name__ == "__main__":
    main()
