"""The report for programs: one document of the shape that ships as a schema; null with its reason, never NaN."""

from __future__ import annotations

import json
from importlib.resources import files
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from otherminds import SeatSpec
from otherminds.core.model import Usage
from otherminds.measures.cost import Cost
from otherminds.measures.intervals import Estimate
from otherminds.measures.registry import NOT_APPLYING, Unknown
from otherminds.reports.json_report import Document, as_json, layout_as_json, schema


def read(text: str) -> dict[str, Any]:
    """A document, once it is known to hold what its schema says and nothing else."""
    plain = json.loads(text)
    kept = msgspec.to_builtins(msgspec.json.decode(text, type=Document, strict=True))
    assert json.loads(json.dumps(kept)) == plain
    return plain


def validated(plain: Any, shape: dict[str, Any], defs: dict[str, Any]) -> None:
    """Checks ``plain`` by those words of JSON Schema that the shipped schema uses."""
    known = {"$ref", "anyOf", "enum", "type", "properties", "required", "items", "additionalProperties"}
    assert set(shape) <= known | {"title", "description", "default", "discriminator", "$defs"}, shape
    if "$ref" in shape:
        validated(plain, defs[shape["$ref"].rpartition("/")[2]], defs)
    if "anyOf" in shape:
        for one in shape["anyOf"]:
            try:
                validated(plain, one, defs)
                break
            except AssertionError:
                continue
        else:
            raise AssertionError(f"{plain!r} has none of the forms {shape['anyOf']}")
    if "enum" in shape:
        assert plain in shape["enum"]
    kinds = {"object": dict, "array": list, "string": str, "integer": int, "number": (int, float)}
    kinds |= {"boolean": bool, "null": type(None)}
    if "type" in shape:
        assert isinstance(plain, kinds[shape["type"]])
        assert isinstance(plain, bool) == (shape["type"] == "boolean")
    if isinstance(plain, dict):
        properties = shape.get("properties", {})
        assert set(shape.get("required", ())) <= set(plain)
        for name, value in plain.items():
            rest = shape.get("additionalProperties", {})
            validated(value, properties.get(name, rest if isinstance(rest, dict) else {}), defs)
    if isinstance(plain, list):
        for value in plain:
            validated(value, shape.get("items") or {}, defs)


def test_the_schema_that_ships_is_that_of_the_documents() -> None:
    shipped = files("otherminds.reports").joinpath("report.schema.json").read_text(encoding="utf-8")
    assert shipped == schema(), "write otherminds.reports.json_report.schema() to report.schema.json"


@pytest.mark.parametrize("form", ["report", "layout"])
def test_a_real_report_is_valid(whole, found, form: str) -> None:
    plain = read(as_json(whole, "A study") if form == "report" else layout_as_json(3, found, "A study"))
    assert (plain["document"], plain["version"], plain["title"]) == (form, 1, "A study")
    shape = json.loads(schema())
    validated(plain, shape, shape["$defs"])
    with pytest.raises(AssertionError):
        validated({**plain, "version": 2}, shape, shape["$defs"])
    with pytest.raises(AssertionError):
        validated({name: one for name, one in plain.items() if name != "notes"}, shape, shape["$defs"])


def test_the_numbers_are_the_cells(found, whole) -> None:
    plain = read(as_json(whole, "A study"))
    assert plain["accounting"] == "planned 36 = scored 33 + invalid 1 + failed 1 + missing 1"
    for cell, one in zip(found, plain["cells"], strict=True):
        assert (one["scenario"], one["mind"]) == (cell.scenario, cell.mind)
        assert (one["planned"], one["scored"], one["invalid"], one["failed"]) == (
            cell.planned,
            cell.scored,
            cell.invalid,
            cell.failed,
        )
        numbers = one["measures"]
        assert numbers["gap"]["mean"] == cell.gap.mean
        assert numbers["paper_delta_tom"]["low"] == cell.paper_delta_tom.low
        assert one["reward"] == cell.reward
        assert numbers["best_after"]["high"] == cell.best_after.high
        assert (one["game"], one["names"], "model" in one) == (cell.about.game, "neutral", False)
        for number in numbers.values():
            lacking = None in (number["mean"], number["low"], number["high"])
            assert ("reason" in number) == lacking


