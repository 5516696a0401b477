"""The verdicts that are due for a problem, and the claims and episodes that show them, for the checker (:mod:`.check`).

Both follow from the problem alone: the agents, the barred rooms, the chains of the shared goal, the private goals. The name of
a claim says what it must claim: its kind, its parts of the goal, the agents that do nothing, the depth of messages and the
rooms that are opened. A claim under a name that no verdict has, or that claims something else, is rejected.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from otherminds.household.epistemic.certificate import (
    LEVELS,
    RUNS,
    TEAMS,
    UNLIMITED,
    Claim,
    ClaimKind,
    EpistemicProblem,
    Known,
    TeamEpisode,
    Words,
    known_in_words,
)
from otherminds.household.epistemic.check_rules import bars_of

COMPATIBLE = "private goals compatible"
CONFLICT = f"not {COMPATIBLE}"
BARRED = "needs its barred rooms"
PARTNER_PROOF = "partner-proof"
FOR_KNOWLEDGE = " for knowledge"
"""The end of the name of a claim about an agent without which only the knowledge in the goal cannot be reached."""
FAIR, ORDER, HARD = "fair", "levels in order", "hard"


class ClaimForm(NamedTuple):
    """What a claim must claim. Its parts are ``parts``, in any order; only some of them, at least one, if ``some``."""

    kind: ClaimKind
    parts: tuple[Known, ...]
    without: Words = ()
    deepest: int = UNLIMITED
    lifted: frozenset[tuple[str, str]] = frozenset()
    some: bool = False

    def fits(self, claim: Claim) -> bool:
        """Whether a claim claims this, whatever its evidence."""
        parts = set(claim.parts)
        same = set[Known]() < parts <= {*self.parts} if self.some else parts == {*self.parts}
        return (
            same
            and len(parts) == len(claim.parts)
            and len(set(claim.lifted)) == len(claim.lifted)
            and (self.kind, self.without, self.deepest, self.lifted)
            == (claim.kind, claim.without, claim.deepest, frozenset(claim.lifted))
        )


def claim_forms(problem: EpistemicProblem) -> dict[str, tuple[ClaimForm, ...]]:
    """For each name that a claim may have, what it may claim."""
    goal, physical = problem.goal, problem.physical
    forms: dict[str, tuple[ClaimForm, ...]] = {
        "solvable": (ClaimForm("reached", physical),),
        "not solvable": (ClaimForm("unreachable", physical),),
        "not solved at the start": (ClaimForm("open", physical),),
        "needs messages": (ClaimForm("unreachable", physical, deepest=0),),
        "shortest plan": (ClaimForm("shortest", physical),),
        PARTNER_PROOF: (ClaimForm("partners", physical),),
    }
    for agent in problem.agents:
        forms[f"needs {agent}"] = (ClaimForm("unreachable", physical, (agent,)),)
        forms[f"needs {agent}{FOR_KNOWLEDGE}"] = (ClaimForm("unreachable", goal, (agent,)),)
    if bars := bars_of(problem):
        forms[BARRED] = (ClaimForm("barred", goal, deepest=0, lifted=bars, some=True),)
    for chain in _chains(problem):
        chain_words = known_in_words(chain)
        forms[f"knows {chain_words}"] = (ClaimForm("reached", tuple(dict.fromkeys((*physical, chain)))),)
        forms[f"never knows {chain_words}"] = (ClaimForm("unreachable", (chain,)),)
        forms[f"untold {chain_words}"] = (ClaimForm("untold", (chain,)),)
        deepest = len(chain[0]) - 1
        forms[depth_verdict(chain)] = (ClaimForm("unreachable", (chain,), deepest=deepest),)
    own = {agent: problem.private_parts(agent) for agent in problem.private}
    for agent, parts in own.items():
        forms[private_verdict(agent)] = (ClaimForm("open", parts),)
    if own:
        literals = (part for part in goal if not part[0])
        every = tuple(dict.fromkeys((*literals, *(part for parts in own.values() for part in parts))))
        forms[COMPATIBLE] = (ClaimForm("reached", every),)
        forms[CONFLICT] = (ClaimForm("apart", every, some=True),)
        forms[f"never {COMPATIBLE}"] = tuple(ClaimForm("unreachable", parts) for parts in own.values())
    return forms


def due_verdicts(problem: EpistemicProblem, open_goals: Collection[str]) -> dict[str, Words]:
    """For each verdict that a claim must show, the names of claims that do; ``open_goals`` are the agents with private goals
    that do not hold at the start."""
    claim_names = dict[str, Words]()
    for name in ("solvable", "not solved at the start", "needs messages", "shortest plan"):
        claim_names[name] = (name,)
    for agent in problem.agents:
        claim_names[f"needs {agent}"] = (f"needs {agent}", f"needs {agent}{FOR_KNOWLEDGE}")
    if bars_of(problem):
        claim_names[BARRED] = (BARRED,)
    for chain in _chains(problem):
        chain_words = known_in_words(chain)
        refuting = (f"never knows {chain_words}", f"untold {chain_words}")
        claim_names[f"knows {chain_words}"] = (f"knows {chain_words}", *refuting)
        claim_names[depth_verdict(chain)] = (depth_verdict(chain), *refuting)
    if problem.private:
        claim_names[COMPATIBLE] = (COMPATIBLE, CONFLICT, f"never {COMPATIBLE}")
    for agent in open_goals:
        claim_names[private_verdict(agent)] = (private_verdict(agent),)
    return claim_names


def find_misnamed(problem: EpistemicProblem, claims: Mapping[str, Claim]) -> dict[str, str]:
    """For each claim, why it cannot have its name; "" if it can."""
    forms = claim_forms(problem)
    faults = dict.fromkeys(claims, "")
    for name, claim in claims.items():
        if name not in forms:
            faults[name] = "no verdict of this problem is shown by a claim of this name"
        elif not any(form.fits(claim) for form in forms[name]):
            faults[name] = f"it does not claim what its name says, but that {claim}"
    return faults


def unshown(
    problem: EpistemicProblem, open_goals: Collection[str], accepted: Collection[str]
) -> dict[str, str]:
    """For each due verdict that claims show, why it is not shown by those that are ``accepted``; "" if it is."""
    return {
        name: "" if any(way in accepted for way in ways) else "no accepted claim shows it"
        for name, ways in due_verdicts(problem, open_goals).items()
    }


def unshown_by_episodes(problem: EpistemicProblem, episodes: Sequence[TeamEpisode]) -> dict[str, str]:
    """For the verdicts about episodes, why these do not show them; "" if they do. Nothing is played."""
    faults = [*_episode_faults(problem, episodes)]
    solved = Counter[str]()
    for episode in episodes:
        solved[episode.team] += len(episode.seeds) * episode.solved
    top = LEVELS[-1]
    fair = [] if solved[top] == len(RUNS) else [f"{top} solves {solved[top]} of {len(RUNS)} runs"]
    return {FAIR: "; ".join((*faults, *fair)), ORDER: "; ".join((*faults, *disorder(solved)))}


def disorder(solved: Mapping[str, int]) -> list[str]:
    """Why the levels are not in order, from the number of runs that each team solves; none if they are."""
    runs = {team: solved.get(team, 0) for team in LEVELS}
    if not any(runs.values()):
        return ["no level solves a run, so that there is no order"]
    return [
        f"{high} solves fewer runs than {low}" for low, high in pairwise(LEVELS) if runs[high] < runs[low]
    ]


def _episode_faults(problem: EpistemicProblem, episodes: Iterable[TeamEpisode]) -> list[str]:
    """Runs that are missing, there more than once or unknown, and turns without a call of each agent."""
    runs = Counter((episode.team, seed) for episode in episodes for seed in episode.seeds)
    expected = {(team, seed) for team in TEAMS for seed in RUNS}
    short = [
        episode
        for episode in episodes
        if not episode.turns or {*map(len, episode.turns)} != {len(problem.agents)}
    ]
    return [
        *(f"no run of {team} with seed {seed}" for team, seed in sorted(expected - runs.keys())[:1]),
        *(f"no such run: {team} with seed {seed}" for team, seed in sorted(runs.keys() - expected)[:1]),
        *(f"{team} with seed {seed} is there twice" for (team, seed), count in runs.items() if count > 1),
        *(f"{episode.team}: a turn without a call of each agent" for episode in short),
        *(f"{episode.team}: an episode without a run" for episode in episodes if not episode.seeds),
    ]


def _chains(problem: EpistemicProblem) -> tuple[Known, ...]:
    return tuple(part for part in problem.goal if part[0])


def depth_verdict(chain: Known) -> str:
    """The name of the verdict that messages must establish chains as long as this one."""
    return f"needs depth {len(chain[0])} of {known_in_words(chain)}"


def private_verdict(agent: str) -> str:
    """The name of the verdict that the private goal of an agent is not solved at the start."""
    return f"private goal of {agent} not solved at the start"
