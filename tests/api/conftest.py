"""Each test of the public interface may run a small study."""

from __future__ import annotations

from typing import Any

import pytest

Cells = list[dict[str, Any]]


@pytest.fixture
def cells() -> Cells:
    """A study of 24 short episodes, two cells with a model and two without."""
    minds = ["rmax", {"mind": "qa", "model": "scripted:first"}]
    return [{"scenarios": ["rps-mixed-v1", "ipd-tit_for_tat-v1"], "minds": minds, "episodes": 6, "rounds": 5}]
