"""The report for programs: exact keys, null with its reason, never NaN."""

from __future__ import annotations

import json

import pytest
from msgspec.structs import replace

from otherminds import SeatSpec
from otherminds.core.model import Usage
from otherminds.measures.cost import Cost
from otherminds.measures.intervals import Estimate
from otherminds.measures.registry import Unknown
from otherminds.reports.json_report import ESTIMATES, as_json, layout_as_json


def test_the_keys_are_what_was_promised(found, of) -> None:
    plain = json.loads(as_json(of(replace(cell, more={}) for cell in found)))
    heads = ["scenario", "mind", "planned", "scored", "invalid", "failed"]
    about = ["game", "partners", "names", "model", "grants", "decodings", "cautions", "marked", "scaffolds"]
    for one in plain:
        assert list(one) == [
            *heads,
            *ESTIMATES,
            "best_before",
            "best_after",
            "invalid_share",
            "reward",
            *about,
            "estimated",
            "sure",
            "cost",
            "curves",
        ]
        for name in (*ESTIMATES, "best_before", "best_after"):
            assert {"mean", "low", "high"} <= set(one[name]) <= {"mean", "low", "high", "reason"}
            assert ("reason" in one[name]) == (
                None in (one[name]["mean"], one[name]["low"], one[name]["high"])
            )


def test_the_numbers_are_the_cells(found, whole) -> None:
    for cell, one in zip(found, json.loads(as_json(whole)), strict=True):
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
        assert one["best_after"]["high"] == cell.best_after.high
        assert (one["game"], one["names"], one["model"]) == (cell.about.game, "neutral", None)


def test_curves_are_lists_of_rounds(whole) -> None:
    for curve, one in zip(whole.curves, json.loads(as_json(whole)), strict=True):
        for name in ("regret", "tom_percent"):
            for part in ("mean", "low", "high"):
                numbers = one["curves"][name][part]
                assert len(numbers) == 12
                assert numbers == pytest.approx(getattr(getattr(curve, name), part), abs=1e-6)


def test_a_cell_without_a_curve_says_so(whole) -> None:
    lone = replace(whole.curves[0], regret=Unknown("no automaton"))
    first, second, *_ = json.loads(as_json(replace(whole, curves=(lone,))))
    assert first["curves"]["regret"] is None
    assert first["curves"]["tom_percent"]["mean"]
    assert second["curves"] is None


def test_the_cost_of_each_cell(whole) -> None:
    key = (whole.cells[1].scenario, whole.cells[1].mind)
    cost = Cost(4, 10, Usage(1000, 30, 600), 0.5, 2.0, 0.25, 0.1, 0.05)
    plain = json.loads(as_json(replace(whole, spent={**whole.spent, key: cost})))
    assert plain[1]["cost"] == {
        "episodes": 4,
        "calls": 10,
        "calls_an_episode": 2.5,
        "prompt_tokens": 1000,
        "cached_tokens": 600,
        "completion_tokens": 30,
        "dollars": 0.5,
        "seconds_an_episode": 2.0,
        "seconds_a_call": 0.25,
        "reask_share": 0.1,
        "invalid_share": 0.05,
    }
    assert (plain[0]["cost"]["calls"], plain[0]["cost"]["dollars"]) == (0, None)


def test_a_layout_is_an_object_with_every_row(tabled, seated) -> None:
    cells = [
        *tabled(seated("ibs-single-v1", SeatSpec("qa", model="m", label="QA@m")), extra=1),
        *tabled(seated("ibs-single-v1", SeatSpec("nash"))),
    ]
    plain = json.loads(layout_as_json(3, cells, "A study"))
    assert list(plain) == ["title", "table", "caption", "accounting", "heads", "columns", "rows", "notes"]
    assert plain["accounting"] == "planned 13 = scored 12 + invalid 0 + failed 0 + missing 1"
    assert [row["source"] for row in plain["rows"]] == ["paper", "paper", "run", *["paper"] * 12, "run"]
    assert plain["rows"][-1]["names"] == ["nash"]
    run = plain["rows"][2]
    assert run["names"] == ["QA@m"]
    assert run["values"][0] is None
    assert run["values"][1]["value"] == cells[0].paper_delta_functional.mean
    assert run["values"][1]["mark"] == "‡"
    assert run["cells"] == [{"scenario": "ibs-single-v1", "mind": "QA@m", "scored": 6, "planned": 7}]
    assert plain["rows"][0]["values"][0] == {"value": 0.083, "half_width": 0.004, "mark": "", "memory": ""}


def test_what_is_not_known_is_null_with_its_reason(found, whole, of) -> None:
    (one,) = json.loads(as_json(of([found[2]])))
    assert one["functional"]["mean"] is None
    assert "was not played here" in one["functional"]["reason"]
    assert "NaN" not in as_json(whole)


def test_added_measures_never_hide_the_promised_keys(found, of) -> None:
    added = {"speed": Estimate(1.0, 0.5, 1.5), "reward": Estimate(9.0)}
    (one,) = json.loads(as_json(of([replace(found[0], more=added)])))
    assert one["speed"] == {"mean": 1.0, "low": 0.5, "high": 1.5}
    assert one["reward"] == found[0].reward


def test_no_cells_are_an_empty_list(of) -> None:
    assert json.loads(as_json(of([]))) == []
