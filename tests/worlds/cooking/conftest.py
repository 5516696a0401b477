from pathlib import Path
from types import ModuleType

import pytest

from otherminds.testing.elsewhere import load


@pytest.fixture(scope="session")
def kitchens() -> ModuleType:
    """Kitchens with avatars put where a test wants them, and cooks to play in them: ``kitchens.py``."""
    return load(Path(__file__).with_name("kitchens.py"))
