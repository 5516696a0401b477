"""A report for programs: a JSON list with one object for each cell."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from otherminds.measures.cells import Cell
from otherminds.measures.intervals import Estimate

ESTIMATES = (
    "delta_functional",
    "delta_tom",
    "tom_percent",
    "functional",
    "literal",
    "gap",
    "paper_delta_functional",
    "paper_delta_tom",
)


def as_json(cells: Sequence[Cell]) -> str:
    """The cells in their order.

    Each has ``scenario``, ``mind``, ``planned``, ``scored``, ``invalid``,
    ``failed``, the estimates (``mean``, ``low``, ``high``, and a ``reason`` where
    one of them is null), ``invalid_share`` and ``reward``, and the measures that
    others added under their names. A number that is not known is null.
    """
    return json.dumps([_plain(cell) for cell in cells], indent=2, ensure_ascii=False, allow_nan=False)


def _plain(cell: Cell) -> dict[str, Any]:
    plain: dict[str, Any] = {
        "scenario": cell.scenario,
        "mind": cell.mind,
        "planned": cell.planned,
        "scored": cell.scored,
        "invalid": cell.invalid,
        "failed": cell.failed,
    }
    for name in ESTIMATES:
        plain[name] = _estimate(getattr(cell, name))
    plain["invalid_share"] = cell.invalid_share
    plain["reward"] = cell.reward
    return plain | {name: _estimate(found) for name, found in cell.more.items() if name not in plain}


def _estimate(found: Estimate) -> dict[str, float | str | None]:
    plain: dict[str, float | str | None] = {"mean": found.mean, "low": found.low, "high": found.high}
    if found.reason:
        plain["reason"] = found.reason
    return plain
