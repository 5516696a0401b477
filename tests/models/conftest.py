from pathlib import Path
from types import ModuleType

import pytest

from otherminds.models.embedded import Embedded, smollm2
from otherminds.models.pull import pull
from otherminds.testing.elsewhere import load


@pytest.fixture(scope="session")
def weights():
    """The embedded model's file; `make setup` has fetched it."""
    return pull("smollm2")


@pytest.fixture(scope="session")
def model(weights) -> Embedded:
    return smollm2("")


@pytest.fixture(scope="session")
def local() -> ModuleType:
    """The local test server of ``serving.py``."""
    return load(Path(__file__).with_name("serving.py"))
