"""Short episodes to play again: in worlds with a map, in the small house, and in rounds."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from otherminds import Record
from otherminds.core.record import Note
from otherminds.core.scenario import Scenario
from otherminds.core.setup import Setup
from otherminds.core.worlds import scenario
from otherminds.household.reports.replay import HouseReplay, household_again
from otherminds.reports.replay.again import GridReplay, again
from otherminds.testing import RandomMind
from otherminds.testing.episodes import played
from tests.reports.replay import household_episodes as small

STEPS = {"rws-repeated-3-v1": 300, "pd-repeated-5-v1": 200, "rws-arena-0-v1": 150}


def episode(name: str, seed: int = 1) -> Record:
    """An episode against the scripted bots, of a mind that chooses skills at random and is asked."""
    return played(Setup(scenario(name, {"steps": STEPS[name]}), {"ego": RandomMind()}, seed))


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


@pytest.fixture(scope="session")
def made() -> Scenario:
    return small.scenario()


@pytest.fixture(scope="session")
def house_replay(made: Scenario) -> HouseReplay:
    """The episode in the small house, played again."""
    return household_again(small.episode(made), made)


@pytest.fixture
def rounds() -> Record:
    """Five rounds; from the second on a hypothesis says what the partner did in the first one."""
    made = scenario("rps-single-v1", {"rounds": 5})
    record = played(Setup(made, {"ego": RandomMind()}, 1))
    always = record.met["ego"][0].did["partner_0"][0]
    assert record.game is not None
    other = next(name for name in record.game.behaviours[1] if name != always)
    record.notes = tuple(
        Note(
            "ego",
            n,
            "thinking",
            {
                "partner": "partner_0",
                "encounter": n,
                "came": always if n else None,
                "thoughts": [
                    {"id": 0, "text": "</script>x", "value": n / 10, "predicts": other if n == 2 else always}
                ]
                * min(n, 1),
                "used": 0 if n else None,
                "validated": 0 if n > 3 else None,
            },
        )
        for n in range(5)
    )
    return record
