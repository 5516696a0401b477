"""Short episodes in worlds with a map."""

from __future__ import annotations

from otherminds import Record
from otherminds.core.scenario import Setup, scenario
from otherminds.testing import RandomMind
from otherminds.testing.episodes import played

STEPS = {"rws-repeated-3-v1": 300, "pd-repeated-5-v1": 200, "rws-arena-0-v1": 150}


def episode(name: str, seed: int = 1) -> Record:
    """An episode against the scripted bots, of a mind that chooses skills at random and is asked."""
    return played(Setup(scenario(name, {"steps": STEPS[name]}), {"ego": RandomMind()}, seed))
