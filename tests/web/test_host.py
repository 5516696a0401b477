"""Studies with people, served by the command, and people who are programs that read pages and send forms."""

from __future__ import annotations

import html
import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import httpx

import otherminds as om

STUDY = """
name = "people"
episodes = 1
rounds = 4

[[cells]]
scenarios = ["rps-mixed-v1"]
minds = [
    { mind = "chat", model = "person:ann" },
    { mind = "chat", model = "person:ben" },
    { mind = "chat", model = "scripted:first" },
    "uniform",
]
"""
TURN = re.compile(r'name="(turn|page)" value="(\d+)"')
BUTTON = re.compile(r'name="reply" value="([^"]+)"')


@contextmanager
def served(*words: str | Path) -> Iterator[tuple[subprocess.Popen[str], dict[str, str]]]:
    """The running command, and the links of its people by label."""
    command = [sys.executable, "-m", "otherminds", *map(str, words)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        try:
            yield process, read_links(process)
        finally:
            process.kill()


def read_links(process: subprocess.Popen[str]) -> dict[str, str]:
    assert process.stdout is not None
    links: dict[str, str] = {}
    for line in process.stdout:
        label, _, link = line.strip().partition(": ")
        if link.startswith(("http://127.0.0.1:", "https://127.0.0.1:")):
            links[label] = link
        elif links:
            return links
    raise AssertionError("the command printed no links")


class Participant:
    """Somebody who reads a page, chooses by ``pick`` among its buttons, and sends it."""

    def __init__(self, link: str, pick: Callable[[list[str]], str]) -> None:
        self.link, self.pick = link, pick
        self.turns: list[int] = []
        self.questions: list[str] = []
        self.headers = {"origin": link.rpartition("/s/")[0]}

    def look(self) -> str:
        return httpx.get(self.link, timeout=30).text

    def send(self, turn: int, reply: str, kind: str = "turn") -> int:
        form = {kind: str(turn), "reply": reply}
        return httpx.post(self.link, data=form, headers=self.headers, timeout=30).status_code

    def play(self, most: int = 10_000) -> str:
        """Replies to at most ``most`` turns, and returns the last page."""
        end = time.monotonic() + 60
        while time.monotonic() < end:
            page = self.look()
            number = TURN.search(page)
            if number is None:
                if "Waiting for the others" not in page:
                    return page
                continue
            if len(self.turns) == most:
                return page
            if number[1] == "turn":
                self.turns.append(int(number[2]))
                self.questions.append(page[page.index("<form") :])
            self.send(
                int(number[2]), self.pick([html.unescape(value) for value in BUTTON.findall(page)]), number[1]
            )
        raise AssertionError("the study did not end")


def first(options: list[str]) -> str:
    return options[0]


def write_study(folder: Path) -> Path:
    path = folder / "people.toml"
    path.write_text(STUDY, "utf-8")
    return path


def test_people_models_and_null_minds_are_rows_of_one_table(tmp_path: Path) -> None:
    out = tmp_path / "run"
    with served("host", write_study(tmp_path), "--out", out, "--port", "0", "--no-consent") as (
        process,
        links,
    ):
        people = [Participant(links["ann"], first), Participant(links["ben"], lambda options: options[-1])]
        with ThreadPoolExecutor() as pool:
            pages = list(pool.map(Participant.play, people))
        assert all("Thank you" in page for page in pages)
        process.wait(60)
    report = subprocess.run(
        [sys.executable, "-m", "otherminds", "report", str(out), "--json"],
        capture_output=True,
        text=True,
        check=True,
    )
    cells = {cell["mind"]: cell for cell in json.loads(report.stdout)["cells"]}
    assert {"chat@person:ann", "chat@person:ben", "chat@scripted:first", "uniform"} == {*cells}
    by_mind = {record.spec.seats["ego"].model: record for record in om.records(out)}
    ann, model = by_mind["person:ann"], by_mind["scripted:first"]
    assert ann.actions == model.actions
    assert ann.rewards == model.rewards
    assert [answer.answer for answer in ann.asked] == [answer.answer for answer in model.asked]
    assert len(people[0].turns) == len(ann.calls) == len(model.calls)


def test_a_killed_server_goes_on_at_the_same_turn_under_the_same_link(tmp_path: Path) -> None:
    study, out = write_study(tmp_path), tmp_path / "run"
    words = ("host", study, "--out", out, "--port", "0", "--no-consent")
    with served(*words) as (process, links):
        before = Participant(links["ann"], first)
        before.play(3)
        secret = links["ann"].rpartition("/")[2]
        os.kill(process.pid, signal.SIGKILL)
        process.wait(30)
    with served(*words) as (process, links):
        assert links["ann"].rpartition("/")[2] == secret
        people = [Participant(links["ann"], first), Participant(links["ben"], first)]
        with ThreadPoolExecutor() as pool:
            list(pool.map(Participant.play, people))
        process.wait(60)
    asked = [
        re.sub(r'name="turn" value="\d+"', "", question)
        for question in (*before.questions, *people[0].questions)
    ]
    assert len(asked) == len({*asked}), "a question was asked twice"
    record = next(record for record in om.records(out) if record.spec.seats["ego"].model == "person:ann")
    assert len(record.calls) == len(asked)
    assert record.outcome.status == "scored"


def test_who_is_done_is_told_so_also_after_a_restart_while_others_still_play(tmp_path: Path) -> None:
    words = ("host", write_study(tmp_path), "--out", tmp_path / "run", "--port", "0", "--no-consent")
    for _ in range(2):
        with served(*words) as (process, links):
            assert "Thank you" in Participant(links["ann"], first).play()
            os.kill(process.pid, signal.SIGKILL)
            process.wait(30)


def test_two_tabs_are_one_seat_and_a_second_reply_changes_nothing(tmp_path: Path) -> None:
    with served("play", "rps-mixed-v1", "--option", "rounds=2", "--no-ask", "--out", tmp_path / "run") as (
        process,
        links,
    ):
        one, other = Participant(links["you"], first), Participant(links["you"], first)
        pages = one.look(), other.look()
        assert TURN.findall(pages[0]) == TURN.findall(pages[1]) == [("turn", "1")]
        options = [html.unescape(value) for value in BUTTON.findall(pages[0])]
        assert one.send(1, options[1]) == other.send(1, options[2]) == 303
        assert TURN.findall(other.look()) == [("turn", "2")]
        assert "in 2 rounds" in one.play()
        process.wait(60)
    record = next(iter(om.records(tmp_path / "run")))
    assert record.calls[0].reply == options[1]


def test_who_declines_plays_nothing_and_who_is_late_gives_no_reply(tmp_path: Path) -> None:
    protocol = tmp_path / "protocol.toml"
    protocol.write_text(
        'consent = "May we?"\nseconds = 0.5\nmissed = 1\ncode = "PAID-7"\ninstructions = "Play."', "utf-8"
    )
    out = tmp_path / "run"

    def agree(options: list[str]) -> str:
        return "I agree" if "I agree" in options else options[0]

    with served("host", write_study(tmp_path), "--out", out, "--port", "0", "--protocol", protocol) as (
        process,
        links,
    ):
        ann = Participant(links["ann"], agree)
        ben = Participant(links["ben"], lambda options: options[-1])
        assert "You did not agree" in ben.play()
        ann.play(2)
        time.sleep(2)  # the third turn was shown, and its time is over
        process.wait(60)
    outcomes = {record.spec.seats["ego"].model: record for record in om.records(out)}
    assert outcomes["scripted:first"].outcome.status == "scored"
    assert "person:ben" not in outcomes or outcomes["person:ben"].outcome.status == "failed"
    events = [json.loads(line) for line in (out / "people.jsonl").read_text("utf-8").splitlines()]
    assert {(event["person"], event["event"]) for event in events} == {
        ("ann", "consent"),
        ("ann", "instructions"),
        ("ann", "turn"),
        ("ann", "left"),
        ("ben", "consent"),
    }
    assert outcomes["person:ann"].outcome.blame == "person"
    assert all(len(event["detail"]["sha256"]) == 64 for event in events if event["event"] == "consent")
