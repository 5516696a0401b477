"""Steps a second over OpenEnv's WebSocket, beside an environment that does nothing; many clients, some of them killed.

    python benchmarks/openenv_server.py            # requires openenv==0.10.0; writes benchmarks/results/openenv.md

Each server has one core. A step is timed by the clock, and by the processor time of the server, which other processes
of the machine hardly change.
"""

from __future__ import annotations

import asyncio
import json
import os
import platform
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path

import msgspec
from websockets.asyncio.client import ClientConnection, connect

import otherminds as om
from otherminds.core.record import Record

RESULTS = Path(__file__).parent / "results" / "openenv.md"
SCENARIO, ROUNDS = "rps-mixed-v1", 50
SEEDS = 20
STEPS = 3000
KINDS = ("empty", "chat")
"""An environment that does nothing, and a session."""
SERVER = f"""
import sys, uvicorn
import otherminds as om
from openenv.core.env_server.http_server import create_app
from otherminds.bridges.openenv import TextAction, TextEnvironment, TextObservation, make_app

class Empty(TextEnvironment):
    async def reset_async(self, seed: int = 0):
        self.left = {ROUNDS}
        return self.observe()
    async def step_async(self, action):
        self.left -= 1
        return self.observe()
    def observe(self):
        return TextObservation(messages=[{{"role": "user", "content": "x" * 250}}], options=["A", "B", "C"], done=not self.left)

kind = sys.argv[1]
make = lambda: om.asession("{SCENARIO}", options={{"rounds": {ROUNDS}}}, ask=False, strategy=kind.replace("empty", "chat"))
app = make_app(make, 200) if kind != "empty" else create_app(
    lambda: Empty(make), TextAction, TextObservation, max_concurrent_envs=200)
import socket
listener = socket.create_server(("127.0.0.1", 0), backlog=512)
print(listener.getsockname()[1], flush=True)
uvicorn.Server(uvicorn.Config(app, log_level="error", ws_per_message_deflate=False)).run(sockets=[listener])
"""


@contextmanager
def start_server(kind: str) -> Iterator[tuple[int, int]]:
    """The port and the process of a server on the first core."""
    with subprocess.Popen([sys.executable, "-c", SERVER, kind], stdout=subprocess.PIPE, text=True) as server:
        os.sched_setaffinity(server.pid, {0})
        try:
            assert server.stdout is not None
            yield int(server.stdout.readline()), server.pid
        finally:
            server.terminate()


def open_client(port: int) -> connect:
    return connect(f"ws://127.0.0.1:{port}/ws", compression=None, max_size=None, open_timeout=120)


async def ask(client: ClientConnection, kind: str, **data: object) -> dict:
    """The answer to one message."""
    await client.send(json.dumps({"type": kind, "data": data}))
    return json.loads(await client.recv())["data"]


async def play_steps(client: ClientConnection, steps: int) -> None:
    """Plays that many steps, in as many episodes as they take."""
    done = True
    for _ in range(steps):
        if done:
            await ask(client, "reset", seed=3)
        done = (await ask(client, "step", text="A: Option J"))["done"]


def processor_seconds(process: int) -> float:
    """The processor time that a process has used."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def resident_mib(process: int) -> float:
    """The resident memory of a process, in MiB."""
    status = Path(f"/proc/{process}/status").read_text()
    return int(status.split("VmRSS:")[1].split()[0]) / 1024


async def measure_rate(port: int, process: int, clients: int) -> tuple[float, float]:
    """Steps per second of the clock, and per second of the server's processor time."""
    connections = [await open_client(port) for _ in range(clients)]
    await asyncio.gather(*(play_steps(client, 200 // clients) for client in connections))
    clock, used = time.perf_counter(), processor_seconds(process)
    await asyncio.gather(*(play_steps(client, STEPS // clients) for client in connections))
    clock, used = time.perf_counter() - clock, processor_seconds(process) - used
    for client in connections:
        await client.close()
    steps = STEPS // clients * clients
    return steps / clock, steps / used


async def play_episode(port: int, seed: int, stop_at: int | None = None) -> bytes | None:
    """The record of an episode of the second option listed; ``None`` after a client that breaks off at ``stop_at``."""
    async with open_client(port) as client:
        turn = await ask(client, "reset", seed=seed, record=True)
        step = 0
        while not turn["done"]:
            if step == stop_at:
                client.transport.abort()
                return None
            turn = await ask(client, "step", text=turn["observation"]["options"][1])
            step += 1
    return msgspec.json.encode(msgspec.convert(turn["metadata"]["record"], Record))


def play_alone(seed: int) -> bytes:
    """The record of the same episode in this process, without a server."""
    session = om.session(SCENARIO, options={"rounds": ROUNDS}, ask=False)
    turn = session.reset(seed)
    while isinstance(turn, om.Turn):
        turn = session.step(turn.options[1])
    return msgspec.json.encode(turn.record)


async def play_many(
    port: int, process: int, sessions: int, at_once: int, killed: int, batches: int
) -> list[str]:
    """Many sessions, some of whose clients break off; whether the others' records are those of sessions alone."""
    limit = asyncio.Semaphore(at_once)
    sessions, killed = sessions // batches, killed // batches
    every = sessions // killed

    async def play(number: int) -> bytes | None:
        async with limit:
            return await play_episode(port, number % SEEDS, 7 if number % every == every - 1 else None)

    alone = [play_alone(seed) for seed in range(SEEDS)]
    lines = []
    for part in range(batches):
        records = await asyncio.gather(*map(play, range(sessions)))
        broken = sum(record is None for record in records)
        others = [(n, record) for n, record in enumerate(records) if record is not None]
        equal = sum(record == alone[n % SEEDS] for n, record in others)
        lines.append(
            f"| {part + 1} | {sessions:,} | {broken} | {equal:,} of {len(others):,} | {resident_mib(process):.0f} |"
        )
        print(lines[-1], flush=True)
    return lines


async def main() -> None:
    if (cores := os.cpu_count() or 1) > 1:
        os.sched_setaffinity(0, set(range(1, cores)))
    rows = []
    for clients in (1, 32):
        for kind in KINDS:
            with start_server(kind) as (port, process):
                clock, used = await measure_rate(port, process, clients)
            rows.append(f"| {clients} | {kind} | {clock:,.0f} | {used:,.0f} | {1e6 / used:,.0f} |")
            print(rows[-1], flush=True)
    with start_server("chat") as (port, process):
        many = await play_many(port, process, 1000, 100, 30, 5)
    RESULTS.write_text(
        "\n".join(
            [
                "# The server for OpenEnv",
                "",
                f"`python benchmarks/openenv_server.py`; openenv {version('openenv')}, Python {platform.python_version()}, "
                f"{cores} cores, load {os.getloadavg()[1]:.1f} (other work ran at the same time).",
                f"{SCENARIO}, {ROUNDS} rounds, resets included. The server has one core. `empty` is an environment that does nothing.",
                "",
                "| clients | environment | steps/s by the clock | steps per second of processor time | µs of processor a step |",
                "|---|---|---|---|---|",
                *rows,
                "",
                "100 sessions at once, each in a client of its own; some clients break off after 7 replies. The others' records",
                "are compared, byte for byte, with those of sessions without a server. One server plays all batches.",
                "",
                "| batch | sessions | broken off | others' records equal | MiB of the server after it |",
                "|---|---|---|---|---|",
                *many,
                "",
            ]
        )
    )


if __name__ == "__main__":
    asyncio.run(main())
