"""SIGKILL while model calls are in flight: nothing that was answered is asked again.

A server on loopback answers chat completions after a short while and counts how
often it answers each call (a call is its messages and its seed). A study against it
is killed with SIGKILL at random moments and started again until it is finished, so
often that ``--kills`` kills were made. Then: no finished episode is lost or there
twice, the records equal an undisturbed run's, and per kill and seat at most one turn
was asked again. Two seats of an episode are never under test at once here, so a turn
of a seat is one act and one prediction.
"""

from __future__ import annotations

import json
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, fields
from functools import partial
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from time import sleep

from common import arguments, finish, show
from resume import stored

STUDY = """
name = "calls"
rounds = 20
episodes = 24
[[cells]]
scenarios = ["ipd-tit_for_tat-v1"]
minds = ["qa@MODEL"]
[[cells]]
scenarios = ["rps-single-v1"]
minds = ["reflexion@MODEL"]
"""
"""No two episodes make the same call: a call that is answered twice was asked again."""
CONCURRENCY = 6
LATENCY = (0.002, 0.02)
LONGEST = 600
STARTED = 0.9
"""The share of kills after the first answer of a process, since starting takes most of the time of a busy machine."""


class Server(ThreadingHTTPServer):
    """Counts its answers by call, and their tokens; ``largest`` is the most tokens of one."""

    daemon_threads = True
    block_on_close = False

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.answered: Counter[str] = Counter()
        self.tokens = 0
        self.largest = 0
        self.lock = threading.Lock()
        self.rng = random.Random(0)

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that was killed is no news."""


class Handler(BaseHTTPRequestHandler):
    """Chat completions, after a while; the answer follows from the call alone."""

    protocol_version = "HTTP/1.1"
    server: Server

    def do_GET(self) -> None:
        self._send({"data": []})

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        asked = json.loads(body)
        call = sha256(json.dumps([asked["messages"], asked.get("seed")]).encode()).hexdigest()
        with self.server.lock:
            wait = self.server.rng.uniform(*LATENCY)
        sleep(wait)
        prompt = asked["messages"][-1]["content"]
        answers = [line for line in prompt.splitlines() if line.startswith("A: Option ")]
        text = answers[int(call, 16) % len(answers)] if answers else f"I noticed {call[:6]}."
        usage = {"prompt_tokens": len(prompt) // 4, "completion_tokens": 5}
        with self.server.lock:
            self.server.answered[call] += 1
            self.server.tokens += sum(usage.values())
            self.server.largest = max(self.server.largest, sum(usage.values()))
        self._send(
            {
                "choices": [{"message": {"role": "assistant", "content": text}, "finish_reason": "stop"}],
                "usage": usage,
            }
        )

    def _send(self, reply: object) -> None:
        data = json.dumps(reply).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *args: object) -> None:
        """Says nothing."""


@dataclass
class Found:
    """What the kills did."""

    kills: int = 0
    lost: int = 0
    twice: int = 0
    different: int = 0
    again: int = 0
    worst: int = 0


def killed(
    start: Callable[[], subprocess.Popen[bytes]], out: Path, server: Server, rng: random.Random, quota: int
) -> Found:
    """Plays one run to its end, killing it at random moments, ``quota`` times at most."""
    found = Found()
    before: dict[str, list[str]] = {}
    finished = False
    while not finished:
        process = start()
        kill = found.kills < quota
        if kill:
            first = server.answered.total()
            waits = rng.random() < STARTED
            while waits and process.poll() is None and server.answered.total() == first:
                sleep(0.01)
            sleep(rng.uniform(0.0, 1.0))
            if process.poll() is None:
                process.send_signal(signal.SIGKILL)
                found.kills += 1
        process.wait(LONGEST)
        finished = process.returncode == 0
        sleep(2 * LATENCY[1])  # the server may still be answering what was in flight
        repeated = sum(server.answered.values()) - len(server.answered)
        found.worst = max(found.worst, repeated - found.again)
        found.again = repeated
        after = stored(out)
        found.lost += sum(episode not in after for episode in before)
        found.twice += sum(len(hashes) > 1 for hashes in after.values())
        before = after
        print(f"  {len(after)} episodes, {repeated} calls asked again so far", flush=True)
    return found


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--kills", type=int, default=20, help="how many kills to make (default 20)")
    options = parser.parse_args()
    rng = random.Random(options.seed)
    server = Server()
    threading.Thread(target=server.serve_forever, daemon=True).start()
    total = Found()
    runs = 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        study = folder / "calls.toml"
        study.write_text(STUDY, encoding="utf-8")
        model = f"openai:m@http://127.0.0.1:{server.server_port}/v1?concurrency={CONCURRENCY}"
        go = [sys.executable, "-m", "otherminds", "run", str(study), "--model", model, "--out"]

        def start(out: Path) -> subprocess.Popen[bytes]:
            return subprocess.Popen([*go, str(out)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

        if start(folder / "whole").wait(LONGEST) != 0:
            raise SystemExit("the undisturbed run failed")
        whole = stored(folder / "whole")
        print(f"undisturbed: {len(whole)} episodes, {len(server.answered)} calls", flush=True)
        if set(server.answered.values()) != {1}:
            raise SystemExit("a call was repeated without a kill")
        while total.kills < options.kills:
            out = folder / f"killed_{runs}"
            runs += 1
            server.answered.clear()
            found = killed(partial(start, out), out, server, rng, options.kills - total.kills)
            found.different = sum(stored(out).get(episode) != hashes for episode, hashes in whole.items())
            worst = max(total.worst, found.worst)
            total = Found(*(getattr(total, f.name) + getattr(found, f.name) for f in fields(Found)))
            total.worst = worst
            shutil.rmtree(out)
    server.shutdown()
    figures = {
        "kills": total.kills,
        "runs": runs,
        "lost": total.lost,
        "twice": total.twice,
        "different": total.different,
        "asked again": total.again,
        "most after one kill": total.worst,
        "calls in flight": CONCURRENCY,
    }
    show("SIGKILL with calls in flight", tuple(figures), [tuple(figures.values())])
    finish(options, figures)
    sys.exit(bool(total.lost or total.twice or total.different or total.worst > CONCURRENCY))


if __name__ == "__main__":
    main()
