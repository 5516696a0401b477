from pathlib import Path
from types import ModuleType

import pytest

from otherminds.testing.elsewhere import load


@pytest.fixture(scope="session")
def rooms() -> ModuleType:
    """Small rooms with avatars put where a test wants them: ``rooms.py``."""
    return load(Path(__file__).with_name("rooms.py"))
