"""Seconds until ``otherminds view`` shows a large run: at the first opening, which indexes it, and at later ones.

``python benchmarks/view_large_run.py --folder FOLDER`` makes a run of ``--size`` episodes as ``benchmarks/million.py`` does, then starts
the command twice with the same cache, and asks for pages one after the other. Times are wall-clock seconds of a request, but for the
first four rows, which count from the start of the command.
"""

from __future__ import annotations

import os
import re
import sys
import time
import urllib.request
from pathlib import Path
from subprocess import PIPE, Popen
from tempfile import TemporaryDirectory
from urllib.parse import quote

from benchmarks.common import arguments, finish, show
from benchmarks.million import CELLS, MIB, STUDY, multiply

from otherminds.studies.plan import plan_file
from otherminds.studies.progress import ShownProgress
from otherminds.studies.run import run
from otherminds.studies.run_dir import holds_run
from otherminds.studies.run_overrides import RunOverrides

FIRST = "/runs/1/episodes"
PAGES = {
    "all runs": "/",
    "the run": "/runs/1",
    "episodes, first page": FIRST,
    "episodes, last page": f"{FIRST}?page=999999999",
    "highest rewards first": f"{FIRST}?order=reward&down=1",
    "highest rewards first, last page": f"{FIRST}?order=reward&down=1&page=999999999",
    "by partner": f"{FIRST}?order=partner",
    "one mind, by reward": f"{FIRST}?mind=rmax&order=reward",
    "one mind and partner, by reward": f"{FIRST}?mind=rmax&partner=tit_for_tat&order=reward",
    "rewards from 2 to 3": f"{FIRST}?least=2&most=3",
    "a search of all that it can": "/runs/1/search?text=" + quote("no such text"),
}


def main() -> None:
    """Prints a row for each page, with the first and the second opening."""
    parser = arguments(__doc__)
    parser.add_argument("--size", type=int, default=1_000_000)
    parser.add_argument("--folder", type=Path, help="where the run is kept; a temporary folder by default")
    options = parser.parse_args()
    with TemporaryDirectory() as temporary:
        folder: Path = options.folder or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        large = folder / f"large-{options.size}"
        if not holds_run(large):
            study = folder / "large.toml"
            study.write_text(STUDY, encoding="utf-8")
            run(plan_file(study, RunOverrides(episodes=100)), folder / "played", ShownProgress())
            multiply(folder / "played", study, options.size // CELLS, large)
        columns = [open_run(large, Path(temporary) / "cache") for _ in range(2)]
    rows = [
        [name, *(f"{column[name]:.2f}" if name in column else "" for column in columns)]
        for name in columns[0] | columns[1]
    ]
    show(f"{options.size:,} episodes", ("page", "first opening", "second opening"), rows)
    finish(
        options,
        {
            f"{name}, {when}": value
            for column, when in zip(columns, ("first", "second"), strict=True)
            for name, value in column.items()
        },
    )


def open_run(folder: Path, cache: Path) -> dict[str, float]:
    """Seconds by what was asked for, and the peak memory."""
    figures: dict[str, float] = {}
    began = time.monotonic()
    command = [sys.executable, "-m", "otherminds", "view", str(folder)]
    with Popen(
        command, stdout=PIPE, text=True, env={**os.environ, "OTHERMINDS_CACHE": str(cache)}
    ) as process:
        assert process.stdout is not None
        base = process.stdout.readline().strip().rstrip("/")
        ask(base + FIRST)
        figures["start to the first page of episodes"] = time.monotonic() - began
        figures["first page, CPU seconds"] = spent(process.pid)
        while "still being read" in ask(base + FIRST)[1]:
            time.sleep(0.5)
        figures["start to all episodes listed"] = time.monotonic() - began
        figures["all listed, CPU seconds"] = spent(process.pid)
        for name, path in PAGES.items():
            figures[name], page = ask(base + path)
            if name == "highest rewards first, last page":
                episode = re.findall(r"/runs/1/episodes/([0-9a-f]{16})", page)[-1]
                figures["the last of these episodes"] = ask(f"{base}{FIRST}/{episode}")[0]
        status = Path(f"/proc/{process.pid}/status").read_text(encoding="utf-8")
        figures["peak MiB"] = int(re.findall(r"VmHWM:\s+(\d+)", status)[0]) / MIB
        process.terminate()
    return figures


def spent(process: int) -> float:
    """The processor seconds of a process so far."""
    fields = Path(f"/proc/{process}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    return sum(map(int, fields[11:13])) / os.sysconf("SC_CLK_TCK")


def ask(address: str) -> tuple[float, str]:
    """The seconds that a page took, and the page."""
    began = time.monotonic()
    with urllib.request.urlopen(address, timeout=120) as answer:
        page = answer.read().decode()
    return time.monotonic() - began, page


if __name__ == "__main__":
    main()
