"""Whether a task is fair: a team of reference minds solves it with private information, and its episodes are the evidence.

Two verdicts depend on what reference teams do within the turns and messages of the task:

- *fair*: level 3 solves each run, with one statement per message, hence with the least that messages may tell.
- *levels in order*: no level solves fewer runs than a lower one, and some solves one; ``no_message`` is level 0.

A third one, *hard*, is in :mod:`.hard`. The check of an episode replays its calls in the simulator, and has the team play again.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import TypeAlias

from otherminds.core.errors import InternalError, WorldError
from otherminds.core.record import SeatSpec
from otherminds.household.calibrate import played, turns_of
from otherminds.household.epistemic.certificate import LEVELS, RUNS, WHOLE, TeamEpisode, Words
from otherminds.household.epistemic.check import RejectedError
from otherminds.household.epistemic.check_due import FAIR, ORDER, disorder
from otherminds.household.epistemic.formula import physical, show
from otherminds.household.goal_check import holds
from otherminds.household.house import House
from otherminds.household.proofs.verification import ProofVerdict
from otherminds.household.reference.roster import ROSTER
from otherminds.household.world import HouseholdWorld

SEEDS = RUNS
"""The seeds of a team's runs."""
DRAWING = ("random",)
"""The teams that draw: the runs of all others are equal, and played once. The check plays each of them."""
TALKING = {"broadcast": SeatSpec("broadcast")} | {
    f"level {k}": SeatSpec("level_k", {"k": k}) for k in (1, 2, 3)
}
TEAMS: Mapping[str, SeatSpec] = MappingProxyType(
    {
        "random": SeatSpec("random"),
        "no_message": SeatSpec("no_message"),
        **TALKING,
        "informed": SeatSpec("informed"),
        **{
            f"{team}{WHOLE}": SeatSpec(spec.mind, {**spec.params, "whole_memory": True})
            for team, spec in TALKING.items()
        },
    }
)
"""The teams, one mind in all seats; only ``informed`` is given the secrets of others."""

Runs: TypeAlias = Mapping[str, int]
"""The number of runs that each team solves."""


def team_episodes(house: House) -> tuple[TeamEpisode, ...]:
    """The episodes of every team; equal ones are one. None if the goal has no physical part.

    Raises:
        InternalError: the simulator does not confirm an episode.
    """
    if not physical(house.goal):
        return ()
    runs = {team: [(seed,) for seed in SEEDS] if team in DRAWING else [SEEDS] for team in TEAMS}
    single_episodes = [
        team_episode(house, team, seeds) for team, several in runs.items() for seeds in several
    ]
    together: dict[TeamEpisode, tuple[int, ...]] = {}
    for episode in single_episodes:
        key = TeamEpisode(episode.team, (), episode.turns, episode.solved)
        together[key] = (*together.get(key, ()), *episode.seeds)
    episodes = tuple(TeamEpisode(key.team, seeds, key.turns, key.solved) for key, seeds in together.items())
    for episode in episodes:
        try:
            _confirm(house, episode)
        except RejectedError as error:
            raise InternalError(
                f"{house.task.task_id}: {episode}: the simulator says otherwise: {error}"
            ) from None
    return episodes


def runs_solved(episodes: Sequence[TeamEpisode]) -> dict[str, int]:
    """The number of runs that each team solves."""
    solved = dict.fromkeys((episode.team for episode in episodes), 0)
    for episode in episodes:
        solved[episode.team] += len(episode.seeds) * episode.solved
    return solved


def check_episodes(house: House, episodes: Sequence[TeamEpisode]) -> dict[str, str]:
    """For each episode as a claim, the reason why it is rejected; "" if it is accepted."""
    reasons: dict[str, str] = {}
    checked_runs: set[tuple[str, int]] = set()
    for episode in episodes:
        runs = [(episode.team, seed) for seed in episode.seeds]
        try:
            if episode.team not in TEAMS:
                raise RejectedError("there is no such team")
            if (
                not runs
                or not checked_runs.isdisjoint(runs)
                or sorted({*episode.seeds}) != sorted(episode.seeds)
            ):
                raise RejectedError("a run is there twice, or there is none")
            if not {*episode.seeds} <= {*SEEDS}:
                raise RejectedError(f"the seeds of runs are {', '.join(map(str, SEEDS))}")
            _confirm(house, episode)
            for seed in episode.seeds:
                _compare(episode.turns, team_episode(house, episode.team, (seed,)).turns, house.agents)
            why = ""
        except RejectedError as error:
            why = str(error)
        checked_runs.update(runs)
        reasons[str(episode)] = why
    return reasons


def fair_verdicts(house: House, episodes: Sequence[TeamEpisode]) -> Iterator[ProofVerdict]:
    """The verdicts about all episodes of a task: fair, levels in order."""
    if not episodes:
        says = (
            "the goal is about knowledge alone, and an episode is solved by what is physical; ask for an act"
        )
        yield ProofVerdict(FAIR, "unknown", says)
        return
    runs = runs_solved(episodes)
    yield _fair(house, episodes, runs)
    yield _in_order(runs)


