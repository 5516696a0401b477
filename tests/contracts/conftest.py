from pathlib import Path
from types import ModuleType

import pytest

from otherminds.testing.elsewhere import load


@pytest.fixture(scope="session")
def duel() -> ModuleType:
    return load(Path(__file__).with_name("duel.py"))


@pytest.fixture(scope="session")
def house() -> ModuleType:
    return load(Path(__file__).with_name("house.py"))
