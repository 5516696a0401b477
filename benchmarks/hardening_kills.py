"""Power cuts and kills: whatever of the last writes reached the disk, the run goes on with nothing lost.

A study with a counting model is played, and its folder is copied before every ``fsync``: what that call was to
make durable, and only that, may still be missing. Each cut takes one of these copies, keeps a random part of the file
in question (or zeros in place of its end), gives the databases, which are synced more rarely, the state of an earlier
moment, a torn write-ahead log or no file at all, and resumes. Nothing that was durable may be lost, no episode may
be there twice, and the records must equal those of an undisturbed run. Then forked runs are killed with SIGKILL at
random moments; ``resume.py`` and ``resume_calls.py`` kill the command itself, over a server. Prints Markdown.
"""

from __future__ import annotations

import asyncio
import os
import random
import shutil
import signal
import sys
import tempfile
import traceback
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from time import monotonic, sleep
from unittest.mock import patch

from common import arguments, finish
from tables import table

sys.path.insert(0, str(Path(__file__).parents[1]))  # for the counting model, which the tests have too

from tests.studies import storage

from otherminds.core.data import Message
from otherminds.core.model import Completion, Decoding
from otherminds.core.record import EpisodeSpec, Outcome
from otherminds.core.segments import lines_in, segments_in
from otherminds.models.registry import models
from otherminds.studies import store
from otherminds.studies.plan import StudyPlan, plan_file
from otherminds.studies.run import run
from otherminds.studies.run_dir import results

LATENCY = 0.005
"""Seconds that an answer takes in a process that is killed."""
DATABASES = ("ledger.sqlite", "calls.sqlite")


class Quiet:
    """Progress that nobody sees."""

    def start(self, planned: int, done: int, asked: int) -> None: ...
    def advance(self, spec: EpisodeSpec, outcome: Outcome) -> None: ...
    def say(self, text: str) -> None: ...


@dataclass(frozen=True)
class Moment:
    """The folder just before ``file`` is made durable beyond ``synced`` bytes; ``file`` is a folder after a rename."""

    folder: Path
    file: Path
    synced: int


@contextmanager
def watched(out: Path, copies: Path) -> Iterator[list[Moment]]:
    """Copies ``out`` before every ``fsync`` of something in it."""
    moments: list[Moment] = []
    synced: Counter[Path] = Counter()
    sync = os.fsync

    def watch(handle: int) -> None:
        path = Path(os.readlink(f"/proc/self/fd/{handle}"))
        if path.is_relative_to(out):
            copy = copies / str(len(moments))
            shutil.copytree(out, copy)
            moments.append(Moment(copy, path.relative_to(out), synced[path]))
            synced[path] = path.stat().st_size
        sync(handle)

    with patch.object(os, "fsync", watch):
        yield moments


def cut(moments: list[Moment], n: int, out: Path, rng: random.Random) -> dict[str, list[str]]:
    """Makes ``out`` the folder after a power cut at moment ``n``. Returns the episodes that were durable."""
    moment = moments[n]
    shutil.rmtree(out, ignore_errors=True)
    shutil.copytree(moment.folder, out)
    file = out / moment.file
    if file.is_file():
        content = file.read_bytes()
        kept = rng.randint(moment.synced, len(content))
        zeros = rng.choice((0, 0, len(content) - kept))
        file.write_bytes(content[: moment.synced])
        durable = stored(out)
        file.write_bytes(content[:kept] + bytes(zeros))
    else:
        durable = stored(out)
    for name in DATABASES:
        earlier = moments[rng.randint(0, n)].folder
        how = rng.choice(("as it was", "earlier", "torn", "none"))
        if how == "as it was":
            continue
        for path in out.glob(f"{name}*"):
            path.unlink()
        if how != "none":
            for path in earlier.glob(f"{name}*"):
                if not path.name.endswith("-shm"):
                    shutil.copy(path, out)
        log = out / f"{name}-wal"
        if how == "torn" and log.exists():
            os.truncate(log, rng.randint(0, log.stat().st_size))
    return durable


def stored(out: Path) -> dict[str, list[str]]:
    """The hashes on disk of each episode."""
    found: dict[str, list[str]] = {}
    for line in lines_in(segments_in(out / "records")):
        found.setdefault(line.episode, []).append(line.hash)
    return found


