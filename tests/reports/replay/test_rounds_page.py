"""The page of an episode without a map."""

from __future__ import annotations

import json
import re
import zlib
from base64 import b64decode
from html.parser import HTMLParser

import pytest
from msgspec.structs import replace

from otherminds import SeatSpec
from otherminds.core.errors import StudyError
from otherminds.core.record import Note
from otherminds.reports.replay.rounds_page import as_rounds_page
from otherminds.testing import RandomMind
from otherminds.testing.episodes import played, spec_of
from otherminds.worlds.registry import scenario


class Reader(HTMLParser):
    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.names: set[str] = set()
        self.links: list[str] = []
        self.blocks: dict[str, str] = {}
        self._block: str | None = None
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        self.tags.append(tag)
        self.names |= {found["id"]} if found.get("id") else set()
        self.links += [name for name in found if name in {"src", "href", "srcset"}]
        self._block = (found.get("id") or "") if tag == "script" else None

    def handle_endtag(self, tag: str) -> None:
        self._block = None

    def handle_data(self, data: str) -> None:
        if self._block is not None:
            self.blocks[self._block] = data


@pytest.fixture
def record():
    """Five rounds; from the second on a hypothesis says what the partner did in the first one."""
    made = scenario("rps-single-v1", {"rounds": 5})
    record = played(spec_of(made, 1), made, {"ego": RandomMind()})
    always = record.met["ego"][0].did["partner_0"][0]
    other = next(name for name in record.game.behaviours[1] if name != always)
    record.notes = tuple(
        Note(
            "ego",
            n,
            "thinking",
            {
                "partner": "partner_0",
                "encounter": n,
                "came": always if n else None,
                "thoughts": [
                    {"id": 0, "text": "</script>x", "value": n / 10, "predicts": other if n == 2 else always}
                ]
                * min(n, 1),
                "used": 0 if n else None,
                "validated": 0 if n > 3 else None,
            },
        )
        for n in range(5)
    )
    return record


def told(page: str) -> dict:
    return json.loads(zlib.decompress(b64decode(Reader(page).blocks["story"])))


def test_every_round_stands_beside_what_was_predicted_for_it(record) -> None:
    story = told(as_rounds_page(record))
    assert story["steps"] == len(story["rounds"]) == 5
    assert [one["step"] for one in story["rounds"]] == [0, 1, 2, 3, 4]
    assert story["rounds"][-1]["total"] == record.total("ego")
    assert [one["said"][0][1:] for one in story["rounds"]] == [
        [None, False],
        [True, False],
        [False, False],
        [True, False],
        [True, True],
    ]
    assert len(story["minds"]) == 1


def test_it_is_whole_by_itself_and_escapes_names(record) -> None:
    evil = "</script><script>alert(1)</script>$title"
    record.spec = replace(
        record.spec, label=evil, seats={**record.spec.seats, "ego": SeatSpec("x", label=evil)}
    )
    page = as_rounds_page(record)
    read = Reader(page)
    assert read.links == []
    assert read.tags.count("script") == 2
    assert not re.findall(r"https?://|@import|fetch\(", page)
    assert "prefers-color-scheme: dark" in page
    wanted = set(re.findall(r'\bel\("(\w+)"\)', page)) | set(re.findall(r'unpack\("(\w+)"\)', page))
    assert wanted <= read.names


def test_the_names_that_options_were_told_by_are_given(record) -> None:
    page = as_rounds_page(record)
    labels = record.drawn["names"][0]
    assert f"told as rock {labels[record.game.behaviours[0].index('rock')]}" in page


def test_without_notes_there_is_nothing_to_show(record) -> None:
    record.notes = ()
    with pytest.raises(
        StudyError, match="for worlds with a map, and 'rps-single-v1' has none; nor did a mind"
    ):
        as_rounds_page(record)
