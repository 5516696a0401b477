"""What an installed package adds of its paper: tables, rows beside a scenario, rewards, figures."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from typing import Any

import pytest
from matplotlib.figure import Figure

from otherminds.core.errors import StudyError
from otherminds.core.registry import Registry
from otherminds.reports.chapters import chapters
from otherminds.reports.drawings import Drawing, drawings, figure_makers
from otherminds.reports.json_report import as_json, layout_as_json
from otherminds.reports.page import as_html, layout_as_html
from otherminds.reports.papers import (
    Layout,
    Paper,
    PrintedRewards,
    TableEntry,
    TableLine,
    check_place,
    fill_table,
    papers,
    printed_rewards,
)
from otherminds.reports.table import as_text, layout_as_text

ROW = TableLine(
    ("Our agent", "our paper, table 3"),
    (TableEntry(0.5, 0.125, 3, "*", note="* of one run."), None, TableEntry(50.0, None, 1)),
)


def fill_ours(table: int, cells) -> Layout:
    """A table with a row for each cell against tit for tat, below a printed one."""
    run = tuple(
        TableLine((cell.mind,), (TableEntry(cell.reward, None, 1),), (cell,))
        for cell in cells
        if cell.about.partners == ("tit_for_tat",)
    )
    printed = TableLine(("Our agent",), (TableEntry(7.25, 0.5, 1),))
    return Layout(
        f"Our table {table}", ("Agent",), ("reward",), (printed, *run), (), "Our paper.", ("Our note.",)
    )


OURS = Paper(
    source="Our paper.",
    tables=(3, 5),
    fill_table=fill_ours,
    select_rows=lambda game, partner: (ROW,) if (game, partner) == ("rps", "single") else (),
    action_names=lambda cell: "",
)


@pytest.fixture
def register(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Puts a registry with one more component in the place of another, wherever reports use it."""

    def replace_registry(held: Registry[Any], name: str, thing: object) -> None:
        registry = Registry(held.kind, plural=held.plural)
        for known in held:
            registry.add(known, held.get(known))
        registry.add(name, thing)
        for module in filter(None, map(sys.modules.get, [*sys.modules])):
            if module.__name__.startswith("otherminds.reports."):
                for attribute in [key for key, value in vars(module).items() if value is held]:
                    monkeypatch.setattr(module, attribute, registry)

    return replace_registry


@pytest.fixture
def ours(register) -> None:
    register(papers, "ours", OURS)


def test_the_papers_of_the_included_worlds_are_found_by_entry_points() -> None:
    assert list(papers) == ["riemer_2025"]
    assert list(printed_rewards) == ["cross_2025"]


def test_there_is_no_other_layout() -> None:
    for table in (0, 5, 7, 11):
        with pytest.raises(
            StudyError, match=rf"no layout {table}; the paper's tables are 1, 2, 3, 4, 8, 9, 10$"
        ):
            fill_table(table, [])


@pytest.mark.usefixtures("ours")
def test_a_paper_of_another_package_has_its_tables_in_every_form(found) -> None:
    check_place(5, found)
    text = layout_as_text(5, found, "A study")
    assert "Our table 5" in text
    assert "Our agent 7.2 ±0.5 paper" in [" ".join(line.split()) for line in text.splitlines()]
    document = json.loads(layout_as_json(5, found, "A study"))
    assert (document["caption"], document["notes"]) == ("Our table 5", ["Our note."])
    assert [row["source"] for row in document["rows"]] == ["paper", "run", "run"]
    page = layout_as_html(5, found, "A study", ())
    assert "Our paper." in page
    assert "Riemer" not in page, "a page cites the paper whose table it has"


@pytest.mark.usefixtures("ours")
def test_of_two_papers_with_a_table_that_with_a_place_for_the_run_is_taken(found) -> None:
    single = [cell for cell in found if cell.about.partners == ("single",)]
    reciprocal = [cell for cell in found if cell.about.partners == ("tit_for_tat",)]
    assert fill_table(3, single).source.startswith("Rows of the paper: Riemer")
    assert fill_table(3, reciprocal).source == "Our paper."
    with pytest.raises(StudyError, match=r"table 1 of the paper; it has one in 3, 4, 5, 10$"):
        check_place(1, reciprocal)
    with pytest.raises(StudyError, match=r"no layout 6; the paper's tables are 1, 2, 3, 4, 5, 8, 9, 10$"):
        fill_table(6, found)


@pytest.mark.usefixtures("ours")
def test_the_rows_of_all_papers_stand_beside_a_scenario(whole) -> None:
    text = as_text(whole, "A study")
    ((_, row),) = [line.split("Our agent") for line in text.splitlines() if "Our agent" in line]
    assert row.split() == ["*0.500", "±0.125", "50.0", "our", "paper,", "table", "3"]
    assert text.count("* of one run.") == 1
    assert text.index("Our agent") < text.index("rps-tit_for_tat-v1   rps against tit_for_tat")
    page = as_html(whole, [], {}, "A study", ())
    assert "Our paper." in page
    assert "Riemer et al. 2025, Position" in page
    assert {cell["names"] for cell in json.loads(as_json(whole, ""))["cells"]} == {"neutral"}


def test_the_rewards_of_all_papers_have_tables_and_figures_of_their_own(agents, register) -> None:
    line = TableLine(("Rocks",), (TableEntry(3.0, 0.25, 1, "?", note="? read off a figure."),))
    rewards = PrintedRewards(
        methods=("ours",),
        select_row=lambda name: line if name == "rws-repeated-6-v1" else None,
        note="Printed in our paper.",
        half="±: as we say.",
        legend="our paper",
    )
    register(printed_rewards, "ours", rewards)
    (returns,) = [chapter for chapter in chapters(agents) if chapter.title == "Returns"]
    sheet = returns.sheets[-1]
    assert sheet.rows == ((("rws-repeated-6-v1", "Rocks"), (("?3.0", "±0.2"),)),)
    assert (sheet.notes, sheet.half) == (("Printed in our paper.", "? read off a figure."), "±: as we say.")
    assert len(returns.sheets) == 3
    drawn = {one.name: one for one in drawings(agents) if one.part == "returns"}
    assert list(drawn) == ["returns", "published", "published-2"]
    (ax,) = drawn["published-2"].figure.axes
    assert [bar.get_width() for bar in ax.patches][-1] == 3.0
    (segment,) = ax.collections[-1].get_segments()
    assert segment[:, 0].tolist() == [2.75, 3.25], "its standard error"
    assert drawn["published-2"].caption.endswith("Printed in our paper.")
    assert "our paper" in [text.get_text() for text in drawn["published-2"].figure.legends[0].get_texts()]


def test_a_world_adds_figures_under_a_title_of_its_own(whole, register) -> None:
    figures = (
        Drawing("gap", "craters", "How deep they are.", Figure(), "Craters"),
        Drawing("Deep Ones", "learning", "Where they are.", Figure()),
    )
    register(figure_makers, "moon", lambda found: figures if found is whole else ())
    drawn = drawings(whole)
    assert [(one.name, one.part) for one in drawn[-2:]] == [("gap-2", "craters"), ("deep-ones", "learning")]
    page = as_html(whole, drawn, {one.name: "<svg></svg>" for one in drawn}, "A study", ())
    titles = [page.index(f">{title}</h3>") for title in ("Learning", "Craters")]
    assert titles == sorted(titles)
    assert page.index("Where they are.") < titles[1] < page.index("How deep they are.")
