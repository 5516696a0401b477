import pytest

from otherminds.models.embedded import Embedded, smollm2
from otherminds.models.files import pull


@pytest.fixture(scope="session")
def weights():
    """The embedded model's file; `make setup` has fetched it."""
    return pull("smollm2")


@pytest.fixture(scope="session")
def model(weights) -> Embedded:
    return smollm2("")
