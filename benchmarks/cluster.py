"""A study in one run, in shards, in shards that are killed, and on two nodes of Ray: the same records.

A study of tabular minds, and of a model on a server on loopback that counts how often it answers each call
(``benchmarks/resume_calls.py``), is played four times:

- by one process with one worker;
- in ``--shards`` shards at the same time, each a process with one worker, in a folder of its own; then merged;
- in as many shards, which are killed with SIGKILL ``--kills`` times in all, when their records have a random size:
  half of the kills come while the model is asked;
- on a cluster of Ray of two nodes with one core each, of which one is killed when the records have a random size.

All digests must be equal, and no call may be answered again but those in flight at a kill. Then the model's part is
played in shards whose limit of tokens, together, is half of what it takes: it may be exceeded by the calls in flight.
Processor time is that of a process and its workers. The cost of a start is that of a run of one episode. What an episode
costs more in a shard is given in instructions, which do not depend on what else the machine does: of a tenth of the tabular
episodes in one run, and in shards one after the other, in one process each under Valgrind, where that is installed.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from shutil import which
from subprocess import DEVNULL, Popen
from time import monotonic, sleep
from typing import Any, NamedTuple

from common import arguments, finish, show
from resume import size
from resume_calls import CONCURRENCY, Server

from otherminds.studies.chunks import Chunks
from otherminds.studies.executor import ProcessPool
from otherminds.studies.merging import merge
from otherminds.studies.plan import plan_file
from otherminds.studies.progress import ShownProgress
from otherminds.studies.run import run
from otherminds.studies.run_dir import digest_of
from otherminds.studies.sharding import Shard, shard_of
from otherminds.studies.store import Store

HEAD = """
name = "{name}"
rounds = 10
"""
TABULAR = """
[[cells]]
scenarios = ["rps-mixed-v1", "ipd-mixed-v1"]
minds = ["rmax", "nash"]
episodes = {episodes}
"""
TABULAR_CELLS = 4
ASKED = """
[[cells]]
scenarios = ["rps-single-v1", "ipd-tit_for_tat-v1"]
minds = ["qa@openai:m@{url}?concurrency={concurrency}"]
episodes = {episodes}
"""
ASKED_CELLS = 2
"""No two episodes make the same call: a call that is answered twice was asked again."""
MODEL = b"openai:m"
TICK = 0.01
NODE = {
    "num_cpus": 1,
    "node_ip_address": "127.0.0.1",
    "object_store_memory": 80 * 2**20,
    "include_dashboard": False,
}

SETTINGS = {
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0",
    "RAY_worker_niceness": "0",
}
"""Of Ray: the address 127.0.0.1 stays that, and workers have the priority of the other runs."""


class Cost(NamedTuple):
    """Of a command: its exit code, the processor seconds of it and its workers, and whether it was killed."""

    code: int
    seconds: float
    killed: bool


class Row(NamedTuple):
    """A way to play the study, in seconds; ``longest`` is the most processor time of one process and its workers."""

    wall: float
    processor: float
    longest: float
    kills: int
    again: int
    digest: str


def play(study: str, out: str, shard: str) -> None:
    """Plays a study, or a shard of it, with one worker and without a report."""
    plan = plan_file(Path(study))
    part = shard_of(shard) if shard else None
    run(plan, Path(out), ShownProgress(), executor=ProcessPool(plan.plugins, 1), shard=part)


def play_here(study: str, out: str, shards: str) -> None:
    """Plays all shards of a study one after the other in this process; with one shard, the study."""
    for index in range(1, int(shards) + 1):
        part = shard_of(f"{index}/{shards}") if shards != "1" else None
        with ThreadPoolExecutor(1) as pool:
            run(plan_file(Path(study)), Path(out), ShownProgress(), executor=Chunks(pool), shard=part)


def played(study: Path, out: Path, shard: str = "") -> list[str]:
    """The command of :func:`play`."""
    return [sys.executable, __file__, "--play", str(study), str(out), shard]


def cost(words: Sequence[str], kill: Callable[[], bool] | None = None) -> Cost:
    """Runs a command; kills it and its workers when ``kill`` says so."""
    child = Popen(words, stdout=DEVNULL, stderr=DEVNULL, start_new_session=True)
    while True:
        ended, status, used = os.wait4(child.pid, os.WNOHANG if kill else 0)
        if ended:
            child.returncode = os.waitstatus_to_exitcode(status)
            killed = child.returncode == -signal.SIGKILL
            return Cost(child.returncode, used.ru_utime + used.ru_stime, killed)
        if kill is not None and kill():
            os.killpg(child.pid, signal.SIGKILL)
            kill = None
        sleep(TICK)


def checked(words: Sequence[str]) -> Cost:
    """The cost of a command that must succeed."""
    found = cost(words)
    if found.code:
        raise SystemExit(f"{' '.join(words)}: exit code {found.code}")
    return found


def sizes(home: Path) -> list[tuple[int, int]]:
    """The bytes of the records of a run before and after its episodes with a model, and before and after the others."""
    asked = sum(len(line.raw()) for line in Store(home).lines() if MODEL in line.raw())
    end = size(home)
    return [(end - asked, end), (0, end - asked)]


class Bench:
    """The study, its server and the ways to play it, in ``folder``."""

    def __init__(self, folder: Path, server: Server, tabular: int, asked: int, shards: int) -> None:
        self.folder, self.server, self.shards = folder, server, shards
        asks = ASKED.format(
            url=f"http://127.0.0.1:{server.server_port}/v1",
            concurrency=CONCURRENCY,
            episodes=asked // ASKED_CELLS,
        )
        some = TABULAR.format(episodes=tabular // TABULAR_CELLS)
        one = TABULAR.format(episodes=1).replace(', "ipd-mixed-v1"', "").replace(', "nash"', "")
        self.study = self._write("cluster", some + asks)
        self.asks = self._write("asks", asks)
        self.one = self._write("one", one)
        self.some = self._write("some", TABULAR.format(episodes=max(1, tabular // 10 // TABULAR_CELLS)))

    def _write(self, name: str, cells: str) -> Path:
        path = self.folder / f"{name}.toml"
        path.write_text(HEAD.format(name=name) + cells, encoding="utf-8")
        return path

    def names(self) -> list[str]:
        """The names of all shards."""
        return [f"{index}/{self.shards}" for index in range(1, self.shards + 1)]

    def timed(self, kills: int, function: Callable[[], tuple[list[list[Cost]], Path]]) -> Row:
        """The row of a way to play; ``function`` returns the costs of each part's processes, and the records."""
        self.server.answered.clear()
        began = monotonic()
        costs, out = function()
        wall = monotonic() - began
        sums = [sum(one.seconds for one in part) for part in costs]
        kills += sum(one.killed for part in costs for one in part)
        again = self.server.answered.total() - len(self.server.answered)
        row = Row(wall, sum(sums), max(sums), kills, again, digest_of(out))
        print(row, flush=True)
        return row

    def whole(self) -> tuple[list[list[Cost]], Path]:
        """One run with one worker."""
        out = self.folder / "whole"
        return [[checked(played(self.study, out))]], out

    def hosts(self, name: str) -> list[Path]:
        """A folder for each shard."""
        return [self.folder / f"{name}_{index}" for index in range(1, self.shards + 1)]

    def sharded(self) -> tuple[list[list[Cost]], Path]:
        """All shards at the same time, and merged."""
        hosts, out = self.hosts("shard"), self.folder / "merged"
        with ThreadPoolExecutor(self.shards) as threads:
            commands = [played(self.study, *pair) for pair in zip(hosts, self.names(), strict=True)]
            costs = [[one] for one in threads.map(checked, commands)]
        merge(hosts, out, print)
        return costs, out

    def killed(self, kills: int, rng: random.Random) -> tuple[list[list[Cost]], Path]:
        """All shards at the same time, each killed at random, and merged."""
        hosts, out = self.hosts("killed"), self.folder / "merged_killed"

        def one(part: tuple[int, Path, str]) -> list[Cost]:
            index, host, shard = part
            home = shard_of(shard).home(host)
            ends = sizes(Shard(index + 1, self.shards).home(self.hosts("shard")[index]))
            share = kills // self.shards + (index < kills % self.shards)
            costs: list[Cost] = []
            words = [sys.executable, "-m", "otherminds", "run", str(self.study), "--out", str(host)]
            words += ["--shard", shard, "--executor", "processes:1"]
            for wanted in sorted(rng.uniform(*ends[n % 2]) for n in range(share)):
                costs.append(cost(words, lambda wanted=wanted: size(home) > wanted))
            return [*costs, checked(words)]

        with ThreadPoolExecutor(self.shards) as threads:
            parts = zip(range(self.shards), hosts, self.names(), strict=True)
            costs = list(threads.map(one, parts))
        merge(hosts, out, print)
        return costs, out

    def on_ray(self, nodes: Any, rng: random.Random) -> tuple[list[list[Cost]], Path]:
        """One run on two nodes of one core, of which the second is killed."""
        out = self.folder / "ray"
        wanted = rng.uniform(0.05, 0.5) * size(self.folder / "whole")
        done = threading.Event()

        def kill() -> None:
            while not done.is_set() and size(out) <= wanted:
                sleep(TICK)
            nodes.remove_node(nodes.worker_nodes.copy().pop(), allow_graceful=False)

        killer = threading.Thread(target=kill)
        killer.start()
        words = [sys.executable, "-m", "otherminds", "run", str(self.study), "--out", str(out)]
        found = checked([*words, "--executor", f"ray:{nodes.address}"])
        done.set()
        killer.join()
        return [[found]], out

    def instructions(self, study: Path, shards: str) -> int:
        """The instructions of a process that plays a study in parts, counted by Valgrind."""
        out = self.folder / f"counted_{study.stem}_{shards}"
        words = ["valgrind", "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null"]
        words += [sys.executable, __file__, "--count", str(study), str(out), shards]
        settings = {**os.environ, "PYTHONHASHSEED": "0"}
        found = subprocess.run(words, env=settings, capture_output=True, text=True, check=True)
        return int(found.stderr.partition("refs:")[2].split()[0].replace(",", ""))

    def overhead(self) -> float:
        """How many more instructions an episode takes in shards than in one run, as a share."""
        start = self.instructions(self.one, "1")
        whole, parts = (self.instructions(self.some, str(count)) for count in (1, self.shards))
        return (parts - whole) / (whole - start)

    def limited(self, limit: int) -> int:
        """The tokens of the model's part, in shards that share a limit in one folder."""
        self.server.tokens = 0
        words = [sys.executable, "-m", "otherminds", "run", str(self.asks), "--max-tokens", str(limit)]
        commands = [[*words, "--out", str(self.folder / "limited"), "--shard", name] for name in self.names()]
        with ThreadPoolExecutor(self.shards) as threads:
            codes = [found.code for found in threads.map(cost, commands)]
        if codes != [1] * self.shards:
            raise SystemExit(f"shards at their limit: exit codes {codes}")
        return self.server.tokens


