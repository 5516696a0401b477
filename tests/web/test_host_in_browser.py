"""People in a real browser: every page of a study fits narrow and wide windows, and is played with keys alone."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import otherminds as om
from tests.web.browser import CHROMIUM, CONTROLS, Browser, open_browser
from tests.web.test_host import served

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium")
SCENARIOS = {
    "ann": "rps-mixed-v1",
    "ben": "wavelength-guesser-mixed-v1",
    "cem": "codenames-giver-mixed-v1",
    "dan": "taboo-mixed-v1",
    "eve": "acted_beliefs-meet-all-v1",
    "fay": "hanabi-2p-mixed-v1",
    "gil": "pd-repeated-mixed-v1",
    "hal": "cooking-cramped-mixed-v1",
    "ida": "household-cabinet_confirmation-v1",
}
CELL = """
[[cells]]
scenarios = ["{scenario}"]{rounds}
minds = [{{ mind = "chat", model = "person:{label}" }}]
"""
PROTOCOL = """
consent = "You play a game of three rounds. Your choices are stored."
instructions = "In each round you choose, and then you earn points."
debrief = "That was all."
code = "C-17"

[[questions]]
text = "How many rounds are there?"
options = ["two", "three"]
answer = "three"
"""


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with open_browser() as opened:
        yield opened


def host(folder: Path, labels: tuple[str, ...], protocol: str) -> tuple[str | Path, ...]:
    """The command that seats people, each in a scenario of its own."""
    cells = "".join(
        CELL.format(label=label, scenario=SCENARIOS[label], rounds="\nrounds = 3" if label == "ann" else "")
        for label in labels
    )
    (folder / "study.toml").write_text(f'name = "people"\nepisodes = 1\n{cells}')
    (folder / "protocol.toml").write_text(protocol)
    words = ("host", folder / "study.toml", "--out", folder / "run", "--port", "0")
    return (*words, "--protocol", folder / "protocol.toml")


def check_page(browser: Browser, where: str) -> None:
    """A page has no part beyond its window at 390 and 1,280 px, light and dark, and all that can be used has a name."""
    for width, dark in ((390, False), (390, True), (1280, False), (1280, True)):
        browser.look(width, dark=dark)
        place = f"{where} at {width} px, {'dark' if dark else 'light'}"
        assert browser.run("document.documentElement.scrollWidth <= innerWidth"), place
        paper = browser.run("getComputedStyle(document.body).backgroundColor.match(/[0-9]+/g).map(Number)")
        assert (sum(paper[:3]) < 200) == dark, place
    unnamed = [role for role, name in browser.list_roles() if role in CONTROLS and not name.strip()]
    assert unnamed == [], where
    assert browser.list_problems() == [], where


def press_button(browser: Browser, name: str = "") -> None:
    """Tabs to a button of this name, or to the first one, and presses it."""
    for _ in range(80):
        browser.press("Tab")
        focus = browser.run(
            "(at => [at.tagName, at.innerText, getComputedStyle(at).outlineStyle])(document.activeElement)"
        )
        if focus[0] == "BUTTON" and name in focus[1]:
            assert focus[2] != "none", "the focus is seen"
            browser.press("Enter")
            browser.wait_for_load()
            return
    raise AssertionError(f"no Tab leads to a button {name!r}")


def wait_for(browser: Browser, link: str, words: str) -> None:
    """Looks at a page until it says ``words``."""
    for _ in range(200):
        browser.go(link)
        if words in browser.run("document.body.innerText"):
            return
    raise AssertionError(f"{link} never says {words!r}")


def test_a_study_is_played_from_consent_to_the_end_with_keys_alone(browser: Browser, tmp_path: Path) -> None:
    with served(*host(tmp_path, ("ann",), PROTOCOL)) as (process, links):
        browser.go(links["ann"])
        for page, button in (
            ("You play a game of three rounds", "I agree"),
            ("In each round you choose", "Go on"),
            ("How many rounds are there?", "three"),
        ):
            assert page in browser.run("document.body.innerText")
            check_page(browser, page)
            press_button(browser, button)
        turns = 0
        while "That was all." not in browser.run("document.body.innerText"):
            if browser.run("document.querySelector('form button') === null"):
                browser.go(links["ann"])  # the next turn is not open yet
                continue
            check_page(browser, f"turn {turns}")
            press_button(browser)
            turns += 1
        assert turns == 6, "three choices, and a question after each"
        assert "C-17" in browser.run("document.body.innerText")
        check_page(browser, "the end")
        assert process.wait(30) == 0
    (record,) = om.records(tmp_path / "run")
    assert record.outcome.status == "scored"
    assert len(record.calls) == 6


def test_the_first_turn_of_each_kind_of_game_fits_its_window(browser: Browser, tmp_path: Path) -> None:
    with served(*host(tmp_path, tuple(SCENARIOS), "no_consent = true")) as (_, links):
        for label, scenario in SCENARIOS.items():
            wait_for(browser, links[label], "The rules")
            check_page(browser, scenario)
