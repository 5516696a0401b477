"""Makes the three splits of generated household tasks anew: ``python tools/splits.py runs/splits``.

Each split is a pool in a folder of its own, filled by several processes; no two splits share the structure of a task. A run
that was stopped goes on where it was, with the same command. At the end each split is packed beside its folder.
``--pack src/otherminds/household/pool/shipped`` replaces the splits that are included.

``--sample 15`` tries the seeds of each 15th task again, those that were rejected too, says which tasks are not the included
ones, and prints the processor time of a kept task. ``--renew`` verifies the included tasks again, packs the same tasks with
new entries, and says which parts of entries differ.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import cache, partial
from pathlib import Path
from typing import NamedTuple

import msgspec
from msgspec import structs

from otherminds.household.cli.filling import generate
from otherminds.household.generating.candidate import SECONDS, candidate
from otherminds.household.generating.pooling import slots_of
from otherminds.household.generating.properties import SPLITS, TaskProperties, composition
from otherminds.household.house import House
from otherminds.household.pool.store import PACKED, PooledTask, PoolEntry, digest_bytes, pack, pool_called
from otherminds.household.proofs.episodes import cheap_solvers
from otherminds.household.proofs.verdicts import verified
from otherminds.household.scenes.load import load_scene

ATTEMPTS = 2000
"""Seeds that are rejected in a row before a task is given up: few houses have room for some kinds of tasks."""


class KeptSeed(NamedTuple):
    """The entry of an included task, what was wanted, and the seeds that were rejected before its own one."""

    entry: PoolEntry
    wanted: TaskProperties
    before: tuple[int, ...]


class Retrial(NamedTuple):
    """The task of a kept seed, ``None`` if it is rejected now, and the check that does; other seeds that are kept now.

    ``seconds`` are of processor time, for all seeds.
    """

    entry: PoolEntry
    pooled: PooledTask | None
    rejected: str
    others: tuple[int, ...]
    seconds: float

    @property
    def same(self) -> bool:
        """Whether the task is the included one; what its entry says of it may differ."""
        return self.pooled is not None and self.pooled.entry.sha256 == self.entry.sha256


def make_splits(out: Path, seed: int, tasks: int, processes: int, packed: Path) -> None:
    """Generates each split, of ``tasks`` tasks or, if that is 0, of as many as it has, and packs it.

    Raises:
        StudyError: a folder or file cannot be written, or belongs to other settings.
        typer.Exit: with code 1, after Ctrl-C, or if tasks were given up.
    """
    done: list[str] = []
    for name in SPLITS:
        generate(out / name, candidate, TaskProperties(), name, tasks, seed, processes, ATTEMPTS, done)
        pack(pool_called(str(out / name)), packed / f"{name}{PACKED}")
        done.append(str(out / name))


def kept_seeds(name: str, seed: int) -> Iterator[KeptSeed]:
    """The seeds of the tasks of an included split, in its order."""
    slots = slots_of(composition(SPLITS[name].tasks, SPLITS[name].hard), name, seed)
    for slot, pooled in zip(slots, pool_called(name), strict=True):
        tried: list[int] = []
        while (one := slot.seed(len(tried))) != pooled.entry.seed:
            tried.append(one)
            if len(tried) > ATTEMPTS:
                raise SystemExit(f"{pooled.entry.task_id}: {name} was made with another --seed")
        yield KeptSeed(pooled.entry, slot.wanted, tuple(tried))


def try_again(kept: KeptSeed) -> Retrial:
    """What becomes of a kept seed now, and of those before it."""
    found = [candidate(seed, kept.wanted) for seed in (*kept.before, kept.entry.seed)]
    others = tuple(one.seed for one in found[:-1] if one.pooled)
    seconds = sum(sum(one.seconds.values()) for one in found)
    return Retrial(kept.entry, found[-1].pooled, found[-1].rejected, others, seconds)


def say_again(name: str, trials: Sequence[Retrial]) -> bool:
    """Prints which tasks of a split differ, and the processor time of a kept one by pattern; whether none differs."""
    for one in trials:
        if not one.same:
            print(
                f"{name}: {one.entry.task_id} is {(one.rejected and f'rejected: {one.rejected}') or 'another'}"
            )
        for seed in one.others:
            print(f"{name}: {seed} is kept too: a duplicate, or a cheap team has its share")
    entries = sum(one.pooled is not None and one.pooled.entry == one.entry for one in trials)
    print(
        f"{name}: {sum(one.same for one in trials)} of {len(trials)} tasks are the same, {entries} with their entries"
    )
    times = defaultdict[str, list[float]](list)
    for one in trials:
        times["all"].append(one.seconds)
        times[one.entry.pattern].append(one.seconds)
    each = ", ".join(
        f"{about} {sum(some) / len(some):.2f} ({len(some)})" for about, some in sorted(times.items())
    )
    print(f"{name}: s of processor time a kept task: {each}", flush=True)
    return all(one.same for one in trials)


def sample(names: Sequence[str], seed: int, every: int, processes: int) -> bool:
    """Tries the seeds of each ``every``-th task of included splits again; whether no task differs."""
    same = True
    for name in names:
        with ProcessPoolExecutor(processes) as pool:
            trials = [*pool.map(try_again, [*kept_seeds(name, seed)][::every])]
        same &= say_again(name, trials)
    return same


@cache
def included(name: str) -> tuple[PooledTask, ...]:
    """The tasks of a split, as each process reads them: certificates of tasks from another process have other digests."""
    return pool_called(name)


def verify_again(name: str, number: int) -> PoolEntry:
    """The entry of a task of a split by its number, with what is proved of the task and solves it now."""
    entry, task = included(name)[number].entry, included(name)[number].task
    assert task.calibration is not None, task.task_id
    house = House(task, load_scene(task.scene_id))
    solvers = cheap_solvers(house, task.calibration.turns)
    found = verified(house, SECONDS, solvers)
    return structs.replace(
        entry,
        verdicts=found.verdicts,
        levels=found.levels,
        certificate=digest_bytes(msgspec.json.encode(found.certificate)),
        cheap=dict(solvers),
    )


def differing(old: PoolEntry, new: PoolEntry) -> Iterator[str]:
    """The parts of two entries that differ, and of verdicts their names."""
    for name in old.__struct_fields__:
        one, other = getattr(old, name), getattr(new, name)
        if name == "verdicts" and [v.name for v in one] == [v.name for v in other]:
            yield from (f"verdict {v.name}" for v, w in zip(one, other, strict=True) if v != w)
        elif one != other:
            yield name


def renew(names: Sequence[str], processes: int, packed: Path) -> None:
    """Verifies the tasks of included splits again, and packs them with their new entries."""
    for name in names:
        old = included(name)
        with ProcessPoolExecutor(processes) as pool:
            entries = [*pool.map(partial(verify_again, name), range(len(old)))]
        new = [PooledTask(entry, one.task) for one, entry in zip(old, entries, strict=True)]
        changed = Counter(
            part for one, entry in zip(old, entries, strict=True) for part in differing(one.entry, entry)
        )
        print(f"{name}: of {len(new)} entries differ: {dict(changed)}", flush=True)
        pack(new, packed / f"{name}{PACKED}")


def main() -> int:
    """Reads the arguments; 1 if a task differs."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition(":")[0])
    parser.add_argument(
        "out", type=Path, help="the folder of the three pools, or of the packed splits with --renew"
    )
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--tasks", type=int, default=0, help="tasks of each split, for a trial")
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1)
    parser.add_argument(
        "--pack", type=Path, help="the folder of the packed splits; by default that of the pools"
    )
    again = parser.add_mutually_exclusive_group()
    again.add_argument("--sample", type=int, default=0, help="try the seeds of each k-th included task again")
    again.add_argument("--renew", action="store_true", help="pack the included tasks with new entries")
    parser.add_argument(
        "--splits", nargs="+", choices=[*SPLITS], default=[*SPLITS], help="of --sample and --renew"
    )
    given = parser.parse_args()
    packed = given.pack or given.out
    if given.sample:
        return not sample(given.splits, given.seed, given.sample, given.processes)
    if given.renew:
        renew(given.splits, given.processes, packed)
        return 0
    make_splits(given.out, given.seed, given.tasks, given.processes, packed)
    return 0


if __name__ == "__main__":
    sys.exit(main())
