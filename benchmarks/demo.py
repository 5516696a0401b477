"""The demo, timed: processor time of all its processes, wall-clock time, and when its first table came.

``--write`` makes ``docs/results/demo.md`` from that run. The folder of the run is new, and the weights of
the model are downloaded before the clock starts: both belong to the set-up.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
from itertools import takewhile
from pathlib import Path
from time import monotonic

from common import arguments, finish, show

from otherminds.models.files import pull

PAGE = Path(__file__).parents[1] / "docs" / "results" / "demo.md"
OUT = "runs/demo"
PROCESSOR, TABLE = 180.0, 60.0
"""The most processor seconds, and the most seconds until the first table."""
TEXT = """# The demo

**{sentence}**

```sh
.venv/bin/python benchmarks/demo.py --write
```

This page is written by the command above from one run of `otherminds demo`, which is what `make demo` runs after the
installation. That run took {processor:.0f} s of processor time and {wall:.0f} s of wall-clock time on a machine with {cores}
cores, whose load average was {load:.1f} at the end; the first table was printed after {table:.0f} s. The language model has fewer and
shorter episodes than the other minds, and is asked by LM prompting only ([as the continuation of the history](../../benchmarks/results/continuation.md)).

The size of the model's part was chosen after a look at its first twelve episodes, so its verdict is no test by itself.
`examples/small_model.toml` repeats it with 24 episodes and seeds that had not been used: L = 0.68 [0.47, 0.89], unused
share 97 % [66, 100], "knows and does not use".

```text
{output}
```
"""


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--write", action="store_true", help="write docs/results/demo.md")
    options = parser.parse_args()
    pull()
    with tempfile.TemporaryDirectory() as folder:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        began = monotonic()
        lines, table = followed(Path(folder))
        wall = monotonic() - began
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        processor = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        load = os.getloadavg()[0]
        show(
            "otherminds demo, after the set-up",
            ["processor s", "wall-clock s", "first table after s", "cores", "load"],
            [[f"{processor:.0f}", f"{wall:.0f}", f"{table:.0f}", os.cpu_count(), f"{load:.1f}"]],
        )
        if options.write:
            start = max(i for i, line in enumerate(lines) if line.startswith("“"))
            sentence = " ".join(takewhile(str.strip, lines[start:]))
            figures = {"processor": processor, "wall": wall, "table": table, "load": load}
            text = TEXT.format(
                sentence=sentence, output="\n".join(lines).strip(), cores=os.cpu_count(), **figures
            )
            PAGE.write_text(text, encoding="utf-8")
    units = {"processor": processor, "wall_clock": wall, "first_table": table}
    finish(options, {name: {"value": value, "unit": "s"} for name, value in units.items()})
    if processor > PROCESSOR or table > TABLE:
        raise SystemExit(
            f"more than {PROCESSOR:.0f} processor seconds, or {TABLE:.0f} s until the first table"
        )


def followed(folder: Path) -> tuple[list[str], float]:
    """The lines that the demo prints in ``folder``, and the seconds until its first table was complete."""
    command = [sys.executable, "-m", "otherminds", "demo", "--out", OUT]
    began, table = monotonic(), float("inf")
    lines: list[str] = []
    with subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None, "it is a pipe"
        for line in process.stdout:
            lines.append(line.rstrip())
            print(lines[-1], flush=True)
            if line.startswith("mirror"):
                table = min(table, monotonic() - began)
    if process.returncode:
        raise SystemExit(process.returncode)
    return lines, table


if __name__ == "__main__":
    main()
