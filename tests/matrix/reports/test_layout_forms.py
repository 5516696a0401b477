"""A table of the paper with a run in it, as text and as a page: its numbers, its notes, its width."""

from __future__ import annotations

from html.parser import HTMLParser

import pytest
from msgspec.structs import replace

from otherminds import SeatSpec
from otherminds.matrix.layouts import HEADS, fill_table
from otherminds.measures.cells import Cell
from otherminds.reports.page import layout_as_html
from otherminds.reports.table import layout_as_text
from tests.cases import for_each


class Rows(HTMLParser):
    """The text of the cells of each table row, with the row's class."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.rows: list[tuple[str, list[str]]] = []
        self.tags: set[str] = set()
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        if tag == "tr":
            self.rows.append((dict(attrs).get("class") or "", []))
        elif tag in ("td", "th"):
            self.rows[-1][1].append("")
        elif tag == "small":
            self.rows[-1][1][-1] += " "

    def handle_data(self, data: str) -> None:
        if self.rows and self.rows[-1][1]:
            self.rows[-1][1][-1] += data.rstrip("\n")


@pytest.fixture(scope="module")
def cells(tabled, seated) -> list[Cell]:
    """A tabular learner, QA that lacks an episode, and Reflexion with two memory sizes."""
    qa = SeatSpec("qa", model="m", label="QA@m")
    sizes = [SeatSpec("reflexion", model="m", label=f"Reflexion {n}@m") for n in (1, 2)]
    whole = tabled(
        seated("rps-single-v1", SeatSpec("rmax", label="Tabular")),
        *(seated(f"{game}-single-v1", sizes[0], own=0) for game in ("ibs", "ipd")),
        *(seated(f"{game}-single-v1", sizes[1], own=1, rounds=20) for game in ("ibs", "ipd")),
        seated("rps-mixed-v1", qa),
    )
    return [*whole, *tabled(seated("rps-single-v1", qa, "letters"), extra=1)]


def half(cells: list[Cell], mind: str) -> str:
    """Half the interval of the first cell of a mind that plays against one kind of partner."""
    found = next(cell for cell in cells if cell.mind == mind and len(cell.about.partners) == 1)
    return f"±{(found.paper_delta_functional.high - found.paper_delta_functional.low) / 2:.3f}"


def row(text: str, start: str) -> str:
    return next(line for line in text.splitlines() if line.startswith(start))


@for_each("table", HEADS)
def test_a_printed_table_fits_a_hundred_columns(table: int) -> None:
    text = layout_as_text(table, [], "A study")
    assert max(map(len, text.splitlines())) <= 100
    rows = text[text.index("─\n") :].splitlines()
    assert len([line for line in rows if line.endswith(" paper")]) == len(fill_table(table, []).lines)
    assert "\x1b" not in text


def test_rows_of_paper_and_run(cells) -> None:
    text = layout_as_text(3, cells, "A study")
    lines = text.splitlines()
    assert lines[:2] == ["A study", "planned 43 = scored 42 + invalid 0 + failed 0 + missing 1"]
    assert "rps-single-v1 [letters]" in text.split("Table 3")[0], "what was not scored stands above the table"
    assert row(text, "QA ").split() == [
        "QA",
        *("0.444", "±0.107"),
        *("1.391", "±0.283"),
        *("0.996", "±0.133"),
        "paper",
    ]
    assert row(text, "QA@m").split() == ["QA@m", "‡1.000", half(cells, "QA@m"), "6/7"]
    assert row(text, "Reflexion@m").split() == [
        "Reflexion@m",
        *("3.500", half(cells, "Reflexion 1@m"), "(1)"),
        *("0.000", "±0.000", "(2)"),
        "6",
    ]
    assert max(map(len, lines)) <= 100


def test_notes_say_what_is_to_be_known(cells) -> None:
    notes = fill_table(3, cells).notes
    told = "\n".join(notes)
    assert notes[0].startswith("Rows marked “paper” are as printed")
    assert "‡ not every planned episode was scored" in told
    assert "Reflexion@m: the best of the memory sizes 1, 2 by Δ_Functional/T in each game" in told
    assert "RPS: this run's action names are letters, the paper's are neutral." in told
    assert "Episodes of this run have 10, 20 rounds, the paper's 100" in told
    assert "Not in this table: rps-mixed-v1." in told
    assert "misprint" not in told


def test_notes_are_left_out_where_there_is_nothing_to_say(tabled, seated) -> None:
    cells = tabled(seated("rps-single-v1", SeatSpec("qa", model="m", label="QA@m"), rounds=100))
    assert len(fill_table(3, cells).notes) == 1
    assert len(fill_table(10, []).notes) == 2, "the misprint of table 10"


def test_a_tabular_learner_reads_no_names(tabled, seated) -> None:
    cells = tabled(seated("rps-single-v1", SeatSpec("rmax"), "letters", rounds=100))
    assert len(fill_table(3, cells).notes) == 1


def test_what_was_not_played_yet_is_named(cells) -> None:
    unseen = replace(cells[0], about=type(cells[0].about)(), mind="CoT@m")
    notes = fill_table(3, [unseen]).notes
    assert "Nothing recorded yet: rps-single-v1 (CoT@m)." in notes
    many = [replace(cells[-2], scenario=f"s{n}") for n in range(7)]
    assert "Not in this table: 7 scenarios of the run." in fill_table(3, many).notes


def test_numbers_that_are_missing_have_a_reason(cells) -> None:
    nothing = replace(cells[0].tom_percent, mean=None, low=None, high=None, reason="never asked")
    some = [replace(cells[0], tom_percent=nothing)]
    assert "–: Tabular: never asked." in fill_table(1, some).notes
    paper, run = [line for line in layout_as_text(1, some, "").splitlines() if line.startswith("Tabular")]
    assert paper.split()[-1] == "paper"
    assert run.split()[-2:] == ["–", "6"]


def test_names_cannot_move_the_cursor(tabled, seated) -> None:
    seat = SeatSpec("qa", model="m\x1b[32m", label="QA\x1b[31m")
    (cell,) = tabled(seated("ibs-single-v1", seat), extra=1)
    evil = replace(cell, scenario="s\x1b[0m")
    text = layout_as_text(9, [evil], "t\x1b[1m")
    assert "\x1b" not in text
    assert "m[32m" in text, "the model"
    assert "s[0m" in text, "what was not scored"
    assert "\x1b[" in layout_as_text(9, [cell], "", colour=True)


def test_the_page_has_the_same_rows(cells) -> None:
    shown = fill_table(3, cells)
    page = layout_as_html(3, cells, "A study", ("otherminds report out --layout 3",))
    rows = [found for found in Rows(page).rows if found[0] in ("paper", "run")]
    assert len(rows) == len(shown.lines) + len(shown.others)
    assert [kind for kind, _ in rows[:2]] == ["paper", "run"]
    assert rows[0][1] == ["Tabular", "0.083 ±0.004", "0.211 ±0.012", "0.086 ±0.009", "paper"]
    (best,) = [found for _, found in rows if found[0] == "Reflexion@m"]
    assert best == ["Reflexion@m", "", f"3.500 {half(cells, 'Reflexion 1@m')} (1)", "0.000 ±0.000 (2)", "6"]
    assert "planned 43 = scored 42" in page
    assert "this run only" not in page
    assert "this run only" in layout_as_html(9, cells, "", ())


def test_the_page_is_whole_and_escaped(cells) -> None:
    evil = [replace(cell, mind="<script>x</script>", scenario="<b>") for cell in cells]
    page = layout_as_html(8, evil, "<i>", ("<u>",))
    assert not {"script", "b", "i", "u", "link", "img"} & Rows(page).tags
    assert "://" not in page
