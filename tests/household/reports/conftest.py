"""A small house, and a moment in it at which agents have moved things out of one another's sight."""

from __future__ import annotations

import pytest

from otherminds.core.scenario import Scenario
from otherminds.household.commands import Command, parse
from otherminds.household.engine import HouseEngine
from otherminds.household.reports.replay import HouseReplay, household_again
from otherminds.household.reports.state import MapState, taken
from otherminds.household.scenes.scene import Scene
from tests.household import small_house as small
from tests.household.reports import household_episodes

MOVES = (
    ("Open[cabinet_2]", "Navigate[table_5]", "Navigate[study_1]"),
    ("Wait[]", "Pick[cup_1]", "Navigate[table_5]"),
    ("Wait[]", "Navigate[bedroom_1]", "Open[cabinet_6]"),
    ("Wait[]", "Place[cup_1, on, bed_9]", "Pick[book_0]"),
    ("Wait[]", "Navigate[hallway_1]", "Wait[]"),
)
"""Then agent_2 holds book_0, of which agent_1 believes that it is on table_5, cabinet_6 is open, of which it
believes that it is closed, and agent_2 believes that agent_1 still holds cup_1."""


@pytest.fixture(scope="session")
def scene() -> Scene:
    return small.scene()


@pytest.fixture
def engine() -> HouseEngine:
    """The moment after ``MOVES``."""
    made = HouseEngine(small.house())
    for row in MOVES:
        commands = [parse(text) for text in row]
        assert all(isinstance(command, Command) for command in commands)
        made.step(commands)
    return made


@pytest.fixture
def state(engine: HouseEngine) -> MapState:
    return taken(engine)


@pytest.fixture(scope="session")
def made() -> Scenario:
    return household_episodes.scenario()


@pytest.fixture(scope="session")
def house_replay(made: Scenario) -> HouseReplay:
    """The episode in the small house, played again."""
    return household_again(household_episodes.episode(made), made)
