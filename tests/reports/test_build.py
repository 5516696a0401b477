"""One function for every form of a report."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from otherminds import play
from otherminds.core.errors import StudyError
from otherminds.core.model import Price
from otherminds.core.record import Timing
from otherminds.reports.build import report, write_report
from otherminds.reports.findings import findings
from otherminds.reports.json_report import as_json
from otherminds.reports.papers import papers
from otherminds.reports.table import as_text
from otherminds.studies.plan import ego
from otherminds.studies.run_dir import timings
from otherminds.studies.store import Store, line_of

TABLES = papers.get("riemer_2025").tables


def test_table_and_json_are_the_text(
    planned, records, whole, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)
    assert report(planned, iter(records), "A study", "table", tmp_path) == as_text(whole, "A study")
    assert report(planned, iter(records), "A study", "json", tmp_path) == as_json(whole, "A study")
    assert list(tmp_path.iterdir()) == []


def test_the_page_lies_in_the_folder_with_its_figures(planned, records, tmp_path: Path) -> None:
    out = tmp_path / "new folder"
    path = Path(report(planned, iter(records), "A study", "html", out))
    assert path == out / "report.html"
    drawn = ("verdicts", "unused", "gap", "exploitation", "regret", "tom")
    names = {f"{name}.svg" for name in drawn}
    assert {file.name for file in (out / "figures").iterdir()} == names
    assert {file.name for file in out.iterdir()} == {"figures", "report.html", "episodes.html"}
    page = path.read_text(encoding="utf-8")
    assert page.count("<svg") == 6
    assert "otherminds report &#39;" in page  # the folder's name has a space: quoted for the shell


def test_the_same_records_make_the_same_page(planned, records, tmp_path: Path) -> None:
    few = [record for record in records if record.spec.title == "rps-tit_for_tat-v1"]
    plan = {key: number for key, number in planned.items() if key[0] == "rps-tit_for_tat-v1"}
    path = Path(report(plan, few, "A study", "html", tmp_path))
    first = path.read_bytes()
    report(plan, reversed(few), "A study", "html", tmp_path)
    assert path.read_bytes() == first


def test_the_page_names_the_command_that_made_the_run(planned, records, tmp_path: Path) -> None:
    whole = findings(planned, records, {}, {}, curves=True)
    command = ("run", "my studies/a.toml", "--model", "openai:m@http://here/v1", "--out", str(tmp_path))
    for layout in (None, 2):
        page = Path(write_report(whole, "A study", "html", tmp_path, layout, command)).read_text(
            encoding="utf-8"
        )
        assert "\notherminds report " in page
        assert (
            "<pre>otherminds run &#39;my studies/a.toml&#39; --model openai:m@http://here/v1 --out " in page
        )
        lone = Path(write_report(whole, "A study", "html", tmp_path, layout)).read_text(encoding="utf-8")
        assert "<pre>otherminds report " in lone, "no command is made up for records that none made"


def test_a_terminal_gets_colours(planned, records, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    assert "\x1b[" in report(planned, records, "A study", "table", tmp_path)


@pytest.mark.parametrize(("columns", "width"), [("80", 80), ("120", 120), ("20", 80), (None, 100)])
def test_a_table_is_as_wide_as_the_columns_that_are_asked_for_and_80_at_least(
    planned, records, whole, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, columns: str | None, width: int
) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)
    if columns:
        monkeypatch.setenv("COLUMNS", columns)
    assert report(planned, iter(records), "A study", "table", tmp_path) == as_text(whole, "A study", width)


def test_what_cannot_be_made_is_said(planned, records, tmp_path: Path) -> None:
    with pytest.raises(StudyError, match="choose table, json or html"):
        report(planned, records, "A study", "pdf", tmp_path)
    for form in ("table", "json", "html"):
        with pytest.raises(StudyError, match="no layout 5; the paper's tables are 1, 2, 3, 4, 8, 9, 10"):
            report(planned, records, "A study", form, tmp_path / "none", layout=5)
    assert not (tmp_path / "none").exists()
    file = tmp_path / "file"
    file.write_text("")
    with pytest.raises(StudyError, match="cannot be written"):
        report(planned, records, "A study", "html", file / "out")


@pytest.mark.parametrize("table", TABLES)
def test_a_layout_in_every_form(planned, records, table: int, tmp_path: Path) -> None:
    text = report(planned, iter(records), "A study", "table", tmp_path, layout=table)
    assert f"Table {table} of the paper" in text
    assert (
        json.loads(report(planned, iter(records), "A study", "json", tmp_path, layout=table))["table"]
        == table
    )
    path = Path(report(planned, iter(records), "A study", "html", tmp_path, layout=table))
    assert [path] == list(tmp_path.iterdir()) == [tmp_path / f"table{table}.html"]
    assert f"--layout {table}" in path.read_text(encoding="utf-8")


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize("name", ["household-nested_confirmation-v1", "rws-repeated-0-v1", "ipd-flip-v1"])
def test_a_run_without_a_place_in_a_table_gets_a_line_and_no_table(
    table: int, name: str, tmp_path: Path
) -> None:
    """In every form, whatever the world; a run of which nothing is recorded yet may still have a place."""
    mind, options = ("no_message", {"turns": 2}) if name.startswith("household") else ("random", {"steps": 8})
    if name.startswith("ipd"):
        mind, options = "uniform", {"rounds": 2}
    record = play(name, mind, options=options)
    counts = {(record.spec.title, ego(record.spec).title): 1}
    for form in ("table", "json", "html"):
        with pytest.raises(StudyError) as refused:
            report(counts, [record], "A study", form, tmp_path / "none", layout=table)
        assert str(refused.value) == (
            f"no scenario of this run has a place in table {table} of the paper, nor in another of its tables"
        )
    assert not (tmp_path / "none").exists()
    assert f"Table {table} of" in report(counts, [], "A study", "table", tmp_path, layout=table)


def test_a_run_with_a_place_in_other_tables_is_told_which(tmp_path: Path) -> None:
    record = play("ibs-single-v1", "uniform", options={"rounds": 2})
    counts = {(record.spec.title, ego(record.spec).title): 1}
    for table in (1, 10):
        with pytest.raises(StudyError, match=f"table {table} of the paper; it has one in 2, 3, 4, 8, 9$"):
            report(counts, [record], "A study", "table", tmp_path, layout=table)


def test_prices_and_clocks_reach_the_costs(planned, records, tmp_path: Path) -> None:
    talker = next(record for record in records if record.spec.seats["ego"].title == "talker")
    held = {talker.spec.hash: Timing(8.0)}
    plain = json.loads(report(planned, records, "A study", "json", tmp_path, timings=held))
    assert [one["took"]["seconds_an_episode"] for one in plain["cells"]] == [8.0, *[None] * 5]
    assert "US" in report(planned, records, "", "table", tmp_path, prices={"m": Price(1, 2)}, timings=held)
    assert "US" not in report(planned, records, "", "table", tmp_path, timings=held)
    assert "what it took" not in report(planned, records, "", "table", tmp_path)


def test_curves_are_made_only_where_they_are_shown(planned, records, whole) -> None:
    assert findings(planned, records, {}, {}, curves=False).curves == ()
    assert len(whole.curves) == len(whole.cells)


def test_the_clocks_of_a_folder_are_those_of_its_records(planned, records, tmp_path: Path) -> None:
    """The newer record of an episode counts, and so does its clock."""
    store = Store(tmp_path)
    store.append([line_of(record, Timing(1.0)) for record in records])
    store.append([line_of(records[0], Timing(13.0))])
    held = timings(tmp_path)
    assert held == {record.spec.hash: Timing(1.0) for record in records} | {
        records[0].spec.hash: Timing(13.0)
    }
    first, *rest = json.loads(report(planned, records, "A study", "json", tmp_path, timings=held))["cells"]
    took = first["took"]
    assert took["seconds_an_episode"] == (13.0 + took["episodes"] - 1) / took["episodes"]
    assert {one["took"]["seconds_an_episode"] for one in rest} == {1.0}


def test_nothing_recorded_yet(tmp_path: Path) -> None:
    planned = {("rps-single-v1", "rmax"): 3}
    (one,) = json.loads(report(planned, [], "A study", "json", tmp_path))["cells"]
    assert (one["planned"], one["scored"], one["measures"]["delta_functional"]["mean"]) == (3, 0, None)
    assert "missing 3" in report(planned, [], "A study", "table", tmp_path)
    assert Path(report(planned, [], "A study", "html", tmp_path)).is_file()
