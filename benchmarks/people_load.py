"""Many people at once: a study with N scripted participants, of whom some leave, come again, open two tabs or attack.

Prints the latency of a decision (from the form to the page of the next turn), what was lost, and what went into a wrong seat. The server is killed
twice. Everything runs on the loopback address, and the participants and the server share the machine.
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
            "--no-consent",
        ]
        self.process: asyncio.subprocess.Process | None = None
        self.links: dict[str, str] = {}
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
            if link.startswith("http"):
                self.links[label] = link
            elif self.links:
                self.started_at = time.perf_counter()
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
) -> None:
    """One participant until the end of its study; it thinks for a while before each reply, and survives a dead server."""
    link = server.links[label]
    headers = {"origin": link.rpartition("/s/")[0]}
    answered = 0
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
                    return
                continue
            if kind == "leaves" and answered == 5:
                return
            if kind == "comes again" and answered == 5:
                await asyncio.sleep(2)
            if kind == "attacks":
                await client.post(
                    link[:-1] + "x", data={"turn": field[2], "reply": "A: forged"}, headers=headers
                )
                await client.post(
                    link,
                    data={"turn": field[2], "reply": "A: forged"},
                    headers={"origin": "http://evil.example"},
                )
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


async def load(folder: Path, people: int, rounds: int, think: float, port: int) -> dict[str, float]:
    kinds = ["leaves"] * (people // 5) + ["comes again"] * (people // 10)
    kinds += [kind for kind in ("two tabs", "attacks", "writes script") for _ in range(people // 20)]
    kinds += ["plain"] * (people - len(kinds))
    labels = [f"p{n}" for n in range(people)]
    minds = ", ".join(f'{{ mind = "chat", model = "person:{label}" }}' for label in labels)
    (folder / "study.toml").write_text(STUDY.format(rounds=rounds, minds=minds), "utf-8")
    server, latencies, refused = Server(folder, port), list[float](), Counter[int]()
    await server.start()
    limits = httpx.Limits(max_connections=people, max_keepalive_connections=people)
    async with httpx.AsyncClient(timeout=60, limits=limits) as client:
        playing = [
            asyncio.create_task(play(server, label, client, kind, think, latencies, refused))
            for label, kind in zip(labels, kinds, strict=True)
        ]
        for _ in range(2):
            await asyncio.sleep(6)
            await server.kill()
            await server.start()
        await asyncio.wait(playing, timeout=400)
        for task in playing:
            task.cancel()
    await server.kill()
    records = {
        record.spec.seats["ego"].model.partition(":")[2]: record for record in om.records(folder / "run")
    }
    stayed = [label for label, kind in zip(labels, kinds, strict=True) if kind != "leaves"]
    expected = dict.fromkeys(stayed, 2 * rounds)
    calls = {label: len(record.calls) for label, record in records.items()}
    replies = [call.reply for record in records.values() for call in record.calls]
    return {
        "people": people,
        "timed decisions": len(latencies),
        "latency p50, ms": 1e3 * float(np.percentile(latencies, 50)),
        "latency p95, ms": 1e3 * float(np.percentile(latencies, 95)),
        "records of those who stayed": sum(label in records for label in stayed),
        "of": len(stayed),
        "records with lost or double turns": sum(
            calls.get(label, 0) not in (count, count + 1) for label, count in expected.items()
        ),
        "refused pages": refused.total(),
        "forged replies": sum("forged" in reply for reply in replies),
    }


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--people", type=int, default=100)
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--think", type=float, default=2.0, help="seconds between the page and the reply")
    parser.add_argument("--port", type=int, default=8790)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        figures = asyncio.run(load(Path(folder), options.people, options.rounds, options.think, options.port))
    print(json.dumps(figures, indent=1))
    finish(options, figures)


if __name__ == "__main__":
    main()
