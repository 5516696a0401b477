"""The printed results of Riemer et al. 2025, tables 1 to 4 and 8 to 10, as data and as rows beside those of a run.

``published.csv`` holds one printed number a line, as printed, in the order of the tables. Its columns:

- ``table``; ``model`` and ``strategy`` in one spelling throughout (table 10's
  ``Plans/Insights*`` is ``Plans + Insights``). ``strategy`` is empty for the
  tabular learner and for table 4, which names none; table 1 is LM prompting.
- ``game``, ``partner`` (``single``, ``tit_for_tat``).
- ``names``: the action names, as in :mod:`.words`. The paper states them for tables
  1 to 4 and 10; tables 8 and 9 are taken to use those of table 3, whose rows table 8 repeats,
  save the row that repeats table 1. A tabular learner reads no names.
- ``metric``: ``delta_functional`` and ``delta_tom`` a round, as printed (see
  :mod:`otherminds.measures.regret`), ``tom_percent`` in per cent.
- ``value`` and ``half_width``, of the 95 % interval.
- ``misprint``: why a number cannot stand as printed, else empty.
- ``repeats``: the table of which a number is a copy, else empty."""

from __future__ import annotations

from functools import cache
from typing import Literal, TypeAlias, get_args

from msgspec import Struct

from otherminds.core.wording import printed
from otherminds.reports.papers import TableEntry, TableLine
from otherminds.reports.sections import PAPER, TOM, Column

Metric: TypeAlias = Literal["delta_functional", "delta_tom", "tom_percent"]
TABULAR = "Tabular"


class PublishedRow(Struct, frozen=True):
    """One printed number: ``value`` ± ``half_width``. See the module for the fields."""

    table: int
    model: str
    strategy: str
    game: str
    partner: str
    names: str
    metric: Metric
    value: float
    half_width: float
    misprint: str = ""
    repeats: str = ""


@cache
def published() -> tuple[PublishedRow, ...]:
    """Every printed number, in the order of the tables.

    Raises:
        InternalError: the shipped file is damaged; the text names the line.
    """
    return printed("otherminds.matrix", PublishedRow)


def lookup(game: str, partner: str) -> tuple[PublishedRow, ...]:
    """The printed numbers of one game and partner.

    >>> [row.value for row in lookup("ibs", "tit_for_tat") if (row.model, row.metric) == ("Tabular", "tom_percent")]
    [98.1]
    """
    return tuple(row for row in published() if (row.game, row.partner) == (game, partner))


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
