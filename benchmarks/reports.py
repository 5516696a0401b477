"""Processor seconds of reports and replay pages: ``python benchmarks/reports.py RUN... [--against SOURCE]``.

Each RUN is the output folder of a study. Every command is a process of its own, so that imports count; the
figure is the least of some rounds in user and system time. With ``--against``, the folder ``src`` of another
checkout, both versions take turns, so that other work on the machine slows both alike.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

COMMANDS = {
    "report": ("report", "{run}"),
    "report, page": ("report", "{run}", "--page"),
    "replay, page": ("replay", "{run}", "{episode}", "--page", "{page}"),
}


def seconds(command: list[str], source: Path) -> float:
    """User and system time of one process of the version in ``source``."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    environment = {**os.environ, "PYTHONPATH": str(source)}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    done = subprocess.run(
        [sys.executable, "-m", "otherminds", *command], env=environment, capture_output=True, check=False
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode:
        return float("nan")
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    """Prints a row for each run and command."""
    parser = argparse.ArgumentParser(description="Processor seconds of reports and replay pages.")
    parser.add_argument("runs", nargs="+", type=Path)
    parser.add_argument("--against", type=Path, help="the folder src of another checkout")
    parser.add_argument("--episode", default="35", help="the number of the episode that is replayed")
    parser.add_argument("--times", type=int, default=3, help="rounds, of which the least figure counts")
    given = parser.parse_args()
    here = Path(__file__).parents[1] / "src"
    sources = [*([given.against] if given.against else []), here]
    heads = ["before", "after"] if given.against else ["CPU s"]
    print(f"| run | command | {' | '.join(heads)} |")
    print(f"|---|---|{'---:|' * len(heads)}")
    with tempfile.TemporaryDirectory() as folder:
        for run in given.runs:
            for name, words in COMMANDS.items():
                page = Path(folder) / "page.html"
                command = [word.format(run=run, episode=given.episode, page=page) for word in words]
                rounds = [[seconds(command, source) for source in sources] for _ in range(given.times)]
                least = [min(column) for column in zip(*rounds, strict=True)]
                print(f"| {run.name} | {name} | {' | '.join(f'{one:.1f}' for one in least)} |", flush=True)


if __name__ == "__main__":
    main()
