"""The substrates as data: maps with every number of their rules, and the state of B worlds as flat arrays.

``steps`` count from 1 (the first step of an episode); 0 is the reset.

Source: Melting Pot 2.4.1, the configurations and Lua components of ``coins``, ``commons_harvest__*`` and ``clean_up``
(Agapiou et al. 2022, after Lerer and Peysakhovich 2017, Perolat et al. 2017 and Hughes et al. 2018)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Annotated, Literal, NamedTuple

import numpy as np
from msgspec import Meta
from msgspec.structs import asdict
from numpy.typing import NDArray

from otherminds.gridworlds.grid.rules import ACTIONS, GridRules, View, cells
from otherminds.gridworlds.grid.substrate_file import Form, read_sheet

NOTHING, WALL, FLOOR, GRASS, DRY, RIVER, APPLE, DRY_APPLE, DIRT, COIN = range(10)
"""What a cell can show. ``DRY`` is grass without an apple near it, ``DRY_APPLE`` an apple on such ground, ``DIRT`` is on the
river, and a coin of colour k is ``COIN + k``. ``NOTHING`` is black: outside of the walls, and where a coin may appear."""
COLOURS = ("red", "blue", "yellow", "green", "purple")
"""The colours of coins, in the order of their numbers."""
FOOD = frozenset({APPLE, DRY_APPLE, *range(COIN, COIN + len(COLOURS))})
"""What an avatar takes by entering its cell."""
ZAP, CLEAN = 7, 8
"""The actions that fire: ``ZAP`` removes avatars, ``CLEAN`` removes dirt."""

Law = Literal["chance", "density", "cleanness"]
"""What makes things grow: chance alone (coins), the number of apples near (harvest), the cleanness of the river (clean up)."""


@dataclass(frozen=True)
class Beam:
    """``length`` cells ahead in three columns; it can be fired again ``cooldown`` steps after a step without it."""

    length: int
    cooldown: int


@dataclass(frozen=True, kw_only=True)
class Rules(GridRules):
    """One substrate. Times are in steps (Melting Pot: frames), places are (x, y).

    In ``drawing``, ``W`` is a wall, ``spawn`` a spawn point and ``inside`` one at which the first two avatars begin. ``grows``
    has the characters of cells where something grows, ``grassy`` those on grass, ``river`` those of the river, ``banks`` those of
    them that can be dirty, and ``dirty`` those that begin so. An episode ends with probability ``ending`` after every ``interval`` steps from ``minimum``
    on, and at ``maximum``.

    - Law ``chance``: in each free cell a coin of one of two colours appears with probability ``rates[0]`` a step. The map's
      inside is drawn for each episode, ``smallest`` cells wide and high to the size of the drawing.
      Each player has a colour. A coin pays 1 to who takes it, and ``harm`` to the other if the colour is the other's.
    - ``density``: an apple comes back with probability ``rates[n]`` a step, for n apples within distance 2; the last rate
      is that of more.
    - ``cleanness``: an apple comes with probability ``rates[0]`` times 1 - d / ``depletion``, for d the share of the banks that
      are dirty. With probability ``fouling`` a step, from step ``delay`` + 1 on, one more gets dirty.
    """

    law: Law
    rates: tuple[float, ...]
    ending: float
    minimum: int = 1000
    interval: int = 100
    maximum: int = 5000
    zap: Beam | None = None
    respawn: int = 0
    cleaner: Beam | None = None
    inside: str = ""
    grows: str = ""
    grassy: str = ""
    river: str = ""
    banks: str = ""
    dirty: str = ""
    smallest: int = 0
    harm: float = 0.0
    depletion: float = 1.0
    fouling: float = 0.0
    delay: int = 0

    @property
    def actions(self) -> tuple[str, ...]:
        """The names of the actions, by number."""
        beams = (("ZAP",) if self.zap else ()) + (("CLEAN",) if self.cleaner else ())
        return (*ACTIONS[:ZAP], *beams)

    @cached_property
    def walls(self) -> frozenset[tuple[int, int]]:
        """Cells that nobody enters. Where maps are drawn by chance, those of the largest."""
        return frozenset(cells(self.drawn, "W"))

    @cached_property
    def places(self) -> tuple[tuple[int, int], ...]:
        """Where something can grow, row by row: the order of ``near`` and ``rate`` in the state."""
        return cells(self.drawn, self.grows)

    @cached_property
    def fresh(self) -> tuple[tuple[int, ...], ...]:
        """What each cell shows at the start, [y][x]; where maps are drawn by chance, before that."""
        return tuple(tuple(self._begin_cell(char) for char in line) for line in self.drawn)

    @cached_property
    def under(self) -> tuple[int, ...]:
        """What is left in each of :attr:`places` where something was taken."""
        if self.law == "chance":
            return (NOTHING,) * len(self.places)
        return tuple(GRASS if self.drawn[y][x] in self.grassy else FLOOR for x, y in self.places)

    def _begin_cell(self, char: str) -> int:
        if self.law == "chance":
            return NOTHING
        if char == "W":
            return WALL
        if char in self.dirty:
            return DIRT
        if char in self.river:
            return RIVER
        if self.law == "density" and char in self.grows:
            return APPLE
        return GRASS if char in self.grassy else FLOOR


# Columns of ``avatars``.
X, Y, FACING = 0, 1, 2
ALIVE = 3  # 1, or 0 while removed
COOLDOWN, CLEANING = 4, 5  # steps until each beam can be fired again
SINCE = 6  # the step in which it was removed
COLOUR = 7  # the colour of its coins
HEARD = 8  # others who cleaned in the step before this one; whether the other took a coin of its colour in this step
DID = 9  # what it did in this step, a sum of the codes below

# Codes of DID.
ATE, CLEANED, ZAPPED, HARMED = 1, 2, 4, 8
"""It took an apple or a coin, cleaned, hit another with its beam, took a coin of the other's colour."""

