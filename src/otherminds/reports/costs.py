"""The cost table: what each mind took, for every form of a report."""

from __future__ import annotations

from msgspec import Struct

from otherminds.measures.cost import Cost
from otherminds.reports.findings import Findings
from otherminds.reports.sections import fixed, mark, marks, percent

MEANING = (
    "Of all recorded episodes, scored or not. Below: model calls an episode; tokens read that were cached; "
    "seconds a call. Seconds are wall-clock means: episodes side by side wait for each other. Re-asks: calls "
    "that asked for the same thing again. Answers that were kept from earlier calls count as if asked for, episodes that were played again once."
)


class CostTable(Struct, frozen=True):
    """``heads`` and rows of pairs: a number, and what stands below it."""

    heads: tuple[str, ...]
    rows: tuple[tuple[str, tuple[tuple[str, str], ...]], ...]
    notes: tuple[str, ...]


def cost_table(found: Findings) -> CostTable | None:
    """A row for each mind and one for all; ``None`` where nothing is known about cost."""
    if not found.total.calls and found.total.seconds is None:
        return None
    heads = ("episodes", "model calls", "tokens read", "tokens written", "seconds", "re-asks %", "invalid %")
    if found.priced:
        heads = (*heads[:4], "US dollars", *heads[4:])
    fallen = {cell.mind for cell in found.cells if cell.about.marked}
    rows = [(mark(mind, mind in fallen), _row(cost, found.priced)) for mind, cost in found.by_mind.items()]
    if len(rows) > 1:
        rows.append(("in all", _row(found.total, found.priced)))
    notes = [MEANING, *marks(bool(fallen))]
    unpriced = [mind for mind, cost in found.by_mind.items() if cost.calls and cost.money is None]
    if found.priced and unpriced:
        notes.append(f"No price was given for the model of {', '.join(unpriced)}.")
    return CostTable(heads, tuple(rows), tuple(notes))


def _row(cost: Cost, priced: bool) -> tuple[tuple[str, str], ...]:
    usage = cost.usage
    called = bool(cost.calls)
    row = [
        (f"{cost.episodes:,}", ""),
        (f"{cost.calls:,}", _brief(cost.calls_an_episode) if called else ""),
        (f"{usage.prompt:,}" if called else "–", f"{usage.cached:,}" if called else ""),
        (f"{usage.completion:,}" if called else "–", ""),
        (_brief(cost.seconds), _brief(cost.call_seconds) if called else ""),
        (percent(cost.reasks), ""),
        (percent(cost.invalid), ""),
    ]
    return tuple([*row[:4], (_dollars(cost.money), ""), *row[4:]] if priced else row)


def _brief(number: float | None) -> str:
    """A number with three decimals below 1, one above."""
    return fixed(number, 3 if number is not None and number < 1 else 1)


def _dollars(money: float | None) -> str:
    return fixed(money, 4 if money is not None and money < 1 else 2)
