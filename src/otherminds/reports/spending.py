"""What minds took against what they got, both per 1,200 steps, as numbers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from otherminds.measures.cost import Run, spread
from otherminds.measures.returns import per_1200
from otherminds.reports.labels import substrate
from otherminds.reports.overview import PER_1200
from otherminds.reports.sections import mark, marks
from otherminds.reports.sheets import Sheet, spread_pair

Amount: TypeAlias = Callable[[Run], float | None]
METRICS: dict[str, Amount] = {
    "model calls": lambda run: run.calls,
    "tokens read": lambda run: run.usage.prompt,
    "tokens written": lambda run: run.usage.completion,
    "US dollars": lambda run: run.money,
}


def spending_sheet(runs: Sequence[Run]) -> Sheet | None:
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


def families(runs: Sequence[Run]) -> dict[str, list[Run]]:
    """The runs by family of scenarios, of families in which a model was called."""
    found: dict[str, list[Run]] = {}
    for run in runs:
        found.setdefault(substrate(run.scenario), []).append(run)
    return {family: some for family, some in found.items() if any(run.calls for run in some)}


def metrics(runs: Sequence[Run]) -> list[str]:
    """Those of which there is anything to show; dollars only where prices are known."""
    return [name for name, amount in METRICS.items() if any(amount(run) for run in runs)]


def by_mind(runs: Sequence[Run]) -> dict[str, list[Run]]:
    """The runs of each mind."""
    found: dict[str, list[Run]] = {}
    for run in runs:
        found.setdefault(run.mind, []).append(run)
    return found


def numbers(runs: Sequence[Run], amount: Amount) -> list[float]:
    """Amounts per 1,200 steps, of the runs that have one."""
    found = [per_1200(amount(run), run.steps) for run in runs]
    return [number for number in found if number is not None]


def _digits(name: str) -> int:
    return 2 if name == "US dollars" else 0
