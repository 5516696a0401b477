"""Follows recorded traces of cooking through our plain rules, and says what was met and what was not explained.

    PYTHONPATH=src python -m tools.melting_pot.cooking_compare TRACE.xz ...

Run in the library's Python. Prints Markdown; exit code 1 if any step was not explained.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from tools.melting_pot.kitchen.follow import KINDS, Followed, follow
from tools.melting_pot.kitchen.trace import Trace, load

from otherminds.gridworlds.cooking.rules import SUBSTRATES


def table(heads: Sequence[str], lines: Sequence[Sequence[object]]) -> str:
    """A Markdown table."""
    rows = [heads, ["---"] * len(heads), *lines]
    return "\n".join("| " + " | ".join(map(str, row)) + " |" for row in rows)


def events(groups: dict[str, list[tuple[Trace, Followed]]]) -> str:
    """What was met, on each official map and on others."""
    lines: list[list[object]] = [
        ["episodes", *(len(group) for group in groups.values())],
        ["steps recorded", *(sum(trace.steps for trace, _ in group) for group in groups.values())],
        ["steps explained", *(sum(result.steps for _, result in group) for group in groups.values())],
        [
            "**unexplained**",
            *(sum(len(result.mismatches) for _, result in group) for group in groups.values()),
        ],
    ]
    totals = [sum((result.events for _, result in group), Counter[str]()) for group in groups.values()]
    lines += [[f"{kind}: {what}", *(total[kind] for total in totals)] for kind, what in KINDS.items()]
    return table(["", *groups], lines)


def chances(pairs: list[tuple[Trace, Followed]]) -> str:
    """How chance fell."""
    starts: dict[str, Counter[tuple[int, ...]]] = {}
    for trace, _ in pairs:
        if trace.drawing == "\n".join(SUBSTRATES[trace.substrate].drawn):
            starts.setdefault(trace.substrate, Counter())[tuple(trace.avatars[0, 0, :2].tolist())] += 1
    facing = Counter("NESW"[way] for trace, _ in pairs for way in trace.avatars[0, :, 2])
    # Bars show whether they lag only in episodes in which something was cooked.
    cooked = [result for trace, result in pairs if trace.pots[..., 1].any()]
    return table(
        ["chance", "draws", "seen", "expected"],
        [
            *(
                [
                    f"where player 0 of {name} starts",
                    places.total(),
                    f"{min(places.values())} to {max(places.values())} at each of {len(places)}",
                    f"1/{len(SUBSTRATES[name].spawns)} each",
                ]
                for name, places in starts.items()
            ),
            ["orientation at the start", facing.total(), dict(sorted(facing.items())), "1/4 each"],
            ["bars lag", len(cooked), sum(result.lagging for result in cooked), "1/2"],
        ],
    )


def main() -> None:
    """Follows all traces named."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", type=Path, nargs="+")
    traces = [trace for file in parser.parse_args().files for trace in load(file)]
    pairs = [(trace, follow(trace)) for trace in traces]
    groups: dict[str, list[tuple[Trace, Followed]]] = {}
    for pair in pairs:
        official = pair[0].drawing == "\n".join(SUBSTRATES[pair[0].substrate].drawn)
        groups.setdefault(pair[0].substrate if official else "small maps", []).append(pair)
    print(events(groups), chances(pairs), sep="\n\n")
    faults = [f"episode {n}: {fault}" for n, (_, result) in enumerate(pairs) for fault in result.mismatches]
    print("\n".join(faults))
    sys.exit(bool(faults))


if __name__ == "__main__":
    main()
