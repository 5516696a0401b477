"""Luck: SplitMix64 as published, and the compiled version draws what the plain one draws."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numba import njit

from otherminds.gridworlds.grid import _kernel
from otherminds.gridworlds.grid._kernel import compile_kernel
from otherminds.gridworlds.grid.rules import MASK, Luck

SEEDS = st.integers(0, MASK)
bits, uniform, below, shuffle = (
    njit(draw) for draw in (_kernel.bits, _kernel.uniform, _kernel.below, _kernel.shuffle)
)


def test_luck_is_splitmix64_as_its_authors_publish_it():
    """The first outputs for the seed 1234567, from the reference implementation."""
    luck = Luck(1234567)
    assert [luck.next() for _ in range(5)] == [
        6457827717110365317,
        3203168211198807973,
        9817491932198370423,
        4593380528125082431,
        16408922859458223821,
    ]


@given(SEEDS, st.integers(1, 40), st.integers(1, 9))
def test_compiled_luck_draws_what_plain_luck_draws(seed, n, players):
    plain, counters = Luck(seed), np.array([7, seed], np.uint64)
    order, plain_order = np.zeros(players, np.int64), list(range(players))
    for _ in range(3):
        assert int(bits(counters, 1)) == plain.next()
        assert uniform(counters, 1) == plain.uniform()
        assert below(counters, 1, n) == plain.below(n)
        plain_order = list(range(players))
        plain.shuffle(plain_order)
        shuffle(counters, 1, order)
        assert order.tolist() == plain_order
    assert counters.tolist() == [7, plain.state]


@given(SEEDS)
def test_luck_stays_within_its_range(seed):
    luck = Luck(seed)
    assert all(0 <= luck.uniform() < 1 for _ in range(20))
    assert {Luck(s).below(3) for s in range(seed, seed + 60)} == {0, 1, 2}


def test_a_kernel_that_cannot_be_kept_on_disk_still_runs():
    """Code without a file has no place for a cache: the case of a folder nobody can write to."""
    made: dict[str, Any] = {}
    exec(compile("def double(x):\n    return 2 * x\n", "<nowhere>", "exec"), made)
    assert compile_kernel(made["double"])(21) == 42
