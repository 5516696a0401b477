"""The verdicts about a task that episodes of teams show: *fair*, *levels in order*, and *hard*.

They depend on what teams do within the turns and messages of the task:

- *fair*: level 3 solves each run, with one statement per message, hence with the least that messages may tell.
- *levels in order*: no level solves fewer runs than a lower one, and some solves one; ``no_message`` is level 0.
- *hard*: fair, solved by no team that relays nothing on purpose, and by at most two cheap teams (:mod:`..teams`). Neither
  ``broadcast`` nor level 1 or 2 solves a run, not even if each message carries all that its sender knows.

A cheap team solves a task if its goal holds after T*, 2 T* or 4 T* turns, T* being the length of the shortest plan with all
secrets public. No rule looks at how many turns there are, so that one episode of 4 T* turns shows all three. That the task
resists cheap teams is measured: it says nothing about others.

The episodes are the evidence: the check of one replays its calls in the simulator, and has the team play again; so it has all
cheap teams."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, TypeAlias

from otherminds.core.contracts import Mind
from otherminds.core.errors import InternalError, WorldError
from otherminds.core.record import SeatSpec
from otherminds.household.calibrate import played, turns_of
from otherminds.household.epistemic.certificate import LEVELS, RUNS, WHOLE, HardClaim, TeamEpisode, Words
from otherminds.household.epistemic.check import RejectedError
from otherminds.household.epistemic.check_due import FAIR, HARD, ORDER, disorder
from otherminds.household.epistemic.formula import physical, show
from otherminds.household.goal_check import holds
from otherminds.household.house import House
from otherminds.household.proofs.verification import ProofVerdict
from otherminds.household.reference.roster import ROSTER
from otherminds.household.teams import PANEL
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


MULTIPLES = (1, 2, 4)
"""The lengths of an episode, in multiples of T*."""
MOST_SOLVERS = 2
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


EASY = ("broadcast", "level 1", "level 2")
"""The teams that solve no run of a hard task."""


def judge_hard(
    house: House, episodes: Sequence[TeamEpisode], fair: bool, cheap: CheapSolvers | None = None
) -> tuple[ProofVerdict, HardClaim | None]:
    """The verdict *hard*, which decides about no task, and the claim that shows it.

    ``fair`` says whether the task was shown to be fair. ``cheap`` are the cheap teams that solve it; if they are not given,
    they play here, if that decides.
    """
    runs = runs_solved(episodes)
    if easy := _easy_solvers(runs):
        return ProofVerdict(HARD, "refuted", f"solved by {', '.join(easy)}", False), None
    if not fair:
        return ProofVerdict(HARD, "refuted", "it is not shown to be fair", False), None
    shortest = turns_of(house) // 2
    solvers = cheap_solvers(house, shortest, most=MOST_SOLVERS) if cheap is None else cheap
    if len(solvers) > MOST_SOLVERS:
        says = f"solved by cheap teams: {', '.join([*solvers][: MOST_SOLVERS + 1])}"
        return ProofVerdict(HARD, "refuted", says, False), None
    resists = f"it resists {len(PANEL) - len(solvers)} of {len(PANEL)} cheap teams"
    says = f"it is fair, no run of {' or '.join(EASY)} solves it, not even{WHOLE}, and {resists}"
    claim = HardClaim(tuple(PANEL), shortest, dict(solvers))
    return ProofVerdict(HARD, "proved and checked", says, False), claim


def check_hard(house: House, episodes: Sequence[TeamEpisode], claim: HardClaim) -> str:
    """Why a claim that the task is hard is rejected; "" if it is accepted. All cheap teams play again.

    ``episodes`` are those of the claim's certificate; they are checked elsewhere.
    """
    runs, shortest = runs_solved(episodes), turns_of(house) // 2
    if easy := _easy_solvers(runs):
        return f"solved by {', '.join(easy)}"
    if runs.get(LEVELS[-1], 0) != len(SEEDS):
        return f"{LEVELS[-1]} does not solve each of {len(SEEDS)} runs"
    if claim.teams != tuple(PANEL):
        return f"the teams that played are not the {len(PANEL)} cheap teams, in their order"
    if claim.shortest != shortest:
        return f"T* is {shortest} turns, not {claim.shortest}"
    if len(claim.solvers) > MOST_SOLVERS:
        return f"{len(claim.solvers)} cheap teams solve it, more than {MOST_SOLVERS}"
    solvers = cheap_solvers(house, shortest)
    differing = [
        f"{team} solves it {_after(solvers.get(team, ()))}, not {_after(claim.solvers.get(team, ()))}"
        for team in dict.fromkeys((*solvers, *claim.solvers))
        if (team in solvers, solvers.get(team)) != (team in claim.solvers, claim.solvers.get(team))
    ]
    return "; ".join(differing)


def _easy_solvers(runs: Mapping[str, int]) -> list[str]:
    return [team for level in EASY for team in (level, level + WHOLE) if runs.get(team, 0)]


def _after(multiples: Sequence[int]) -> str:
    """The turns after which a goal holds, in words.

    >>> _after((2, 4)), _after(())
    ('after 2, 4 T*', 'never')
    """
    return f"after {', '.join(map(str, multiples))} T*" if multiples else "never"
