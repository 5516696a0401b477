"""Kills processes that work on an authored pool: whatever they were told is in it, once, and all files are whole.

Without a command, two processes at a time add the same 24 tasks to one pool, one of them from the last to the first,
with an attempt and results of each; either is killed with SIGKILL at random moments and started again until both are done.
With a command after ``--``, in which ``{pool}`` is the folder of the pool, that command is killed instead, with all that it has
started, and started again until it ends by itself; each finished pool is compared with that of an undisturbed run. After every kill
the lines of all files must begin with those that were there before. Prints Markdown.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from time import monotonic, sleep

from common import arguments, finish
from tables import table

sys.path.insert(0, str(Path(__file__).parents[1]))  # for the writer and the checks, which the tests have too

from tests.household.authoring.pooling.soundness import faults, lines_of
from tests.household.authoring.pooling.submissions import dev_task
from tests.household.authoring.pooling.writer import add

from otherminds.household.authoring.authored_pool import AuthoredPool

TASKS = 24
BAD = ("unreadable", "lost", "twice", "torn")


def forked(folder: Path, log: Path, numbers: Sequence[int]) -> int:
    """A process that adds the tasks; it has all modules already, so that it is killed at work and not at its start."""
    child = os.fork()
    if child == 0:
        add(folder, log, numbers)
        os._exit(0)
    return child


def two_writers(folder: Path, kills: int, draw: random.Random) -> Counter[str]:
    """Kills one of two writers at a time, ``kills`` times in all, on as many pools as that takes."""
    orders = (range(TASKS), range(TASKS)[::-1])
    for k in range(TASKS):
        dev_task(k)
    found: Counter[str] = Counter()
    longest = 0.0
    while found["kills"] < kills or not longest:
        place = folder / str(found["pools"])
        pool, logs = place / "pool", [place / f"writer {k}.log" for k in range(2)]
        place.mkdir()
        running = {forked(pool, log, order): (log, order) for log, order in zip(logs, orders, strict=True)}
        start = monotonic()
        while running:
            if longest and found["kills"] < kills:
                before = lines_of(pool)
                sleep(draw.uniform(0, longest / 2))
                victim = draw.choice([*running])
                os.kill(victim, signal.SIGKILL)
                _, status = os.waitpid(victim, 0)
                log, order = running.pop(victim)
                if os.WIFSIGNALED(status):
                    found["kills"] += 1
                    told = [line for one in logs if one.exists() for line in one.read_text().splitlines()]
                    found.update(faults(pool, before, told))
                    running[forked(pool, log, order)] = log, order
                else:
                    found["failed"] += os.waitstatus_to_exitcode(status) != 0
            else:
                ended, status = os.wait()
                del running[ended]
                found["failed"] += os.waitstatus_to_exitcode(status) != 0
        longest = longest or monotonic() - start
        told = [line for one in logs for line in one.read_text().splitlines()]
        found.update(faults(pool, {}, told))
        found["other tasks"] += len(AuthoredPool(pool).tasks()) != TASKS
        found["pools"] += 1
        found["told"] += len(set(told))
    return found


def killed_command(command: Sequence[str], folder: Path, kills: int, draw: random.Random) -> Counter[str]:
    """Kills a command, ``kills`` times in all, on as many pools as that takes."""
    found: Counter[str] = Counter()
    expected: set[str] = set()
    longest = 0.0
    while found["kills"] < kills or not expected:
        pool = folder / str(found["pools"])
        while True:
            start = monotonic()
            before = lines_of(pool)
            process = subprocess.Popen(
                [word.replace("{pool}", str(pool)) for word in command],
                start_new_session=True,
                stdout=subprocess.DEVNULL,
            )
            if longest and found["kills"] < kills:
                try:
                    process.wait(draw.uniform(0, longest))
                except subprocess.TimeoutExpired:
                    os.killpg(process.pid, signal.SIGKILL)
                    found["kills"] += 1
            code = process.wait()
            found.update(faults(pool, before))
            if code >= 0:
                break
        found["failed"] += code != 0
        longest = longest or monotonic() - start
        names = {one.entry.task_id for one in AuthoredPool(pool).tasks()}
        expected = expected or names
        found["other tasks"] += names != expected
        found["pools"] += 1
        found["tasks"] += len(names)
    return found


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--kills", type=int, default=50, help="how many kills (default 50)")
    parser.add_argument("command", nargs="*", help="after --: a command that works on {pool}")
    options = parser.parse_args()
    draw = random.Random(options.seed)
    with tempfile.TemporaryDirectory() as name:
        if options.command:
            found = killed_command(options.command, Path(name), options.kills, draw)
        else:
            found = two_writers(Path(name), options.kills, draw)
    print(table([*found], [[str(count) for count in found.values()]]))
    finish(options, {"kills": dict(found)})
    sys.exit(any(found[one] for one in (*BAD, "failed")))


if __name__ == "__main__":
    main()
