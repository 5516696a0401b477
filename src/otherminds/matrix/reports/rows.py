"""The paper's own rows for comparison with a run: the tabular learner, the best and the worst language models."""

from __future__ import annotations

from typing import TypeAlias, get_args

from otherminds.matrix.published import TABULAR, Metric, PublishedRow, lookup
from otherminds.reports.papers import TableEntry, TableLine
from otherminds.reports.sections import PAPER, TOM, Column

BEST, WORST = 2, 1
"""The numbers of language-model rows, by printed Δ_Functional/T."""
ORACLE = "Oracle"
"""The names of strategies that are given the partner's next action begin with this word."""
MISPRINT = "†"
"""Marks misprints."""
METRICS: dict[Metric, Column] = dict(zip(get_args(Metric), (*PAPER, TOM), strict=True))
"""The column of each metric, of which a cell has the number in the same convention."""
Numbers: TypeAlias = dict[Metric, PublishedRow]
"""The printed numbers of one agent in one game with one kind of partner."""


def printed_entry(row: PublishedRow) -> TableEntry:
    """A printed number, with a mark and a note if it is a misprint."""
    mark, note = (
        (MISPRINT, f"{MISPRINT} misprint in the paper: {row.misprint}.") if row.misprint else ("", "")
    )
    return TableEntry(row.value, row.half_width, METRICS[row.metric].digits, mark, note=note)


def select_rows(game: str, partner: str) -> tuple[TableLine, ...]:
    """The printed rows for a game and a kind of partner; none if the paper has none.

    The tabular learner first, then the best and the worst language model. Oracles and misprinted regrets are
    left out, except the tabular learner's. Rows that repeat another table are merged.
    """
    lines: dict[tuple[int, str, str], Numbers] = {}
    for row in lookup(game, partner):
        lines.setdefault((row.table, row.model, row.strategy), {})[row.metric] = row
    tables: dict[tuple[int, str, str], list[int]] = {}
    for (table, model, strategy), numbers in lines.items():
        repeats = numbers["delta_functional"].repeats
        source = (int(repeats.removeprefix("table ")) if repeats else table, model, strategy)
        tables.setdefault(source, []).append(table)
        lines[source] = {**numbers, **lines[source]}
    tabular = [key for key in tables if key[1] == TABULAR]
    others = [key for key in tables if key[1] != TABULAR and _is_comparable(key[2], lines[key])]
    others.sort(key=lambda key: lines[key]["delta_functional"].value)
    if len(others) > BEST + WORST:
        others = [*others[:BEST], *others[-WORST:]]
    return tuple(_label_row(key[1:], tables[key], lines[key]) for key in (*tabular, *others))


def _is_comparable(strategy: str, numbers: Numbers) -> bool:
    """Whether a language model was not told the partner's next action, and its regret can be right."""
    return not (numbers["delta_functional"].misprint or strategy.startswith(ORACLE))


def _label_row(agent: tuple[str, str], tables: list[int], numbers: Numbers) -> TableLine:
    """The numbers of an agent (its model and strategy) with the tables that have them."""
    source = f"paper, table{'s' * (len(tables) > 1)} {', '.join(map(str, tables))}"
    entries = (printed_entry(numbers[metric]) if metric in numbers else None for metric in METRICS)
    return TableLine((", ".join(filter(None, agent)), source), tuple(entries))
