"""The report for programs: exact keys, null with its reason, never NaN."""

from __future__ import annotations

import json

from msgspec.structs import replace

from otherminds.measures.intervals import Estimate
from otherminds.reports.json_report import ESTIMATES, as_json


def test_the_keys_are_what_was_promised(found) -> None:
    plain = json.loads(as_json([replace(cell, more={}) for cell in found]))
    heads = ["scenario", "mind", "planned", "scored", "invalid", "failed"]
    for one in plain:
        assert list(one) == [*heads, *ESTIMATES, "invalid_share", "reward"]
        for name in ESTIMATES:
            assert {"mean", "low", "high"} <= set(one[name]) <= {"mean", "low", "high", "reason"}
            assert ("reason" in one[name]) == (
                None in (one[name]["mean"], one[name]["low"], one[name]["high"])
            )


def test_the_numbers_are_the_cells(found) -> None:
    for cell, one in zip(found, json.loads(as_json(found)), strict=True):
        assert (one["scenario"], one["mind"]) == (cell.scenario, cell.mind)
        assert (one["planned"], one["scored"], one["invalid"], one["failed"]) == (
            cell.planned,
            cell.scored,
            cell.invalid,
            cell.failed,
        )
        assert one["gap"]["mean"] == cell.gap.mean
        assert one["paper_delta_tom"]["low"] == cell.paper_delta_tom.low
        assert one["reward"] == cell.reward


def test_what_is_not_known_is_null_with_its_reason(found) -> None:
    (one,) = json.loads(as_json([found[2]]))
    assert one["functional"]["mean"] is None
    assert "cannot show functional theory of mind" in one["functional"]["reason"]
    assert "NaN" not in as_json(found)


def test_added_measures_never_hide_the_promised_keys(found) -> None:
    added = {"speed": Estimate(1.0, 0.5, 1.5), "reward": Estimate(9.0)}
    (one,) = json.loads(as_json([replace(found[0], more=added)]))
    assert one["speed"] == {"mean": 1.0, "low": 0.5, "high": 1.5}
    assert one["reward"] == found[0].reward


def test_no_cells_are_an_empty_list() -> None:
    assert json.loads(as_json([])) == []
