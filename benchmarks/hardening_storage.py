"""Faults of storage, one by one: what a command says, how it ends, and what is lost or billed twice.

A study of four episodes with a model that counts its calls is played. Then its folder, its segments and its
disk are given every fault of ``tests/studies/storage.py``, a command is run, the fault is mended, and the run goes
on. Lost are episodes that were finished and are gone, or differ from those of an undisturbed run; billed
twice are their calls that were made again. Root can also mount a small disk. Prints Markdown.
"""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from contextlib import contextmanager, nullcontext
from functools import partial
from pathlib import Path
from unittest.mock import patch

from common import arguments, finish
from tables import table

sys.path.insert(0, str(Path(__file__).parents[1]))  # for the faults, which the tests have too

from tests.studies import storage

from otherminds.core.errors import OtherMindsError
from otherminds.models import wrappers
from otherminds.studies import access, run_dir, store
from otherminds.studies.run_dir import results

JOURNAL = "records/00000.jsonl"
SEALED = f"{JOURNAL}.zst"
HEADS = ["fault", "command", "outcome", "lines", "exit code", "episodes lost", "calls billed twice"]
FILES = ("study.json", "lock.sqlite", "ledger.sqlite", "calls.sqlite", "records", JOURNAL)
SIZES = (0, 2000, 4000, 10_000, 20_000, 40_000, 60_000, 100_000)
DISKS = (16, 32, 64, 96, 112, 128, 144, 160, 192)
"""Sizes in KiB of the small disk."""
PEAK = r"""
import re
from otherminds.cli.main import main
try:
    main()
finally:
    print(re.search(r"VmHWM:\s+(\d+)", open("/proc/self/status").read())[1])
"""
"""A command, and its peak memory in KiB on the last line."""


class Bench:
    """The finished run, the faults so far, and what became of them."""

    def __init__(self, folder: Path, service: storage.Service) -> None:
        self.service = service
        self.study, self.whole = storage.recorded_run(folder)
        self.records = storage.recorded(self.whole)
        self.plain = (self.whole / JOURNAL).read_bytes()
        self.rows: list[list[str]] = []
        self.total: Counter[str] = Counter()
        self.episode_of = {
            call.config["seed"]: record.spec.hash
            for record in results(self.whole)[1]
            for call in record.calls
        }

    def copy(self) -> Path:
        """A fresh copy of the finished run."""
        out = self.whole.with_name("copy")
        shutil.rmtree(out, ignore_errors=True)
        shutil.copytree(self.whole, out)
        self.service.asked.clear()
        return out

    def words(self, command: str, out: Path) -> tuple[object, ...]:
        """The command on ``out``."""
        return ("run", self.study, "--out", out) if command == "run" else (command, out)

    def note(
        self,
        fault: str,
        command: str,
        done: storage.Ran | None,
        lost: int,
        twice: int,
        *,
        fills: bool = False,
    ) -> None:
        """Adds a row; ``done`` is ``None`` for a traceback. A run whose disk ``fills`` also
        stops with an exit code of its own."""
        if done is None:
            outcome, lines, code = "traceback", "–", "1"
        else:
            refused = "refused" if done.one_line or (fills and done.stopped) else "wrong"
            outcome = "read or resumed" if done.code == 0 else "hangs" if done.code == -1 else refused
            lines, code = str(len(done.said)), str(done.code)
        self.rows.append([fault, command, outcome, lines, code, str(lost), str(twice)])
        self.total.update({"faults": 1, outcome: 1, "lost": lost, "billed twice": twice})

    def broken(self, fault: str, spoil: Callable[[Path], None], commands: tuple[str, ...]) -> None:
        """A fault of a finished run: nothing may be played again because of it."""
        for command in commands:
            out = self.copy()
            spoil(out)
            done = attempt(*self.words(command, out))
            self.note(fault, command, done, 0, self.service.asked.total())

    def held(self, fault: str, during: Callable[[Path], contextmanager]) -> None:
        """A fault that passes: afterwards the finished run is whole, and nothing was played again."""
        out = self.copy()
        with during(out):
            done = attempt(*self.words("run", out))
        storage.command(*self.words("run", out))
        after = storage.recorded(out)
        lost = sum(after.get(name) != hashed for name, hashed in self.records.items())
        self.note(fault, "run", done, lost, self.service.asked.total())

    def full(self, fault: str, out: Path, during: contextmanager, mend: Callable[[], None]) -> None:
        """A new run on a disk that is full at some time; then there is room, and it goes on."""
        self.service.asked.clear()
        with during:
            done = attempt(*self.words("run", out))
        mend()
        before = storage.recorded(out) if (out / "records").exists() else {}
        first = self.service.asked.copy()
        again = storage.command(*self.words("run", out))
        after = storage.recorded(out)
        lost = sum(after.get(name) != hashed for name, hashed in {**self.records, **before}.items())
        repeated = [seed for seed, times in self.service.asked.items() if first[seed] and times > first[seed]]
        twice = sum(self.episode_of[seed] in before for seed in repeated)
        assert again.code == 0, again.shown
        assert len(repeated) <= self.service.concurrency, "more than those in flight"
        self.total["in flight again"] += len(repeated)
        self.note(fault, "run", done, lost, twice, fills=True)


