"""SIGKILL at random moments of the demo's tabular part: nothing is lost, nothing runs twice.

Runs the part undisturbed once; then runs it, kills it when its records have a random size between
that at its start and that of the undisturbed run, and runs it again until it is finished, so often that
``--kills`` kills were made. Every record that was on disk before a kill must be there after it, no episode may be there
twice, and the finished records must equal the undisturbed ones. *Amid* counts the kills that found
some but not all episodes on disk.
"""

from __future__ import annotations

import random
import shutil
import signal
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path
from time import sleep

from common import arguments, finish, show

from otherminds.studies.file import shipped
from otherminds.studies.store import Store

LONGEST = 3600


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--kills", type=int, default=20, help="how many kills to make (default 20)")
    options = parser.parse_args()
    rng = random.Random(options.seed)
    kills = amid = lost = twice = different = runs = 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        study = tabular_part(folder)
        subprocess.run(command(study, folder / "whole"), check=True, capture_output=True, timeout=LONGEST)
        whole, end = stored(folder / "whole"), size(folder / "whole")
        print(f"undisturbed: {len(whole)} episodes")
        while kills < options.kills:
            out = folder / f"killed_{runs}"
            runs += 1
            before: dict[str, list[str]] = {}
            after: dict[str, list[str]] = {}
            finished = False
            while not finished:
                process = subprocess.Popen(
                    command(study, out), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
                )
                killed = False
                if kills < options.kills and len(before) < len(whole):
                    wanted = rng.uniform(size(out), end)
                    while process.poll() is None and size(out) < wanted:
                        sleep(0.005)
                    if process.poll() is None:
                        process.send_signal(signal.SIGKILL)
                        killed = True
                process.wait(LONGEST)
                finished = process.returncode == 0
                after = stored(out)
                kills += killed
                amid += killed and 0 < len(after) < len(whole)
                lost += sum(episode not in after for episode in before)
                twice += sum(len(hashes) > 1 for hashes in after.values())
                print(f"kill {kills}: {len(after)} of {len(whole)} episodes on disk", flush=True)
                before = after
            different += sum(after.get(episode) != hashes for episode, hashes in whole.items())
            shutil.rmtree(out)
    figures = {
        "kills": kills,
        "amid": amid,
        "runs": runs,
        "lost": lost,
        "twice": twice,
        "different": different,
    }
    show("SIGKILL and resume", tuple(figures), [tuple(figures.values())])
    finish(options, figures)
    sys.exit(bool(lost or twice or different))


def tabular_part(folder: Path) -> Path:
    """The demo's first cells, which need no language model, as a study of their own."""
    text = shipped("demo").read_text(encoding="utf-8")
    head, cells, *_ = text.split("[[cells]]")
    part = folder / "tabular.toml"
    part.write_text(f"{head}[[cells]]{cells}", encoding="utf-8")
    minds = [mind for cell in tomllib.loads(part.read_text())["cells"] for mind in cell["minds"]]
    assert all(isinstance(mind, str) and "@" not in mind for mind in minds), "the first cells are tabular"
    return part


def command(study: Path, out: Path) -> list[str]:
    """The command line under test."""
    return [sys.executable, "-m", "otherminds", "run", str(study), "--out", str(out)]


def size(folder: Path) -> int:
    """Bytes of the records on disk."""
    return sum(file.stat().st_size for file in (folder / "records").glob("*"))


def stored(folder: Path) -> dict[str, list[str]]:
    """The body hashes on disk, by episode; a torn last line counts for nothing."""
    found: dict[str, list[str]] = {}
    for line in Store(folder).lines():
        found.setdefault(line.episode, []).append(line.hash)
    return found


if __name__ == "__main__":
    main()
