"""The numbers of one cell with their intervals."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from otherminds.measures.episode import Episode, Key
from otherminds.measures.functional import NOTHING, NOTHING_TO_WIN
from otherminds.measures.intervals import Bootstrap, Estimate, Numbers, Sums, quotient
from otherminds.measures.registry import Unknown, measures, ratios

NONE_SCORED = "no episode was scored"
NONE_COUNTED = "there was nothing of the kind in any episode"


def estimates(key: Key, scored: Sequence[Episode]) -> dict[str, Estimate]:
    """Every statistic of one cell by its name, all over the same resamples.

    The registered measures and ratios, and ``functional``, ``gap``, ``best_before``, ``best_after``.
    """
    derived = ("functional", "gap", "best_before", "best_after")
    if not scored:
        return {name: Estimate(None, reason=NONE_SCORED) for name in (*measures, *ratios, *derived)}
    columns = _Columns(scored)
    bootstrap = Bootstrap(columns.known, [episode.cluster for episode in scored], key)

    def mean(name: str) -> Estimate:
        if name in columns.unknown:
            return Estimate(None, reason=columns.unknown[name])
        return bootstrap.estimate(lambda sums: quotient(sums[name], sums["episodes"]))

    def share(over: str, under: str, undefined: str) -> Estimate:
        if over in columns.unknown:
            return Estimate(None, reason=columns.unknown[over])
        return bootstrap.estimate(lambda sums: quotient(sums[over], sums[under], NOTHING), undefined)

    found = {name: mean(name) for name in measures}
    found |= {name: share(*_parts(name), NONE_COUNTED) for name in ratios}
    found["functional"] = share("won", "winnable", NOTHING_TO_WIN)
    found["best_before"] = share("before_best", "before", "every first prediction was correct")
    found["best_after"] = share("after_best", "after", "no prediction was correct")
    for name in ("functional", "literal"):
        if found[name].mean is None:
            found["gap"] = Estimate(None, reason=found[name].reason)
            break
    else:
        found["gap"] = bootstrap.estimate(_gap)
    return found


class _Columns:
    """What each scored episode brings to the sums; what is unknown, and why."""

    def __init__(self, scored: Sequence[Episode]) -> None:
        self.known: dict[str, Numbers] = {"episodes": np.ones(len(scored))}
        self.unknown: dict[str, str] = {}
        for name in measures:
            self._add((name,), [_one(episode.values[name]) for episode in scored])
        for name in ratios:
            self._add(_parts(name), [episode.ratios[name] for episode in scored])
        self._add(("won", "winnable"), [episode.share for episode in scored])
        names = ("before", "before_best", "after", "after_best")
        profiles = [episode.profile for episode in scored]
        self._add(
            names, [p if isinstance(p, Unknown) else tuple(getattr(p, n) for n in names) for p in profiles]
        )

    def _add(self, names: tuple[str, ...], rows: Sequence[tuple[float, ...] | Unknown]) -> None:
        """Columns ``names``; unknown if they are so for one episode."""
        known: list[tuple[float, ...]] = []
        for row in rows:
            if isinstance(row, Unknown):
                self.unknown.update(dict.fromkeys(names, row.reason))
                return
            known.append(row)
        for i, name in enumerate(names):
            self.known[name] = np.array([row[i] for row in known], dtype=np.float64)


def _parts(name: str) -> tuple[str, str]:
    """The columns of a ratio's two sums."""
    return f"{name}: over", f"{name}: under"


def _one(value: float | Unknown) -> tuple[float] | Unknown:
    return value if isinstance(value, Unknown) else (value,)


def _gap(sums: Sums) -> Numbers:
    literal = quotient(sums["literal"], sums["episodes"])
    return literal - quotient(sums["won"], sums["winnable"], NOTHING)
