"""Episodes for tests of minds."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from otherminds import Record, SeatSpec
from otherminds.core.scenario import Participant, Setup, scenario
from otherminds.minds.registry import make_mind
from otherminds.play.loop import play_now

Cell = Callable[..., list[Record]]


@pytest.fixture
def cell() -> Cell:
    """``cell(scenario, mind, episodes)``: records of that many episodes, balanced over partners."""

    def play_cell(name: str, mind: SeatSpec, episodes: int, rounds: int = 100) -> list[Record]:
        built = scenario(name, {"rounds": rounds})
        ego = Participant(make_mind(mind), label=mind.label)
        return [play_now(Setup(built, {"ego": ego}, seed))[0] for seed in range(episodes)]

    return play_cell


@pytest.fixture
def moves() -> Callable[[Record], str]:
    """The ego's behaviours of a record by their initials, such as ``"rps"``."""

    def initials(record: Record) -> str:
        return "".join(encounter.did["ego"][0][0] for encounter in record.met["ego"])

    return initials