def attempt(*words: object) -> storage.Ran | None:
    """The command; ``None`` if it ends in a traceback."""
    try:
        return storage.command(*words)
    except Exception as error:  # noqa: BLE001 - a traceback is what this looks for
        print(f"traceback of {words}: {type(error).__name__}: {error}", file=sys.stderr)
        return None


def seal_as(content: Callable[[bytes], bytes]) -> Callable[[Path], None]:
    """Puts a sealed segment in place of the journal."""

    def spoil(out: Path) -> None:
        plain = (out / JOURNAL).read_bytes()
        (out / JOURNAL).unlink()
        (out / SEALED).write_bytes(content(plain))

    return spoil


def rewrite(content: Callable[[bytes], bytes]) -> Callable[[Path], None]:
    """Changes the journal."""
    return lambda out: (out / JOURNAL).write_bytes(content((out / JOURNAL).read_bytes())) and None


def folders(bench: Bench) -> None:
    """Damaged segments, other schemas, other kinds of files, locks and permissions."""
    for fault, content in storage.SEGMENTS.items():
        bench.broken(f"segment: {fault}", seal_as(content), ("run", "report"))
    for fault, schema in storage.SCHEMAS.items():
        change = rewrite(lambda plain, schema=schema: storage.in_body(plain, b'"schema":4', schema))
        bench.broken(f"record: {fault}", change, ("run", "report"))
    bench.broken(
        "record: blank lines", rewrite(lambda plain: plain.replace(b"\n", b"\n\n \n")), ("run", "report")
    )
    bench.broken("record: a flipped byte", rewrite(storage.flipped_in_body), ("run", "report"))
    for name in FILES:
        for kind, put in storage.KINDS.items():
            if (name, kind) != ("records", "a folder"):
                reads = ("run", "report") if name in {"study.json", "records", JOURNAL} else ("run",)
                bench.broken(
                    f"{name}: {kind}",
                    lambda out, name=name, put=put: storage.in_place_of(out / name, put),
                    reads,
                )
    for name in ("lock.sqlite", "ledger.sqlite", "calls.sqlite"):
        bench.held(f"{name}: locked", lambda out, name=name: storage.locked(out / name))
    for name in (".", *FILES):
        for mode in (0, 0o555 if name in {".", "records"} else 0o444):
            bench.held(
                f"{name}: permissions {mode:03o}",
                lambda out, name=name, mode=mode: storage.without_permission(out, name, mode),
            )


def disks(bench: Bench, folder: Path) -> None:
    """Full disks: a bound on every file, the n-th write that is to last, and a small disk."""
    for size in SIZES:
        bench.full(
            f"no file above {size:,} bytes", folder / f"limit{size}", storage.file_limit(size), lambda: None
        )
    n = 0
    with patch.object(store, "SEGMENT", 10_000):
        while n == 0 or bench.rows[-1][2] != "read or resumed":
            n += 1
            fault = f"disk full at durable write {n}"
            bench.full(fault, folder / f"sync{n}", storage.failing_sync(n), lambda: None)
    if os.geteuid() != 0 or shutil.which("mount") is None:
        return
    for size in DISKS:
        disk = folder / f"disk{size}"
        disk.mkdir()
        words = ["mount", "-t", "tmpfs", "-o", f"size={size}k", "tmpfs", disk]
        if subprocess.run(words, check=False, capture_output=True).returncode:
            print("no small disk can be mounted here\n")
            return
        try:
            bench.full(f"disk of {size} KiB", disk / "out", nullcontext(), partial(grow, disk))
        finally:
            subprocess.run(["umount", disk], check=True)


