"""A long run of the generator of household tasks: rates, processor time, memory, and equal bytes for 1 and 2 processes.

Candidates without any wish are tried by the real driver in a temporary folder. Memory is resident memory (Linux), after each
tenth of the run; a worker is a process of the driver, and its planner is a child that ends with each search.
"""

from __future__ import annotations

import multiprocessing
import re
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from resource import RUSAGE_CHILDREN, getrusage
from tempfile import TemporaryDirectory
from typing import Any

from common import arguments, finish
from tables import table

from otherminds.household.generating.candidate import candidate
from otherminds.household.generating.pooling import (
    Pooling,
    PoolSlot,
    SeedTally,
    consecutive,
    here,
    slots_of,
    tried,
)
from otherminds.household.generating.properties import SPLITS, TaskProperties, composition
from otherminds.household.pool.folder import BEGUN, PoolWriter
from otherminds.household.pool.store import SECONDS
from otherminds.studies.chunks import Workers

PARTS = 10
"""Measurements of memory in a run."""
ATTEMPTS = 10**9
"""No slot is given up."""


class EnoughError(Exception):
    """The run has tried enough candidates, or taken long enough."""


class Watch:
    """Measures a run, and ends it after ``candidates``, or after ``seconds`` of wall-clock time."""

    def __init__(self, candidates: int, seconds: float) -> None:
        self._candidates, self._seconds = candidates, seconds
        self.memory: list[tuple[int, float, list[float]]] = []
        self.tally = SeedTally(0)

    def __call__(self, tally: SeedTally) -> None:
        """Called by the driver after each candidate.

        Raises:
            EnoughError: the run is over.
        """
        self.tally = tally
        share = max(tally.candidates / self._candidates, tally.elapsed / self._seconds)
        if share * PARTS >= len(self.memory) + 1:
            workers = [resident(child.pid) for child in multiprocessing.active_children() if child.pid]
            self.memory.append((tally.candidates, resident("self"), workers))
            print(f"{tally.candidates} candidates, {tally.kept} kept, {tally.elapsed:.0f} s", file=sys.stderr)
        if share >= 1:
            raise EnoughError


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--candidates", type=int, default=10_000, help="candidates (default 10,000)")
    parser.add_argument("--tasks", type=int, help="end after this many kept tasks too")
    parser.add_argument("--seconds", type=float, default=3600, help="end after this time too (default 3600)")
    parser.add_argument("--processes", type=int, default=1, help="processes of the run (default 1)")
    parser.add_argument("--split", choices=SPLITS, help="the composition of a split instead")
    parser.add_argument(
        "--compare",
        type=int,
        default=8,
        help="tasks for the comparison of 1 and 2 processes (default 8; 0: none)",
    )
    options = parser.parse_args()
    watch = Watch(options.candidates, options.seconds)
    slots = partial(slots_for, options.split, options.seed)
    with TemporaryDirectory() as folder:
        filled(Path(folder) / "pool", slots(options.tasks or options.candidates), options.processes, watch)
    tally = watch.tally
    spent = sum(tally.seconds.values())
    print(
        f"{tally.candidates} candidates in {tally.elapsed:.0f} s with {options.processes} processes; {tally.kept} kept: "
        f"{spent / max(tally.kept, 1):.2f} s of processor time a kept task, {1000 * spent / tally.candidates:.0f} ms a candidate.\n"
    )
    counts = {"kept": tally.kept, **dict(tally.rejected.most_common())}
    print(
        table(
            ["verdict", "candidates", "%"],
            [[name, str(n), f"{100 * n / tally.candidates:.1f}"] for name, n in counts.items()],
        )
    )
    steps = sorted(tally.seconds.items(), key=lambda item: -item[1])
    print(
        table(
            ["step", "s a kept task", "%"],
            [[step, f"{s / max(tally.kept, 1):.3f}", f"{100 * s / spent:.1f}"] for step, s in steps],
        )
    )
    rows = [
        [str(number), f"{mine:.0f}", ", ".join(f"{one:.0f}" for one in workers) or "–"]
        for number, mine, workers in watch.memory
    ]
    print(table(["candidates", "this process, MB", "workers, MB"], rows))
    print(
        f"Peaks: this process {peak():.0f} MB, the largest ended child {getrusage(RUSAGE_CHILDREN).ru_maxrss / 1024:.0f} MB."
    )
    figures: dict[str, Any] = {
        "candidates": tally.candidates,
        "counts": counts,
        "seconds": dict(tally.seconds),
        "memory": watch.memory,
    }
    if options.compare:
        figures["equal"] = compared(slots(options.compare), options.seconds)
    finish(options, figures)


def slots_for(split: str | None, seed: int, count: int) -> tuple[PoolSlot, ...]:
    """The slots of ``count`` tasks, with the composition of a split if there is one."""
    if split is None:
        return consecutive(TaskProperties(), count, seed)
    return slots_of(composition(count, SPLITS[split].hard), split, seed)


def filled(
    folder: Path, slots: tuple[PoolSlot, ...], processes: int, progress: Callable[[SeedTally], None]
) -> None:
    """Fills a pool until its slots are full, or ``progress`` ends the run."""
    writer = PoolWriter(folder, {})
    workers = Workers(processes, ()) if processes > 1 else None
    submit = partial(workers.submit, tried) if workers else here
    try:
        Pooling(slots, candidate, writer, submit, processes, ATTEMPTS, progress).fill()
    except EnoughError:
        pass
    finally:
        if workers:
            workers.kill()
            workers.close()
        writer.release()


def compared(slots: tuple[PoolSlot, ...], seconds: float) -> bool:
    """Whether pools of 1 and of 2 processes have the same files but for times; says which files differ."""
    found: list[dict[str, bytes]] = []
    with TemporaryDirectory() as folder:
        for processes in (1, 2):
            pool = Path(folder) / str(processes)
            filled(pool, slots, processes, Watch(ATTEMPTS, seconds))
            files = (path for path in sorted(pool.rglob("*")) if path.is_file())
            found.append(
                {
                    str(path.relative_to(pool)): path.read_bytes()
                    for path in files
                    if path.name not in (SECONDS, *BEGUN)
                }
            )
    one, two = found
    different = sorted(name for name in {*one, *two} if one.get(name) != two.get(name))
    print(f"1 and 2 processes: {len(one)} files; different: {', '.join(different) or 'none'}.")
    return not different


def resident(process: int | str) -> float:
    """The resident memory of a process, in MB; 0 if it has ended, or outside Linux."""
    return _status(process, "VmRSS")


def peak() -> float:
    """The peak resident memory of this process, in MB; 0 outside Linux."""
    return _status("self", "VmHWM")


def _status(process: int | str, name: str) -> float:
    path = Path(f"/proc/{process}/status")
    found = re.search(rf"{name}:\s+(\d+)", path.read_text()) if path.exists() else None
    return int(found[1]) / 1024 if found else 0.0


if __name__ == "__main__":
    main()
