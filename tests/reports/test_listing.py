"""The list of episodes: ordered, limited, printed as a stream."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from typing import Any

import pytest

from otherminds.core.errors import StudyError
from otherminds.reports import episodes
from otherminds.reports.episodes import ORDERS, EpisodeLine, EpisodeList, Order


def line(number: int, **more: Any) -> EpisodeLine:
    names: dict[str, Any] = {
        "scenario": "rps-single-v1",
        "world": "rps",
        "mind": "nash",
        "outcome": "scored",
    } | more
    return EpisodeLine(number=number, id=f"{number:012x}", partner="single", seed=number, **names)


def numbers(lines: list[EpisodeLine], order: Order, limit: int | None = None) -> list[int | None]:
    return [one.number for one in EpisodeList(lines, order, limit)]


def test_the_worst_come_first_and_those_without_a_number_last() -> None:
    lines = [line(0, score=0.5), line(1), line(2, score=-1.0), line(3, score=0.5)]
    assert numbers(lines, "score") == [2, 0, 3, 1]
    assert numbers([line(1), line(0)], "number") == [0, 1]
    assert numbers([line(0, mind="b"), line(1, mind="a")], "mind") == [1, 0]


@pytest.mark.parametrize("order", ORDERS)
def test_the_order_does_not_depend_on_that_of_storage(order: Order) -> None:
    lines = [
        line(n, score=(n * 7) % 5 / 4, mind="ab"[n % 2], reward=None if n % 3 else -n) for n in range(30)
    ]
    assert numbers(lines, order) == numbers(lines[::-1], order)
    assert numbers(lines[::-1], order, 4) == numbers(lines, order)[:4]


def test_a_list_comes_from_a_stream_and_counts_what_it_leaves_out() -> None:
    listed = EpisodeList((line(n) for n in range(5)), "number", 3)
    assert (listed.shown, listed.all, len(list(listed))) == (3, 5, 3)
    assert EpisodeList([], "number", 3).shown == 0


def test_columns_are_as_wide_as_their_widest_text() -> None:
    heads, *rows = EpisodeList([line(0), line(100_000, mind="a long name")], "number", None).text()
    assert [row.index("single  ") for row in rows] == [heads.index("partner")] * 2


def test_a_reason_stands_below_the_table_and_json_is_whole() -> None:
    failed = EpisodeList([line(4, outcome="failed", reason="no answer"), line(5)], "number", None)
    assert list(failed.text())[-1] == "4: no answer"
    text = "".join(failed.json())
    assert text.count("\n") == 1
    assert [one["reason"] for one in json.loads(text)] == ["no answer", ""]


def test_a_full_disk_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    def full() -> sqlite3.Connection:
        database = temporary()
        database.execute("PRAGMA max_page_count = 20")
        return database

    temporary = episodes.temporary_database
    monkeypatch.setattr("otherminds.reports.episodes.temporary_database", full)

    def lines() -> Iterator[EpisodeLine]:
        return (line(n, reason="x" * 1000) for n in range(1000))

    with pytest.raises(StudyError, match="full"):
        EpisodeList(lines(), "number", None)
