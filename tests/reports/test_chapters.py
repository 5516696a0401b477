"""What is said over all scenarios: returns, hypotheses, cost against reward, sweeps."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from msgspec import Struct
from msgspec.structs import replace

import otherminds
from otherminds.measures.intervals import Estimate
from otherminds.reports.chapters import chapters
from otherminds.reports.drawings import drawings
from otherminds.reports.findings import WorldChapter, world_reports
from otherminds.reports.json_report import as_json
from otherminds.reports.markup import render
from otherminds.reports.overview import around, overview, thinking
from otherminds.reports.page import PagePart, as_html
from otherminds.reports.sheets import Sheet
from otherminds.reports.table import as_text, sheet_as_text
from otherminds.reports.table import printed as shown


def text_of(sheet: Sheet) -> str:
    return shown(lambda console: console.print(sheet_as_text(sheet)), 100, colour=False)


def test_a_run_has_the_chapters_it_has_the_numbers_for(agents, whole) -> None:
    assert [chapter.title for chapter in chapters(agents)] == [
        "Returns",
        "Where regret comes from",
        "Hypotheses",
        "Cost against reward",
        "Sweeps",
    ]
    assert [chapter.title for chapter in chapters(whole)] == ["Returns", "Where regret comes from"]


def test_every_cell_has_both_rewards_under_their_names(agents) -> None:
    sheet = overview(agents.cells)
    assert sheet.heads[2:4] == ("reward per episode", "reward per 1,200 steps")
    assert [texts for texts, _ in sheet.rows] == [(cell.scenario, cell.mind) for cell in agents.cells]
    for cell, (_, pairs) in zip(agents.cells, sheet.rows, strict=True):
        assert pairs[0][0] == f"{cell.reward:.1f}°"
        assert pairs[1][0] == f"{cell.reward * 75:.1f}°"
        assert pairs[5][0] == ("–" if cell.mind == "blind" else "0.0")


def test_hypotheses_are_told_of_minds_that_noted_some(agents, whole) -> None:
    sheet = thinking(agents.cells)
    assert {mind for (_, mind), _ in sheet.rows} == {"hm@m(top_k=5)", "hm@m(top_k=0)", "hm@m(top_k=1)"}
    _, pairs = sheet.rows[0]
    assert pairs[2] == (f"{100 * (5 + 4 + 3) / 24:.0f}", "")
    assert pairs[3][0] == "4.0°"
    assert pairs[5] == ("6.0 → 6.0", "")
    assert thinking(whole.cells) is None


def test_rewards_around_validation_are_the_estimates(agents) -> None:
    sheet = around(agents.around)
    assert sheet.heads[2:5] == ("validated", "−5", "−4")
    assert sheet.rows[0][1][0] == ("3 of 3", "")
    for one, (_, pairs) in zip(agents.around, sheet.rows, strict=True):
        for point, (mean, _) in zip(one.rewards, pairs[1:], strict=True):
            assert (
                mean == "–"
                if point.mean is None
                else float(mean.rstrip("°")) == pytest.approx(point.mean, abs=0.006)
            )


def test_text_and_page_say_it(agents) -> None:
    text = as_text(agents, "A study")
    assert max(map(len, text.splitlines())) <= 100
    page = as_html(agents, drawings(agents), {}, "A study", ())
    for words in ("returns", "hypotheses", "cost against reward", "sweeps", "published, not comparable"):
        assert words in text.splitlines()
    for words in ("Returns", "Hypotheses", "Cost against reward", "Sweeps"):
        assert f">{words}</h2>" in page


def test_what_stands_in_a_table_is_in_no_note(agents) -> None:
    assert "reward_after_validation" not in as_text(agents, "A study")


def test_a_text_is_shown_once_where_rows_share_it() -> None:
    sheet = Sheet(
        "t", ("a", "b", "n"), ((("x", "1"), (("5", ""),)), (("x", "1"), (("6", "±1"),))), ("A & note",)
    )
    assert (
        text_of(sheet).splitlines()[-3:] == ["x  1  5", "   1  6", "     ±1"]
        or text_of(sheet).count("x") == 1
    )
    page = render(
        "page.html",
        {
            "sources": (),
            "title": "",
            "accounting": "",
            "words": (),
            "opening": None,
            "parts": [PagePart("p", sheets=(sheet,))],
            "linked": None,
        },
    )
    assert page.count(">x<") == 1
    assert page.count(">1<") == 2
    assert "A &amp; note" in page


class Landing(Struct):
    """A row of a world's own table."""

    mind: str
    craters: int


def test_a_world_adds_a_chapter_and_says_what_its_tables_show(
    whole, found, of, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = WorldChapter(
        title="Landings",
        rows=lambda planned, details: list(details),
        sheets=lambda rows: (
            Sheet("craters", ("mind", "n"), tuple(((r.mind,), ((str(r.craters), ""),)) for r in rows)),
        ),
        tabled=lambda: frozenset({"depth"}),
    )
    list(world_reports)
    monkeypatch.setitem(world_reports._known, "moon", world)
    landed = replace(whole, worlds={"moon": [Landing("talker", 3)]})
    assert [chapter.title for chapter in chapters(landed)][:2] == ["Returns", "Landings"]
    text = as_text(landed, "A study")
    assert text.index("craters") < text.index("rps-single-v1   rps against single"), "a world's chapter leads"
    assert ">Landings</h2>" in as_html(landed, [], {}, "A study", ())
    assert json.loads(as_json(landed, ""))["worlds"] == {"moon": [{"mind": "talker", "craters": 3}]}
    cells = [replace(found[0], more={"depth": Estimate(2.0), "speed": Estimate(1.0)})]
    notes = as_text(of(cells), "")
    assert "speed:" in notes
    assert "depth:" not in notes


def test_general_modules_name_no_world() -> None:
    package = Path(otherminds.__file__).parent
    for room in ("measures", "reports", "cli"):
        for module in (package / room).glob("*.py"):
            assert "household" not in module.read_text(encoding="utf-8"), module


def test_a_run_of_other_worlds_has_no_chapter_of_the_household(whole) -> None:
    assert whole.worlds == {}
    assert "Teams in the household" not in [chapter.title for chapter in chapters(whole)]
    assert json.loads(as_json(whole, ""))["worlds"] == {}
