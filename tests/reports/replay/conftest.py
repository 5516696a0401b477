"""An episode in a world with a map, one in the small house, and one in rounds, to show."""

from __future__ import annotations

import pytest

from otherminds import Record
from otherminds.gridworlds.replay.scenes import GridReplay, again
from otherminds.household.reports.replay import HouseReplay, household_again
from tests.gridworlds.replay.episodes import episode
from tests.household.reports import household_episodes as small
from tests.matrix.noted_rounds import noted_rounds


@pytest.fixture(scope="session")
def grid_replay() -> GridReplay:
    return again(episode("rws-repeated-3-v1"))


@pytest.fixture(scope="session")
def house_replay() -> HouseReplay:
    """The episode in the small house, played again."""
    made = small.scenario()
    return household_again(small.episode(made), made)


@pytest.fixture
def rounds() -> Record:
    return noted_rounds()
