"""Follows recorded traces through our plain rules, and says what was met and what was not explained.

Run in the library's Python: ``python -m tools.melting_pot.compare TRACE.xz ...``. Prints
Markdown; exit code 1 if any step was not explained.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from tools.melting_pot.chance import checks
from tools.melting_pot.in_the_matrix.follow import Followed, follow
from tools.melting_pot.in_the_matrix.tally import KINDS
from tools.melting_pot.in_the_matrix.trace import Trace, load

from otherminds.gridworlds.in_the_matrix.rules import SUBSTRATES


def table(heads: Sequence[str], lines: Sequence[Sequence[object]]) -> str:
    """A Markdown table."""
    rows = [heads, ["---"] * len(heads), *lines]
    return "\n".join("| " + " | ".join(map(str, row)) + " |" for row in rows)


def events(found: dict[str, list[Followed]], traces: dict[str, list[Trace]]) -> str:
    """What was met, by substrate."""
    lines: list[list[object]] = [
        ["episodes", *(len(results) for results in found.values())],
        ["steps recorded", *(sum(trace.steps for trace in some) for some in traces.values())],
        ["steps explained", *(sum(result.steps for result in results) for results in found.values())],
        [
            "**unexplained**",
            *(sum(len(result.mismatches) for result in results) for results in found.values()),
        ],
    ]
    totals = [sum((result.events for result in results), Counter[str]()) for results in found.values()]
    lines += [[f"{kind}: {what}", *(total[kind] for total in totals)] for kind, what in KINDS.items()]
    return table(["", *found], lines)


def chances(traces: dict[str, list[Trace]]) -> str:
    """How chance fell, by substrate."""
    lines = [
        [name, check.what, check.draws, check.seen, check.expected, f"{check.z:+.1f}"]
        for name, some in traces.items()
        for check in checks(some)
    ]
    return table(["substrate", "what", "draws", "seen", "expected", "z"], lines)


def main() -> None:
    """Follows all traces named."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("traces", nargs="+", type=Path)
    traces: dict[str, list[Trace]] = {}
    for path in parser.parse_args().traces:
        for trace in load(path):
            traces.setdefault(trace.substrate, []).append(trace)
    found = {name: [follow(trace, SUBSTRATES[name]) for trace in some] for name, some in traces.items()}
    print(events(found, traces), chances(traces), sep="\n\n")
    wrong = [
        f"{name}, episode {n}: {fault}"
        for name, results in found.items()
        for n, result in enumerate(results)
        for fault in result.mismatches
    ]
    print("\n".join(wrong))
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