# Columns of ``clock``.
STEP = 0
OVER = 1  # 0 going on, 1 ended by chance, 2 at the greatest length
BEAMS = 2  # 1 if ``beam`` has anything in it
WIDE, HIGH = 3, 4  # the cells inside the walls of this episode's map
DIRTY = 5  # how many cells of the river are dirty

# Bits of ``beam``.
ZAPPING, WASHING = 1, 2


class State(NamedTuple):
    """B worlds of P avatars, N places where something grows, on a map of H × W cells.

    ``avatars`` int32[B, P, 10], ``clock`` int32[B, 6]: columns above. ``things`` uint8[B, H·W]: what each cell shows.
    ``near`` int8[B, N]: the apples within distance 2, and ``rate`` int8[B, N]: the number of apples by which one grows in
    the next step, -1 for none; both of law ``density``. ``tide`` uint8[B, H·W]: the picture of water that a cell began with. ``luck``
    uint64[B]. ``here`` int8[B, H·W]: 1 + the avatar in a cell, 0 for none. ``beam`` uint8[B, H·W]: bits above, of the last
    step. ``rewards`` float64[B, P]: of the last step.
    """

    avatars: NDArray[np.int32]
    clock: NDArray[np.int32]
    things: NDArray[np.uint8]
    near: NDArray[np.int8]
    rate: NDArray[np.int8]
    tide: NDArray[np.uint8]
    luck: NDArray[np.uint64]
    here: NDArray[np.int8]
    beam: NDArray[np.uint8]
    rewards: NDArray[np.float64]


def empty(rules: Rules, worlds: int) -> State:
    """Arrays for ``worlds`` worlds, all zero."""
    width, height = rules.size
    cells = height * width
    return State(
        avatars=np.zeros((worlds, rules.players, 10), np.int32),
        clock=np.zeros((worlds, 6), np.int32),
        things=np.zeros((worlds, cells), np.uint8),
        near=np.zeros((worlds, len(rules.places)), np.int8),
        rate=np.zeros((worlds, len(rules.places)), np.int8),
        tide=np.zeros((worlds, cells), np.uint8),
        luck=np.zeros(worlds, np.uint64),
        here=np.zeros((worlds, cells), np.int8),
        beam=np.zeros((worlds, cells), np.uint8),
        rewards=np.zeros((worlds, rules.players)),
    )