@contextmanager
def two_nodes() -> Generator[Any]:
    """A cluster of Ray on this machine."""
    os.environ |= SETTINGS
    from ray.cluster_utils import Cluster

    made = Cluster(initialize_head=True, head_node_args=NODE)
    try:
        made.add_node(**NODE)
        made.wait_for_nodes()
        yield made
    finally:
        made.shutdown()


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--tabular", type=int, default=20_000, help="episodes without a model")
    parser.add_argument("--asked", type=int, default=300, help="episodes with a model")
    parser.add_argument("--shards", type=int, default=4)
    parser.add_argument("--kills", type=int, default=8, help="kills of all shards together")
    parser.add_argument("--play", nargs=3, help="what the processes of this benchmark call")
    parser.add_argument("--count", nargs=3, help="what Valgrind runs")
    options = parser.parse_args()
    if options.play:
        play(*options.play)
        return
    if options.count:
        play_here(*options.count)
        return
    rng = random.Random(options.seed)
    server = Server()
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with tempfile.TemporaryDirectory() as name:
        bench = Bench(Path(name), server, options.tabular, options.asked, options.shards)
        more = bench.overhead() if which("valgrind") else None
        start = checked(played(bench.one, Path(name) / "one")).seconds
        rows = {"one run": bench.timed(0, bench.whole)}
        tokens, calls = server.tokens, len(server.answered)
        parts = f"{options.shards} shards"
        rows[parts] = bench.timed(0, bench.sharded)
        rows[f"{parts}, killed"] = bench.timed(0, lambda: bench.killed(options.kills, rng))
        if find_spec("ray"):
            with two_nodes() as nodes:
                rows["two nodes of Ray, one killed"] = bench.timed(1, lambda: bench.on_ray(nodes, rng))
        limit = tokens // 2
        over = bench.limited(limit) - limit
    server.shutdown()
    whole, shards = rows["one run"], rows[parts]
    episodes = options.tabular + options.asked
    show(
        f"{options.tabular:,} tabular and {options.asked} model episodes, {calls:,} calls",
        ("", "wall s", "CPU s", "of the longest part", "kills", "asked again", "digest"),
        [
            (name, f"{row.wall:.1f}", f"{row.processor:.1f}", f"{row.longest:.1f}", *row[3:])
            for name, row in rows.items()
        ],
    )
    figures = {
        "start of a process: CPU s": start,
        "an episode of one run: CPU ms": 1e3 * (whole.processor - start) / episodes,
        "more processor time in all, with the starts: %": 100 * (shards.processor / whole.processor - 1),
        "speed-up of shards here, by wall-clock": whole.wall / shards.wall,
        "speed-up with a free core for each, by CPU": whole.processor / shards.longest,
        "limit of tokens": limit,
        "exceeded by": over,
        "tokens of the largest call": server.largest,
        "calls in flight": options.shards * CONCURRENCY,
    }
    if more is not None:
        figures["more instructions for an episode in a shard: %"] = 100 * more
    if find_spec("ray"):
        figures["speed-up of Ray here, by wall-clock"] = (
            whole.wall / rows["two nodes of Ray, one killed"].wall
        )
    show("figures", ("", ""), [(name, f"{value:.4g}") for name, value in figures.items()])
    finish(
        options, figures | {f"{name}: {k}": v for name, row in rows.items() for k, v in row._asdict().items()}
    )
    repeated = any(row.again > CONCURRENCY * row.kills for name, row in rows.items() if "killed" in name)
    repeated |= any(row.again for name, row in rows.items() if "shards, killed" not in name)
    different = len({row.digest for row in rows.values()}) > 1
    exceeded = not 0 <= over + options.shards <= options.shards * (CONCURRENCY * server.largest + 1)
    sys.exit(repeated or different or exceeded)


if __name__ == "__main__":
    main()
