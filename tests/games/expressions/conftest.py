from pathlib import Path
from types import ModuleType

import pytest

from otherminds.testing.elsewhere import load


@pytest.fixture(scope="session")
def tools() -> ModuleType:
    """Histories and programs drawn at random: ``kit.py``."""
    return load(Path(__file__).with_name("kit.py"))
