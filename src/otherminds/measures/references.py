"""The references of F where they are not known exactly: what the reference minds got.

In worlds that cannot be solved, R_informed and R_blind are the returns of the minds
``informed`` and ``blind`` in the same study, scenario, seed and against the same
partners. Chance moves both, so F is a ratio of their means, never of one episode.
Chance also decides when an episode ends, whoever plays: returns are taken a step, so
that F does not hang on who was given the longer episodes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import fmean, stdev
from typing import TypeAlias

from msgspec import structs

from otherminds.measures.episode import Episode, Key
from otherminds.measures.registry import Unknown

INFORMED, BLIND = "informed", "blind"
FEWEST = 5
"""With fewer seeds nothing is sure."""
UNSURE = (
    "over these seeds the reference mind informed does not surely win more than blind: "
    "this scenario cannot show functional theory of mind, or needs more episodes"
)
TOO_FEW = f"F needs the reference minds informed and blind on at least {FEWEST} of the same seeds"

Returns: TypeAlias = dict[tuple[str, str, int], float]
"""A step, by scenario, partners met and seed."""


def referred(found: Mapping[Key, Sequence[Episode]]) -> dict[Key, list[Episode]]:
    """The episodes of all cells, with the shares that reference minds make known.

    An episode keeps its reason where one of the two has not played its seed. Where
    chance may have made all of the difference between the two, F has nothing to
    stand on, and every episode of that scenario says so.
    """
    informed, blind = _returns(found, INFORMED), _returns(found, BLIND)
    unsure = _unsure(informed, blind)

    def refer(episode: Episode) -> Episode:
        met = (episode.scenario, *episode.cluster)
        if not isinstance(episode.share, Unknown) or episode.outcome.status != "scored":
            return episode
        if met not in informed or met not in blind:
            return episode
        if episode.scenario in unsure:
            return structs.replace(episode, share=Unknown(unsure[episode.scenario]))
        share = (_a_step(episode) - blind[met], informed[met] - blind[met])
        return structs.replace(episode, share=share)

    return {key: [refer(episode) for episode in played] for key, played in found.items()}


def _unsure(informed: Returns, blind: Returns) -> dict[str, str]:
    """Scenarios in which informed − blind is not above 0 with 97.5 % confidence (Student's t), or too seldom played."""
    gains: dict[str, list[float]] = {}
    for met in informed.keys() & blind.keys():
        gains.setdefault(met[0], []).append(informed[met] - blind[met])
    reasons: dict[str, str] = {}
    for scenario, won in gains.items():
        if len(won) < FEWEST:
            reasons[scenario] = TOO_FEW
        elif fmean(won) <= _quantile(len(won) - 1) * stdev(won) / len(won) ** 0.5:
            reasons[scenario] = UNSURE
    return reasons


def _quantile(freedom: int) -> float:
    """Student's t that 2.5 % exceed, to 2 % for 4 or more degrees of freedom (Cornish and Fisher's expansion)."""
    z = 1.959964
    return z + (z**3 + z) / (4 * freedom) + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * freedom**2)


def _returns(found: Mapping[Key, Sequence[Episode]], kind: str) -> Returns:
    """What the first mind of ``kind`` in each scenario got a step, by whom it met and the seed."""
    returns: Returns = {}
    for (scenario, _), played in found.items():
        for episode in played:
            if episode.kind == kind and episode.outcome.status == "scored":
                returns.setdefault((scenario, *episode.cluster), _a_step(episode))
    return returns


def _a_step(episode: Episode) -> float:
    return episode.reward / max(episode.length, 1)
