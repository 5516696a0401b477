"""The same seed is the same episode in every process, in grid, house and matrix."""

import os
import subprocess
import sys

from otherminds import SeatSpec, Setup, play_now
from otherminds.games.registry import games
from otherminds.worlds.registry import scenario
from tests.contracts import duel, house
from tests.contracts import test_duel as grid
from tests.contracts import test_house as home


def played() -> list[str]:
    """The hashes of episodes that are played here."""
    rps = games.get("rps")()
    met = {"partner_0": SeatSpec("tit_for_tat", {"noise": 0.3})}
    found = [
        play_now(Setup(scene, {"ego": grid.Fictitious()}, seed, met))[0].hash
        for scene in (duel.scenario(rps), scenario("rps-mixed-v1", {"rounds": 6}))
        for seed in range(3)
    ]
    return [*found, home.visit(house, (home.WAIT, home.PUT, home.SAY))[0].hash]


def hashes(hashseed: str) -> list[str]:
    """The hashes of the same episodes in another process."""
    said = subprocess.run(
        [sys.executable, "-c", "from tests.contracts.test_processes import played; print(*played())"],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path)), "PYTHONHASHSEED": hashseed},
        capture_output=True,
        text=True,
        check=True,
    )
    return said.stdout.split()


def test_every_process_plays_the_same_episodes() -> None:
    first = played()
    assert hashes("0") == first
    assert hashes("1") == first
    assert len(first) == len(set(first)) == 7
