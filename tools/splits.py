"""Makes the three splits of generated household tasks anew: ``python tools/splits.py runs/splits``.

Each split is a pool in a folder of its own, filled by several processes; no two splits share the structure of a task. A run
that was stopped goes on where it was, with the same command. At the end each split is packed beside its folder.
``--pack src/otherminds/worlds/household/pool/shipped`` replaces the splits that are included.
"""

from __future__ import annotations

import argparse
import os
from pathlib import Path

from otherminds.cli.household.generating import generate
from otherminds.worlds.household.generating.candidate import candidate
from otherminds.worlds.household.generating.composition import SPLITS
from otherminds.worlds.household.generating.wanted import Wanted
from otherminds.worlds.household.pool.splits import pool_called
from otherminds.worlds.household.pool.store import PACKED, pack

ATTEMPTS = 2000
"""Seeds that are rejected in a row before a task is given up: few houses have room for some kinds of tasks."""


def make_splits(out: Path, seed: int, tasks: int, processes: int, packed: Path) -> None:
    """Generates each split, of ``tasks`` tasks or, if that is 0, of as many as it has, and packs it.

    Raises:
        StudyError: a folder or file cannot be written, or belongs to other settings.
        typer.Exit: with code 1, after Ctrl-C, or if tasks were given up.
    """
    done: list[str] = []
    for name in SPLITS:
        generate(out / name, candidate, Wanted(), name, tasks, seed, processes, ATTEMPTS, done)
        pack(pool_called(str(out / name)), packed / f"{name}{PACKED}")
        done.append(str(out / name))


def main() -> None:
    """Reads the arguments."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition(":")[0])
    parser.add_argument("out", type=Path, help="the folder of the three pools")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--tasks", type=int, default=0, help="tasks of each split, for a trial")
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1)
    parser.add_argument(
        "--pack", type=Path, help="the folder of the packed splits; by default that of the pools"
    )
    given = parser.parse_args()
    make_splits(given.out, given.seed, given.tasks, given.processes, given.pack or given.out)


if __name__ == "__main__":
    main()
