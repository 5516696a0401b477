"""The rules, step by step, in plain Python: slow and readable.

They are written apart from the compiled kernel, which has to be equal to them bit for bit. A step has the
order of Melting Pot's engine: pots cook and their bars are drawn (in a random half of the episodes in reverse
order, so bars lag a step behind); then turns and moves in a random order, then beams in another. A beam
reaches the one cell ahead of its avatar and acts on the thing there.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from otherminds.gridworlds.cooking import rules as columns
from otherminds.gridworlds.cooking.rules import (
    DELIVERED,
    DISH,
    EMPTY,
    FILLED,
    FLOOR,
    HATCH,
    NOTHING,
    POT,
    PUT,
    SERVED,
    SOUP,
    TOMATO,
    TOOK,
    Rules,
    State,
    empty,
)
from otherminds.gridworlds.cooking.views import (
    AVATAR,
    BAR,
    BEAM,
    FACING,
    ITEM,
    LAYERS,
    OTHER,
    SELF,
    THING,
    encode_map,
    mix_paint,
)
from otherminds.gridworlds.cooking.world import CookingWorld
from otherminds.gridworlds.grid.pixels import Pixels
from otherminds.gridworlds.grid.rules import DX, DY, HEADING, INTERACT, TURN, Luck
from tests.gridworlds.grid.plain_engine import PlainEngine, cut, cut_picture

Cell = tuple[int, int]


@dataclass(slots=True)
class Avatar:
    """One avatar; see :mod:`.state` for the meaning of each number."""

    cell: Cell
    facing: int
    held: int = EMPTY
    cooldown: int = 0
    did: int = NOTHING
    reward: float = 0.0


@dataclass(slots=True)
class Container:
    """A counter, or a dispenser: ``stock`` is what it gives without end."""

    item: int
    stock: int
    used: bool = False  # Whether an avatar has used it in this step: a second one finds it busy


@dataclass(slots=True)
class Pot:
    """A pot that cooks once it is full."""

    inside: int = 0
    time: int = 0
    cooked: bool = False
    bar: int = 0
    fresh: bool = False  # Whether its soup became ready in this step
    users: int = 0  # How many turned to it in this step


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened in a step: ``kind`` names it, ``who`` the avatar, ``what`` the item in hand.

    ``blocked`` (a move into a thing or an avatar), ``fired``, ``dispensed`` and ``taken`` (from a dispenser,
    from a counter), ``put``, ``declined`` (a dispenser, with the hand full), ``occupied`` (counter and hand
    both full), ``idle`` (both empty), ``busy`` (a container that someone else turned to in this step),
    ``filled``, ``refused`` (a pot took no notice), ``served``, ``fresh`` (served in the step in which the
    soup became ready), ``shared`` (a pot that someone else turned to in this step), ``delivered``,
    ``unwanted`` (anything but soup at the place of delivery), ``missed`` (nothing there to act on).
    """

    kind: str
    who: int
    what: int = EMPTY