def cuts(
    plan: StudyPlan, folder: Path, service: storage.Service, number: int, rng: random.Random
) -> Counter[str]:
    """Makes ``number`` cuts, resumes after each, and counts what became of the run."""
    whole, out = folder / "whole", folder / "cut"
    with watched(whole, folder) as moments:
        run(plan, whole, Quiet())
    expected = stored(whole)
    calls = {record.spec.hash: [call.config["seed"] for call in record.calls] for record in results(whole)[1]}
    found: Counter[str] = Counter({"moments": len(moments), "cuts": number})
    for n in range(number):
        durable = cut(moments, n % len(moments), out, rng)
        service.asked.clear()
        run(plan, out, Quiet())
        after = stored(out)
        found["episodes lost"] += sum(after.get(name) != hashes for name, hashes in durable.items())
        found["episodes twice"] += sum(len(hashes) > 1 for hashes in after.values())
        found["runs with other records"] += after != expected
        found["calls of finished episodes billed twice"] += sum(
            service.asked[seed] for name in durable for seed in calls[name]
        )
        found["episodes that were durable"] += len(durable)
    return found


class Logged(storage.Service):
    """The model in a process that will be killed: what it answered is in a file."""

    def __init__(self, log: Path) -> None:
        super().__init__()
        self._log = os.open(log, os.O_WRONLY | os.O_APPEND | os.O_CREAT)

    async def generate(self, messages: Sequence[Message], decoding: Decoding) -> Completion:
        await asyncio.sleep(LATENCY)
        answer = await super().generate(messages, decoding)
        os.write(self._log, b"%d\n" % decoding.seed)
        return answer


def kills(plan: StudyPlan, folder: Path, number: int, rng: random.Random) -> Counter[str]:
    """Kills forked runs with SIGKILL at random moments, ``number`` times in all, each run until it is finished."""
    folder.mkdir()
    found: Counter[str] = Counter({"kills": number})
    expected: dict[str, list[str]] = {}
    calls: dict[str, list[int]] = {}
    longest, left = 0.0, number
    while left or not expected:
        out, log = folder / str(found["runs"]), folder / f"{found['runs']}.log"
        durable: dict[str, list[str]] = {}
        answered: list[int] = []
        while True:
            start = monotonic()
            child = os.fork()
            if child == 0:
                # Whatever happens, the child ends here: it must neither clean up the parent's folder nor go on as it.
                try:
                    models._known[storage.MODEL] = lambda rest, log=log: Logged(log)
                    run(plan, out, Quiet())
                    os._exit(0)
                finally:
                    traceback.print_exc()
                    os._exit(1)
            if expected and left:
                sleep(rng.uniform(0, longest))
                os.kill(child, signal.SIGKILL)
                left -= 1
            _, status = os.waitpid(child, 0)
            if os.WIFEXITED(status) and os.WEXITSTATUS(status):
                sys.exit(f"a run failed after {number - left} kills: its error is above")
            longest = longest or monotonic() - start
            after = stored(out) if (out / "study.json").exists() else {}
            found["episodes lost"] += sum(after.get(name) != hashes for name, hashes in durable.items())
            found["episodes twice"] += sum(len(hashes) > 1 for hashes in after.values())
            new = [int(seed) for seed in log.read_text().split()][len(answered) :] if log.exists() else []
            again = set(new) & set(answered)
            found["most calls again after one kill"] = max(
                found["most calls again after one kill"], len(again)
            )
            found["calls of finished episodes billed twice"] += sum(
                seed in again for name in durable for seed in calls[name]
            )
            answered += new
            durable = after
            if status == 0:
                break
        if not expected:
            expected = durable
            calls = {one.spec.hash: [call.config["seed"] for call in one.calls] for one in results(out)[1]}
        found["runs"] += 1
        found["runs with other records"] += durable != expected
    return found


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--cuts", type=int, default=1000, help="how many power cuts (default 1000)")
    parser.add_argument("--kills", type=int, default=100, help="how many kills (default 100)")
    options = parser.parse_args()
    rng = random.Random(options.seed)
    rows: list[list[str]] = []
    total: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as name, storage.served() as service:
        study = Path(name) / "storage.toml"
        study.write_text(storage.STUDY, encoding="utf-8")
        for segment in (store.SEGMENT, 10_000):
            folder = Path(name) / str(segment)
            with patch.object(store, "SEGMENT", segment):
                found = cuts(plan_file(study), folder, service, options.cuts // 2, rng)
            rows.append([f"{segment:,}", *(str(found[head]) for head in found)])
            total.update(found)
        killed = kills(plan_file(study), Path(name) / "kills", options.kills, rng)
    print(table(["bytes of a segment", *total], rows))
    print(table([*killed], [[str(number) for number in killed.values()]]))
    finish(options, {"cuts": dict(total), "kills": dict(killed)})
    bad = (
        "episodes lost",
        "episodes twice",
        "runs with other records",
        "calls of finished episodes billed twice",
    )
    many = killed["most calls again after one kill"] > storage.Service.concurrency
    sys.exit(many or any(total[one] + killed[one] for one in bad))


if __name__ == "__main__":
    main()
