"""What a step gave away of a teammate: where it is seen, and what it must have done at pots and hatches."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from otherminds.core.data import Moment, Seat
from otherminds.worlds.cooking.kitchen import Kitchen, PotSeen, number
from otherminds.worlds.cooking.rules import DISH, EMPTY, SOUP, TOMATO
from otherminds.worlds.cooking.sightings import UNSEEN, Mate, see
from otherminds.worlds.grid.paths import Cell


class Signs(NamedTuple):
    """``mate`` is the teammate where it is in sight; ``shown`` are the cells that are.

    ``filled`` and ``served`` are pots that got a tomato, or lost their soup, not by
    the own hand; ``delivered`` says that soup was, not by the own hand.
    """

    mate: Mate | None
    shown: frozenset[Cell]
    filled: tuple[Cell, ...]
    served: tuple[Cell, ...]
    delivered: bool


class Watch:
    """Compares what ``kitchen`` knew before a step with what it knows after it; one for an episode."""

    def __init__(self, kitchen: Kitchen, about: Seat) -> None:
        self.kitchen = kitchen
        self.player = number(about)
        self._before()

    def signs(self, moment: Moment) -> Signs:
        """The signs of the step before ``moment``, which ``kitchen`` has seen already."""
        kitchen = self.kitchen
        sight = see(kitchen.rules, moment.observation, kitchen.player)
        hands, ahead = (self._held, kitchen.held), kitchen.ahead()
        filled: list[Cell] = []
        served: list[Cell] = []
        for cell, pot in kitchen.pots.items():
            was, used = self._pots[cell].tomatoes, cell == ahead
            if used and hands == (DISH, SOUP):
                was = 0
            more = pot.tomatoes - was - (used and hands == (TOMATO, EMPTY))
            if more > 0:
                filled.append(cell)
            elif more < 0:
                served.append(cell)
        own = hands == (SOUP, EMPTY) and ahead in kitchen.layout.hatches
        mates = [mate for mate in sight.mates if mate.player == self.player and mate.facing != UNSEEN]
        self._before()
        return Signs(
            mates[0] if mates else None,
            frozenset(cell for cell, _, _ in kitchen.layout.shown[kitchen.pose]),
            tuple(filled),
            tuple(served),
            moment.reward > own * kitchen.rules.pay,
        )

    def _before(self) -> None:
        self._held: int = self.kitchen.held
        self._pots: Mapping[Cell, PotSeen] = dict(self.kitchen.pots)