@dataclass
class Plain:
    """One world under ``rules``, from its ``reset``."""

    rules: Rules
    avatars: list[Avatar] = field(default_factory=list[Avatar])
    containers: dict[Cell, Container] = field(default_factory=dict[Cell, Container])
    pots: dict[Cell, Pot] = field(default_factory=dict[Cell, Pot])
    beam: dict[Cell, int] = field(default_factory=dict[Cell, int])
    events: list[Event] = field(default_factory=list[Event])
    step_number: int = 0
    over: int = 0
    lagging: bool = False  # Whether bars are drawn before pots cook on, in this episode

    def reset(self, seed: int) -> None:
        """A new episode. Draws for each avatar where it starts and which way it faces; then whether bars lag."""
        rules = self.rules
        self.luck = Luck(seed)
        self.step_number = self.over = 0
        self.beam = {}
        self.events = []
        stocked = zip(rules.containers, rules.stock, strict=True)
        self.containers = {cell: Container(stock, stock) for cell, stock in stocked}
        self.pots = {cell: Pot() for cell in rules.pots}
        free = list(rules.spawns)
        self.avatars = []
        for _ in range(rules.players):
            cell = free.pop(self.luck.below(len(free)))
            self.avatars.append(Avatar(cell, self.luck.below(4)))
        self.standing = {avatar.cell: i for i, avatar in enumerate(self.avatars)}
        self.lagging = bool(self.luck.below(2))

    def step(self, actions: list[int]) -> None:
        """One action for each avatar: numbers of :mod:`otherminds.gridworlds.grid.rules`."""
        self.step_number += 1
        self.beam, self.events = {}, []
        for avatar in self.avatars:
            avatar.reward = 0.0
            avatar.did = NOTHING
        for container in self.containers.values():
            container.used = False
        moving = self._shuffled()
        firing = [i for i in self._shuffled() if self._fires(i, actions[i])]
        for pot in self.pots.values():
            self._cook(pot)
        for i in moving:
            self._move(i, actions[i])
        for i in firing:
            self._fire(i)
        self.over = 2 if self.step_number >= self.rules.maximum else 0

    def _shuffled(self) -> list[int]:
        order = list(range(self.rules.players))
        self.luck.shuffle(order)
        return order

    def _fires(self, i: int, action: int) -> bool:
        """A step in which the beam cools is a step without a beam."""
        avatar = self.avatars[i]
        if avatar.cooldown:
            avatar.cooldown -= 1
            return False
        if action != INTERACT:
            return False
        avatar.cooldown = self.rules.cooldown
        return True

    def _cook(self, pot: Pot) -> None:
        """The bar is drawn before this step's beams, so it stays full for the step in which soup is taken."""
        pot.fresh, pot.users = False, 0
        before = pot.time
        if pot.inside == self.rules.capacity and not pot.cooked:
            pot.cooked = pot.fresh = pot.time == self.rules.cooking
            pot.time += 1
        pot.bar = (before if self.lagging else pot.time) * 10 // self.rules.cooking

    def _move(self, i: int, action: int) -> None:
        """Turns, or moves one cell relative to the own orientation; into a thing or an avatar it stays."""
        avatar = self.avatars[i]
        avatar.facing = (avatar.facing + TURN[action]) % 4
        if HEADING[action] < 0:
            return
        x, y = target = ahead(avatar.cell, (avatar.facing + HEADING[action]) % 4)
        if self.rules.things[y][x] != FLOOR or target in self.standing:
            self.events.append(Event("blocked", i))
            return
        del self.standing[avatar.cell]
        self.standing[target] = i
        avatar.cell = target

    def _fire(self, i: int) -> None:
        """The beam reaches and shows in exactly one cell."""
        avatar = self.avatars[i]
        x, y = target = ahead(avatar.cell, avatar.facing)
        self.beam[target] = max(i, self.beam.get(target, 0))
        self.events.append(Event("fired", i, avatar.held))
        if target in self.containers:
            self._use(i, self.containers[target])
        elif target in self.pots:
            self._tend(i, self.pots[target])
        elif self.rules.things[y][x] == HATCH:
            self._deliver(i)
        else:
            self.events.append(Event("missed", i, avatar.held))

    def _use(self, i: int, container: Container) -> None:
        """Takes what is there with an empty hand, or puts on an empty counter what is in hand."""
        avatar = self.avatars[i]
        if container.used:
            self.events.append(Event("busy", i, avatar.held))
            return
        container.used = True
        if container.item != EMPTY and avatar.held == EMPTY:
            avatar.held = container.item
            avatar.did = TOOK + avatar.held
            container.item = container.stock
            self.events.append(Event("dispensed" if container.stock else "taken", i, avatar.held))
        elif container.item == EMPTY and avatar.held != EMPTY:
            container.item = avatar.held
            avatar.did = PUT + avatar.held
            avatar.held = EMPTY
            self.events.append(Event("put", i, container.item))
        else:
            kind = "declined" if container.stock else "occupied" if avatar.held else "idle"
            self.events.append(Event(kind, i, avatar.held))

    def _tend(self, i: int, pot: Pot) -> None:
        """Adds a tomato while there is room, or fills a dish once the soup is cooked."""
        avatar = self.avatars[i]
        pot.users += 1
        if pot.users > 1:
            self.events.append(Event("shared", i, avatar.held))
        if avatar.held == TOMATO and pot.inside < self.rules.capacity:
            pot.inside += 1
            avatar.held = EMPTY
            avatar.did = FILLED
            self.events.append(Event("filled", i, TOMATO))
        elif avatar.held == DISH and pot.cooked:
            pot.inside = pot.time = 0
            pot.cooked = False
            avatar.held = SOUP
            avatar.did = SERVED
            self.events.append(Event("fresh" if pot.fresh else "served", i, SOUP))
        else:
            self.events.append(Event("refused", i, avatar.held))

    def _deliver(self, i: int) -> None:
        """A soup rewards every player."""
        deliverer = self.avatars[i]
        if deliverer.held != SOUP:
            self.events.append(Event("unwanted", i, deliverer.held))
            return
        deliverer.held = EMPTY
        deliverer.did = DELIVERED
        for avatar in self.avatars:
            avatar.reward += self.rules.pay
        self.events.append(Event("delivered", i, SOUP))

    def write(self, state: State, b: int = 0) -> None:
        """Writes this world into row ``b`` of ``state``."""
        width, _ = self.rules.size
        for i, a in enumerate(self.avatars):
            state.avatars[b, i] = (*a.cell, a.facing, a.cooldown, a.held, a.did)
            state.rewards[b, i] = a.reward
        for n, pot in enumerate(self.pots.values()):
            state.pots[b, n] = (pot.inside, pot.time, pot.cooked, pot.bar)
        state.items[b] = [container.item for container in self.containers.values()]
        state.clock[b] = (self.step_number, self.over, bool(self.beam), self.lagging)
        state.luck[b] = self.luck.state
        for plane, places in ((state.here[b], self.standing), (state.beam[b], self.beam)):
            plane[:] = 0
            for (x, y), i in places.items():
                plane[y * width + x] = i + 1


