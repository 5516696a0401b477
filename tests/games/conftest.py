from pathlib import Path
from types import ModuleType

import pytest

from otherminds.testing.elsewhere import load


@pytest.fixture(scope="session")
def kit() -> ModuleType:
    """Random games and partners, and plans found by trying everything: ``kit.py``."""
    return load(Path(__file__).with_name("kit.py"))
