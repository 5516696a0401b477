"""L of the household, with foils, of reference teams and of minds that know nothing, in every shipped task.

A null mind plays in all seats, and alone beside level 3, where only its own probes are counted.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from common import arguments, finish
from tables import table

from otherminds.core.record import Record, SeatSpec
from otherminds.core.scenario import Scenario
from otherminds.core.setup import Setup
from otherminds.measures.household.attempts import literal_pass, literal_pass_unknowing
from otherminds.measures.household.foiled import NO_ROOM, Pair, pairs, won
from otherminds.measures.registry import Unknown
from otherminds.play.loop import play_now
from otherminds.worlds.household.reference.roster import NULL
from otherminds.worlds.household.scenarios import named
from otherminds.worlds.household.tasks.load import shipped_tasks
from otherminds.worlds.registry import scenario

LEVEL_3 = SeatSpec("level_k")
TEAMS = {
    "no_message": SeatSpec("no_message"),
    "broadcast": SeatSpec("broadcast"),
    **{f"level {k}": SeatSpec("level_k", {"k": k}) for k in range(1, 4)},
    "informed": SeatSpec("informed"),
    **{name: SeatSpec(name) for name in NULL},
}


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--tasks", nargs="+", default=shipped_tasks(), help="shipped tasks (default: all)")
    options = parser.parse_args()
    built = {task: scenario(named(task), {}) for task in options.tasks}
    teams = {
        (task, team): run(built[task], dict.fromkeys(built[task].focal, spec), options.seed)
        for task in options.tasks
        for team, spec in TEAMS.items()
    }
    print(
        "L of a task, the same mind in all seats. `room`: no room above the best answerer that does not look; "
        "`foil`: no foil has another true answer; `read`: an unread message; `old`: news that is not so.\n"
    )
    print(shown(options.tasks, TEAMS, lambda task, team: cell(every(teams[task, team]))))
    alone = {(task, null): own(built[task], null, options.seed) for task in options.tasks for null in NULL}
    print("The same, a null mind alone beside level 3.\n")
    print(shown(options.tasks, NULL, lambda task, null: cell(alone[task, null])))
    print("Runs that pass by the paper's literal measure.\n")
    print(shown(options.tasks, TEAMS, lambda task, team: passed(teams[task, team])))
    scores = [
        won(found)
        for found in [*(every(teams[task, null]) for task in options.tasks for null in NULL), *alone.values()]
    ]
    known = [score[0] / score[1] for score in scores if not isinstance(score, Unknown)]
    rate = sum(float(passed(teams[task, "silent_and_done"]) == "yes") for task in options.tasks) / len(
        options.tasks
    )
    said = [literal_pass_unknowing(teams[task, "level 3"]) for task in options.tasks]
    unknowing = sum(float(one) for one in said if not isinstance(one, Unknown)) / len(said)
    print(
        f"Greatest L of a null mind: {max(known):.3f}, of {len(known)} that are known. "
        f"By the paper's measure silent_and_done passes {100 * rate:.0f} % of tasks, and a team that answers "
        f'"unknown" to everything {100 * unknowing:.0f} %.'
    )
    finish(
        options, {"greatest_null": max(known), "paper.silent_and_done": rate, "paper.unknowing": unknowing}
    )


def run(built: Scenario, specs: Mapping[str, SeatSpec], seed: int) -> Record:
    """One episode."""
    minds = {seat: built.make(spec.mind, spec.params) for seat, spec in specs.items()}
    return play_now(Setup(built, minds, seed))[0]


def every(record: Record) -> list[Pair]:
    """All probes of an episode."""
    found = pairs(record)
    return [] if isinstance(found, Unknown) else found


def own(built: Scenario, null: str, seed: int) -> list[Pair]:
    """The probes of a null mind in each seat in turn, beside level 3."""
    found: list[Pair] = []
    for mine in built.focal:
        specs = {seat: SeatSpec(null) if seat == mine else LEVEL_3 for seat in built.focal}
        found += [pair for pair in every(run(built, specs, seed)) if pair.seat == mine]
    return found


def cell(found: Sequence[Pair]) -> str:
    """L, or why there is none."""
    score = won(found)
    if not isinstance(score, Unknown):
        return f"{score[0] / score[1]:.2f}"
    if score.reason == NO_ROOM:
        return "room"
    return "/".join(
        dict.fromkeys({"no_foil": "foil", "unread": "read", "outdated": "old"}[pair.why] for pair in found)
    )


def passed(record: Record) -> str:
    """Whether a run passes by the paper's measure."""
    return "yes" if literal_pass(record) == 1 else "no"


def shown(tasks: Sequence[str], names: Mapping[str, object], cell: Callable[[str, str], str]) -> str:
    """A table of tasks by minds."""
    return table(["task", *names], [[f"`{task}`", *(cell(task, name) for name in names)] for task in tasks])


if __name__ == "__main__":
    main()
