"""The shipped substrates as cases: a few that differ in their rules in every run, all of them in the slow one."""

from __future__ import annotations

from typing import Any

import pytest

from otherminds.gridworlds.in_the_matrix.rules import SUBSTRATES

FIRST = ("rws-repeated-v1", "rws-arena-v1", "pd-repeated-v1")
"""With long recordings."""
USUAL = (*FIRST, "bach-or-stravinsky-repeated-v1")
NAMES: list[Any] = [
    pytest.param(name, id=name, marks=[] if name in USUAL else pytest.mark.slow) for name in SUBSTRATES
]
RULES: list[Any] = [
    pytest.param(rules, id=name, marks=[] if name in USUAL else pytest.mark.slow)
    for name, rules in SUBSTRATES.items()
]
"""For ``pytest.mark.parametrize``."""