MOST_CELLS = 2_500
"""Cells of a map."""

Count = Annotated[int, Meta(ge=0)]
Positive = Annotated[int, Meta(ge=1)]
Chance = Annotated[float, Meta(ge=0, le=1)]


class BeamForm(Form, frozen=True, kw_only=True):
    """A beam: see :class:`Beam`."""

    length: Positive
    cooldown: Positive


class CommonsForm(Form, frozen=True, kw_only=True):
    """The TOML file of one substrate: the fields of :class:`Rules`; ``map`` is its drawing, ``view`` left, right, forward, backward."""

    name: Annotated[str, Meta(pattern=r"^[a-z][a-z0-9_-]*$")] = ""
    law: Law
    map: str
    players: Annotated[int, Meta(ge=1, le=7)] = 7
    view: tuple[Count, Count, Count, Count] = (5, 5, 9, 1)
    spawn: Annotated[str, Meta(min_length=1, max_length=1)] = "P"
    rates: Annotated[tuple[Chance, ...], Meta(min_length=1)]
    ending: Chance = 0.0
    minimum: Positive = 1000
    interval: Positive = 100
    maximum: Positive = 5000
    zap: BeamForm | None = None
    respawn: Count = 0
    cleaner: BeamForm | None = None
    inside: str = ""
    grows: str
    grassy: str = ""
    river: str = ""
    banks: str = ""
    dirty: str = ""
    smallest: Count = 0
    harm: float = 0.0
    depletion: Annotated[float, Meta(gt=0, le=1)] = 1.0
    fouling: Chance = 0.0
    delay: Count = 0


SHIPPED = Path(__file__).parent / "substrates"


def read_rules(path: Path) -> Rules:
    """The substrate in the TOML file at ``path`` (:class:`CommonsForm`).

    Raises:
        StudyError: it is no such file; the text names the file, the line and what was expected.
    """
    sheet = read_sheet(path, CommonsForm)
    form = sheet.content
    view = View(*form.view)
    for error in sheet.list_size_faults(form.map, MOST_CELLS, view):
        raise error
    other = ("name", "map", "view", "zap", "cleaner")
    same = {key: value for key, value in asdict(form).items() if key not in other}
    rules = Rules(
        name=form.name or path.stem,
        drawing=form.map,
        view=view,
        zap=form.zap and Beam(form.zap.length, form.zap.cooldown),
        cleaner=form.cleaner and Beam(form.cleaner.length, form.cleaner.cooldown),
        **same,
    )
    if form.minimum > form.maximum:
        raise sheet.fault(
            ("minimum",), f"minimum must be at most maximum, {form.maximum}, not {form.minimum}"
        )
    if not rules.places:
        raise sheet.fault(("map",), f"nothing can grow: the map has none of {form.grows!r}, the key grows")
    if form.law == "chance" and (form.players != 2 or rules.size[0] != rules.size[1]):
        raise sheet.fault(("law",), "law chance takes 2 players and a square map")
    if form.cleaner and not form.zap:
        raise sheet.fault(("cleaner",), "a beam that cleans needs one that zaps beside it")
    if form.law == "cleanness" and not form.banks:
        raise sheet.fault(("law",), "law cleanness needs banks")
    try:
        if form.law != "chance":
            rules.check(rules.walls)
    except ValueError as error:
        raise sheet.fault(("map",), str(error)) from error
    return rules


SUBSTRATES = {rules.name: rules for rules in map(read_rules, sorted(SHIPPED.glob("*.toml")))}
COINS, HARVEST, CLEAN_UP = (SUBSTRATES[name] for name in ("coins-v1", "harvest-open-v1", "clean-up-v1"))
