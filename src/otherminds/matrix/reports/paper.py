"""The paper's own rows for comparison with a run: the tabular learner, the best and the worst language models."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct

from otherminds.matrix.published import TABULAR, Metric, PublishedRow, lookup
from otherminds.reports.sheets import Pair, fixed

BEST, WORST = 2, 1
"""The numbers of language-model rows, by printed Δ_Functional/T."""
ORACLE = "Oracle"
"""The names of strategies that are given the partner's next action begin with this word."""
MISPRINT = "†"
"""Marks misprints."""

METRICS: dict[Metric, int] = {"delta_functional": 3, "delta_tom": 3, "tom_percent": 1}
"""The printed metrics, with their decimals."""


class PaperLine(Struct, frozen=True):
    """One printed row: its agent, its tables, and its numbers by metric."""

    label: str
    source: str
    numbers: dict[Metric, PublishedRow]

    def pair(self, metric: Metric) -> Pair:
        """A printed number with half its interval; empty without a number."""
        row = self.numbers.get(metric)
        if row is None:
            return "", ""
        flag = MISPRINT if row.misprint else ""
        digits = METRICS[metric]
        return flag + fixed(row.value, digits), "±" + fixed(row.half_width, digits)


def beside(game: str, partner: str) -> tuple[PaperLine, ...]:
    """The printed rows for a game and a kind of partner; none if the paper has none.

    The tabular learner first, then the best and the worst language model. Oracles and misprinted regrets are
    left out, except the tabular learner's. Rows that repeat another table are merged.
    """
    lines: dict[tuple[int, str, str], dict[Metric, PublishedRow]] = {}
    for row in lookup(game, partner):
        lines.setdefault((row.table, row.model, row.strategy), {})[row.metric] = row
    tables: dict[tuple[int, str, str], list[int]] = {}
    for (table, model, strategy), numbers in lines.items():
        repeats = numbers["delta_functional"].repeats
        source = (int(repeats.removeprefix("table ")) if repeats else table, model, strategy)
        tables.setdefault(source, []).append(table)
        lines[source] = {**numbers, **lines[source]}
    tabular: list[PaperLine] = []
    others: list[PaperLine] = []
    for key, where in tables.items():
        _, model, strategy = key
        source = f"paper, table{'s' * (len(where) > 1)} {', '.join(map(str, where))}"
        line = PaperLine(f"{model}, {strategy}" if strategy else model, source, lines[key])
        if model == TABULAR:
            tabular.append(line)
        elif not (line.numbers["delta_functional"].misprint or strategy.startswith(ORACLE)):
            others.append(line)
    others.sort(key=lambda line: line.numbers["delta_functional"].value)
    shown = others if len(others) <= BEST + WORST else [*others[:BEST], *others[-WORST:]]
    return (*tabular, *shown)


def misprints(rows: Iterable[PublishedRow]) -> list[str]:
    """The explanation of each misprint among ``rows``."""
    wrong = {row.misprint for row in rows if row.misprint}
    return [f"{MISPRINT} misprint in the paper: {why}." for why in sorted(wrong)]
