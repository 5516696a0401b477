"""What programs in the sandbox can hold of the memory, and what the sandbox costs honest ones, beside another state of the code.

``--part memory`` runs each program of ``tests/sandbox/holders.py`` with the default limits in a control group of
its own, whose peak has the memory of the kernel. It needs root and a memory control group (version 1 or 2), and ends each
program at 4 GiB. ``--part speed`` runs honest commands; both states take turns. ``--before`` is the ``src`` of the other state.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from statistics import median

from common import arguments, finish
from tables import table

sys.path.insert(0, str(Path(__file__).parent.parent))

from tests.sandbox.holders import HOLDERS

SOURCE = Path(__file__).resolve().parents[1] / "src"
MIB = 1 << 20
LIMIT, BOUND = 512 * MIB, 4096 * MIB
"""The default limit of memory, which the programs try to hold twice, and where the control group ends them."""
GROUPS = Path("/sys/fs/cgroup")
WORKER = """
import asyncio, json, os, sys, tempfile, time
from pathlib import Path
from otherminds.sandbox.kinds import CommandLimits
from otherminds.sandbox.kinds import Bubblewrap
from otherminds.sandbox.supervised import Supervised
for group in sys.argv[1:]:
    Path(group).write_text(str(os.getpid()))
sandbox = Supervised(Bubblewrap(), CommandLimits())
for line in sys.stdin:
    with tempfile.TemporaryDirectory() as place:
        before, start = os.times(), time.perf_counter()
        ran = asyncio.run(sandbox.run(json.loads(line), Path(place)))
        wall, after = time.perf_counter() - start, os.times()
    used = after.children_user + after.children_system - before.children_user - before.children_system
    print(json.dumps([wall * 1000, used * 1000, ran.code, ran.stdout, ran.stderr]), flush=True)
"""
HONEST = {
    "`true`": "true",
    "200 short processes": "for i in {1..200}; do /bin/true; done",
    "a pipeline of 12": "seq 300000 | cat | cat | cat | cat | cat | cat | cat | cat | cat | cat | tail -n 1",
    "`jq` on 2 MB": "seq 200000 | jq -s 'map(. * 2) | add'",
    "Python, 300 MiB": "python3 -c 'import time; block = b\"x\" * (300 << 20); time.sleep(0.2)'",
    "24 Pythons at once": "for i in {1..24}; do python3 -c 'import json; sum(range(300000))' & done; wait",
}


class Worker:
    """A process that runs commands in the sandbox of the code in ``source``, in a control group if one is given."""

    def __init__(self, source: Path, group: Path | None = None) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-c", WORKER, *([str(group / "cgroup.procs")] if group else [])],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=os.environ | {"PYTHONPATH": str(source)},
        )

    def __enter__(self) -> Callable[[str], tuple[float, float, int, str, str]]:
        return self.run

    def __exit__(self, *error: object) -> None:
        self._process.communicate()

    def run(self, command: str) -> tuple[float, float, int, str, str]:
        """Milliseconds of wall-clock and of processor time, the exit status and the outputs of a command."""
        assert self._process.stdin
        assert self._process.stdout
        self._process.stdin.write(json.dumps(command) + "\n")
        self._process.stdin.flush()
        wall, used, code, out, errors = json.loads(self._process.stdout.readline())
        return wall, used, code, out, errors


def measure_peak(source: Path, name: str) -> tuple[int, str]:
    """The peak of memory in bytes while a program runs that tries to hold twice the limit, and what stopped it."""
    first = (GROUPS / "cgroup.controllers").exists()
    group = (GROUPS if first else GROUPS / "memory") / f"otherminds-{os.getpid()}"
    most, peak = (
        ("memory.max", "memory.peak") if first else ("memory.limit_in_bytes", "memory.max_usage_in_bytes")
    )
    try:
        group.mkdir()
        (group / most).write_text(str(BOUND))
    except OSError as error:
        sys.exit(f"a memory control group cannot be made ({error}); run this as root where there is one")
    try:
        with Worker(source, group) as run:
            run("true")
            idle = int((group / peak).read_text())
            _, _, code, out, errors = run(HOLDERS[name].command(2 * LIMIT))
            used = int((group / peak).read_text()) - idle
    finally:
        group.rmdir()
    words = sorted({line.rpartition(" ")[0] for line in out.splitlines() if line})
    return used, errors.strip().rpartition("\n")[2] if code else "; ".join(words)


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--part", choices=("memory", "speed"), required=True)
    parser.add_argument("--before", type=Path, help="the folder src of another state of the code")
    parser.add_argument("--rounds", type=int, default=20, help="rounds of each honest command (default 20)")
    options = parser.parse_args()
    sources = {"before": options.before} if options.before else {}
    sources["now"] = SOURCE
    rows: list[list[str]] = []
    if options.part == "memory":
        heads = ["program", "what it holds", *(f"peak {state}, MiB" for state in sources), "stopped by"]
        for name, holder in HOLDERS.items():
            peaks = [measure_peak(source, name) for source in sources.values()]
            rows.append([name, holder.tried, *(f"{peak / MIB:.0f}" for peak, _ in peaks), peaks[-1][1]])
            print(rows[-1], file=sys.stderr)
    else:
        kinds = ("wall-clock", "processor")
        heads = [
            "command",
            *(f"{kind} {state}, ms" for kind in kinds for state in sources),
            *(f"{kind} ratio" for kind in kinds),
        ]
        with ExitStack() as stack:
            workers = [stack.enter_context(Worker(source)) for source in sources.values()]
            for title, command in HONEST.items():
                rounds = [[run(command)[:3] for run in workers] for _ in range(options.rounds)]
                assert not any(code for pair in rounds for _, _, code in pair), title
                columns = [[[times[kind] for times in pair] for pair in rounds] for kind in (0, 1)]
                rows.append(
                    [title]
                    + [f"{median(state):.0f}" for pairs in columns for state in zip(*pairs, strict=True)]
                    + [f"{median(pair[-1] / max(pair[0], 1) for pair in pairs):.2f}" for pairs in columns]
                )
    print(table(heads, rows))
    finish(options, {row[0]: row[1:] for row in rows})


if __name__ == "__main__":
    main()
