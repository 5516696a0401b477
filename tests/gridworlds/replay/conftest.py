"""Episodes in worlds with a map, to play again."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from otherminds import Record
from otherminds.gridworlds.replay.scenes import GridReplay, again
from tests.gridworlds.replay.episodes import episode


@pytest.fixture(scope="session")
def record() -> Record:
    return episode("rws-repeated-3-v1")


@pytest.fixture(scope="session")
def grid_replay(record: Record) -> GridReplay:
    return again(record)


@pytest.fixture(scope="session")
def crowd() -> GridReplay:
    return again(episode("rws-arena-0-v1"))


@pytest.fixture(scope="session")
def of() -> Callable[[str], Record]:
    return episode
