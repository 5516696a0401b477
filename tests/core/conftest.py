"""What tests of the core share."""

from __future__ import annotations

from collections.abc import Callable
from time import process_time
from typing import Any

import pytest

LEAST = 0.003
"""Seconds below which a measurement is noise."""


@pytest.fixture
def growth() -> Callable[[Callable[[str], Any], str], float]:
    """``growth(function, unit)``: how many times as much processor time eight times the text takes.

    About 8 where time is linear in the length, 64 where it is a square.
    """

    def measured(function: Callable[[str], Any], unit: str) -> float:
        def cost(length: int) -> float:
            text = unit * (length // len(unit))
            best = float("inf")
            for _ in range(3):
                before = process_time()
                function(text)
                best = min(best, process_time() - before)
            return best

        return cost(160_000) / max(cost(20_000), LEAST)

    return measured
