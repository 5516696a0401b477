"""Peak memory and processor time of reports, lists and exports by the number of episodes.

``python benchmarks/million.py --sizes 10000 100000 --folder FOLDER``. Four tabular minds play four scenarios for five
rounds with :func:`otherminds.studies.run.run`, ``--played`` episodes in all. The records of larger sizes are these
episodes with other seeds: their games are not new, their sizes, hashes and files are those of any run. Each
command is a process of its own.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from itertools import cycle, islice
from pathlib import Path
from subprocess import DEVNULL, Popen
from tempfile import TemporaryDirectory

from benchmarks.common import arguments, finish, show
from msgspec.structs import replace

from otherminds.core.encoding import encode
from otherminds.core.record import EpisodeSpec, Timing
from otherminds.studies.plan import plan_file
from otherminds.studies.progress import ShownProgress
from otherminds.studies.run import run
from otherminds.studies.run_dir import claim, holds_run, results
from otherminds.studies.run_overrides import RunOverrides
from otherminds.studies.store import Store, line_of

STUDY = """
name = "million"
episodes = 10
rounds = 5
[[cells]]
scenarios = ["rps-mixed-v1", "ipd-mixed-v1", "rps-single-v1", "ipd-single-v1"]
minds = ["uniform", "nash", "blind", "rmax"]
"""
CELLS = 16
BATCH = 1000
COMMANDS = {
    "report": ("report", "{run}"),
    "report, page": ("report", "{run}", "--page"),
    "episodes": ("episodes", "{run}"),
    "episodes, the 20 lowest scores": ("episodes", "{run}", "--sort", "score", "--limit", "20"),
    "export": ("export", "{run}", "--out", "{run}.parquet"),
}
MIB = 1024


def main() -> None:
    """Prints a row for each size and command."""
    parser = arguments(__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=[10_000, 100_000, 1_000_000])
    parser.add_argument("--played", type=int, default=1600, help="episodes that are really played")
    parser.add_argument("--folder", type=Path, help="where the runs are kept; a temporary folder by default")
    options = parser.parse_args()
    rows: list[list[object]] = []
    figures: dict[str, float] = {}
    with TemporaryDirectory() as temporary:
        folder: Path = options.folder or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        study = folder / "million.toml"
        study.write_text(STUDY, encoding="utf-8")
        played = folder / "played"
        run(plan_file(study, RunOverrides(episodes=options.played // CELLS)), played, ShownProgress())
        for size in options.sizes:
            made = folder / str(size)
            if not holds_run(made):
                multiply(played, study, size // CELLS, made)
            for name, words in COMMANDS.items():
                seconds, mebibytes = cost([word.format(run=made) for word in words])
                rows.append(
                    [f"{size:,}", name, f"{mebibytes:.0f}", f"{seconds:.1f}", f"{seconds / size * 1e3:.2f}"]
                )
                print(*rows[-1], sep="  ", flush=True)
                figures |= {f"{size} {name}: MiB": mebibytes, f"{size} {name}: s": seconds}
    show("by size", ("episodes", "command", "peak MiB", "CPU s", "ms an episode"), rows)
    finish(options, figures)


def multiply(played: Path, study: Path, episodes: int, folder: Path) -> None:
    """Makes a run of ``episodes`` a cell of the records of another, each under the seed of the plan."""
    known: dict[bytes, list[int]] = {}
    records = list(results(played)[1])
    for n, record in enumerate(records):
        known.setdefault(_group(record.spec), []).append(n)
    turns = {group: cycle(places) for group, places in known.items()}
    plan = plan_file(study, RunOverrides(episodes=episodes))
    claim(folder, plan)
    store = Store(folder)

    def lines() -> Iterator[bytes]:
        for spec in plan.episodes:
            yield line_of(replace(records[next(turns[_group(spec)])], spec=spec), Timing(0.001))

    left = lines()
    while some := list(islice(left, BATCH)):
        store.append(some)


def _group(spec: EpisodeSpec) -> bytes:
    """What is equal in episodes that differ in their seeds only."""
    return encode(replace(spec, seed=0))


def cost(words: list[str]) -> tuple[float, float]:
    """The processor seconds and the peak resident MiB of a command of the package."""
    child = Popen([sys.executable, "-m", "otherminds", *words], stdout=DEVNULL)
    _, status, used = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        raise SystemExit(f"otherminds {' '.join(words)}: exit code {child.returncode}")
    return used.ru_utime + used.ru_stime, used.ru_maxrss / MIB


if __name__ == "__main__":
    main()
