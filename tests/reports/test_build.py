"""One function for every form of a report."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from otherminds.core.errors import StudyError
from otherminds.reports.build import report
from otherminds.reports.json_report import as_json
from otherminds.reports.table import as_text


def test_table_and_json_are_the_text(planned, records, found, tmp_path: Path) -> None:
    assert report(planned, iter(records), "A study", "table", tmp_path) == as_text(found, "A study")
    assert report(planned, iter(records), "A study", "json", tmp_path) == as_json(found)
    assert list(tmp_path.iterdir()) == []


def test_the_page_lies_in_the_folder_with_its_figures(planned, records, tmp_path: Path) -> None:
    out = tmp_path / "new folder"
    path = Path(report(planned, iter(records), "A study", "html", out))
    assert path == out / "report.html"
    names = {"gap.svg", "gap.png", "regret.svg", "regret.png", "tom.svg", "tom.png"}
    assert {file.name for file in (out / "figures").iterdir()} == names
    assert {file.name for file in out.iterdir()} == {"figures", "report.html"}
    page = path.read_text(encoding="utf-8")
    assert page.count("<svg") == 3
    assert "otherminds report &#x27;" in page  # the folder's name has a space: quoted for the shell


def test_the_same_records_make_the_same_page(planned, records, tmp_path: Path) -> None:
    few = [record for record in records if record.spec.title == "rps-tit_for_tat-v1"]
    plan = {key: number for key, number in planned.items() if key[0] == "rps-tit_for_tat-v1"}
    path = Path(report(plan, few, "A study", "html", tmp_path))
    first = path.read_bytes()
    report(plan, reversed(few), "A study", "html", tmp_path)
    assert path.read_bytes() == first


def test_a_terminal_gets_colours(planned, records, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    assert "\x1b[" in report(planned, records, "A study", "table", tmp_path)


def test_what_cannot_be_made_is_said(planned, records, tmp_path: Path) -> None:
    with pytest.raises(StudyError, match="choose table, json or html"):
        report(planned, records, "A study", "pdf", tmp_path)
    file = tmp_path / "file"
    file.write_text("")
    with pytest.raises(StudyError, match="cannot be written"):
        report(planned, records, "A study", "html", file / "out")


def test_nothing_recorded_yet(tmp_path: Path) -> None:
    planned = {("rps-single-v1", "rmax"): 3}
    (one,) = json.loads(report(planned, [], "A study", "json", tmp_path))
    assert (one["planned"], one["scored"], one["delta_functional"]["mean"]) == (3, 0, None)
    assert "missing 3" in report(planned, [], "A study", "table", tmp_path)
    assert Path(report(planned, [], "A study", "html", tmp_path)).is_file()
