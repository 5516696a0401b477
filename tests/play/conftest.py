from pathlib import Path
from types import ModuleType

import pytest

from otherminds.testing.elsewhere import load


@pytest.fixture(scope="session")
def toys() -> ModuleType:
    """The toy world, minds and model of ``toys.py``."""
    return load(Path(__file__).with_name("toys.py"))
