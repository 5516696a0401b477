"""Pages of runs: what they show, of live, damaged and hostile runs too, and that no request reaches more."""

from __future__ import annotations

import asyncio
import html
import os
import re
import signal
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Iterator
from html.parser import HTMLParser
from itertools import islice
from pathlib import Path
from typing import Any
from unittest.mock import patch

import httpx
import pytest
from msgspec.structs import replace

from otherminds.core.errors import StudyError
from otherminds.core.record import Outcome, Timing
from otherminds.studies.run_dir import CARD
from otherminds.studies.store import RECORDS, line_of, seal
from otherminds.web import episode_index
from otherminds.web.episode_index import EpisodeIndex
from otherminds.web.guard import LARGEST_BODY
from otherminds.web.listing import NAMES, ORDERS, Criteria, Listing
from otherminds.web.view_pages import follow_changes
from otherminds.web.viewed_runs import Gallery
from tests.web.viewing import (
    BREAKOUT,
    ORIGIN,
    RUN_PAGES,
    Viewer,
    ask_slowly,
    play_study,
    stored_lines,
    write_run,
)

EPISODE = re.compile(r'/runs/1/episodes/([0-9a-f]{16})"')


@pytest.fixture(scope="module")
def viewer(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Viewer]:
    folder = tmp_path_factory.mktemp("view")
    write_run(folder / "runs" / "first")
    write_run(folder / "runs" / "second", stored_lines()[:10])
    (folder / "secret.txt").write_text("the secret of another folder")
    shown = Viewer(folder / "cache", folder / "runs")
    yield shown
    shown.gallery.close()


def ids(page: str) -> list[str]:
    return list(dict.fromkeys(EPISODE.findall(page)))


