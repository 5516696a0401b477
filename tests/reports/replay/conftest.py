"""Short episodes in worlds with a map, to play again."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from msgspec.structs import replace

from otherminds import Record
from otherminds.reports.replay.again import Reel, again
from otherminds.testing import RandomMind
from otherminds.testing.episodes import played, spec_of
from otherminds.worlds.registry import scenario

STEPS = {"rws-repeated-3-v1": 300, "pd-repeated-5-v1": 200, "rws-arena-0-v1": 150}


def episode(name: str, seed: int = 1) -> Record:
    """An episode against the scripted bots, of a mind that chooses skills at random and is asked."""
    options = {"steps": STEPS[name]}
    made = scenario(name, options)
    spec = replace(spec_of(made, seed), options=options)
    return played(spec, made, {"ego": RandomMind()})


@pytest.fixture(scope="session")
def record() -> Record:
    return episode("rws-repeated-3-v1")


@pytest.fixture(scope="session")
def reel(record: Record) -> Reel:
    return again(record)


@pytest.fixture(scope="session")
def crowd() -> Reel:
    return again(episode("rws-arena-0-v1"))


@pytest.fixture(scope="session")
def of() -> Callable[[str], Record]:
    return episode
