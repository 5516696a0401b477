"""The numbers of one cell with their intervals."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from otherminds.measures.basis import NONE_SCORED, scores
from otherminds.measures.episode import Episode
from otherminds.measures.intervals import Estimate, Strata
from otherminds.measures.registry import Unknown

NONE_COUNTED = "there was nothing of the kind in any episode"
PROFILE = ("best_before", "best_after")


def estimates(episodes: Sequence[Episode]) -> dict[str, Estimate]:
    """Every statistic of one cell by its name.

    The registered measures and ratios that apply to one of its episodes, the scores of
    :mod:`otherminds.measures.basis`, ``best_before`` and ``best_after``. Means of measures
    are over scored episodes, each partner with as much weight as it has episodes.
    """
    scored = [episode for episode in episodes if episode.outcome.status == "scored"]
    found = scores([episode.basis for episode in episodes])
    if not scored:
        return found | {name: Estimate(None, reason=NONE_SCORED) for name in PROFILE}
    strata = Strata([episode.stratum for episode in scored])
    for name in _names(episode.values for episode in scored):
        found[name] = _mean(strata, [episode.values.get(name) for episode in scored])
    for name in _names(episode.ratios for episode in scored):
        found[name] = _ratio(strata, [episode.ratios.get(name) for episode in scored], NONE_COUNTED)
    profiles = [episode.profile for episode in scored]
    for when, undefined in (
        ("before", "every first prediction was correct"),
        ("after", "no prediction was correct"),
    ):
        parts = [
            p if isinstance(p, Unknown) else (getattr(p, f"{when}_best"), getattr(p, when)) for p in profiles
        ]
        found[f"best_{when}"] = _ratio(strata, parts, undefined)
    return found


def _names(dicts: Iterable[Mapping[str, object]]) -> list[str]:
    return sorted({name for one in dicts for name in one})


def _mean(strata: Strata, rows: Sequence[float | Unknown | None]) -> Estimate:
    known: list[float] = []
    for row in rows:
        if row is None or isinstance(row, Unknown):
            return Estimate(None, reason=row.reason if row else "it does not apply to every episode")
        known.append(row)
    return strata.estimate(np.array(known, dtype=np.float64))


def _ratio(strata: Strata, rows: Sequence[tuple[float, float] | Unknown | None], undefined: str) -> Estimate:
    """The ratio of two sums; unknown if it is so for one episode."""
    known: list[tuple[float, float]] = []
    for row in rows:
        if row is None or isinstance(row, Unknown):
            return Estimate(None, reason=row.reason if row else "it does not apply to every episode")
        known.append(row)
    over, under = np.array(known, dtype=np.float64).T
    return strata.estimate(over, under) if under.sum() > 0 else Estimate(None, reason=undefined)
