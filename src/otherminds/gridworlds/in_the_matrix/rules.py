"""The substrates as data: maps, payoffs and every number of their rules, and the state of B worlds as flat arrays.

``steps`` count from 1 (the first step of an episode); 0 is the reset.

Source: Melting Pot 2.4.1, the configuration and the Lua components of
``running_with_scissors_in_the_matrix__repeated``, ``…__arena`` and
``prisoners_dilemma_in_the_matrix__repeated`` (Agapiou et al. 2022)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from otherminds.core.data import Game
from otherminds.gridworlds.grid.rules import GridRules, View, cells

Matrix = tuple[tuple[float, ...], ...]


@dataclass(frozen=True, kw_only=True)
class Rules(GridRules):
    """One substrate. Times are in steps (Melting Pot: frames), places are (x, y).

    ``classes`` are the resources in the order of the inventory; each is also the behaviour of having
    collected most of it. In ``drawing`` ``W`` is a wall, ``spawn`` a spawn point, a character of ``kinds`` a
    resource of the class at its place there, and ``a`` one of a class that chance draws each episode.
    ``regrowth`` is the chance a step that a resource comes back, from ``delay`` steps after it went.
    ``refill``: all resources come back while no avatar is alive. An episode ends after step t = ``minimum``
    or later with probability ``ending`` wherever t + 1 is a multiple of ``interval``, and at ``maximum``.
    ``colours`` name the resources as they look; ``bounds`` are the limits between the five colours that show
    a duel's result.
    """

    kinds: str
    classes: tuple[str, ...]
    colours: tuple[str, ...]
    row: Matrix
    column: Matrix
    regrowth: float
    delay: int
    respawn: int
    refill: bool
    ending: float
    bounds: tuple[float, ...]
    distinct: bool = False  # Whether each avatar looks different (arena), or all others the same
    minimum: int = 1000
    interval: int = 100
    maximum: int = 5000
    freeze: int = 16
    cooldown: int = 2
    health: int = 3

    @cached_property
    def walls(self) -> tuple[tuple[int, int], ...]:
        """Cells that stop avatars and beams."""
        return cells(self.drawn, "W")

    @cached_property
    def open(self) -> tuple[tuple[int, int], ...]:
        """Cells without a wall, row by row."""
        width, height = self.size
        walls = {*self.walls}
        return tuple((x, y) for y in range(height) for x in range(width) if (x, y) not in walls)

    @cached_property
    def places(self) -> tuple[tuple[int, int], ...]:
        """Where resources grow, row by row: the order of the resources' array."""
        return cells(self.drawn, self.kinds + "a")

    @cached_property
    def fixed(self) -> tuple[int, ...]:
        """The class of each place, -1 where chance draws it."""
        return tuple(self.kinds.find(self.drawn[y][x]) for x, y in self.places)

    @property
    def game(self) -> Game:
        """The stage game of a duel between pure inventories."""
        n = range(len(self.classes))
        payoffs = tuple(tuple((self.row[i][j], self.column[i][j]) for j in n) for i in n)
        return Game(self.name.partition("-")[0], (self.classes, self.classes), payoffs)


RWS_COLUMN: Matrix = ((0, 10, -10), (-10, 0, 10), (10, -10, 0))

