"""Tables in Markdown of what minds got in the Melting Pot scenarios, and what was published."""

from __future__ import annotations

from otherminds.gridworlds.printed_rewards import METHODS, lookup
from otherminds.measures.intervals import Estimate


def table(heads: list[str], rows: list[list[str]]) -> str:
    """A table in Markdown."""
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines) + "\n"


def told(estimate: Estimate, digits: int = 1) -> str:
    """A mean with half the width of its 95 % interval."""
    if estimate.mean is None:
        return "–"
    half = ""
    if estimate.low is not None and estimate.high is not None:
        half = f" ± {(estimate.high - estimate.low) / 2:.{digits}f}"
    return f"{estimate.mean:.{digits}f}{half}"


def published(scenarios: list[str]) -> str:
    """The printed means ± standard errors of Cross et al. 2025, table 1; a doubtful one has a †."""
    rows: list[list[str]] = []
    for scenario in scenarios:
        substrate, which, _ = scenario.rsplit("-", 2)
        if which.isdecimal():
            printed = {row.method: row for row in lookup(substrate, int(which))}
            shown = [
                f"{printed[m].mean:g} ± {printed[m].sem:g}{'†' if printed[m].doubt else ''}"
                if m in printed
                else "–"
                for m in METHODS
            ]
            rows.append([scenario, *shown])
    return table(["scenario", *METHODS], rows)
