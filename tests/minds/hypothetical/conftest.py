"""Stand-ins for tests of minds that reason in steps."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

import pytest

from otherminds.testing.elsewhere import load


@pytest.fixture(scope="session")
def fakes() -> ModuleType:
    """See ``fakes.py``."""
    return load(Path(__file__).with_name("fakes.py"))