REPEATED = """
WWWWWWWWWWWWWWWWWWWWWWW
Wn         n         nW
W   WWW W     W WW    W
W    W rra   app W    W
Wn  WW rra   app WW  nW
W      rra   app      W
W                     W
Wn WW      n         nW
W             WWWW    W
W      ssa W          W
Wn   W ssa W aaa W   nW
W    W ssa W aaa WW   W
W  WWWW W  W  W WWW   W
Wn         n         nW
WWWWWWWWWWWWWWWWWWWWWWW
"""
ARENA = """
WWWWWWWWWWWWWWWWWWWWWWWWW
WPPPP      W W      PPPPW
WPPPP               PPPPW
WPPPP               PPPPW
WPPPP               PPPPW
W             aa        W
W        11   aa        W
W        11             W
W        11             W
W    WW     W  222      W
WW    33    W  222      W
WWW   33  WWWWWWWWW     W
W     33    111       WWW
W           111         W
W       22 W            W
W       22 W   WW       W
W       22     W333     W
W               333     W
W          aa           W
WPPPP      aa       PPPPW
WPPPP               PPPPW
WPPPP               PPPPW
WPPPP         W     PPPPW
WWWWWWWWWWWWWWWWWWWWWWWWW
"""
DILEMMA = """
WWWWWWWWWWWWWWWWWWWWWWW
Wn         n         nW
W   WWW W  W  W WW    W
W    W 11a W a22 W    W
Wn  WW 11a W a22 WW  nW
W      11a   a22      W
W                     W
Wn WW  WW  n WW  WWW nW
W                     W
W      22a W a11      W
Wn   W 22a W a11 W   nW
W    W 22a W a11 WW   W
W  WWWW W  W  W WWW   W
Wn         n         nW
WWWWWWWWWWWWWWWWWWWWWWW
"""
RWS_REPEATED = Rules(
    "rws-repeated-v1",
    REPEATED,
    spawn="n",
    kinds="rps",
    classes=("rock", "paper", "scissors"),
    colours=("yellow", "purple", "blue"),  # as Hypothetical Minds calls them (appendix D.1)
    row=((0, -10, 10), (10, 0, -10), (-10, 10, 0)),
    column=RWS_COLUMN,
    players=2,
    view=View(2, 2, 3, 1),
    regrowth=0.02,
    delay=15,
    respawn=5,
    refill=True,
    ending=0.2,
    bounds=(-5.0, -2.5, 2.5, 5.0),
)
RWS_ARENA = replace(
    RWS_REPEATED,
    name="rws-arena-v1",
    drawing=ARENA,
    spawn="P",
    kinds="123",
    players=8,
    view=View(5, 5, 9, 1),
    regrowth=0.04,
    delay=10,
    respawn=50,
    refill=False,
    distinct=True,
)
PD_REPEATED = replace(
    RWS_REPEATED,
    name="pd-repeated-v1",
    drawing=DILEMMA,
    kinds="12",
    classes=("cooperate", "defect"),
    colours=("green", "red"),
    row=((3, 0), (5, 1)),
    column=((3, 5), (0, 1)),
    delay=10,
    ending=0.1,
    bounds=(1.0, 2.0, 3.0, 4.0),
)
SUBSTRATES = {rules.name: rules for rules in (RWS_REPEATED, RWS_ARENA, PD_REPEATED)}


# Columns of ``avatars``.
X, Y, FACING = 0, 1, 2
ALIVE = 3  # 1 on the map, 0 removed after a duel
COOLDOWN = 4  # steps until the beam can be fired again: 2, 1, 0
LOCK = 5  # steps for which the avatar can neither move nor turn nor fire
PENDING = 6  # steps until its duel takes effect; -1: none is pending
READY = 7  # 1 if it has collected anything since its inventory was last reset
SINCE = 8  # the step in which it was removed
FOE = 9  # the opponent of its last duel, -1 before the first
INDICATOR = 10  # what its marker is to show from the next step on, in the codes of MARK
MARK = 11  # what is shown above it: 0 nothing, 1 ready, 2 to 6 the result of a duel, least to greatest
ZAPPER = 12  # 1 if it fired the beam of its last duel (the row player)
COUNTS = 13  # from here on: its inventory, one column a class

# Columns of ``resources``.
KIND = 0  # the class, by index; fixed for an episode
SHOWN = 1  # 1 if it is there to be collected
HEALTH = 2
GONE = 3  # the step in which it went

# Columns of ``clock``.
STEP = 0
OVER = 1  # 0 going on, 1 ended by chance, 2 at the greatest length
BEAMS = 2  # 1 if ``beam`` has anything in it


class State(NamedTuple):
    """B worlds of P avatars, N resources, K classes on a map of H × W cells.

    ``avatars`` int32[B, P, 13 + K], ``resources`` int32[B, N, 4], ``clock`` int32[B, 3]: columns above.
    ``luck`` uint64[B]. ``here`` int8[B, H·W]: 1 + the avatar in a cell, 0 for none. ``beam`` uint8[B, H·W]: 1
    where a beam shows. ``pay`` float64[B, P]: what the pending duel will bring. ``rewards`` float64[B, P]: of
    the last step. ``met`` int32[B, P, 2, K]: own and the other's inventory in a duel resolved in the last
    step, -1 if none, 0 at the reset.
    """

    avatars: NDArray[np.int32]
    resources: NDArray[np.int32]
    clock: NDArray[np.int32]
    luck: NDArray[np.uint64]
    here: NDArray[np.int8]
    beam: NDArray[np.uint8]
    pay: NDArray[np.float64]
    rewards: NDArray[np.float64]
    met: NDArray[np.int32]


def empty(rules: Rules, worlds: int) -> State:
    """Arrays for ``worlds`` worlds, all zero."""
    width, height = rules.size
    players, kinds, places = rules.players, len(rules.classes), len(rules.places)
    return State(
        avatars=np.zeros((worlds, players, COUNTS + kinds), np.int32),
        resources=np.zeros((worlds, places, 4), np.int32),
        clock=np.zeros((worlds, 3), np.int32),
        luck=np.zeros(worlds, np.uint64),
        here=np.zeros((worlds, height * width), np.int8),
        beam=np.zeros((worlds, height * width), np.uint8),
        pay=np.zeros((worlds, players)),
        rewards=np.zeros((worlds, players)),
        met=np.zeros((worlds, players, 2, kinds), np.int32),
    )
