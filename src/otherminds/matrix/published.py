"""The printed results of Riemer et al. 2025, as data: tables 1 to 4 and 8 to 10.

``published.csv`` holds one printed number a line, as printed, in the order of the tables. Its columns:

- ``table``; ``model`` and ``strategy`` in one spelling throughout (table 10's
  ``Plans/Insights*`` is ``Plans + Insights``). ``strategy`` is empty for the
  tabular learner and for table 4, which names none; table 1 is LM prompting.
- ``game``, ``partner`` (``single``, ``tit_for_tat``).
- ``names``: the action names, as in :mod:`.names`. The paper states them for tables
  1 to 4 and 10; tables 8 and 9 are taken to use those of table 3, whose rows table 8 repeats,
  save the row that repeats table 1. A tabular learner reads no names.
- ``metric``: ``delta_functional`` and ``delta_tom`` a round, as printed (see
  :mod:`otherminds.measures.regret`), ``tom_percent`` in per cent.
- ``value`` and ``half_width``, of the 95 % interval.
- ``misprint``: why a number cannot stand as printed, else empty.
- ``repeats``: the table of which a number is a copy, else empty.
"""

from __future__ import annotations

from functools import cache
from typing import Literal, TypeAlias

from msgspec import Struct

from otherminds.core.printed import printed

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
