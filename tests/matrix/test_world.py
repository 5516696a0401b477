"""The matrix world keeps what every world keeps, in the paper's games and in a lopsided one."""

from __future__ import annotations

from otherminds.core.data import Game, Question
from otherminds.games.registry import ibs, ipd, rps
from otherminds.matrix.world import EGO, PARTNER, MatrixWorld
from otherminds.testing import WorldConformance

LOPSIDED = Game(
    "lopsided",
    (("up", "down"), ("left", "middle", "right")),
    (((1.0, -2.0), (0.0, 0.5), (4.0, 4.0)), ((2.0, 2.0), (-3.0, 1.0), (0.0, 0.0))),
)


class MatrixConformance(WorldConformance):
    game: Game

    def make_world(self) -> MatrixWorld:
        return MatrixWorld(self.game, rounds=6)

    def questions(self) -> list[Question]:
        return [
            Question(f"next:{seat}", seat, "after", "?", behaviours, 1 / len(behaviours), about=seat)
            for seat, behaviours in zip((EGO, PARTNER), self.game.behaviours, strict=True)
        ]


class TestRockPaperScissors(MatrixConformance):
    game = rps()


class TestBattleOfTheSexes(MatrixConformance):
    game = ibs()


class TestPrisonersDilemma(MatrixConformance):
    game = ipd()


class TestLopsided(MatrixConformance):
    game = LOPSIDED


def test_each_seat_observes_its_own_behaviour_and_then_that_of_the_other() -> None:
    """One more than own × (number of the other's behaviours) + other's, as the class says; 0 at the start."""
    world = MatrixWorld(LOPSIDED, rounds=6)
    start, _ = world.reset()
    assert start == {EGO: 0, PARTNER: 0}
    for row in range(2):
        for column in range(3):
            observations, rewards, *_ = world.step({EGO: row, PARTNER: column})
            assert observations == {EGO: 1 + 3 * row + column, PARTNER: 1 + 2 * column + row}
            assert (rewards[EGO], rewards[PARTNER]) == LOPSIDED.payoffs[row][column]
