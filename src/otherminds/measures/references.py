"""The references of F where they are not known exactly: what the reference minds got.

In worlds that cannot be solved, R_informed and R_blind are the returns of the minds
``informed`` and ``blind`` in the same study, scenario, seed and against the same
partners. Chance moves both, so F is a ratio of their means, never of one episode.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import structs

from otherminds.measures.episode import Episode, Key
from otherminds.measures.registry import Unknown

INFORMED, BLIND = "informed", "blind"


def referred(found: Mapping[Key, Sequence[Episode]]) -> dict[Key, list[Episode]]:
    """The episodes of all cells, with the shares that reference minds make known.

    An episode keeps its reason where one of the two has not played its seed.
    """
    informed, blind = _returns(found, INFORMED), _returns(found, BLIND)

    def refer(episode: Episode) -> Episode:
        met = (episode.scenario, *episode.cluster)
        if not isinstance(episode.share, Unknown) or episode.outcome.status != "scored":
            return episode
        if met not in informed or met not in blind:
            return episode
        share = (episode.reward - blind[met], informed[met] - blind[met])
        return structs.replace(episode, share=share, informed=informed[met])

    return {key: [refer(episode) for episode in played] for key, played in found.items()}


def _returns(found: Mapping[Key, Sequence[Episode]], kind: str) -> dict[tuple[str, str, int], float]:
    """What the first mind of ``kind`` in each scenario got, by whom it met and the seed."""
    returns: dict[tuple[str, str, int], float] = {}
    for (scenario, _), played in found.items():
        for episode in played:
            if episode.kind == kind and episode.outcome.status == "scored":
                returns.setdefault((scenario, *episode.cluster), episode.reward)
    return returns
