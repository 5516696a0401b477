"""Many people at once: a study with N scripted participants, of whom some drop out, come again, open two tabs or attack.

All come by one link, under labels of their own. An automaton plays on for who drops out. Prints the latency of a decision (from the form to the
page of the next turn), what was lost, and what went into a wrong seat. The server is killed twice. Everything runs on the loopback address, and the participants and the server share the machine.
"""

from __future__ import annotations

import asyncio
import html
import json
import os
import re
import signal
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

import httpx
import numpy as np
from common import arguments, finish

import otherminds as om

FIELD = re.compile(r'name="(turn|page)" value="(\d+)"')
BONUS = re.compile(r"bonus: ([\d.]+) EUR")
BUTTON = re.compile(r'name="reply" value="([^"]+)"')
SETTLING = 4.0
"""Seconds after a start in which decisions are not timed: everybody comes back at once."""
STUDY = """
name = "load"
episodes = 1
rounds = {rounds}
[[cells]]
scenarios = ["rps-mixed-v1"]
minds = [{minds}]
"""
PROTOCOL = """
no_consent = true
seconds = {seconds}
arrival_seconds = {seconds}
missed = 1
drop_out = "automaton"
automaton = "scripted:uniform"
bonus = {{ per_point = 0.1, at_most = 9, currency = "EUR" }}
join = {{ parameter = "PID" }}
"""
ATTACKS = 8
"""Times that an attacker tries the label of each of the first participants."""


class Server:
    """The command ``otherminds host``, which can be killed and started again at the same port."""

    def __init__(self, folder: Path, port: int) -> None:
        self._words = [
            "host",
            str(folder / "study.toml"),
            "--out",
            str(folder / "run"),
            "--port",
            str(port),
            "--protocol",
            str(folder / "protocol.toml"),
        ]
        self.process: asyncio.subprocess.Process | None = None
        self.link = ""
        self.started_at = 0.0

    async def start(self) -> None:
        self.process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            "otherminds",
            *self._words,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
        )
        assert self.process.stdout is not None
        async for raw in self.process.stdout:
            label, _, link = raw.decode().strip().partition(": ")
            if label == "everybody":
                self.link, self.started_at = link, time.perf_counter()
                return

    async def kill(self) -> None:
        assert self.process is not None
        os.kill(self.process.pid, signal.SIGKILL)
        await self.process.wait()


async def play(
    server: Server,
    label: str,
    client: httpx.AsyncClient,
    kind: str,
    think: float,
    latencies: list[float],
    refused: Counter[int],
    opened: Counter[str],
    bonuses: dict[str, float],
) -> None:
    """One participant until the end of its study; it thinks for a while before each reply, and survives a dead server."""
    origin = server.link.partition("/join")[0]
    headers = {"origin": origin}
    joining = f"{origin}/join?PID={label}"
    link, answered = "", 0
    while not link:
        try:
            link = origin + (await client.post(joining, headers=headers)).headers["location"]
        except (httpx.HTTPError, KeyError):
            await asyncio.sleep(0.3)
    while True:
        try:
            answer = await client.get(link)
            if answer.status_code != 200:
                refused[answer.status_code] += 1
                await asyncio.sleep(0.5)
                continue
            page = answer.text
            field = FIELD.search(page)
            if field is None:
                if "Waiting for the others" not in page:
                    paid = BONUS.search(page)
                    bonuses[label] = float(paid[1]) if paid else -1.0
                    return
                continue
            if kind == "leaves" and answered == 5:
                return
            if kind == "comes again" and answered == 5:
                await asyncio.sleep(2)
                again = await client.get(joining)
                opened["own seat"] += origin + again.headers.get("location", "") == link
                answered += 1  # it pauses once
            if kind == "attacks":
                await client.post(
                    link[:-1] + "x", data={"turn": field[2], "reply": "A: forged"}, headers=headers
                )
                await client.post(
                    link,
                    data={"turn": field[2], "reply": "A: forged"},
                    headers={"origin": "http://evil.example"},
                )
            if kind == "attacks" and answered == 1:
                async with httpx.AsyncClient() as stranger:  # which has no cookie
                    for other in range(ATTACKS):
                        forged = await stranger.post(f"{origin}/join?PID=x{other}", headers=headers)
                        opened["another's seat"] += forged.status_code == 303
            await asyncio.sleep(think)
            reply = html.unescape(BUTTON.findall(page)[0])
            form = {
                field[1]: field[2],
                "reply": "<script>\x00\x1b[2J" if kind == "writes script" and not answered else reply,
            }
            begun = time.perf_counter()
            posts = [
                client.post(link, data=form, headers=headers) for _ in range(2 if kind == "two tabs" else 1)
            ]
            await asyncio.gather(*posts)
            if begun - server.started_at > SETTLING:
                latencies.append(time.perf_counter() - begun)
            answered += 1
        except httpx.HTTPError:
            await asyncio.sleep(0.3)


