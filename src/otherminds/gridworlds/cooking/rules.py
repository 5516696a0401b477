"""The substrate as data: the map and every number of its rules.

Source: Melting Pot 2.4.1, the configuration and the Lua components of ``collaborative_cooking__asymmetric``
(Agapiou et al. 2022, after Carroll et al. 2019 and Strouse et al. 2021).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from otherminds.gridworlds.grid.maps import GridRules, View, cells

EMPTY, TOMATO, DISH, SOUP = range(4)
ITEMS = ("nothing", "tomato", "dish", "soup")
"""What a hand or a counter can hold, by these numbers."""

FLOOR, COUNTER, TOMATOES, DISHES, HATCH, POT = range(6)
"""What a cell can be: floor, a counter, a dispenser of tomatoes or of dishes, the place of delivery, a pot."""
CHARACTERS = " #ODTC"
"""How each is drawn; ``P`` is floor on which an avatar starts."""


@dataclass(frozen=True, kw_only=True)
class Rules(GridRules):
    """One substrate. Times are in steps (Melting Pot: frames), places are (x, y).

    The border of ``drawing`` is closed: floor nowhere touches the outside. A pot takes ``capacity`` tomatoes
    and then cooks for ``cooking`` steps; a delivered soup pays ``pay`` to every player. The beam can be fired
    again ``cooldown`` steps after a step without it. An episode has ``maximum`` steps.
    """

    cooking: int = 20
    capacity: int = 3
    pay: float = 20.0
    cooldown: int = 1
    maximum: int = 1000

    @cached_property
    def things(self) -> tuple[tuple[int, ...], ...]:
        """What each cell is, [y][x]: ``FLOOR``, ``COUNTER``, ... Avatars enter floor only."""
        return tuple(tuple(max(CHARACTERS.find(char), FLOOR) for char in line) for line in self.drawn)

    @cached_property
    def containers(self) -> tuple[tuple[int, int], ...]:
        """Counters and dispensers, row by row: the order of ``items`` in the state."""
        return cells(self.drawn, "#OD")

    @cached_property
    def stock(self) -> tuple[int, ...]:
        """What each container gives without end: a dispenser its item, a counter ``EMPTY``."""
        sources = {"#": EMPTY, "O": TOMATO, "D": DISH}
        return tuple(sources[self.drawn[y][x]] for x, y in self.containers)

    @cached_property
    def pots(self) -> tuple[tuple[int, int], ...]:
        """Where pots stand, row by row: the order of ``pots`` in the state."""
        return cells(self.drawn, "C")


ASYMMETRIC = """
#########
O #T#O# T
# P C P #
#   C   #
###D#D###
"""
COOKING_ASYMMETRIC = Rules("cooking-asymmetric-v1", ASYMMETRIC, players=2, view=View(2, 2, 3, 1))
SUBSTRATES = {rules.name: rules for rules in (COOKING_ASYMMETRIC,)}
