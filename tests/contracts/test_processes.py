"""The same seed is the same episode in every process, in grid, house and matrix."""

import os
import subprocess
import sys

CODE = """
from otherminds import SeatSpec, Setup, play_now
from otherminds.games.registry import games
from tests.contracts import duel, house
from tests.contracts import test_duel as grid
from tests.contracts import test_house as home
from otherminds.worlds.registry import scenario

rps = games.get("rps")()
for scene in (duel.scenario(rps), scenario("rps-mixed-v1", {"rounds": 6})):
    for seed in range(3):
        met = {"partner_0": SeatSpec("tit_for_tat", {"noise": 0.3})}
        print(play_now(Setup(scene, {"ego": grid.Fictitious()}, seed, met))[0].hash)
print(home.visit(house, (home.WAIT, home.PUT, home.SAY))[0].hash)
"""


def hashes(hashseed: str) -> list[str]:
    said = subprocess.run(
        [sys.executable, "-c", CODE],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path)), "PYTHONHASHSEED": hashseed},
        capture_output=True,
        text=True,
        check=True,
    )
    return said.stdout.split()


def test_every_process_plays_the_same_episodes() -> None:
    first = hashes("0")
    assert hashes("1") == first
    assert hashes("random") == first
    assert len(first) == len(set(first)) == 7
