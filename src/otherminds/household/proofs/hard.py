"""Whether a task is *hard*: fair, solved by no team that relays nothing on purpose, and by at most two cheap teams.

Neither ``broadcast`` nor level 1 or 2 solves a run, not even if each message carries all that its sender knows. That the task
resists cheap teams (:mod:`.cheap`) is measured: it says nothing about others. A certificate has which of them solve the task,
and the check has all of them play again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from otherminds.household.calibrate import turns_of
from otherminds.household.epistemic.certificate import LEVELS, WHOLE, HardClaim, TeamEpisode
from otherminds.household.epistemic.check_due import HARD
from otherminds.household.house import House
from otherminds.household.proofs.cheap import MOST, CheapSolvers, cheap_solvers
from otherminds.household.proofs.fairness import SEEDS, runs_solved
from otherminds.household.proofs.verification import ProofVerdict
from otherminds.household.teams.panel import PANEL

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
    solvers = cheap_solvers(house, shortest, most=MOST) if cheap is None else cheap
    if len(solvers) > MOST:
        says = f"solved by cheap teams: {', '.join([*solvers][: MOST + 1])}"
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
    if len(claim.solvers) > MOST:
        return f"{len(claim.solvers)} cheap teams solve it, more than {MOST}"
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
