"""A server that means harm: poisoned requests, waits of years, bombs, damaged replies, and the figures as Markdown.

Studies of 300 episodes (600 calls) run against a server that answers one request in 400 in a wrong form, always,
or asks once for a wait of 1e9 seconds. Each bomb of ``tests/models/bombs.py`` is sent to a client in a process of its
own, whose peak resident memory and longest stall of its event loop are measured. Replies of each API are damaged. Fails
if an episode is lost that was not poisoned, or if a client takes more than 300 MB.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any

from common import arguments, finish

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from tests.models.bombs import BOMBS, serving_bombs
from tests.models.mutated import APIS, ends
from tests.models.poisoned import SHAPES, WAITS, Poisoned, played

ROOT = Path(__file__).resolve().parent.parent

EPISODES = 300
MEMORY = 300
"""The most megabytes of a client."""


def table(heads: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
    """Prints a table in Markdown."""
    for row in (heads, ["---"] * len(heads), *rows):
        print(f"| {' | '.join(map(str, row))} |")
    print()


def studies() -> list[tuple[Any, ...]]:
    """A row for each fault: requests that are poisoned, episodes scored and failed, seconds."""
    rows: list[tuple[Any, ...]] = []
    faults = [(name, Poisoned(bad)) for name, bad in SHAPES.items()]
    faults += [(f"{name}, once", Poisoned(bad, once=True)) for name, bad in WAITS.items()]
    for name, server in faults:
        started = perf_counter()
        with TemporaryDirectory() as folder:
            states, _ = played(server, Path(folder), EPISODES)
        seconds = perf_counter() - started
        sent = sum(server.asked.values()) - len(server.asked)
        row = (len(server.poisoned), sent, states.get("scored", 0), states.get("failed", 0))
        rows.append((name, *row, states.get("planned", 0), f"{seconds:.0f}"))
    return rows


def bombs() -> list[dict[str, Any]]:
    """What each bomb did to a client of its own."""
    found: list[dict[str, Any]] = []
    with serving_bombs(list(BOMBS)) as url:
        for name in BOMBS:
            command = [sys.executable, "-m", "tests.models.bombs", url, name]
            done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT)
            found.append(json.loads(done.stdout))
    return found


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument(
        "--mutants", type=int, default=20_000, help="damaged replies of each API (default 20000)"
    )
    options = parser.parse_args()
    played_studies = studies()
    print(f"{EPISODES} episodes of two calls, against a server with a fault in one request of 400:\n")
    heads = ("fault", "poisoned requests", "repeated calls", "scored", "failed", "not played", "seconds")
    table(heads, played_studies)
    sent = bombs()
    print("One call each, by a client in a process of its own:\n")
    rows = [
        (one["name"], f"{one['peak']:.0f}", f"{one['stall']:.2f}", one["ended"][:70].replace("|", "\\|"))
        for one in sent
    ]
    table(("bomb", "peak memory (MB)", "longest stall (s)", "it ended as"), rows)
    damaged = {api: ends(api, options.mutants, options.seed) for api in APIS}
    print("Damaged replies; every other error would end the benchmark:\n")
    kinds = sorted({kind for found in damaged.values() for kind in found})
    table(("API", *kinds), [(api, *(found[kind] for kind in kinds)) for api, found in damaged.items()])
    worst = max(one["peak"] for one in sent)
    lost = sum(EPISODES - row[3] - (0 if "once" in row[0] else row[1]) for row in played_studies)
    print(f"Lost beside the poisoned episodes: {lost}. Highest peak: {worst:.0f} MB.")
    finish(options, {"lost": lost, "peak_mb": worst, "bombs": sent}, ("httpx",))
    sys.exit(bool(lost) or worst > MEMORY)


if __name__ == "__main__":
    main()
