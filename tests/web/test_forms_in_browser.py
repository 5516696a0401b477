"""Drawn turns in a real browser: narrow and wide, light and dark, with keys alone, and named for a screen reader."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.cases import for_each
from tests.web.browser import CHROMIUM, Browser, open_browser
from tests.web.drawing import HOUSE, draw_episode
from tests.web.seats import make_chair, serve_chair

pytestmark = [pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium"), pytest.mark.slow]
EACH = [
    ("ipd-mixed-v1", "Option J"),
    ("codenames-guesser-mixed-v1", ""),
    ("wavelength-guesser-mixed-v1", "position 5"),
    ("taboo-mixed-v1", ""),
    ("acted_beliefs-meet-all-v1", "counter_3"),
    ("rws-repeated-mixed-v1", "Option rock"),
    ("cooking-asymmetric-mixed-v1", "Option stand around"),
    (HOUSE, "Wait[]"),
    ("hanabi-small-3p-mixed-v1", ""),
    ("tiny_hanabi-mixed-v1", ""),
]
"""A scenario of each form, and the name of a button in its first turn."""


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with open_browser() as opened:
        yield opened


@for_each(("name", "button"), EACH)
def test_a_drawn_turn_fits_is_named_and_is_played_by_keys_alone(
    browser: Browser, name: str, button: str
) -> None:
    chair = make_chair()
    turn, scene, form, _ = draw_episode(name, 1)[0][0]
    assert form is not None
    reply = chair.ask(turn, scene)
    with serve_chair(chair) as link:
        for width, dark in ((1280, False), (1280, True), (390, True), (390, False)):
            browser.look(width, dark=dark)
            browser.go(link)
            assert browser.run("document.documentElement.scrollWidth <= innerWidth"), width
            assert browser.list_problems() == []
            roles = browser.list_roles()
            assert all(spoken.strip() for role, spoken in roles if role in ("button", "table", "textbox"))
            assert not button or any(spoken.startswith(button) for role, spoken in roles if role == "button")
        for _ in range(80):
            browser.press("Tab")
            if browser.run(
                "document.activeElement.name === 'reply' && document.activeElement.form.id === ''"
            ):
                break
        value = browser.run("document.activeElement.value")
        assert browser.run("getComputedStyle(document.activeElement).outlineStyle") != "none"
        browser.press("Enter")
        assert reply.result(20) == value