def _fair(house: House, episodes: Sequence[TeamEpisode], runs: Runs) -> ProofVerdict:
    top, limit = LEVELS[-1], turns_of(house)
    solved = f"{top} solves {_of(runs, top)} in {limit} turns with private information"
    also = f"with whole memories it solves {_of(runs, top + WHOLE)}"
    if runs[top] == len(SEEDS):
        return ProofVerdict(FAIR, "proved and checked", f"{solved} and one statement per message; {also}")
    failed = next(episode for episode in episodes if episode.team == top and not episode.solved)
    missing = ", ".join(_missing(house, _confirm(house, failed)))
    mend = f"a run ends without {missing}; each message takes a turn: let agents need fewer, or ask for less"
    if not house.task.verified:
        return ProofVerdict(
            FAIR, "unknown", f"{solved}, but secrets in prose may not be understood; {also}; {mend}"
        )
    return ProofVerdict(FAIR, "refuted", f"{solved}; {also}; {mend}")


def _in_order(runs: Runs) -> ProofVerdict:
    name = ORDER
    private = {team: solved for team, solved in runs.items() if not team.endswith(WHOLE)}
    whole_memory = {team: runs[team + WHOLE] for team in TALKING}
    says = f"{_table(private)}; {WHOLE.strip()}, {_table(whole_memory)}"
    if wrong := disorder(runs):
        return ProofVerdict(name, "refuted", f"{', '.join(wrong)}: {says}")
    return ProofVerdict(name, "proved and checked", f"no level solves fewer runs than a lower one: {says}")


def _table(runs: Runs) -> str:
    """Which teams solve how many runs, the most first."""
    counts = sorted(set(runs.values()), reverse=True)
    teams = {count: ", ".join(team for team, solved in runs.items() if solved == count) for count in counts}
    return "; ".join(f"{count} of {len(SEEDS)} runs by {which}" for count, which in teams.items())


def _of(runs: Runs, team: str) -> str:
    return f"{runs[team]} of {len(SEEDS)} runs"


def team_episode(
    house: House, team: str, seeds: tuple[int, ...] = SEEDS, turns: int | None = None
) -> TeamEpisode:
    """What a team does in the task with the first of ``seeds``, and so with all of them if it does not draw.

    ``turns`` is the limit, by default that of the task.

    Raises:
        InternalError: a mind of the team fails.
    """
    spec = TEAMS[team]
    minds = {seat: ROSTER[spec.mind](house, **spec.params) for seat in house.agents}
    record = played(house, minds, turns or turns_of(house), seeds[0])
    if record.outcome.status != "scored":
        raise InternalError(f"{team} in task {house.task.task_id!r}: {record.outcome.reason}")
    calls_by_turn = tuple(tuple(map(str, calls)) for calls in record.actions)
    return TeamEpisode(team, seeds, calls_by_turn, bool(record.facts["solved"]))


def turn_by_turn(house: House, episode: TeamEpisode) -> Iterator[HouseholdWorld]:
    """The simulator at the start of an episode and after the calls of each turn, always the same object.

    Raises:
        RejectedError: the calls are not those of a whole episode with this outcome.
    """
    world = HouseholdWorld(house, turns_of(house))
    world.reset()
    yield world
    for number, calls in enumerate(episode.turns):
        if not world.agents:
            raise RejectedError(f"an episode is over after {number} turns")
        if len(calls) != len(house.agents):
            raise RejectedError(f"turn {number} does not have a call of each agent")
        try:
            world.step(dict(zip(house.agents, calls, strict=True)))
        except WorldError as error:
            raise RejectedError(f"turn {number}: {error}") from None
        yield world
    if world.agents:
        raise RejectedError(f"an episode goes on after {len(episode.turns)} turns")
    if world.solved() != episode.solved:
        missing = ", ".join(_missing(house, world))
        raise RejectedError(f"it ends without {missing}" if missing else "it solves the task")


def _confirm(house: House, episode: TeamEpisode) -> HouseholdWorld:
    """The simulator after the calls of an episode; raises as :func:`turn_by_turn`."""
    *_, world = turn_by_turn(house, episode)
    return world


def _missing(house: House, world: HouseholdWorld) -> list[str]:
    """The parts of the goal that do not hold."""
    return [show(literal) for literal in physical(house.goal) if not holds(world.engine, literal)]


def _compare(turns: Sequence[Words], again: Sequence[Words], agents: Sequence[str]) -> None:
    """Raises RejectedError unless the team makes these calls again, of an episode that is as long as it has to be."""
    for number, (calls, others) in enumerate(zip(turns, again, strict=False)):
        for agent, call, other in zip(agents, calls, others, strict=True):
            if call != other:
                raise RejectedError(f"turn {number}: the team has {agent} call {other}")
