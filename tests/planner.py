"""The mark of tests that need the planner Fast Downward."""

from __future__ import annotations

import pytest

from otherminds.household.epistemic.fast_downward import program

needs_planner = pytest.mark.skipif(
    program() is None, reason="needs the planner Fast Downward: pip install 'otherminds[verify]'"
)