async def load(
    folder: Path, people: int, rounds: int, think: float, port: int, seconds: float
) -> dict[str, float]:
    kinds = ["leaves"] * (people // 5) + ["comes again"] * (people // 10)
    kinds += [kind for kind in ("two tabs", "attacks", "writes script") for _ in range(people // 20)]
    kinds += ["plain"] * (people - len(kinds))
    labels = [f"p{n}" for n in range(people)]
    minds = ", ".join(f'{{ mind = "chat", model = "person:{label}" }}' for label in labels)
    (folder / "study.toml").write_text(STUDY.format(rounds=rounds, minds=minds), "utf-8")
    (folder / "protocol.toml").write_text(PROTOCOL.format(seconds=seconds), "utf-8")
    server, latencies, refused = Server(folder, port), list[float](), Counter[int]()
    opened, bonuses, participants = Counter[str](), dict[str, float](), [f"x{n}" for n in range(people)]
    await server.start()
    limits = httpx.Limits(max_connections=people, max_keepalive_connections=people)
    async with httpx.AsyncClient(timeout=60, limits=limits) as client:
        playing = [
            asyncio.create_task(
                play(server, participant, client, kind, think, latencies, refused, opened, bonuses)
            )
            for participant, kind in zip(participants, kinds, strict=True)
        ]
        for _ in range(2):
            await asyncio.sleep(6)
            await server.kill()
            await server.start()
        await asyncio.wait(playing, timeout=400)
        for task in playing:
            task.cancel()
        assert server.process is not None
        await asyncio.wait_for(server.process.wait(), 400)  # also the automaton has played everything
    seats = read_seats(folder / "run")
    records = {
        record.spec.seats["ego"].model.partition(":")[2]: record for record in om.records(folder / "run")
    }
    by_kind = {seats[who]: kind for who, kind in zip(participants, kinds, strict=True)}
    stayed = [label for label, kind in by_kind.items() if kind != "leaves"]
    left = [label for label, kind in by_kind.items() if kind == "leaves"]
    paid = {
        who: min(9.0, max(0.0, round(0.1 * records[seat].total("ego"), 2)))
        for who, seat in seats.items()
        if records[seat].outcome.status == "scored"
    }
    expected = dict.fromkeys(stayed, 2 * rounds)
    calls = {label: len(record.calls) for label, record in records.items()}
    replies = [call.reply for record in records.values() for call in record.calls]
    return {
        "people": people,
        "timed decisions": len(latencies),
        "latency p50, ms": 1e3 * float(np.percentile(latencies, 50)),
        "latency p95, ms": 1e3 * float(np.percentile(latencies, 95)),
        "participants with a seat of their own": len({*seats.values()}),
        "came back to the own seat": opened["own seat"],
        "another's seat opened": opened["another's seat"],
        "records of who left, scored as theirs": sum(
            records[label].outcome.status == "scored" for label in left
        ),
        "records of who left, played to the end by the automaton": sum(
            records[label].outcome.blame == "substitute" and len(records[label].actions) == rounds
            for label in left
        ),
        "of who left": len(left),
        "wrong bonuses on the last page": sum(bonuses.get(who) != bonus for who, bonus in paid.items()),
        "records of those who stayed": sum(records[label].outcome.status == "scored" for label in stayed),
        "of": len(stayed),
        "records with lost or double turns": sum(
            calls.get(label, 0) not in (count, count + 1) for label, count in expected.items()
        ),
        "refused pages": refused.total(),
        "forged replies": sum("forged" in reply for reply in replies),
    }


def read_seats(folder: Path) -> dict[str, str]:
    """The seat of each participant."""
    events = [json.loads(line) for line in (folder / "people.jsonl").read_text("utf-8").splitlines()]
    return {event["detail"]["participant"]: event["person"] for event in events if event["event"] == "joined"}


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--people", type=int, default=100)
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--think", type=float, default=2.0, help="seconds between the page and the reply")
    parser.add_argument("--seconds", type=float, default=20.0, help="time for a turn")
    parser.add_argument("--port", type=int, default=8790)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        figures = asyncio.run(
            load(Path(folder), options.people, options.rounds, options.think, options.port, options.seconds)
        )
    print(json.dumps(figures, indent=1))
    finish(options, figures)


if __name__ == "__main__":
    main()
