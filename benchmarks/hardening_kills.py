"""Power cuts: whatever of the last writes reached the disk, the run goes on with nothing lost.

A study with a counting model is played, and its folder is copied before every ``fsync``: what that call was to
make durable, and only that, may still be missing. Each cut takes one of these copies, keeps a random part of the file
in question (or zeros in place of its end), gives the databases, which are synced more rarely, the state of an earlier
moment, a torn write-ahead log or no file at all, and resumes. Nothing that was durable may be lost, no episode may
be there twice, and the records must equal those of an undisturbed run. ``resume.py`` and ``resume_calls.py`` have
the kills. Prints Markdown.
"""

from __future__ import annotations

import os
import random
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from unittest.mock import patch

from common import arguments, finish
from tables import table

sys.path.insert(0, str(Path(__file__).parents[1]))  # for the counting model, which the tests have too

from tests.studies import storage

from otherminds.core.record import EpisodeSpec, Outcome
from otherminds.core.shards import lines_in, shards_in
from otherminds.studies import store
from otherminds.studies.plan import StudyPlan, plan_file
from otherminds.studies.run import run
from otherminds.studies.run_dir import results

DATABASES = ("ledger.sqlite", "calls.sqlite")


class Quiet:
    """Progress that nobody sees."""

    def start(self, planned: int, done: int) -> None: ...
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
    for line in lines_in(shards_in(out / "records")):
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


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--cuts", type=int, default=1000, help="how many power cuts (default 1000)")
    options = parser.parse_args()
    rng = random.Random(options.seed)
    rows: list[list[str]] = []
    total: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as name, storage.served() as service:
        study = Path(name) / "storage.toml"
        study.write_text(storage.STUDY, encoding="utf-8")
        for shard in (store.SHARD, 10_000):
            folder = Path(name) / str(shard)
            with patch.object(store, "SHARD", shard):
                found = cuts(plan_file(study), folder, service, options.cuts // 2, rng)
            rows.append([f"{shard:,}", *(str(found[head]) for head in found)])
            total.update(found)
    print(table(["bytes of a shard", *total], rows))
    finish(options, dict(total))
    bad = (
        "episodes lost",
        "episodes twice",
        "runs with other records",
        "calls of finished episodes billed twice",
    )
    sys.exit(any(total[one] for one in bad))


if __name__ == "__main__":
    main()
