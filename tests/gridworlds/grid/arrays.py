"""Equal arrays, for tests that compare thousands: NumPy's own check takes most of the time of such a test."""

from __future__ import annotations

from typing import Any

import numpy as np


def same(one: Any, other: Any, where: str = "") -> None:
    """Demands what ``np.testing.assert_array_equal`` demands, which explains a difference."""
    if not np.array_equal(one, other):
        np.testing.assert_array_equal(one, other, err_msg=where)
