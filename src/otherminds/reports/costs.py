"""What minds took, and what they took against what they got (both per 1,200 steps), as tables."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from otherminds.measures.cost import Cost, EpisodeCost, spread
from otherminds.measures.returns import per_1200
from otherminds.reports.findings import Findings
from otherminds.reports.overview import PER_1200, substrate
from otherminds.reports.sections import mark, marks
from otherminds.reports.sheets import BREAK, HEADS, HYPHEN, Pair, Sheet, fixed, percent, spread_pair

Amount: TypeAlias = Callable[[EpisodeCost], float | None]
METRICS: dict[str, Amount] = {
    "model calls": lambda run: run.calls,
    "tokens read": lambda run: run.usage.prompt,
    "tokens written": lambda run: run.usage.completion,
    "US dollars": lambda run: run.money,
}
MEANING = (
    "Of all recorded episodes, scored or not. Below: model calls an episode; tokens read that were cached; "
    "seconds a call. Seconds are wall-clock means: episodes side by side wait for each other. Re-asks: calls "
    "that asked for the same thing again. Answers that were kept from earlier calls count as if asked for, episodes that were played again once."
)


def cost_sheet(found: Findings) -> Sheet | None:
    """A row for each mind and one for all; ``None`` where nothing is known about cost."""
    if not found.total.calls and found.total.seconds is None:
        return None
    dollars = ("US\ndollars",) if found.priced else ()
    tokens = ("tokens read,\ncached", "tokens\nwritten", *dollars)
    heads = (f"epi{HYPHEN}sodes", "calls,\nan episode", *tokens, "seconds,\na call", f"re-{BREAK}asks %")
    fallen = {cell.mind for cell in found.cells if cell.about.marked}
    rows = [((mark(mind, mind in fallen),), _row(cost, found.priced)) for mind, cost in found.by_mind.items()]
    if len(rows) > 1:
        rows.append((("in all",), _row(found.total, found.priced)))
    notes = [MEANING, *marks(bool(fallen))]
    unpriced = [mind for mind, cost in found.by_mind.items() if cost.calls and cost.money is None]
    if found.priced and unpriced:
        notes.append(f"No price was given for the model of {', '.join(unpriced)}.")
    return Sheet("what it took", ("mind", *heads, HEADS["invalid %"]), tuple(rows), tuple(notes))


def _row(cost: Cost, priced: bool) -> tuple[Pair, ...]:
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


def spending_sheet(runs: Sequence[EpisodeCost]) -> Sheet | None:
    """The means of the figure: a row for each family of scenarios and mind."""
    named = metrics(runs)
    rows = tuple(
        (
            (family, mark(mind, any(run.marked for run in mine))),
            (
                *(spread_pair(spread(numbers(mine, METRICS[name])), _digits(name)) for name in named),
                spread_pair(spread(numbers(mine, lambda run: run.reward))),
                (str(len(mine)), ""),
            ),
        )
        for family, found in families(runs).items()
        for mind, mine in by_mind(found).items()
    )
    heads = ("scenarios", "mind", *(f"{name} per 1,200 steps" for name in named), PER_1200, "n")
    note = "Means and standard errors (SEM) over all episodes of all scenarios of a family, taken together."
    notes = (note, *marks(any(run.marked for run in runs)))
    return Sheet("cost against reward", heads, rows, notes) if rows else None


def families(runs: Sequence[EpisodeCost]) -> dict[str, list[EpisodeCost]]:
    """The runs by family of scenarios, of families in which a model was called."""
    found: dict[str, list[EpisodeCost]] = {}
    for run in runs:
        found.setdefault(substrate(run.scenario), []).append(run)
    return {family: some for family, some in found.items() if any(run.calls for run in some)}


def metrics(runs: Sequence[EpisodeCost]) -> list[str]:
    """Those of which there is anything to show; dollars only where prices are known."""
    return [name for name, amount in METRICS.items() if any(amount(run) for run in runs)]


def by_mind(runs: Sequence[EpisodeCost]) -> dict[str, list[EpisodeCost]]:
    """The runs of each mind."""
    found: dict[str, list[EpisodeCost]] = {}
    for run in runs:
        found.setdefault(run.mind, []).append(run)
    return found


def numbers(runs: Sequence[EpisodeCost], amount: Amount) -> list[float]:
    """Amounts per 1,200 steps, of the runs that have one."""
    found = [per_1200(amount(run), run.steps) for run in runs]
    return [number for number in found if number is not None]


def _digits(name: str) -> int:
    return 2 if name == "US dollars" else 0
