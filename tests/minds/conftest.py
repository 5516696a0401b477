"""Episodes for tests of minds."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from otherminds import EpisodeSpec, Record, SeatSpec, play_now
from otherminds.minds.registry import make_mind
from otherminds.worlds.registry import scenario

Cell = Callable[..., list[Record]]


@pytest.fixture
def cell() -> Cell:
    """``cell(scenario, mind, episodes)``: records of that many episodes, balanced over partners."""

    def play_cell(name: str, mind: SeatSpec, episodes: int, rounds: int = 100) -> list[Record]:
        built = scenario(name, {"rounds": rounds})
        player = make_mind(mind)
        schedule = built.population.schedule()
        records = []
        for seed in range(episodes):
            seats = {"ego": mind, "partner_0": schedule[seed % len(schedule)][0]}
            spec = EpisodeSpec(name, seats, seed, {"rounds": rounds}, {"ego": tuple(sorted(player.grants))})
            records.append(play_now(spec, built, {"ego": player})[0])
        return records

    return play_cell


@pytest.fixture
def moves() -> Callable[[Record], str]:
    """The ego's behaviours of a record by their initials, such as ``"rps"``."""

    def initials(record: Record) -> str:
        return "".join(encounter.did["ego"][0][0] for encounter in record.met["ego"])

    return initials
