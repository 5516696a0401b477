"""The sandbox of authoring: what each attack gets, and what a command costs beside the same one without a sandbox.

The attacks are those of ``tests/sandbox/attacks.py``. Times are medians over rounds in which the sandbox and
a plain subprocess take turns; processor time is that of the children.
"""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Callable
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter

import msgspec
from common import arguments, finish

from otherminds.core.text import text_table
from otherminds.sandbox.kinds import Bubblewrap, CommandLimits, open_sandbox
from otherminds.sandbox.supervised import Supervised

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))


def attacks() -> list[tuple[str, str, str]]:
    """What each attack tried, and the exit status and first line that it got."""
    from tests.sandbox.attacks import ATTACKS
    from tests.sandbox.conftest import LIMITS
    from tests.sandbox.host import SECRET, filled, secrets_of

    os.environ["OTHERMINDS_API_KEY"] = SECRET
    rows: list[tuple[str, str, str]] = []
    for attack in ATTACKS:
        with TemporaryDirectory() as place, secrets_of(Path(place)) as names:
            folder = Path(place) / "workspace"
            folder.mkdir()
            sandbox = Supervised(Bubblewrap(), msgspec.structs.replace(LIMITS, seconds=attack.seconds))
            for text in filter(None, (attack.command, attack.then)):
                ran = asyncio.run(sandbox.run(filled(text, names), folder))
                leaked = SECRET in ran.stdout + ran.stderr
            shown = [
                line for line in (*ran.stderr.splitlines(), *ran.stdout.splitlines()) if line.strip("\0")
            ]
            last = shown[-1].replace(place, "...") if attack.command.startswith("python3") and shown else ""
            first = last or (shown[0].replace(place, "...") if shown else "")
            told = "".join(char for char in first if char.isprintable())[:70]
            rows.append((attack.name, attack.tried, f"{'LEAKED ' * leaked}{ran.code}: {told}"))
    return rows


def timed(run: Callable[[], object]) -> tuple[float, float]:
    """Milliseconds of wall-clock time and of the processor time of children."""
    before, start = os.times(), perf_counter()
    run()
    wall, after = perf_counter() - start, os.times()
    used = after.children_user + after.children_system - before.children_user - before.children_system
    return wall * 1000, used * 1000


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--rounds", type=int, default=60, help="rounds of each command (default 60)")
    options = parser.parse_args()
    open_sandbox("bubblewrap")
    print(text_table(("attack", "tried", "exit status: what it was told"), attacks()))
    sandboxes = {
        "bubblewrap": Supervised(Bubblewrap(), CommandLimits()),
        "plain": open_sandbox("unsafe-local"),
    }
    rows: list[tuple[str, ...]] = []
    for name, command, files in (
        ("`true`, an empty workspace", "true", 0),
        ("`jq` on a task, 30 files of 8 kB", "jq -c .a task.json", 30),
        ("`python3 -c pass`", "python3 -c pass", 0),
    ):
        taken: dict[str, list[tuple[float, float]]] = {kind: [] for kind in sandboxes}
        with TemporaryDirectory() as place:
            for number in range(files):
                (Path(place) / f"{number}.json").write_bytes(b"x" * 8000)
            (Path(place) / "task.json").write_text('{"a": 1}')
            for _ in range(options.rounds):
                for kind, sandbox in sandboxes.items():
                    taken[kind].append(timed(lambda: asyncio.run(sandbox.run(command, Path(place)))))  # noqa: B023 - called at once
        inside, plain = taken["bubblewrap"], taken["plain"]
        rows.append(
            (
                name,
                f"{median(wall for wall, _ in inside):.0f}",
                f"{median(wall for wall, _ in plain):.1f}",
                f"{median(one / other for (one, _), (other, _) in zip(inside, plain, strict=True)):.1f}",
                f"{sum(used for _, used in inside) / len(inside):.0f}",
                f"{sum(used for _, used in plain) / len(plain):.1f}",
            )
        )
    heads = ("command", "sandbox ms", "plain ms", "ratio", "sandbox processor ms", "plain processor ms")
    print(text_table(heads, rows))
    finish(options, {name: cells for name, *cells in rows})


if __name__ == "__main__":
    main()