class Names(HTMLParser):
    """The controls of a page that have no name for a screen reader, its tags, and attributes that are script, style or lead elsewhere."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.unnamed: list[str] = []
        self.foreign: list[str] = []
        self.tags: list[str] = []
        self._labels = 0
        self._open: list[tuple[str, str]] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self.tags.append(tag)
        self.foreign += [name for name in given if name == "style" or name.startswith("on")]
        links = [given.get(name) or "#" for name in ("src", "href", "action")]
        self.foreign += [
            link for link in links if link != "data:," and (link[0] not in "/#" or link.startswith("//"))
        ]
        self._labels += tag == "label"
        named = bool(given.get("aria-label") or given.get("title"))
        if tag in ("nav", "form", "iframe", "progress") and not (named or given.get("method") == "post"):
            self.unnamed.append(tag)
        if (
            tag in ("input", "select", "textarea")
            and given.get("type") != "hidden"
            and not (self._labels or named)
        ):
            self.unnamed.append(tag)
        if tag in ("a", "button", "summary"):
            self._open.append((tag, ""))
        if given.get("tabindex") not in (None, "0"):
            self.unnamed.append(f"{tag} out of the order of keys")

    def handle_data(self, data: str) -> None:
        self._open = [(tag, text + data) for tag, text in self._open]

    def handle_endtag(self, tag: str) -> None:
        self._labels -= tag == "label"
        if self._open and self._open[-1][0] == tag and not self._open.pop()[1].strip():
            self.unnamed.append(tag)


def test_the_list_says_how_far_each_run_is_and_what_came_out(viewer: Viewer) -> None:
    page = viewer.read("/")
    assert "16 of 16" in page
    assert "finished" in page
    assert "10 of 16" in page
    assert "stopped" in page
    assert "was not measured" in html.unescape(page)


def test_a_run_shows_its_verdicts_cells_and_accounting_as_its_report_does(viewer: Viewer) -> None:
    page = html.unescape(viewer.read("/runs/1"))
    assert "planned 16 = scored 15 + invalid 0 + failed 1" in page
    assert "Not every episode was scored" in page
    assert "What it took" in page
    report = html.unescape(viewer.read("/runs/1/report.html"))
    rows = re.findall(r"<tr><td.*?</tr>", page, re.DOTALL)
    numbers = [re.sub(r"<[^>]+>", "|", row).replace("||", "|") for row in rows]
    shown = re.sub(r"<[^>]+>", "|", report).replace("||", "|")
    assert len(numbers) > 6
    assert all(row in shown for row in numbers if BREAKOUT not in row)
    linked = viewer.read(
        re.search(r'href="(/runs/1/episodes\?scenario=ipd[^"]+)"', viewer.read("/runs/1"))[1].replace(
            "&amp;", "&"
        )
    )  # type: ignore[index] - without a match the test fails, as it should
    assert "4 of 16 recorded episodes" in linked


def test_episodes_are_filtered_and_sorted_by_each_column(viewer: Viewer) -> None:
    page = viewer.read("/runs/1/episodes")
    assert len(ids(page)) == 16
    records = {record.spec.hash: record for record in play_study()[1]}
    rewards = {name: record.total("ego") for name, record in records.items()}
    for order in ORDERS:
        up, down = (ids(viewer.read(f"/runs/1/episodes?order={order}{way}")) for way in ("", "&down=1"))
        assert sorted(up) == sorted(down) == sorted(records), order
        if order == "reward":
            assert [rewards[name] for name in up] == sorted(rewards.values())
            assert [rewards[name] for name in down] == sorted(rewards.values(), reverse=True)
    for name in NAMES:
        choices = re.search(rf'<select name="{name}">(.*?)</select>', page, re.DOTALL)
        assert choices is not None
        values = [html.unescape(value) for value in re.findall(r'<option value="([^"]+)"', choices[1])]
        counts = [len(ids(viewer.send("/runs/1/episodes", params={name: value}).text)) for value in values]
        assert sum(counts) == 16
        assert 0 not in counts
    few = ids(viewer.read("/runs/1/episodes?least=1&most=4"))
    assert sorted(few) == sorted(name for name, reward in rewards.items() if 1 <= reward <= 4)


def test_a_long_list_has_pages_in_which_each_episode_is_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("otherminds.web.listing.ROWS", 3)
    viewer = Viewer(tmp_path / "cache", write_run(tmp_path / "run"))
    for order in ORDERS:
        pages = [ids(viewer.read(f"/runs/1/episodes?order={order}&page={page}")) for page in range(1, 7)]
        assert [len(page) for page in pages] == [3, 3, 3, 3, 3, 1], order
        assert len({name for page in pages for name in page}) == 16
    assert "page 6 of 6" in viewer.read("/runs/1/episodes?page=999999999")


def test_an_episode_shows_prompts_folded_replies_answers_and_outcome(viewer: Viewer) -> None:
    record = next(record for record in play_study()[1] if record.calls)
    page = viewer.read(f"/runs/1/episodes/{record.spec.hash}")
    text = html.unescape(page)
    assert all(re.search(r"<details><summary>Prompt[^<]*</summary>", page) for _ in record.calls)
    assert page.count("<details open") == 0
    assert text.count("✓ right") + text.count("✗ wrong") == len(record.asked)
    assert all(message.content in text for message in record.calls[0].added)
    assert BREAKOUT in text
    assert f'src="/runs/1/replays/{record.spec.hash}.html"' in page
    assert 'sandbox="allow-scripts"' in page
    call = html.unescape(viewer.read(f"/runs/1/episodes/{record.spec.hash}/calls/1"))
    assert record.calls[1].reply in call
    failed = play_study()[1][0]
    assert f"failed (provider: {BREAKOUT})" in html.unescape(
        viewer.read(f"/runs/1/episodes/{failed.spec.hash}")
    )


def test_a_replay_is_the_page_that_the_command_writes_and_can_reach_nothing(viewer: Viewer) -> None:
    from otherminds.reports.replay.general import choose_page

    for record in play_study()[1][:1] + play_study()[1][-1:]:
        answer = viewer.send(f"/runs/1/replays/{record.spec.hash}.html")
        assert answer.text == choose_page(record).play(record).page(None)
        policy = answer.headers["content-security-policy"]
        assert {"default-src 'none'", "sandbox allow-scripts", "frame-ancestors 'self'"} <= {
            *policy.split("; ")
        }


def test_replies_and_prompts_are_searched_apart_and_the_number_is_said(viewer: Viewer) -> None:
    replies = viewer.read("/runs/1/search?text=ONERROR")
    assert "16 episodes that were searched, of 16 recorded" in replies
    assert replies.count("<mark>") == 16
    assert "<mark>onerror</mark>" in replies
    prompts = viewer.read("/runs/1/search?text=you&part=prompts")
    assert prompts.count("<mark>") > 8
    assert viewer.read("/runs/1/search?text=onerror&part=prompts").count("<mark>") == 0
    link = re.search(r'href="(/runs/1/episodes/[0-9a-f]{16}/calls/\d+)"', replies)
    assert link is not None
    assert "onerror" in viewer.read(link[1])


def test_a_search_that_ends_early_says_so_and_goes_on(
    viewer: Viewer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("otherminds.web.text_search.MOST_MATCHES", 3)
    path, marks, searched = "/runs/1/search?text=onerror", 0, 0
    for _ in range(6):
        page = viewer.read(path)
        marks += page.count("<mark>")
        searched += int(re.search(r"in (\d+) episodes", page)[1])  # type: ignore[index] - without a match the test fails, as it should
        following = re.search(r'href="([^"]+)">Go on searching', page)
        if following is None:
            break
        path = html.unescape(following[1])
    assert (marks, searched) == (16, 16)


def test_two_minds_and_two_runs_are_compared(viewer: Viewer) -> None:
    answer = viewer.send("/runs/1/compare", params={"first": "rmax", "second": BREAKOUT})
    while "This takes a while" in answer.text:
        answer = viewer.send("/runs/1/compare", params={"first": "rmax", "second": BREAKOUT})
    assert "paired episodes" in answer.text
    assert BREAKOUT in html.unescape(answer.text)
    assert "paired episodes" in viewer.read("/compare?first=1&second=2")
    assert viewer.send("/compare?first=1&second=7").status_code == 404
    assert viewer.send("/runs/1/compare?first=rmax&second=nobody").status_code == 404


def test_a_run_that_goes_on_is_followed(tmp_path: Path) -> None:
    lines = stored_lines()
    folder = write_run(tmp_path / "run", lines[:4])
    viewer = Viewer(tmp_path / "cache", folder)
    assert "4 of 16 episodes recorded" in viewer.read("/runs/1")
    path = folder / RECORDS / "00000.jsonl"
    with path.open("ab") as file:
        file.write(b"\n".join(lines[4:7]) + b"\n" + lines[7][:50])
    page = viewer.read("/runs/1")
    assert "7 of 16 episodes recorded" in page
    assert 'value="7"' in page
    assert "damaged" not in page
    with path.open("ab") as file:
        file.write(lines[7][50:] + b"\n")
    seal(path)
    assert "8 of 16" in viewer.read("/")
    assert len(ids(viewer.read("/runs/1/episodes"))) == 8


def test_pages_can_be_read_at_every_moment_while_a_run_is_indexed(tmp_path: Path) -> None:
    folder = write_run(tmp_path / "run")
    with patch.object(episode_index, "BATCH", 1):
        for attempt in range(6):
            index = EpisodeIndex(folder, tmp_path / str(attempt))
            indexing = threading.Thread(target=lambda index=index: deque(index.follow(), maxlen=0))
            indexing.start()
            listing, counts = Listing(index), [0]
            while indexing.is_alive() or counts[-1] < 16:
                page = listing.select(Criteria())
                counts.append(sum(page.choices["mind"].values()))
                assert page.all == counts[-1] == len(page.rows)
            assert counts == sorted(counts)


def test_events_tell_a_page_when_what_it_shows_has_changed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("otherminds.web.view_pages.TICK", 0.0)
    states = iter(["a", "a", "b", "b"])
    closed = iter([False, False, False, True])

    async def listen() -> list[str]:
        return [event async for event in follow_changes(lambda: next(states), lambda: next(closed))]

    assert asyncio.run(listen()) == ["data: a\n\n", ": still here\n\n", "data: b\n\n"]


def test_of_several_lines_of_an_episode_the_one_counts_that_counts_in_a_report(tmp_path: Path) -> None:
    good = play_study()[1][1]
    failed = replace(good, outcome=Outcome("failed", "provider", "x"))
    later = replace(good, outcome=Outcome("invalid", "reply", "y"))
    for stored, outcome in (
        ((failed, good), "scored"),
        ((good, failed), "scored"),
        ((good, later), "invalid"),
    ):
        folder = tmp_path / "-".join(record.outcome.status for record in stored)
        viewer = Viewer(
            tmp_path / "cache", write_run(folder, [line_of(record, Timing()) for record in stored])
        )
        page = viewer.read("/runs/1/episodes")
        assert len(ids(page)) == 1
        assert f">{outcome}</td>" in page
        assert f"<dd>{outcome}" in viewer.read(f"/runs/1/episodes/{good.spec.hash}")


def test_a_run_that_is_played_anew_in_its_folder_is_indexed_anew(tmp_path: Path) -> None:
    lines = stored_lines()
    folder = write_run(tmp_path / "run", lines)
    viewer = Viewer(tmp_path / "cache", folder)
    assert len(ids(viewer.read("/runs/1/episodes"))) == 16
    (folder / RECORDS / "00000.jsonl").write_bytes(lines[3] + b"\n")
    viewer.send("/runs/1")
    assert ids(viewer.read("/runs/1/episodes")) == [play_study()[1][3].spec.hash]


def test_only_folders_with_runs_are_taken(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    for folder in (tmp_path / "empty", tmp_path / "nothing", Path(__file__)):
        with pytest.raises(StudyError):
            Gallery([folder], tmp_path / "cache")
    write_run(tmp_path / "elsewhere" / "run")
    write_run(tmp_path / "given" / "run")
    (tmp_path / "given" / "link").symlink_to(tmp_path / "elsewhere" / "run")
    assert [run.name for run in Gallery([tmp_path / "given"], tmp_path / "cache").runs] == ["run"]


def test_pages_have_names_for_a_screen_reader_and_an_order_for_keys(viewer: Viewer) -> None:
    episode = f"/runs/1/episodes/{play_study()[1][-1].spec.hash}"
    paths = (*RUN_PAGES, episode, f"{episode}/calls/0", "/compare?first=1&second=2", "/runs/9")
    for path in paths:
        page = viewer.send("/runs/9").text if path == "/runs/9" else viewer.read(path)
        names = Names(page)
        assert names.unnamed == [], path
        assert names.tags.count("h1") == names.tags.count("main") == 1, path
        assert '<html lang="en">' in page
        assert "<title>" in page


def requests_that_attack() -> list[tuple[str, str, dict[str, Any]]]:
    episode = play_study()[1][1].spec.hash
    injection = "'\"><script>alert(1)</script>{{7*7}}' OR 1=1; DROP TABLE episodes--"
    traversals = (
        "../secret.txt",
        "..%2f..%2fsecret.txt",
        "%2e%2e/secret.txt",
        "....//secret.txt",
        "%00",
        "/etc/passwd",
        "~",
    )
    return [
        *[
            ("GET", f"{before}{inside}{after}", {})
            for before, after in (
                ("/runs/1/episodes/", ""),
                ("/runs/1/replays/", ".html"),
                ("/runs/", "/episodes"),
                ("/runs/", ""),
                ("/static/", ""),
                ("/", ""),
            )
            for inside in traversals
        ],
        *[
            ("GET", f"/runs/{number}", {})
            for number in ("0", "-1", "3", "99999999999999999999", "1.0", "1e0", "first", "%31x")
        ],
        *[
            ("GET", f"/runs/1/episodes/{name}", {})
            for name in (episode[:11], episode + "0", episode.upper() + "x", "*", "%25", "0" * 16, "_" * 12)
        ],
        ("GET", f"/runs/1/episodes/{episode}/calls/99999", {}),
        ("GET", f"/runs/1/episodes/{episode}/calls/-1", {}),
        ("GET", "/runs/2/episodes/" + play_study()[1][15].spec.hash, {}),
        *[
            ("GET", "/runs/1/compare", {"params": {"first": injection, "second": other}})
            for other in ("rmax", injection)
        ],
        *[
            ("GET", "/compare", {"params": {"first": text, "second": "2"}})
            for text in ("", "../x", injection, "9" * 400)
        ],
        *[
            ("GET", path, {"headers": {"host": host}})
            for path in ("/", "/runs/1")
            for host in ("evil.example", "127.0.0.1:9999", "")
        ],
        *[
            ("POST", "/runs/1/measure", {"headers": {"origin": origin}})
            for origin in ("https://evil.example", "null", "", f"{ORIGIN}.evil.example")
        ],
        ("POST", "/runs/1/measure", {}),
        *[
            ("POST", path, {"headers": {"origin": ORIGIN}})
            for path in ("/", "/runs/1", "/runs/1/episodes", "/events")
        ],
        *[
            (method, "/runs/1", {"headers": {"origin": ORIGIN}})
            for method in ("PUT", "DELETE", "PATCH", "OPTIONS", "TRACE")
        ],
        ("POST", "/runs/1/measure", {"headers": {"origin": ORIGIN}, "content": b"x" * (LARGEST_BODY + 1)}),
        ("GET", "/runs/1/measure", {}),
    ]


def test_no_attack_gets_more_than_a_refusal(viewer: Viewer) -> None:
    attacks = requests_that_attack()
    assert len(attacks) >= 20
    for method, path, request in attacks:
        answer = ask_slowly(viewer, path, method, request)
        assert answer.status_code in (400, 403, 404, 405, 413, 421), (method, path, request)
        assert "secret of another" not in answer.text
        assert "root:" not in answer.text
        assert "<script>alert" not in answer.text
        assert "49" not in answer.text


def test_what_names_replies_and_addresses_say_stays_text(viewer: Viewer) -> None:
    injection = '"><script>alert(1)</script><img src=x onerror=alert(1)>{{ 7 * 7 }}\x1b[2J'
    parameters = dict.fromkeys((*NAMES, "text", "order", "least", "page", "part", "from", "down"), injection)
    record = next(record for record in play_study()[1] if record.calls)
    episode = f"/runs/1/episodes/{record.spec.hash}"
    paths = (
        *RUN_PAGES[:3],
        episode,
        f"{episode}/calls/0",
        "/runs/1/search?text=onerror",
        "/runs/1/report.html",
        "/runs/1/episodes.html",
    )
    pages = {path: viewer.read(path) for path in paths}
    for path in ("/runs/1/episodes", "/runs/1/search", "/", "/runs/1", episode):
        answer = viewer.send(path, params=parameters)
        assert answer.status_code == 200
        pages[f"{path} with parameters"] = answer.text
    for path, page in pages.items():
        assert not re.search(r"<script>alert|<img src=x|[> ]49<|\x1b", page), path
        assert page.count("</main>") <= 1, path


def test_pages_bring_no_script_but_the_app_s_and_load_nothing_from_elsewhere(viewer: Viewer) -> None:
    for path in islice(RUN_PAGES, 4):
        answer = viewer.send(path)
        assert "script-src 'self'" in answer.headers["content-security-policy"]
        assert re.findall(r"<script[^>]*>", answer.text) == ['<script type="module" src="/static/view.js">']
        assert Names(answer.text).foreign == [], path


def test_the_command_prints_its_link_and_ends_by_ctrl_c_while_a_page_listens(tmp_path: Path) -> None:
    run = write_run(tmp_path / "run")
    command = [sys.executable, "-m", "otherminds", "view", str(run)]
    environment = {**os.environ, "OTHERMINDS_CACHE": str(tmp_path / "cache")}
    with subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        text=True,
        env=environment,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),  # noqa: PLW1509 - shells start background jobs with Ctrl-C ignored
    ) as process:
        assert process.stdout is not None
        base = process.stdout.readline().strip()
        with httpx.stream("GET", f"{base}events", timeout=60) as events:
            assert next(events.iter_lines()).startswith("data: ")
            process.send_signal(signal.SIGINT)
            assert process.wait(60) == 0
    assert {path.name for path in run.iterdir()} <= {CARD, RECORDS, "lock.sqlite"}
