"""What the reference teams of the household make of every shipped task, as tables.

One mind sits in all seats; there are three runs. Only the random mind depends on the
seed. The limits of turns are those of evaluations: twice what the team ``informed`` takes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from time import process_time

from common import arguments, finish
from tables import table

from otherminds.core.record import Record, SeatSpec
from otherminds.core.scenario import Scenario, Setup, scenario
from otherminds.household.scenarios import named
from otherminds.household.tasks.load import shipped_tasks
from otherminds.play.loop import play_now

RUNS = 3
TEAMS: dict[str, SeatSpec] = {
    "random": SeatSpec("random"),
    "no_message": SeatSpec("no_message"),
    "broadcast": SeatSpec("broadcast"),
    **{f"level {k}": SeatSpec("level_k", {"k": k}) for k in range(4)},
    "egocentric": SeatSpec("egocentric"),
    "informed": SeatSpec("informed"),
}

Runs = dict[tuple[str, str], list[Record]]


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--tasks", nargs="+", default=shipped_tasks(), help="shipped tasks (default: all)")
    options = parser.parse_args()
    runs: Runs = {}
    seconds: list[float] = []
    for task in options.tasks:
        built = scenario(named(task), {})
        for team, spec in TEAMS.items():
            started = process_time()
            runs[task, team] = [run(built, spec, options.seed + k) for k in range(RUNS)]
            seconds.append((process_time() - started) / RUNS)
    print(f"Solved, of {RUNS} runs.\n\n{shown(options.tasks, runs, solved)}")
    print(
        "Turns until the last call other than `Wait` and `Done`, the limit first.\n\n"
        f"{shown(options.tasks, runs, turns, ('limit', limit))}"
    )
    print(f"Messages sent by the whole team.\n\n{shown(options.tasks, runs, messages)}")
    print(f"Processor time of an episode: {1000 * sum(seconds) / len(seconds):.0f} ms in the mean.")
    figures = {
        f"{task}.{team}": {
            "solved": sum(map(is_solved, found)),
            "turns": list(map(busy, found)),
            "messages": [len(record.facts["messages"]) for record in found],
        }
        for (task, team), found in runs.items()
    }
    finish(options, figures)


def run(built: Scenario, spec: SeatSpec, seed: int) -> Record:
    """One episode with ``spec`` in every seat."""
    minds = {seat: built.make(spec.mind, spec.params) for seat in built.focal}
    return play_now(Setup(built, minds, seed))[0]


def shown(
    tasks: Sequence[str],
    runs: Runs,
    cell: Callable[[list[Record]], str],
    first: tuple[str, Callable[[Record], str]] = (
        "category",
        lambda record: record.facts["task"]["category"],
    ),
) -> str:
    """A table of tasks by teams; ``first`` is a column about the task."""
    name, about = first
    rows = [
        [f"`{task}`", about(runs[task, "informed"][0]), *(cell(runs[task, team]) for team in TEAMS)]
        for task in tasks
    ]
    return table(["task", name, *TEAMS], rows)


def is_solved(record: Record) -> bool:
    return bool(record.facts["solved"])


def solved(records: list[Record]) -> str:
    return str(sum(map(is_solved, records)))


def turns(records: list[Record]) -> str:
    return spread(list(map(busy, records)))


def busy(record: Record) -> int:
    """The turns until nobody does anything any more."""
    idle = ("Wait[]", "Done[]")
    return 1 + max((entry["turn"] for entry in record.facts["log"] if entry["call"] not in idle), default=-1)


def messages(records: list[Record]) -> str:
    return spread([len(record.facts["messages"]) for record in records])


def limit(record: Record) -> str:
    return str(record.facts["task"]["turns"])


def spread(values: list[int]) -> str:
    """The value, or the least and the greatest."""
    return str(values[0]) if len(set(values)) == 1 else f"{min(values)}–{max(values)}"


if __name__ == "__main__":
    main()
