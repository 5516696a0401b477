"""The rules of a kitchen, which a TOML file gives whole, and the state of B worlds as flat arrays.

``steps`` count from 1 (the first step of an episode); 0 is the reset.

Source: Melting Pot 2.4.1, the configurations and the Lua components of ``collaborative_cooking__*``
(Agapiou et al. 2022, after Carroll et al. 2019 and Strouse et al. 2021)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from otherminds.gridworlds.cooking.form import CHARACTERS, PATIENCE, VOID, Role, read_form
from otherminds.gridworlds.grid.rules import DX, DY, GridRules, cells

EMPTY, TOMATO, DISH, SOUP = range(4)
ITEMS = ("nothing", "tomato", "dish", "soup")
"""What a hand or a counter can hold, by these numbers."""

FLOOR, COUNTER, TOMATOES, DISHES, HATCH, POT = range(6)
"""What a cell can be: floor, a counter, a dispenser of tomatoes or of dishes, the place of delivery, a pot."""

NEEDED = {
    "O": "a dispenser of tomatoes",
    "D": "a dispenser of dishes",
    "C": "a pot",
    "T": "the place of delivery",
}
"""What a soup takes, by its character on the map."""


class CookPolicy(NamedTuple):
    """A scripted cook: its role in a room that is for serving, its role in another.

    It stands still in a share of ``idle`` steps. ``patience`` are the steps for which it waits for somebody who stands
    in its way before it gives way itself.
    """

    serving: Role
    supplying: Role
    idle: float = 0.0
    patience: int = PATIENCE


class Pool(NamedTuple):
    """The cooks that a scenario draws the others from, what they are, in words, and how many seats are under test."""

    are: str
    cooks: tuple[str, ...]
    focal: int = 1


@dataclass(frozen=True, kw_only=True)
class Rules(GridRules):
    """One substrate. Times are in steps (Melting Pot: frames), places are (x, y).

    The border of what avatars can reach in ``drawing`` is closed; void cells outside of it count as floor. A pot
    takes ``capacity`` tomatoes and then cooks for ``cooking`` steps; a delivered soup pays ``pay`` to every player. The
    beam can be fired again ``cooldown`` steps after a step without it. An episode has ``maximum`` steps. ``cooks`` are
    the scripted cooks that it has, by name, and ``scenarios`` who is met in each. ``best`` are the best roles beside
    each of its cooks, and beside all of them (``blind``), where they were measured.
    """

    cooking: int = 20
    capacity: int = 3
    pay: float = 20.0
    cooldown: int = 1
    maximum: int = 1000
    cooks: tuple[tuple[str, CookPolicy], ...] = ()
    scenarios: tuple[Pool, ...] = ()
    best: tuple[tuple[str, CookPolicy], ...] = ()

    @cached_property
    def things(self) -> tuple[tuple[int, ...], ...]:
        """What each cell is, [y][x]: ``FLOOR``, ``COUNTER``, ... Avatars enter floor only."""
        return tuple(tuple(max(CHARACTERS.find(char), FLOOR) for char in line) for line in self.drawn)

    @cached_property
    def closed(self) -> frozenset[tuple[int, int]]:
        """The cells that avatars cannot enter."""
        rows = enumerate(self.things)
        return frozenset((x, y) for y, row in rows for x, thing in enumerate(row) if thing != FLOOR)

    @cached_property
    def floor(self) -> frozenset[tuple[int, int]]:
        """The cells that avatars can come to."""
        return self.reach(self.closed)

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


SHIPPED = Path(__file__).parent / "substrates"


def read_rules(path: Path) -> Rules:
    """The kitchen in the TOML file at ``path`` (:mod:`otherminds.gridworlds.cooking.form`).

    Raises:
        StudyError: it is no such file; the text names the file, the line and what was expected.
    """
    sheet = read_form(path)
    form = sheet.content
    rules = Rules(
        form.name or path.stem,
        form.map,
        form.players,
        form.view.window,
        cooking=form.cooking,
        capacity=form.capacity,
        pay=form.pay,
        cooldown=form.cooldown,
        maximum=form.maximum,
        cooks=tuple(
            (name, CookPolicy(cook.serving, cook.supplying, cook.idle, cook.patience))
            for name, cook in sorted(form.cooks.items())
        ),
        scenarios=tuple(Pool(pool.are, pool.cooks, pool.focal) for pool in form.scenarios),
        best=tuple((name, CookPolicy(*roles)) for name, roles in form.best.items()),
    )
    try:
        rules.check(rules.closed)
    except ValueError as error:
        raise sheet.fault(("map",), str(error)) from error
    if outside := rules.floor.intersection(cells(rules.drawn, VOID)):
        raise sheet.fault(("map",), f"the map of {rules.name} is not enclosed: {min(outside)} can be reached")
    within_reach = {(x + dx, y + dy) for x, y in rules.floor for dx, dy in zip(DX, DY, strict=True)}
    for char, thing in NEEDED.items():
        if not within_reach.intersection(cells(rules.drawn, char)):
            text = f"no soup can be delivered: {thing}, {char!r}, is missing or cannot be reached"
            raise sheet.fault(("map",), text)
    return rules


SUBSTRATES = {rules.name: rules for rules in map(read_rules, sorted(SHIPPED.glob("*.toml")))}
COOKING_ASYMMETRIC = SUBSTRATES["cooking-asymmetric-v1"]


# Columns of ``avatars``.
X, Y, FACING = 0, 1, 2
COOLDOWN = 3  # steps until the beam can be fired again: 1, 0
HELD = 4  # the item in its hands, by number in ``rules.ITEMS``
DID = 5  # what its beam did in the last step, in the codes below

# Codes of DID. The first two are added to the item taken or put.
NOTHING = 0  # no beam, or one that changed nothing
TOOK = 0  # it took an item from a counter or dispenser: 1 tomato, 2 dish, 3 soup
PUT = 3  # it put an item on a counter: 4 tomato, 5 dish, 6 soup
FILLED, SERVED, DELIVERED = 7, 8, 9
"""A tomato went into a pot, a soup from a pot into its dish, a soup to the place of delivery."""

# Columns of ``pots``.
INSIDE = 0  # how many tomatoes are in it; a cooked soup still counts as three
TIME = 1  # steps for which it has cooked
COOKED = 2  # 1 if soup can be taken. It cannot be seen: the bar is full then or already one step before
BAR = 3  # how far the bar above it is filled, 0 to 10, full one step after its soup was taken, too

# Columns of ``clock``.
STEP = 0
OVER = 1  # 0 going on, 2 at the greatest length
BEAMS = 2  # 1 if ``beam`` has anything in it
LAGGING = 3  # 1 if bars show in this episode how far pots were a step before


class State(NamedTuple):
    """B worlds of P avatars, N containers, M pots on a map of H × W cells.

    ``avatars`` int32[B, P, 6], ``pots`` int32[B, M, 4], ``clock`` int32[B, 4]: columns above. ``items``
    int32[B, N]: what lies on each container (a dispenser: its item). ``luck`` uint64[B]. ``here``
    int8[B, H·W]: 1 + the avatar in a cell, 0 for none. ``beam`` uint8[B, H·W]: 1 + the avatar whose beam
    shows, the last one where several do. ``rewards`` float64[B, P]: of the last step.
    """

    avatars: NDArray[np.int32]
    pots: NDArray[np.int32]
    items: NDArray[np.int32]
    clock: NDArray[np.int32]
    luck: NDArray[np.uint64]
    here: NDArray[np.int8]
    beam: NDArray[np.uint8]
    rewards: NDArray[np.float64]


def empty(rules: Rules, worlds: int) -> State:
    """Arrays for ``worlds`` worlds, all zero."""
    width, height = rules.size
    return State(
        avatars=np.zeros((worlds, rules.players, 6), np.int32),
        pots=np.zeros((worlds, len(rules.pots), 4), np.int32),
        items=np.zeros((worlds, len(rules.containers)), np.int32),
        clock=np.zeros((worlds, 4), np.int32),
        luck=np.zeros(worlds, np.uint64),
        here=np.zeros((worlds, height * width), np.int8),
        beam=np.zeros((worlds, height * width), np.uint8),
        rewards=np.zeros((worlds, rules.players)),
    )
