"""The same seed is the same episode in every process, in grid, house and matrix."""

from otherminds import SeatSpec, Setup
from otherminds.core.scenario import scenario
from otherminds.games.registry import games
from otherminds.play.loop import play_now
from otherminds.testing.episodes import elsewhere
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


class Played:
    """What other processes play."""

    def hashes(self) -> str:
        return " ".join(played())


def test_every_process_plays_the_same_episodes() -> None:
    first = played()
    assert elsewhere(Played(), "hashes") == [" ".join(first)] * 2
    assert len(first) == len(set(first)) == 7
