"""Table 2 is held whole, and every number of it follows from whole numbers of runs."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest
from msgspec.structs import replace

from otherminds.household.measures.passes import TASKS, published, standard_error

PATH = Path(__file__).parents[3] / "benchmarks" / "household_table2.py"
SPEC = importlib.util.spec_from_file_location("household_table2", PATH)
table2 = importlib.util.module_from_spec(SPEC)
with pytest.MonkeyPatch.context() as patch:
    patch.syspath_prepend(str(PATH.parent))
    SPEC.loader.exec_module(table2)


def test_the_table_is_whole() -> None:
    rows = published()
    assert len(rows) == len({(r.split, r.model, r.scope, r.measure) for r in rows}) == 2 * 7 * 3 * 2
    assert {row.scope for row in rows} == set(TASKS)


def test_every_standard_error_is_binomial_over_fixed_attempts() -> None:
    for row in published():
        attempts = 3 * TASKS[row.scope]
        known = table2.counts(row)
        assert round(standard_error(known.runs / attempts, attempts), 1) == row.error, row


def test_every_number_is_reproduced() -> None:
    assert table2.doubts(published()) == []


def test_doubts_are_found_where_there_are_some() -> None:
    rows = list(published())
    wrong = {
        "no counts": replace(rows[0], avg=53.4),
        "standard error": replace(rows[0], error=5.9),
        "cannot pass": replace(rows[0], some=45.5),
        "make Counts": replace(rows[0], avg=51.5),
    }
    for words, row in wrong.items():
        assert any(words in doubt for doubt in table2.doubts((row, *rows[1:]))), words
