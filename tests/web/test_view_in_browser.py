"""Pages of runs in a real browser: narrow and wide, light and dark, with keys alone, for a screen reader, and live."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from otherminds.studies.run_dir import holds_run
from otherminds.studies.store import RECORDS
from otherminds.web.server import serve
from otherminds.web.view_pages import make_app
from otherminds.web.viewed_runs import Gallery
from tests.web.browser import CHROMIUM, CONTROLS, Browser, open_browser
from tests.web.viewing import play_study, stored_lines, write_run

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium")


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with open_browser() as opened:
        yield opened


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_run(tmp_path / "runs" / "first")
    return write_run(tmp_path / "runs" / "second", stored_lines()[:10])


@pytest.fixture
def base(folder: Path, tmp_path: Path) -> Iterator[str]:
    gallery = Gallery([folder.parent], tmp_path / "cache")
    with serve(lambda: make_app(gallery), "127.0.0.1", 0, ()) as address:
        gallery.start()
        yield address
        gallery.close()


def wait_until(browser: Browser, condition: str) -> None:
    """Waits until an expression holds on the page."""
    script = f"new Promise(done => {{ const look = () => ({condition}) ? done(1) : setTimeout(look, 50); look(); }})"
    browser.run(script)


def test_pages_fit_narrow_and_wide_windows_and_name_what_they_have(browser: Browser, base: str) -> None:
    episode = f"/runs/1/episodes/{play_study()[1][-1].spec.hash}"
    paths = (
        "/",
        "/runs/1",
        "/runs/1/episodes",
        episode,
        f"{episode}/calls/1",
        "/runs/1/search?text=option&part=prompts",
        "/runs/9",
    )
    for width, dark in ((390, True), (390, False), (1280, False), (1280, True)):
        browser.look(width, dark=dark)
        for path in paths:
            browser.go(base + path)
            where = f"{path} at {width}"
            assert browser.run("document.documentElement.scrollWidth <= innerWidth"), where
            paper = json.loads(
                "[" + browser.run("getComputedStyle(document.body).backgroundColor")[4:-1] + "]"
            )
            assert (sum(paper) < 200) == dark, where
            assert browser.list_problems() == [] or path == "/runs/9", where
            unnamed = [role for role, name in browser.list_roles() if role in CONTROLS and not name.strip()]
            assert unnamed == [], where


def test_keys_alone_lead_from_the_list_of_runs_to_a_replay(browser: Browser, base: str) -> None:
    browser.look(390, dark=False)
    browser.go(f"{base}/runs/1/episodes")

    def tab_to(condition: str) -> None:
        for _ in range(60):
            browser.press("Tab")
            if browser.run(f"(at => {condition})(document.activeElement)"):
                return
        raise AssertionError(f"no Tab leads to {condition}")

    browser.go(f"{base}/")
    tab_to("at.getAttribute('href') === '/runs/1'")
    browser.press("Enter")
    browser.wait_for_load()
    tab_to("at.innerText === 'Episodes'")
    browser.press("Enter")
    browser.wait_for_load()
    tab_to("at.closest('#episodes tbody') !== null")
    first = browser.run("document.activeElement.href")
    browser.press("ArrowDown")
    assert browser.run("document.activeElement.href") not in (first, "")
    browser.press("Enter")
    browser.wait_for_load()
    tab_to("at.innerText === 'Replay'")
    browser.press("Enter")
    assert browser.run("document.querySelector('#replay').open")
    outline = browser.run("getComputedStyle(document.activeElement).outlineStyle")
    assert outline != "none"


def test_a_page_of_a_run_follows_it_without_a_reload_and_keeps_the_focus(
    browser: Browser, base: str, folder: Path
) -> None:
    assert holds_run(folder)
    browser.go(f"{base}/runs/2")
    wait_until(browser, "document.body.innerText.includes('10 of 16 episodes recorded')")
    wait_until(browser, "document.querySelector('#minds a') !== null")
    browser.run("window.mine = 1; document.querySelector('#minds a').focus()")
    with (folder / RECORDS / "00000.jsonl").open("ab") as file:
        file.write(b"".join(line + b"\n" for line in stored_lines()[10:13]))
    wait_until(browser, "document.body.innerText.includes('13 of 16 episodes recorded')")
    assert browser.run("document.querySelector('progress').value") == 13
    assert browser.run("window.mine") == 1
    assert browser.run("document.activeElement.closest('#live') !== null")


def test_a_replay_and_a_report_run_their_own_scripts_and_nothing_else(browser: Browser, base: str) -> None:
    record = play_study()[1][-1].spec.hash
    browser.go(f"{base}/runs/1")
    wait_until(browser, "document.querySelector('#minds a') !== null")
    for path, script in (
        (f"/runs/1/replays/{record}.html", "document.querySelectorAll('.controls button').length > 2"),
        ("/runs/1/episodes.html", "document.querySelectorAll('#filters:not([hidden])').length === 1"),
    ):
        browser.go(base + path)
        assert browser.run(script), path
        assert browser.list_problems() == [], path
        assert browser.run("self.origin") == "null", path
        assert browser.run("fetch('/').then(() => 'sent', () => 'refused')") == "refused", path
