"""The rules, step by step, in plain Python: slow and readable, written apart from the compiled kernel, which has to be equal.

What falls by chance is asked of a :class:`Chance`: random numbers in the kernel's order, or what a recording shows.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from otherminds.gridworlds.commons import rules as columns
from otherminds.gridworlds.commons.rules import (
    APPLE,
    CLEAN,
    COIN,
    COLOURS,
    DIRT,
    DRY,
    DRY_APPLE,
    GRASS,
    NOTHING,
    RIVER,
    WALL,
    WASHING,
    ZAP,
    ZAPPING,
    Beam,
    Rules,
    State,
)
from otherminds.gridworlds.grid.rules import DX, DY, HEADING, TURN, Luck, cells

Cell = tuple[int, int]
MARKS = {ZAPPING: columns.ZAPPED, WASHING: columns.CLEANED}


class Chance(Protocol):
    """What falls by chance within a step."""

    def order(self, players: int) -> list[int]: ...

    def grows(self, place: Cell, chance: float) -> bool: ...

    def fouls(self, chance: float, clean: list[Cell]) -> Cell | None: ...

    def ends(self, chance: float) -> bool: ...

    def appears(self, player: int, free: list[Cell]) -> tuple[Cell, int]: ...

    def coloured(self, place: Cell) -> int: ...


class Drawn:
    """Random numbers, in the order in which the kernel draws them."""

    def __init__(self, luck: Luck) -> None:
        self.luck = luck

    def order(self, players: int) -> list[int]:
        order = list(range(players))
        self.luck.shuffle(order)
        return order

    def grows(self, place: Cell, chance: float) -> bool:
        return self.luck.uniform() < chance

    def fouls(self, chance: float, clean: list[Cell]) -> Cell | None:
        if self.luck.uniform() >= chance or not clean:
            return None
        return clean[self.luck.below(len(clean))]

    def ends(self, chance: float) -> bool:
        return self.luck.uniform() < chance

    def appears(self, player: int, free: list[Cell]) -> tuple[Cell, int]:
        cell = free[self.luck.below(len(free))]
        return cell, self.luck.below(4)

    def coloured(self, place: Cell) -> int:
        return self.luck.below(2)


@dataclass(slots=True)
class Avatar:
    """One avatar; see ``rules`` for the meaning of each number."""

    cell: Cell = (0, 0)
    facing: int = 0
    alive: bool = True
    cooldown: int = 0
    cleaning: int = 0
    since: int = 0
    colour: int = 0
    heard: int = 0
    did: int = 0
    reward: float = 0.0


@dataclass
class Plain:
    """One world of ``rules``."""

    rules: Rules
    luck: Luck = field(default_factory=lambda: Luck(0))
    avatars: list[Avatar] = field(default_factory=list[Avatar])
    things: dict[Cell, int] = field(default_factory=dict[Cell, int])
    known: dict[Cell, int] = field(default_factory=dict[Cell, int])
    """By place without an apple, the number of apples by which one grows in the next step."""
    tide: dict[Cell, int] = field(default_factory=dict[Cell, int])
    beams: dict[Cell, int] = field(default_factory=dict[Cell, int])
    step_number: int = 0
    over: int = 0
    inside: tuple[int, int] = (0, 0)

    def reset(self, seed: int) -> None:
        """A new episode."""
        rules, self.luck = self.rules, Luck(seed)
        chance = Drawn(self.luck)
        self.begin()
        if rules.law == "chance":
            sizes = rules.size[0] - 2 - rules.smallest + 1
            size = tuple(rules.smallest + self.luck.below(sizes) for _ in range(2))
            first, second = self.luck.below(len(COLOURS)), self.luck.below(len(COLOURS) - 1)
            self.enclose((size[0], size[1]), [first, second + (second >= first)])
            corners = self.corners()
            if self.luck.below(2):
                corners.reverse()
            for avatar, corner in zip(self.avatars, corners, strict=True):
                avatar.cell, avatar.facing = corner, self.luck.below(4)
            for cell in self._growing(chance):
                self.things[cell] = COIN + self.avatars[chance.coloured(cell)].colour
            return
        for cell in cells(rules.drawn, rules.river):
            self.tide[cell] = self.luck.below(4)
        taken: set[Cell] = set()
        for i, avatar in enumerate(self.avatars):
            spawns = cells(rules.drawn, rules.inside) if i < 2 and rules.inside else rules.spawns
            avatar.cell, avatar.facing = chance.appears(i, [spawn for spawn in spawns if spawn not in taken])
            taken.add(avatar.cell)

    def begin(self) -> None:
        """All that chance does not draw."""
        rules = self.rules
        self.avatars = [Avatar() for _ in range(rules.players)]
        self.things = {(x, y): thing for y, row in enumerate(rules.fresh) for x, thing in enumerate(row)}
        self.known, self.tide, self.beams = {}, {}, {}
        self.step_number = self.over = 0

    def enclose(self, size: tuple[int, int], colours: list[int]) -> None:
        """Walls around the inside of a map of Coins, and the colours of both."""
        self.inside = size
        wide, high = size
        for x in range(wide + 2):
            for y in range(high + 2):
                rim = x in (0, wide + 1) or y in (0, high + 1)
                self.things[x, y] = WALL if rim else NOTHING
        for avatar, colour in zip(self.avatars, colours, strict=True):
            avatar.colour = colour

    def corners(self) -> list[Cell]:
        """Where avatars begin in Coins; no coin grows there."""
        wide, high = self.inside
        return [(wide - 1, 2), (2, high - 1)]

    def step(self, actions: list[int], chance: Chance | None = None) -> None:
        """One step."""
        rules, chance = self.rules, chance or Drawn(self.luck)
        self.step_number += 1
        self.beams = {}
        cleaned = [bool(avatar.did & columns.CLEANED) for avatar in self.avatars]
        for avatar, own in zip(self.avatars, cleaned, strict=True):
            avatar.reward, avatar.did = 0.0, 0
            avatar.heard = sum(cleaned) - own
        order = chance.order(rules.players)
        firing: list[tuple[int, int, Beam]] = []
        for i, (avatar, action) in enumerate(zip(self.avatars, actions, strict=True)):
            if avatar.alive and rules.zap:
                if avatar.cooldown:
                    avatar.cooldown -= 1
                elif action == ZAP:
                    avatar.cooldown = rules.zap.cooldown
                    firing.append((i, ZAPPING, rules.zap))
            if avatar.alive and rules.cleaner:
                if avatar.cleaning:
                    avatar.cleaning -= 1
                elif action == CLEAN:
                    avatar.cleaning = rules.cleaner.cooldown
                    firing.append((i, WASHING, rules.cleaner))
        growing = self._growing(chance)
        ending = 2 if self.step_number >= rules.maximum else 0
        checked = self.step_number >= rules.minimum and (self.step_number + 1) % rules.interval == 0
        if checked and chance.ends(rules.ending):
            ending = 1
        gone: list[Cell] = []
        struck: set[int] = set()
        if rules.law == "cleanness":
            gone += self._sprout(growing, chance)
        for i in order:
            if self.avatars[i].alive:
                gone += self._move(i, actions[i])
        for i, kind, beam in firing:
            gone += self._fire(i, kind, beam, struck)
        for i, avatar in enumerate(self.avatars):
            if not avatar.alive and self.step_number > avatar.since + rules.respawn:
                standing = {other.cell for other in self.avatars if other.alive}
                free = [spawn for spawn in rules.spawns if spawn not in standing]
                if free:
                    avatar.cell, avatar.facing = chance.appears(i, free)
                    avatar.alive = True
        if rules.law != "cleanness":
            gone += self._sprout(growing, chance)
        for cell in set(gone):
            self._clear(cell)
        for i in struck:
            self.avatars[i].alive, self.avatars[i].since = False, self.step_number
        self.over = ending

    def _growing(self, chance: Chance) -> list[Cell]:
        """Where something grows in this step."""
        rules = self.rules
        if rules.law == "chance":
            wide, high = self.inside
            inside = [(x, y) for y in range(1, high + 1) for x in range(1, wide + 1)]
            empty = [c for c in inside if self.things[c] == NOTHING and c not in self.corners()]
            return [cell for cell in empty if chance.grows(cell, rules.rates[0])]
        if rules.law == "density":
            return self._growing_by_density(chance)
        banks = cells(rules.drawn, rules.banks)
        dirty = sum(self.things[bank] == DIRT for bank in banks) / len(banks)
        rate = rules.rates[0] * min(1.0, (dirty - rules.depletion) / (0.0 - rules.depletion))
        waiting = [place for place in rules.places if self.things[place] != APPLE]
        growing = [place for place in waiting if chance.grows(place, rate)] if rate > 0 else []
        if self.step_number > rules.delay:
            fouled = chance.fouls(rules.fouling, [bank for bank in banks if self.things[bank] != DIRT])
            if fouled is not None:
                self.things[fouled] = DIRT
        return growing

    def _growing_by_density(self, chance: Chance) -> list[Cell]:
        rules, growing = self.rules, list[Cell]()
        for place in rules.places:
            if self.things[place] in (APPLE, DRY_APPLE):
                continue
            count = self.known.get(place, -1)
            rate = rules.rates[min(count, len(rules.rates) - 1)] if count >= 0 else 0.0
            if rate > 0 and chance.grows(place, rate):
                growing.append(place)
        for place in rules.places:
            if self.things[place] not in (APPLE, DRY_APPLE):
                self.known[place] = self.count_near(place)
                self.things[place] = GRASS if self.known[place] else DRY
        return growing

    def count_near(self, place: Cell) -> int:
        """The apples within distance 2."""
        x, y = place
        ring = [(x + dx, y + dy) for dx in range(-2, 3) for dy in range(-2, 3) if 0 < dx * dx + dy * dy <= 4]
        places = set(self.rules.places)
        return sum(self.things[cell] in (APPLE, DRY_APPLE) for cell in ring if cell in places)

    def _sprout(self, growing: list[Cell], chance: Chance) -> list[Cell]:
        """Lets things grow; the cells from which they were taken at once."""
        for cell in growing:
            if self.rules.law == "chance":
                self.things[cell] = COIN + self.avatars[chance.coloured(cell)].colour
            else:
                self.things[cell] = DRY_APPLE if self.things[cell] == DRY else APPLE
        gone: list[Cell] = []
        for cell in growing:
            for i, avatar in enumerate(self.avatars):
                if avatar.alive and avatar.cell == cell:
                    gone += self._take(i)
        return gone

    def _take(self, i: int) -> list[Cell]:
        """What an avatar takes where it stands."""
        avatar = self.avatars[i]
        thing = self.things[avatar.cell]
        if thing < COIN and thing not in (APPLE, DRY_APPLE):
            return []
        avatar.reward += 1
        avatar.did |= columns.ATE
        if thing >= COIN and thing != COIN + avatar.colour:
            avatar.did |= columns.HARMED
            other = self.avatars[1 - i]
            other.reward += self.rules.harm
            other.heard = 1
        return [avatar.cell]

    def _move(self, i: int, action: int) -> list[Cell]:
        avatar = self.avatars[i]
        if action >= ZAP:
            return []
        avatar.facing = (avatar.facing + TURN[action]) % 4
        if HEADING[action] < 0:
            return []
        way = (avatar.facing + HEADING[action]) % 4
        target = avatar.cell[0] + DX[way], avatar.cell[1] + DY[way]
        if self.things[target] == WALL or any(a.alive and a.cell == target for a in self.avatars):
            return self._take(i)  # A move that fails enters the own cell again
        avatar.cell = target
        return self._take(i)

    def _fire(self, i: int, kind: int, beam: Beam, struck: set[int]) -> list[Cell]:
        """Three columns ahead, each to the first obstacle; the cells that it cleans."""
        avatar, cleaned = self.avatars[i], list[Cell]()
        facing = avatar.facing
        for aside, first in ((-1, 0), (1, 0), (0, 1)):
            for far in range(first, first + beam.length):
                right = (facing + 1) % 4
                x = avatar.cell[0] + far * DX[facing] + aside * DX[right]
                y = avatar.cell[1] + far * DY[facing] + aside * DY[right]
                if self.things[x, y] == WALL:
                    break
                hit = {j for j, other in enumerate(self.avatars) if other.alive and other.cell == (x, y)}
                if kind == ZAPPING and hit:
                    struck |= hit
                    avatar.did |= MARKS[kind]
                    break
                if kind == WASHING and self.things[x, y] == DIRT:
                    cleaned.append((x, y))
                    avatar.did |= MARKS[kind]
                    break
                self.beams[x, y] = self.beams.get((x, y), 0) | kind
        return cleaned

    def _clear(self, cell: Cell) -> None:
        thing = self.things[cell]
        left = {APPLE: GRASS, DRY_APPLE: DRY, DIRT: RIVER}.get(thing, NOTHING)
        if self.rules.law == "cleanness" and thing == APPLE:
            left = self.rules.under[self.rules.places.index(cell)]
        self.things[cell] = left
        self.known.pop(cell, None)

    def write(self, state: State, b: int = 0) -> None:
        """Writes world ``b`` of ``state``."""
        rules = self.rules
        width, height = rules.size
        for i, a in enumerate(self.avatars):
            state.avatars[b, i] = (
                *a.cell,
                a.facing,
                a.alive,
                a.cooldown,
                a.cleaning,
                a.since,
                a.colour,
                a.heard,
                a.did,
            )
            state.rewards[b, i] = a.reward
        dirty = sum(thing == DIRT for thing in self.things.values())
        state.clock[b] = self.step_number, self.over, bool(self.beams), *self.inside, dirty
        for array, values in ((state.things, self.things), (state.beam, self.beams), (state.tide, self.tide)):
            grid = np.zeros((height, width), array.dtype)
            for (x, y), value in values.items():
                grid[y, x] = value
            array[b] = grid.ravel()
        state.here[b] = 0
        for i, avatar in enumerate(self.avatars):
            if avatar.alive:
                state.here[b, avatar.cell[1] * width + avatar.cell[0]] = i + 1
        if rules.law != "chance":
            for n, place in enumerate(rules.places):
                state.near[b, n] = self.count_near(place) if rules.law == "density" else 0
                state.rate[b, n] = self.known.get(place, -1)
        state.luck[b] = self.luck.state
