"""The compiled generator draws what ``random.Random`` draws under the same seed."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from otherminds.gridworlds.grid import _mersenne as mersenne
from otherminds.gridworlds.grid._kernel import compile_kernel

DRAWS = 1500  # More than two fillings of the generator's 624 words


@compile_kernel
def floats(row, out):
    for k in range(out.size):
        out[k] = mersenne.random(row)


@compile_kernel
def integers(row, limits, out):
    for k in range(out.size):
        out[k] = mersenne.below(row, limits[k])


@compile_kernel
def words(row, out):
    for k in range(out.size):
        out[k] = mersenne.bits(row)


def begun(seed: int) -> np.ndarray:
    rows = np.zeros((1, mersenne.SIZE), np.uint32)
    mersenne.seed_all(rows, np.array([seed], np.uint64))
    return rows[0]


@given(st.integers(0, 2**64 - 1))
def test_a_seed_gives_the_same_words_as_in_python(seed: int) -> None:
    row = begun(seed)
    assert tuple(row.tolist()) == Random(seed).getstate()[1]


@pytest.mark.parametrize("seed", [0, 1, 2**31, 2**32 - 1, 2**32, 2**63 + 5, 2**64 - 1])
def test_floats_are_the_same_bit_for_bit(seed: int) -> None:
    row, rng, out = begun(seed), Random(seed), np.zeros(DRAWS)
    floats(row, out)
    assert out.tolist() == [rng.random() for _ in range(DRAWS)]
    assert tuple(row.tolist()) == rng.getstate()[1]


@given(st.integers(0, 2**64 - 1), st.lists(st.integers(1, 2**31), min_size=1, max_size=50))
def test_integers_below_any_limit_are_the_same(seed: int, limits: list[int]) -> None:
    row, rng, out = begun(seed), Random(seed), np.zeros(len(limits), np.int64)
    integers(row, np.array(limits, np.int64), out)
    assert out.tolist() == [rng.randrange(limit) for limit in limits]
    assert tuple(row.tolist()) == rng.getstate()[1]


@given(st.integers(0, 2**64 - 1), st.integers(0, 700))
def test_sixty_four_bits_are_the_same(seed: int, count: int) -> None:
    row, rng, out = begun(seed), Random(seed), np.zeros(count, np.uint64)
    words(row, out)
    assert out.tolist() == [rng.getrandbits(64) for _ in range(count)]
    assert tuple(row.tolist()) == rng.getstate()[1]