def test_measures_that_do_not_apply_are_left_out(found, of) -> None:
    cell = replace(found[0], luck=Estimate(None, reason=NOT_APPLYING))
    (one,) = read(as_json(of([cell]), ""))["cells"]
    assert "luck" not in one["measures"]
    assert "unused" in one["measures"]


def test_curves_are_lists_of_rounds(whole) -> None:
    for curve, one in zip(whole.curves, read(as_json(whole, ""))["curves"], strict=True):
        assert (one["scenario"], one["mind"]) == (curve.scenario, curve.mind)
        for name in ("regret", "tom_percent"):
            for part in ("mean", "low", "high"):
                numbers = one[name][part]
                assert len(numbers) == 12
                assert numbers == pytest.approx(getattr(getattr(curve, name), part), abs=1e-6)


def test_a_curve_that_is_not_known_is_null(whole) -> None:
    lone = replace(whole.curves[0], regret=Unknown("no automaton"))
    (one,) = read(as_json(replace(whole, curves=(lone,)), ""))["curves"]
    assert one["regret"] is None
    assert one["tom_percent"]["mean"]


def test_what_each_cell_took(whole) -> None:
    key = (whole.cells[1].scenario, whole.cells[1].mind)
    cost = Cost(4, 10, Usage(1000, 30, 600), 0.5, 2.0, 0.25, 0.1, 0.05, 0.5, 0.75, 0.125)
    first, second, *_ = read(as_json(replace(whole, spent={**whole.spent, key: cost}), ""))["cells"]
    assert second["took"] == {
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
        "strict_share": 0.5,
        "lenient_share": 0.75,
        "estimated_cost_share": 0.125,
    }
    assert (first["took"]["calls"], first["took"]["dollars"]) == (0, None)


def test_a_layout_has_every_row(tabled, seated) -> None:
    cells = [
        *tabled(seated("ibs-single-v1", SeatSpec("qa", model="m", label="QA@m")), extra=1),
        *tabled(seated("ibs-single-v1", SeatSpec("nash"))),
    ]
    plain = read(layout_as_json(3, cells, "A study"))
    assert plain["accounting"] == "planned 13 = scored 12 + invalid 0 + failed 0 + missing 1"
    assert [row["source"] for row in plain["rows"]] == ["paper", "paper", "run", *["paper"] * 12, "run"]
    assert plain["rows"][-1]["names"] == ["nash"]
    run = plain["rows"][2]
    assert run["names"] == ["QA@m"]
    assert run["values"][0] is None
    assert run["values"][1]["value"] == cells[0].paper_delta_functional.mean
    assert run["values"][1]["mark"] == "‡"
    assert run["cells"] == [{"scenario": "ibs-single-v1", "mind": "QA@m", "scored": 6, "planned": 7}]
    assert plain["rows"][0]["values"][0] == {"value": 0.083, "half_width": 0.004}


def test_what_is_not_known_is_null_with_its_reason(found, whole, of) -> None:
    (one,) = read(as_json(of([found[2]]), ""))["cells"]
    assert one["measures"]["functional"]["mean"] is None
    assert "no episode here is against" in one["measures"]["functional"]["reason"]
    assert "NaN" not in as_json(whole, "")


def test_added_measures_never_hide_others(found, of) -> None:
    added = {"speed": Estimate(1.0, 0.5, 1.5), "gap": Estimate(9.0)}
    (one,) = read(as_json(of([replace(found[0], more=added)]), ""))["cells"]
    assert one["measures"]["speed"] == {"mean": 1.0, "low": 0.5, "high": 1.5}
    assert one["measures"]["gap"]["mean"] == found[0].gap.mean


def test_no_cells_are_an_empty_list(of) -> None:
    assert read(as_json(replace(of([]), curves=()), ""))["cells"] == []
