"""The ends of F and L where they are not known exactly, estimated from reference minds.

In worlds that cannot be solved, R_informed and R_blind are the returns of the minds ``informed`` and
``blind`` in the same study, scenario, seed and against the same partners. Both are random, so F is a ratio of
means over episodes. The length of an episode is random too, so returns are per step. The upper end of L is
the accuracy of ``informed`` on the same seed, the lower end that of a predictor that knows only what usually
follows the own last behaviour. Scores with such ends are marked as estimated and have no verdict.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import TypeAlias

import numpy as np
from msgspec import structs

from otherminds.measures.episode import Episode, Key
from otherminds.measures.intervals import Strata
from otherminds.measures.registry import Accuracy, Unknown

INFORMED, BLIND = "informed", "blind"
FEWEST = 5
"""The least number of seeds for an estimated F."""
UNSURE = (
    "over these seeds the reference mind informed does not surely win more than blind: "
    "this scenario cannot show functional theory of mind, or needs more episodes"
)
NO_ROOM = (
    "over these seeds the reference mind informed does not surely predict better than what usually follows "
    "the own last behaviour: this scenario cannot show literal theory of mind, or needs more episodes"
)
NO_KNOWER = "L needs the reference mind informed on the same seeds: the partners' policies are not recorded"
TOO_FEW = f"F needs the reference minds informed and blind on at least {FEWEST} of the same seeds"

Returns: TypeAlias = dict[tuple[str, str, int], float]
"""Returns per step, by scenario, partners and seed."""


def refer_to_references(by_cell: Mapping[Key, Sequence[Episode]]) -> dict[Key, list[Episode]]:
    """The episodes of all cells, with the ends of F and L that follow from reference minds.

    An episode without both reference minds on its seed is unchanged. Where the difference between
    the two is not significant, F is unknown for every episode of the scenario.
    """
    informed, blind = _returns(by_cell, INFORMED), _returns(by_cell, BLIND)
    unsure = _unsure(informed, blind)
    knowing = _accuracies(by_cell, INFORMED)

    def share(episode: Episode) -> tuple[float, float] | Unknown:
        met = (episode.scenario, *episode.cluster)
        if not isinstance(episode.basis.share, Unknown) or met not in informed or met not in blind:
            return episode.basis.share
        if episode.scenario in unsure:
            return Unknown(unsure[episode.scenario])
        return _a_step(episode) - blind[met], informed[met] - blind[met]

    def refer(episode: Episode, accuracy: Accuracy | Unknown) -> Episode:
        if "reward_per_1200_steps" not in episode.values:
            return episode  # the ends are exact, or missing for other reasons
        old = episode.basis
        new = structs.replace(old, share=share(episode), accuracy=accuracy)
        changed = new.share != old.share or new.accuracy != old.accuracy
        return structs.replace(episode, basis=structs.replace(new, estimated=True)) if changed else episode

    def cell(played: Sequence[Episode]) -> list[Episode]:
        return [refer(*pair) for pair in zip(played, _literal_ends(played, knowing), strict=True)]

    return {key: cell(played) for key, played in by_cell.items()}


def _usual(played: Sequence[Episode]) -> dict[str, str]:
    """The most frequent truth after each own behaviour in a cell: the reference blind predictor."""
    truths_after: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for episode in played:
        for prediction in episode.predictions:
            truths_after[prediction.last][prediction.truth] += 1
    return {last: min(truths, key=lambda t: (-truths[t], t)) for last, truths in truths_after.items()}


def _literal_ends(played: Sequence[Episode], knowing: Returns) -> list[Accuracy | Unknown]:
    """The ends of L of a cell's episodes; all estimated ones are null where ``informed`` may know nothing more."""
    usual = _usual(played)
    ends = [episode.basis.accuracy for episode in played]
    estimated: dict[int, Accuracy] = {}
    for i, episode in enumerate(played):
        if isinstance(ends[i], Unknown) and episode.predictions:
            ends[i] = estimate = _accuracy(episode, usual, knowing.get((episode.scenario, *episode.cluster)))
            if isinstance(estimate, Accuracy):
                estimated[i] = estimate
    if estimated and not _surely_above_0(
        [accuracy.known - accuracy.blind for accuracy in estimated.values()]
    ):
        for i in estimated:
            ends[i] = Unknown(NO_ROOM)
    return ends


def _accuracy(episode: Episode, usual: Mapping[str, str], informed: float | None) -> Accuracy | Unknown:
    if informed is None:
        return Unknown(NO_KNOWER)
    n = len(episode.predictions)
    return Accuracy(
        sum(prediction.right for prediction in episode.predictions) / n,
        sum(usual[prediction.last] == prediction.truth for prediction in episode.predictions) / n,
        informed,
    )


def _accuracies(by_cell: Mapping[Key, Sequence[Episode]], kind: str) -> Returns:
    """The accuracy of the best mind of ``kind``, by scenario, partners and seed."""
    best: Returns = {}
    for met, episode in _scored_episodes(by_cell, kind):
        if episode.predictions:
            share = sum(prediction.right for prediction in episode.predictions) / len(episode.predictions)
            best[met] = max(best.get(met, 0.0), share)
    return best


def _unsure(informed: Returns, blind: Returns) -> dict[str, str]:
    """Scenarios in which informed − blind is not significantly above 0 or has too few seeds, with the reason."""
    gains: dict[str, list[float]] = {}
    for met in informed.keys() & blind.keys():
        gains.setdefault(met[0], []).append(informed[met] - blind[met])
    reasons: dict[str, str] = {}
    for scenario, won in gains.items():
        if len(won) < FEWEST:
            reasons[scenario] = TOO_FEW
        elif not _surely_above_0(won):
            reasons[scenario] = UNSURE
    return reasons


def _surely_above_0(values: Sequence[float]) -> bool:
    """With 97.5 % confidence (Student's t)."""
    return (Strata([""] * len(values)).estimate(np.array(values)).low or 0.0) > 0


def _returns(by_cell: Mapping[Key, Sequence[Episode]], kind: str) -> Returns:
    """Returns per step of the first mind of ``kind``, by scenario, partners and seed."""
    returns: Returns = {}
    for met, episode in _scored_episodes(by_cell, kind):
        returns.setdefault(met, _a_step(episode))
    return returns


def _scored_episodes(
    by_cell: Mapping[Key, Sequence[Episode]], kind: str
) -> Iterator[tuple[tuple[str, str, int], Episode]]:
    for (scenario, _), played in by_cell.items():
        for episode in played:
            if episode.kind == kind and episode.outcome.status == "scored":
                yield (scenario, *episode.cluster), episode


def _a_step(episode: Episode) -> float:
    return episode.reward / max(episode.length, 1)
