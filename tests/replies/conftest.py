"""What tests of the readers share."""

from __future__ import annotations

from collections.abc import Callable
from time import process_time
from typing import Any

import pytest

LEAST = 0.003
"""Seconds below which a measurement is noise."""
LINEAR = 12
"""A growth with which nothing need be measured again."""


@pytest.fixture
def growth() -> Callable[[Callable[[str], Any], str], float]:
    """``growth(function, unit)``: how many times as much processor time eight times the text takes.

    About 8 where time is linear in the length, 64 where it is a square.
    """

    def measured(function: Callable[[str], Any], unit: str) -> float:
        def cost(length: int) -> float:
            text = unit * (length // len(unit))
            before = process_time()
            function(text)
            return process_time() - before

        short = long = float("inf")
        for _ in range(3):
            short, long = min(short, cost(20_000)), min(long, cost(160_000))
            if long <= LINEAR * max(short, LEAST):
                break
        return long / max(short, LEAST)

    return measured
