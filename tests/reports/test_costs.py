"""The cost table: what stands in it, and when there is one."""

from __future__ import annotations

import re

from msgspec.structs import replace

from otherminds.core.model import Usage
from otherminds.measures.cost import Cost
from otherminds.reports.overview import cost_sheet
from otherminds.reports.page import as_html
from otherminds.reports.sheets import BREAK, HYPHEN
from otherminds.reports.table import as_text

TALKER = Cost(4, 1200, Usage(1_234_567, 8_901, 1_000_000), 1.25, 61.5, 0.0489, 0.125, 0.01)
DOER = Cost(6, 0, Usage(), None, 0.002, None, None, 0.0)
ALL = Cost(10, 1200, Usage(1_234_567, 8_901, 1_000_000), 1.25, 24.602, 0.0489, 0.125, 0.004)


def clean(head: str) -> str:
    return head.replace("\n", " ").replace(HYPHEN, "").replace(BREAK, "")


def spending(whole, *, priced: bool):
    return replace(whole, by_mind={"talker": TALKER, "doer": DOER}, total=ALL, priced=priced)


def test_a_row_a_mind_and_one_for_all(whole) -> None:
    found = cost_sheet(spending(whole, priced=True))
    assert [name for (name,), _ in found.rows] == ["talker", "doer", "in all"]
    heads = [clean(head) for head in found.heads[1:]]
    talker, doer, _ = (dict(zip(heads, row, strict=True)) for _, row in found.rows)
    assert talker == {
        "episodes": ("4", ""),
        "calls, an episode": ("1,200", "300.0"),
        "tokens read, cached": ("1,234,567", "1,000,000"),
        "tokens written": ("8,901", ""),
        "US dollars": ("1.25", ""),
        "seconds, a call": ("61.5", "0.049"),
        "re-asks %": ("12.5", ""),
        "invalid %": ("1.0", ""),
    }
    assert doer == {
        "episodes": ("6", ""),
        "calls, an episode": ("0", ""),
        "tokens read, cached": ("–", ""),
        "tokens written": ("–", ""),
        "US dollars": ("–", ""),
        "seconds, a call": ("0.002", ""),
        "re-asks %": ("–", ""),
        "invalid %": ("0.0", ""),
    }


def test_what_both_readers_read_is_shown_where_replies_were_read(whole) -> None:
    read = replace(TALKER, strict=0.25, lenient=0.75)
    shown = cost_sheet(
        replace(spending(whole, priced=True), by_mind={"talker": read, "doer": DOER}, total=read)
    )
    column = [clean(head) for head in shown.heads[1:]].index("lenient %, strict")
    assert [row[column] for _, row in shown.rows] == [("75.0", "25.0"), ("–", "–"), ("75.0", "25.0")]
    assert any(note.startswith("Lenient %") for note in shown.notes)


def test_money_only_where_prices_were_given(whole) -> None:
    assert "US\ndollars" in cost_sheet(spending(whole, priced=True)).heads
    assert "US\ndollars" not in cost_sheet(spending(whole, priced=False)).heads
    assert not any("No price" in note for note in cost_sheet(spending(whole, priced=True)).notes)
    unpriced = replace(
        spending(whole, priced=True), by_mind={"talker": replace(TALKER, money=None), "doer": DOER}
    )
    assert "No price was given for the model of talker." in cost_sheet(unpriced).notes


def test_small_sums_have_more_decimals(whole) -> None:
    cheap = replace(spending(whole, priced=True), by_mind={"talker": replace(TALKER, money=0.00321)})
    ((_, row), *_) = cost_sheet(cheap).rows
    assert row[4] == ("0.0032", "")


def test_one_mind_needs_no_sum(whole) -> None:
    lone = replace(spending(whole, priced=False), by_mind={"talker": TALKER})
    assert [name for (name,), _ in cost_sheet(lone).rows] == ["talker"]


def test_no_table_where_nothing_is_known(whole) -> None:
    assert cost_sheet(whole) is None
    assert "what it took" not in as_text(whole, "")
    assert "What it took" not in as_html(whole, [], {}, "", ())
    timed = replace(whole, total=replace(whole.total, seconds=0.1))
    assert cost_sheet(timed) is not None


def test_it_stands_in_the_text_and_on_the_page(whole) -> None:
    found = spending(whole, priced=True)
    text = as_text(found, "")
    assert max(map(len, text.splitlines())) <= 100
    (line,) = [line for line in text.splitlines() if "1,234,567" in line and line.startswith("talker")]
    assert line.split() == ["talker", "4", "1,200", "1,234,567", "8,901", "1.25", "61.5", "12.5", "1.0"]
    page = as_html(found, [], {}, "", ())
    assert ">What it took</h2>" in page
    assert re.search(r"<td>1,234,567<small>1,000,000</small></td>", page)


def test_names_cannot_move_the_cursor(whole) -> None:
    evil = replace(spending(whole, priced=False), by_mind={"a\x1b[31mb": TALKER})
    assert "\x1b" not in as_text(evil, "")


def test_how_much_is_estimated_is_said(whole) -> None:
    guessed = replace(TALKER, estimated=0.375)
    spent = replace(spending(whole, priced=True), by_mind={"talker": guessed, "doer": DOER})
    for priced, unit in ((True, "dollars"), (False, "tokens")):
        notes = " ".join(cost_sheet(replace(spent, priced=priced)).notes)
        assert f"Some {unit} are estimated from the bytes" in notes
        assert "37.5 % of talker" in notes
    assert "estimated from" not in " ".join(cost_sheet(spending(whole, priced=True)).notes)
