"""Cohen's kappa against published values and its own definition, and the effective number of raters."""

from __future__ import annotations

from math import isclose

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from otherminds.measures.intervals import cohen_kappa, effective_raters

RATINGS = st.lists(st.tuples(st.booleans(), st.booleans()), min_size=2, max_size=60)


def table(yes: int, first: int, second: int, no: int) -> tuple[list[bool], list[bool]]:
    """Ratings with these counts: both yes, only the first, only the second, both no."""
    ours = [True] * (yes + first) + [False] * (second + no)
    return ours, [True] * yes + [False] * first + [True] * second + [False] * no


@pytest.mark.parametrize(
    ("counts", "kappa"),
    [
        ((20, 5, 10, 15), 0.4),
        ((45, 15, 25, 15), 0.1304),
        ((25, 35, 5, 35), 0.2593),
        ((10, 0, 0, 10), 1.0),
        ((0, 10, 10, 0), -1.0),
    ],
)
def test_kappa_has_the_values_of_textbooks(counts: tuple[int, int, int, int], kappa: float) -> None:
    found = cohen_kappa(*table(*counts))
    assert found.mean is not None
    assert round(found.mean, 4) == kappa


def test_its_error_is_that_of_fleiss_cohen_and_everitt() -> None:
    cells = np.array([[45, 15], [25, 15]]) / 100
    rows, columns = cells.sum(axis=1), cells.sum(axis=0)
    agreed, chance = np.trace(cells), float(rows @ columns)
    kappa = (agreed - chance) / (1 - chance)
    diagonal = sum(cells[i, i] * (1 - (rows[i] + columns[i]) * (1 - kappa)) ** 2 for i in range(2))
    others = sum(cells[i, j] * (columns[i] + rows[j]) ** 2 for i in range(2) for j in range(2) if i != j)
    variance = (
        (diagonal + (1 - kappa) ** 2 * others - (kappa - chance * (1 - kappa)) ** 2) / (1 - chance) ** 2 / 100
    )
    found = cohen_kappa(*table(45, 15, 25, 15))
    assert found.error is not None
    assert isclose(found.error, float(np.sqrt(variance * 100 / 99)), rel_tol=1e-9)


@given(RATINGS)
def test_kappa_is_symmetric_and_does_not_depend_on_names(pairs: list[tuple[bool, bool]]) -> None:
    ours, theirs = map(list, zip(*pairs, strict=True))
    found = cohen_kappa(ours, theirs)
    swapped, turned = (
        cohen_kappa(theirs, ours),
        cohen_kappa([not one for one in ours], [not one for one in theirs]),
    )
    for other in (swapped, turned):
        assert (found.mean is None) == (other.mean is None)
        assert found.mean is None or isclose(found.mean, other.mean or 0, abs_tol=1e-9)
    if found.mean is not None and found.low is not None and found.high is not None:
        assert -1 <= found.low <= found.mean + 1e-9
        assert found.mean - 1e-9 <= found.high <= 1


def test_its_interval_covers_the_true_value() -> None:
    draw = np.random.default_rng(0)
    truth = draw.random((400, 80)) < 0.5
    rated = truth ^ (draw.random((400, 80)) < 0.2)  # kappa .6
    found = [cohen_kappa(list(a), list(b)) for a, b in zip(truth, rated, strict=True)]
    covered = [one.low <= 0.6 <= one.high for one in found if one.low is not None and one.high is not None]
    assert 0.91 < np.mean(covered) < 0.985


def test_without_chance_to_differ_there_is_no_kappa() -> None:
    assert cohen_kappa([True] * 5, [True] * 5).mean is None
    assert cohen_kappa([], []).mean is None
    constant = cohen_kappa([True, True, False], [True] * 3)
    assert (constant.mean, constant.low) == (0.0, None)
    with pytest.raises(ValueError, match="2 ratings"):
        cohen_kappa([True, False], [True])


def test_raters_with_equal_errors_are_one_rater() -> None:
    errors = [[True, False, False, True]] * 3
    assert effective_raters(errors).number == pytest.approx(1)
    half = effective_raters([[True, True, False, False], [True, False, False, False]])
    assert half.correlation == pytest.approx(3**-0.5)
    assert half.number == pytest.approx(2 / (1 + 3**-0.5))


def test_opposed_errors_count_as_independent() -> None:
    found = effective_raters([[True, False], [False, True]])
    assert (found.correlation, found.number) == (pytest.approx(-1), 2)


@pytest.mark.parametrize("errors", [[], [[]], [[True, False]], [[False, False], [True, False]]])
def test_without_two_raters_that_vary_there_is_no_number(errors: list[list[bool]]) -> None:
    assert effective_raters(errors).number is None
