"""Both seats of a matrix game may be under test."""

import pytest

from otherminds.core.scenario import Setup, scenario
from otherminds.games.player import Player
from otherminds.games.registry import games
from otherminds.play.loop import play_now


class Greedy(Player):
    """Plays what pays best against a uniform partner, by the payoffs it was granted."""

    grants = frozenset({"payoffs"})

    def start(self, own: int, others: int) -> None: ...

    def learn(self, own: int, other: int, reward: float) -> None: ...

    def choose(self) -> int:
        assert self.brief.game is not None
        worth = [sum(cell[0] for cell in row) for row in self.brief.game.payoffs]
        return worth.index(max(worth))

    def predict(self) -> int:
        return 0


@pytest.mark.parametrize(("name", "played"), [("ibs", (0, 1)), ("ipd", (1, 1))])
def test_each_seat_is_granted_its_own_view_and_the_record_says_why_there_are_no_bounds(
    name: str, played: tuple[int, int]
) -> None:
    scene = scenario(f"{name}-mixed-v1", {"rounds": 3})
    minds = {seat: Greedy() for seat in scene.seats}
    record, _ = play_now(Setup(scene, minds, 1))
    assert record.actions == [played] * 3
    assert minds["ego"].brief.game == games.get(name)()
    assert minds["partner_0"].brief.game == games.get(name)().flipped()
    assert record.partners == {}
    assert record.bounds is not None
    assert (record.bounds.informed, record.bounds.blind) == (None, None)
    assert "a mind under test sits in 'partner_0'" in record.bounds.reason