def grow(disk: Path) -> None:
    """Makes room on a small disk."""
    subprocess.run(["mount", "-o", "remount,size=16m", disk], check=True)


def mutations(bench: Bench, rng: random.Random, count: int) -> list[list[str]]:
    """Random changes of journals, sealed segments and records, read as every command does; those that can be read are
    reported, and one in ten of the others."""
    made: dict[str, tuple[str, Callable[[], bytes]]] = {
        "journal bytes": (JOURNAL, lambda: storage.mutated(bench.plain, rng)),
        "segment bytes": (SEALED, lambda: storage.mutated(storage.packed(bench.plain), rng)),
        "lines in a sound segment": (SEALED, lambda: storage.packed(storage.mutated(bench.plain, rng))),
        "records under their hash": (JOURNAL, lambda: storage.forged(bench.plain, rng)),
    }
    rows: list[list[str]] = []
    for kind, (name, content) in made.items():
        found: Counter[str] = Counter()
        out = bench.copy()
        (out / JOURNAL).unlink()
        for n in range(count):
            (out / name).write_bytes(content())
            reported = n % 10 == 0
            try:
                held = len(list(results(out)[1]))
            except OtherMindsError as error:
                right = name in str(error) and "\n" not in str(error)
                found["refused in one line" if right else "wrong"] += 1
            else:
                found["read" if held == storage.EPISODES else "torn line passed over"] += 1
                reported = True  # what can be read can also be measured
            if reported:
                done = attempt("report", out)
                found["tracebacks"] += done is None
                found["wrong"] += done is not None and done.code != 0 and not done.one_line
        columns = ("refused in one line", "read", "torn line passed over", "wrong", "tracebacks")
        rows.append([kind, str(count), *(str(found[column]) for column in columns)])
        bench.total.update({"mutations": count, "traceback": found["tracebacks"], "wrong": found["wrong"]})
    return rows


def peaks(bench: Bench) -> list[list[str]]:
    """Memory of a report in a process of its own, in MB: of the sound run, and of each bomb of 1 GiB."""
    rows: list[list[str]] = []
    for fault in ("", *(fault for fault in storage.SEGMENTS if "bomb" in fault)):
        out = bench.copy()
        if fault:
            seal_as(storage.SEGMENTS[fault])(out)
        words = [sys.executable, "-c", PEAK, "report", str(out)]
        done = subprocess.run(words, capture_output=True, text=True, check=False)
        peak = int(done.stdout.splitlines()[-1]) / 1000
        bench.total["peak MB"] = max(bench.total["peak MB"], round(peak))
        rows.append([fault or "a sound run", f"{peak:.0f}", str(done.returncode)])
    return rows


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument(
        "--mutations", type=int, default=500, help="random changes of each kind (default 500)"
    )
    options = parser.parse_args()
    run_dir.PATIENCE = access.PATIENCE = wrappers.PATIENCE = 0.1
    with tempfile.TemporaryDirectory() as name, storage.served() as service:
        folder = Path(name)
        folder.chmod(0o755)
        bench = Bench(folder, service)
        folders(bench)
        disks(bench, folder)
        print(table(HEADS, bench.rows))
        heads = [
            "mutated",
            "number",
            "refused in one line",
            "read",
            "torn line passed over",
            "wrong",
            "tracebacks",
        ]
        print(table(heads, mutations(bench, random.Random(options.seed), options.mutations)))
        print(table(["report of", "peak memory, MB", "exit code"], peaks(bench)))
    print(table([*bench.total], [[str(number) for number in bench.total.values()]]))
    finish(options, dict(bench.total))
    bad = ("traceback", "wrong", "hangs", "lost", "billed twice")
    sys.exit(any(bench.total[one] for one in bad) or bench.total["peak MB"] > 300)


if __name__ == "__main__":
    main()
