"""The same episodes again: in other processes, in another order, after a kill, and from their records alone."""

from __future__ import annotations

import hashlib
import json
import sys
from collections import Counter
from itertools import cycle
from pathlib import Path
from random import Random
from time import monotonic, sleep

from otherminds.api.playing import play
from otherminds.core.encoding import encode
from otherminds.selfcheck.programs import LONGEST, call, call_program, start, write_study
from otherminds.studies.run_dir import digest_of
from otherminds.studies.store import Store
from otherminds.testing.compare import promise

SEEDS = 1000
PLAYED = (
    ("rps-mixed-v1", "random", 20),
    ("ipd-mixed-v1", "bayes", 20),
    ("ibs-mixed-v1", "rmax", 20),
    ("ipd-noisy_tit_for_tat-v1", "fictitious_play", 20),
    ("rps-mixed-v1", "qa@scripted:uniform", 5),
)
"""Scenarios, minds and rounds, which the seeds take in turns."""
SELDOM = (
    ("household-cabinet_confirmation-v1", "random"),
    ("rws-repeated-0-v1", "random"),
    ("cooking-asymmetric-0-v1", "random"),
)
"""Those of which an episode takes longer."""
EACH = 2
"""How many seeds each of these has."""
PLACES = ("1", "2")
"""The ``PYTHONHASHSEED`` of two further processes."""


def replay_seeds(folder: Path) -> str:
    """Plays the same seeds in three processes, and compares the hashes of the records."""
    here = hash_records(0, SEEDS, EACH)
    script = "import sys; from otherminds.selfcheck import repeating; repeating.print_hashes(*map(int, sys.argv[1:]))"
    for place in PLACES:
        done = call_program(
            [sys.executable, "-c", script, place, str(SEEDS), str(EACH)], {"PYTHONHASHSEED": place}
        )
        promise(done.returncode == 0, "the seeds are played in another process", done.stderr[-300:])
        there = json.loads(done.stdout)
        other = [seed for seed, value in here.items() if there[seed] != value]
        promise(
            not other,
            "equal records in every process and order",
            f"with PYTHONHASHSEED={place} {len(other)} of {len(here)} differ, first {other[:1]}",
        )
    return f"{len(here):,} seeds, {1 + len(PLACES)} processes and orders: 0 records differ"


def hash_records(order: int, seeds: int, each: int) -> dict[str, str]:
    """The hash of each episode's record, by scenario and seed; of those in :data:`SELDOM`, ``each`` has so many of the seeds.

    ``order`` shuffles the episodes; 0 leaves them as they are.
    """
    often = [
        (*pairing, seed)
        for pairing, seed in zip(cycle(PLAYED), range(seeds - len(SELDOM) * each), strict=False)
    ]
    seldom = [(*pairing, 0, seed) for seed in range(each) for pairing in SELDOM]
    episodes = [*often, *seldom]
    if order:
        Random(order).shuffle(episodes)
    return {
        f"{scenario} {seed}": hashlib.sha256(
            encode(play(scenario, mind, seed=seed, options={"rounds": rounds} if rounds else None))
        ).hexdigest()
        for scenario, mind, rounds, seed in episodes
    }


def print_hashes(order: int, seeds: int, each: int) -> None:
    """Prints what :func:`hash_records` returns, as JSON."""
    print(json.dumps(hash_records(order, seeds, each)))


EPISODES = 100
"""The episodes of each scenario and mind of the run that is killed."""
KILLS = 3
"""The kills of the run."""


def kill_and_resume(folder: Path) -> str:
    """Kills a run several times, resumes it, and compares its records with those of a run that goes through."""
    study = write_study(folder / "study.toml", ("rps-mixed-v1", "ipd-mixed-v1"), ("bayes", "rmax"), EPISODES)
    done = call("run", study, "--out", folder / "whole")
    promise(done.returncode == 0, "a study is played", done.stderr[-300:])
    digest, end = digest_of(folder / "whole"), _size(folder / "whole")
    rng, out, kills, amid = Random(0), folder / "killed", 0, 0
    for fraction in sorted(rng.uniform(0.02, 0.9) for _ in range(KILLS)):
        process, until = start("run", study, "--out", out), monotonic() + LONGEST
        while process.poll() is None and _size(out) < fraction * end and monotonic() < until:
            sleep(0.002)
        kills += process.poll() is None
        process.kill()
        process.wait()
        amid += 0 < _size(out) < end
    done = call("run", study, "--out", out)
    promise(done.returncode == 0, "the same command resumes", done.stderr[-300:])
    times = Counter(line.episode for line in Store(out).lines())
    twice = sum(n > 1 for n in times.values())
    promise(not twice, "no episode is recorded twice", f"{twice} were")
    promise(digest_of(out) == digest, "equal records with and without kills", "their digests differ")
    promise(kills > 0, "a kill meets a run", "each run had ended before it")
    return f"{kills} kills, {amid} of them amid records, {len(times)} episodes: 0 lost, 0 twice, 0 differ"


def _size(folder: Path) -> int:
    return sum(file.stat().st_size for file in (folder / "records").glob("*"))


def report_again(folder: Path) -> str:
    """Makes the report of a study three times."""
    out = folder / "out"
    study = write_study(folder / "study.toml", ("rps-mixed-v1",), ("bayes", "uniform", "mirror"), 24)
    done = call("run", study, "--out", out)
    promise(done.returncode == 0, "a study is played", done.stderr[-300:])
    reports = [_report(out, place) for place in ("1", "2")]
    for file in (out / "records").glob("*.jsonl"):
        file.write_bytes(b"".join(reversed(file.read_bytes().splitlines(keepends=True))))
    for file in out.glob("ledger*"):
        file.unlink()
    reports.append(_report(out, "3"))
    promise(len({*reports}) == 1, "three equal reports", f"{len({*reports})} different ones")
    kinds = [verdict["kind"] for verdict in json.loads(reports[0])["verdicts"]]
    promise(len(kinds) == 3, "a verdict for each mind", f"{kinds}")
    return f"3 reports of {len(reports[0]):,} bytes with {len(kinds)} verdicts: equal"


def _report(folder: Path, place: str) -> str:
    done = call("report", folder, "--json", env={"PYTHONHASHSEED": place})
    promise(done.returncode == 0, "a report is made", done.stderr[-300:])
    return done.stdout
