"""The rules of a substrate, which a TOML file gives whole, and the state of B worlds as flat arrays.

``steps`` count from 1 (the first step of an episode); 0 is the reset.

Source: Melting Pot 2.4.1, the configuration and the Lua components of
``running_with_scissors_in_the_matrix__repeated``, ``…__arena`` and
``prisoners_dilemma_in_the_matrix__repeated`` (Agapiou et al. 2022)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from otherminds.core.data import Game
from otherminds.core.text import quote_name
from otherminds.gridworlds.grid.rules import GridRules, cells
from otherminds.gridworlds.in_the_matrix.form import CHANCE, SIDES, BotForm, read_form

Matrix = tuple[tuple[float, ...], ...]


class BotPolicy(NamedTuple):
    """What a bot does: a partner family of :mod:`otherminds.games`, and the margin by which it raises each class."""

    family: str
    params: tuple[tuple[str, Any], ...]
    margins: tuple[int, ...]
    gullible: bool = False


class Pool(NamedTuple):
    """The bots that a scenario draws the others from, what they do in words, how many seats are under test, who plays."""

    do: str
    bots: tuple[str, ...]
    focal: int
    players: int
    roles: tuple[str, ...]


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
    a duel's result. In a duel the avatar that fires is the row player, unless ``roles`` say of each player whether it is in
    the "row" or the "column": then only players of different roles duel. A row player that does not lose has its
    inventory reset at once; with ``random_ties`` one that ties only with probability 1/2. ``one_shot``: the episode ends
    with the step after the first duel was paid. ``looks`` says how the others look: all "alike", by their "roles", or each
    different, in the colours that Melting Pot calls "readable" or in those of its "palette". ``bots`` are the partners that it has, by name, and ``scenarios`` who is met in each.
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
    looks: str = "alike"
    roles: tuple[str, ...] = ()
    random_ties: bool = False
    one_shot: bool = False
    minimum: int = 1000
    interval: int = 100
    maximum: int = 5000
    freeze: int = 16
    cooldown: int = 2
    health: int = 3
    bots: tuple[tuple[str, BotPolicy], ...] = ()
    scenarios: tuple[Pool, ...] = ()

    @cached_property
    def walls(self) -> tuple[tuple[int, int], ...]:
        """Cells that stop avatars and beams."""
        return cells(self.drawn, "W")

    @cached_property
    def open(self) -> tuple[tuple[int, int], ...]:
        """Cells that avatars can come to, row by row; all others are walls or void."""
        return tuple(sorted(self.reach({*self.walls}), key=lambda cell: cell[::-1]))

    @cached_property
    def closed(self) -> frozenset[tuple[int, int]]:
        """All other cells of the map."""
        width, height = self.size
        return frozenset((x, y) for x in range(width) for y in range(height)).difference(self.open)

    @property
    def distinct(self) -> bool:
        """Whether each avatar looks different."""
        return self.looks in ("readable", "palette")

    @cached_property
    def sides(self) -> tuple[int, ...]:
        """By player: 0 in the row, 1 in the column, -1 where whoever fires is in the row."""
        return tuple(SIDES.index(role) for role in self.roles) or (-1,) * self.players

    @cached_property
    def numbers(self) -> tuple[int, ...]:
        """The number by which others know each player: its own if all look different, that of its role, or 0."""
        if self.distinct:
            return tuple(range(self.players))
        return self.sides if self.looks == "roles" else (0,) * self.players

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
        """The stage game of a duel between pure inventories, as it is for the first player (:meth:`game_of`)."""
        return self.game_of(0)

    def game_of(self, player: int) -> Game:
        """The stage game of a duel between pure inventories: the first seat is that of ``player``."""
        n = range(len(self.classes))
        payoffs = tuple(tuple((self.row[i][j], self.column[i][j]) for j in n) for i in n)
        game = Game(FORM.sub("", self.name), (self.classes, self.classes), payoffs)
        return game.flipped() if self.sides[player] == 1 else game


FORM = re.compile(r"(-(repeated|arena|one-shot))?(-v\d+)?$")
"""What the name of a substrate adds to that of its game."""
SHIPPED = Path(__file__).parent / "substrates"


def read_rules(path: Path) -> Rules:
    """The substrate in the TOML file at ``path`` (:mod:`otherminds.gridworlds.in_the_matrix.form`).

    Raises:
        StudyError: it is no such file; the text names the file, the line and what was expected.
    """
    sheet = read_form(path)
    form = sheet.content
    numbers = {name: number for number, name in enumerate(form.classes)}
    column = form.column or tuple(zip(*form.row, strict=True))
    bots = form.bots or {name: BotForm(family="single", params={"behaviour": name}) for name in form.classes}
    policies = tuple((name, _make_policy(bot, numbers)) for name, bot in bots.items())
    pools = tuple(
        Pool(entry.do, entry.bots, entry.focal, entry.players or form.players, entry.roles or form.roles)
        for entry in form.scenarios
    )
    rules = Rules(
        form.name or path.stem,
        form.map,
        form.players,
        form.view.window,
        spawn=form.spawn,
        kinds=form.symbols,
        classes=form.classes,
        colours=form.colours,
        row=form.row,
        column=column,
        regrowth=form.regrowth,
        delay=form.delay,
        respawn=form.respawn,
        refill=form.refill,
        ending=form.ending.chance,
        bounds=form.bounds or _divide_payoffs(form.row, column),
        looks=form.looks,
        roles=form.roles,
        random_ties=form.random_ties,
        one_shot=form.ending.first_duel,
        minimum=form.ending.minimum,
        interval=form.ending.interval,
        maximum=form.ending.maximum,
        freeze=form.freeze,
        cooldown=form.cooldown,
        health=form.health,
        bots=policies,
        scenarios=pools or (Pool("any of its bots", tuple(sorted(bots)), 1, form.players, form.roles),),
    )
    try:
        rules.check(rules.walls)
    except ValueError as error:
        raise sheet.fault(("map",), str(error)) from error
    for symbol, name in zip(rules.kinds, rules.classes, strict=True):
        if not {*cells(rules.drawn, symbol + CHANCE)}.intersection(rules.open):
            text = f"no {quote_name(name)} can grow: no cell with {symbol!r} or {CHANCE!r} can be reached"
            raise sheet.fault(("map",), text)
    return rules


def _make_policy(bot: BotForm, numbers: Mapping[str, int]) -> BotPolicy:
    """The policy of a bot, in whose parameters the names of classes stand for their numbers."""

    def number(value: Any) -> Any:
        if isinstance(value, list):
            return tuple(map(number, value))
        return numbers.get(value, value) if isinstance(value, str) else value

    margins = (bot.margins,) * len(numbers) if isinstance(bot.margins, int) else bot.margins
    params = tuple((name, number(value)) for name, value in bot.params.items())
    return BotPolicy(bot.family, params, margins, bot.gullible)


def _divide_payoffs(row: Matrix, column: Matrix) -> tuple[float, ...]:
    """Four limits that divide the range of payoffs into five equal parts."""
    pays = [pay for line in (*row, *column) for pay in line]
    low, high = min(pays), max(pays)
    return tuple(low + (high - low) * part / 5 for part in range(1, 5))


SUBSTRATES = {rules.name: rules for rules in map(read_rules, sorted(SHIPPED.glob("*.toml")))}
RWS_REPEATED, RWS_ARENA, PD_REPEATED = (
    SUBSTRATES[name] for name in ("rws-repeated-v1", "rws-arena-v1", "pd-repeated-v1")
)


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
ROW = 12  # 1 if it was the row player of its last duel
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