def ahead(cell: Cell, facing: int) -> Cell:
    """The next cell that way."""
    return cell[0] + DX[facing], cell[1] + DY[facing]


def window(rules: Rules, state: State, b: int, player: int) -> NDArray[np.uint8]:
    """The window of ``player`` in world ``b``."""
    width, height = rules.size
    whole = np.zeros((height, width, LAYERS), np.uint8)
    whole[..., THING] = np.array(rules.things)
    for (x, y), stock, item in zip(rules.containers, rules.stock, state.items[b], strict=True):
        if not stock:
            whole[y, x, ITEM] = item
    for (x, y), pot in zip(rules.pots, state.pots[b], strict=True):
        whole[y, x, [THING, BAR]] = POT + pot[columns.INSIDE], pot[columns.BAR]
    own_x, own_y, facing = state.avatars[b, player, : columns.COOLDOWN].tolist()
    for i, avatar in enumerate(state.avatars[b]):
        cell = whole[avatar[columns.Y], avatar[columns.X]]
        cell[ITEM] = avatar[columns.HELD]
        cell[AVATAR] = SELF if i == player else OTHER + i
        cell[FACING] = 1 + (avatar[columns.FACING] - facing) % 4
    whole[..., BEAM] = state.beam[b].reshape(height, width)
    return cut(rules.view, whole, (own_x, own_y, facing))


def vector(rules: Rules, state: State, b: int, player: int) -> list[float]:
    """What ``player`` observes beside its window: nothing, as in Melting Pot."""
    return []


def pose(state: State, b: int, player: int) -> list[int]:
    """Where ``player`` is in world ``b``: x, y, orientation."""
    return state.avatars[b, player, : columns.COOLDOWN].tolist()


def observe(rules: Rules, state: State, b: int, player: int) -> Pixels:
    """The window of ``player`` in world ``b``: uint8[rows · 8, columns · 8, 3], Melting Pot's RGB."""
    place = state.avatars[b, player, : columns.COOLDOWN].tolist()
    return cut_picture(mix_paint(rules), encode_map(rules, state, b), player, *place)


def plain_engine(rules: Rules) -> PlainEngine[Plain]:
    """The engine of the plain rules."""
    return PlainEngine(Plain(rules), empty(rules, 1), window, vector, pose, observe)


def plain_world(rules: Rules, *, rgb: bool = False, render_mode: str | None = None) -> CookingWorld:
    """A world that the plain rules play."""
    world = CookingWorld(rules, rgb=rgb, render_mode=render_mode)
    world.engine = plain_engine(rules)
    return world
