"""The page: whole by itself, well formed, escaped, complete."""

from __future__ import annotations

import re
from collections import Counter
from html.parser import HTMLParser

import pytest
from msgspec.structs import replace

from otherminds.measures.intervals import Estimate
from otherminds.measures.notes import About
from otherminds.reports.drawings import drawings
from otherminds.reports.findings import Findings, findings
from otherminds.reports.markup import text_of
from otherminds.reports.page import as_html
from otherminds.reports.style import svg

VOID = {"meta", "link", "br", "hr", "img"}
FETCHING = {"src", "srcset", "action", "data", "poster", "background"}


class Reader(HTMLParser):
    """Checks nesting; collects tags, attributes and text."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: Counter[str] = Counter()
        self.attributes: list[tuple[str, str]] = []
        self.text = ""
        self.feed(page)
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags[tag] += 1
        self.attributes += [(name, value or "") for name, value in attrs]
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags[tag] += 1
        self.attributes += [(name, value or "") for name, value in attrs]

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


@pytest.fixture(scope="module")
def page(whole) -> str:
    return paged(whole, "A study", ("otherminds run s.toml --out 'a & b'",))


def paged(found: Findings, title: str, commands: tuple[str, ...]) -> str:
    """The page with all its figures."""
    drawn = drawings(found)
    sheets = {one.name: svg(one.figure) for one in drawn if one.figure is not None}
    return as_html(found, drawn, sheets, title, commands)


def test_it_is_whole_by_itself(page: str) -> None:
    read = Reader(page)
    assert not {"link", "img", "iframe", "object"} & set(read.tags)
    for name, value in read.attributes:
        assert name not in FETCHING
        assert not (name.endswith("href") and not value.startswith(("#", "episodes.html")))
    assert set(re.findall(r"https?://[^\"<\s]+", page)) == {
        "http://www.w3.org/2000/svg",
        "http://www.w3.org/1999/xlink",
    }
    assert "@import" not in page
    assert read.tags["script"] == 1, "it sorts the table of verdicts"
    assert not re.search(r"fetch|XMLHttpRequest|import\b|WebSocket|sendBeacon", page[page.index("<script") :])


def test_identifiers_are_unique_and_references_resolve(page: str) -> None:
    attributes = Reader(page).attributes
    names = [value for name, value in attributes if name == "id"]
    assert names.count("minds") == 1, "the table"
    assert len(names) == len(set(names))
    parts = {f"part{n}" for n in range(1, page.count("<h2") + 1)}
    assert {name.split("-")[0] for name in names} == {
        "minds",
        "verdicts",
        "unused",
        "gap",
        "exploitation",
        "regret",
        "tom",
    } | parts
    hrefs = [value for name, value in attributes if name.endswith("href")]
    wanted = {value[1:] for value in hrefs if value.startswith("#")}
    assert parts <= wanted, "the contents list every part"
    wanted |= set(re.findall(r"url\(#([^)]+)\)", page))
    assert wanted <= set(names)


def test_it_says_everything(page: str, found) -> None:
    text = Reader(page).text
    assert "planned 36 = scored 33 + invalid 1 + failed 1 + missing 1" in text
    for cell in found:
        assert cell.scenario in text
        assert cell.mind in text
    for words in (
        "F, the functional score",
        "Lost: 3 of 36 planned episodes were not scored.",
        "Not every episode was scored",
        "0.500 to 1.500",
        "paper convention",
        "paper, tables 1, 3, 4",
        "misprint in the paper",
        "L and F refer to the population: mixed.",
        "no episode here is against",
        "otherminds run s.toml --out 'a & b'",
        "mean over 5 rounds",
    ):
        assert words in text
    assert Reader(page).tags["svg"] == 6


def test_the_numbers_are_the_cells(page: str, found) -> None:
    text = Reader(page).text
    for cell in found:
        if cell.gap.low is None:
            continue
        for shown in (
            f"{cell.delta_functional.mean:.3f}",
            f"{cell.tom_percent.mean:.1f}",
            f"{cell.gap.low:.2f}",
        ):
            assert shown in text


def test_it_is_readable_in_light_and_in_dark(page: str) -> None:
    assert "prefers-color-scheme: dark" in page
    assert 'name="color-scheme" content="light dark"' in page


def test_all_text_is_escaped(found, of) -> None:
    evil = "<script>alert(1)</script>\"'&$title"
    about = About("rps", ("single",), (evil,), evil, (evil,))
    cells = [replace(found[0], scenario=evil, mind=evil, about=about, causes={evil: 2})]
    findings = of(cells)
    (verdict, *_) = findings.verdicts
    judged = (replace(verdict, mind=evil, scenarios=(evil,), model=True),)
    page = paged(replace(findings, verdicts=judged), evil, (evil,))
    read = Reader(page)
    assert read.tags["script"] == 1, "that of the page"
    assert read.text.count(evil) > 3
    assert page.count("<script") == 1


def test_names_in_drawings_are_no_markup(found, of) -> None:
    page = paged(of(replace(cell, mind=f"<b>{cell.mind}&") for cell in found), "A study", ())
    assert "b" not in Reader(page).tags


def test_a_study_without_a_scored_episode_has_a_page() -> None:
    text = Reader(paged(findings({}, [], {}, {}, curves=True), "Nothing", ())).text
    assert "planned 0 = scored 0" in text
    assert "Nothing was lost" in text


@pytest.mark.parametrize(
    "name",
    ["page.html", "episodes.html", "otherminds.matrix:replay.html", "otherminds.household.reports:pool.html"],
)
def test_all_pages_have_one_kernel(name: str) -> None:
    chain = [name]
    while begins := re.match(r'{% extends "([^"]+)" %}', text_of(chain[-1])):
        chain.append(begins[1])
    assert chain[-1] == "kernel.html"
    for text in map(text_of, chain[:-1]):
        assert "<!doctype" not in text
        assert "--paper:" not in text


def test_lengths_are_said_to_differ_only_where_they_do(whole: Findings) -> None:
    scaled = {"reward_per_episode": Estimate(1.0), "reward_per_1200_steps": Estimate(2.0)}

    def stepped(*lengths: int) -> Findings:
        cells = (
            replace(cell, more=scaled, about=replace(cell.about, rounds=lengths)) for cell in whole.cells
        )
        return replace(whole, cells=tuple(cells))

    for same in (whole, stepped(20)):
        assert "differ in length" not in as_html(same, (), {}, "A study", ())
    assert "differ in length" in as_html(stepped(20, 30), (), {}, "A study", ())
