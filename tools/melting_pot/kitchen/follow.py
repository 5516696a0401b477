"""Whether the plain rules explain a recorded episode of the real substrate, step by step.

Only what is chance is taken from the recording: where avatars start and face,
whether bars lag, and the orders of moves and of beams, of which any that agrees
with what was seen will do, because all that can make a difference later is seen.
All else is worked out by
``Plain`` from the first step to the last.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, MutableSequence
from copy import copy
from dataclasses import dataclass, field, replace
from itertools import permutations, product
from typing import Any

from tests.gridworlds.cooking.plain import Cell, Plain, ahead
from tools.melting_pot.kitchen.trace import Trace

from otherminds.gridworlds.cooking.rules import DISH, FLOOR, SUBSTRATES, TOMATO, Rules
from otherminds.gridworlds.grid.rules import HEADING, INTERACT, Luck

KINDS = {
    "dispensed": "a tomato or dish taken from a dispenser",
    "declined": "a dispenser used with something in hand",
    "put": "an item put on a counter",
    "taken": "an item taken from a counter",
    "occupied": "a full counter used with something in hand",
    "idle": "an empty counter used with an empty hand",
    "busy": "a container that another had turned to in the same step",
    "filled": "a tomato put into a pot",
    "refused": "a pot that did nothing: full, not cooked yet, or used with the wrong item or none",
    "full": "of these, a tomato refused by a full pot",
    "early": "of these, a dish refused by a pot that is full and not cooked yet",
    "served": "a soup taken, later than in the step in which it became ready",
    "fresh": "a soup taken in the very step in which it became ready",
    "shared": "a pot that another had turned to in the same step",
    "delivered": "a soup delivered",
    "unwanted": "the place of delivery used without a soup",
    "missed": "a beam at floor or an avatar",
    "fired": "all beams",
    "cooling": "INTERACT in the step after a beam",
    "blocked": "moves that did not happen",
    "contested": "cells that several avatars aimed for in one step",
    "vacated": "moves into a cell where another stood before the step",
    "denied": "moves against an avatar that left later in the same step",
    "order of moves": "steps that only another order of moves than that of the players explains",
    "order of beams": "steps that only another order of beams explains",
}
"""The kinds of events, and what is counted."""


@dataclass(frozen=True)
class Seen:
    """One row of a trace as plain values, in the form in which :func:`shown_by` gives ours."""

    avatars: tuple[tuple[int, ...], ...]
    """For each: x, y, orientation, what is held."""
    items: tuple[int, ...]
    pots: tuple[tuple[int, ...], ...]
    """For each: tomatoes, whether cooked, the bar."""
    beams: frozenset[tuple[Cell, int]]
    """Where a beam shows, and whose."""
    rewards: tuple[int, ...]
    over: bool


@dataclass
class Followed:
    """What came of following a trace: its events by kind, and what was not explained."""

    events: Counter[str] = field(default_factory=Counter[str])
    steps: int = 0
    mismatches: list[str] = field(default_factory=list[str])
    lagging: bool = False


class ReceivedMessage(Luck):
    """Luck that has already been had: gives the orders it is told."""

    def __init__(self, orders: list[list[int]]) -> None:
        super().__init__(0)
        self.orders = orders

    def shuffle(self, items: MutableSequence[Any]) -> None:
        items[:] = self.orders.pop(0)


class Follower(Plain):
    """The plain rules, with chance read off a recording."""

    orders: tuple[list[int], list[int]] = ([], [])
    """In which avatars moved and fired in the last step."""

    def start(self, row: Seen) -> None:
        """The first moment of a recording."""
        self.reset(0)
        for avatar, (x, y, facing, _) in zip(self.avatars, row.avatars, strict=True):
            avatar.cell, avatar.facing = (x, y), facing
        self.standing = {avatar.cell: i for i, avatar in enumerate(self.avatars)}

    def fork(self) -> Follower:
        """A copy that shares nothing that changes."""
        other = copy(self)
        other.avatars = [copy(avatar) for avatar in self.avatars]
        other.containers = {cell: copy(container) for cell, container in self.containers.items()}
        other.pots = {cell: copy(pot) for cell, pot in self.pots.items()}
        other.standing = dict(self.standing)
        return other

    def tried(self, actions: list[int], moving: list[int], firing: list[int]) -> Follower:
        """A copy of this world after one step under two given orders."""
        other = self.fork()
        other.luck = ReceivedMessage([moving, firing])
        other.orders = moving, firing
        other.step(actions)
        return other


def shown_by(world: Plain) -> Seen:
    """What a recording of ``world`` would show of its last step."""
    fired = {event.who for event in world.events if event.kind == "fired"}
    return Seen(
        avatars=tuple((*a.cell, a.facing, a.held) for a in world.avatars),
        items=tuple(container.item for container in world.containers.values()),
        pots=tuple((pot.inside, int(pot.cooked), pot.bar) for pot in world.pots.values()),
        beams=frozenset((ahead(world.avatars[i].cell, world.avatars[i].facing), i) for i in fired),
        rewards=tuple(int(avatar.reward) for avatar in world.avatars),
        over=bool(world.over),
    )


def rows(trace: Trace) -> Iterator[Seen]:
    """The rows of a trace, one by one."""
    width = trace.drawing.index("\n")
    for t in range(trace.steps + 1):
        lit = [(int(n), int(trace.beams[t, n])) for n in trace.beams[t].nonzero()[0]]
        yield Seen(
            avatars=tuple(map(tuple, trace.avatars[t].tolist())),
            items=tuple(trace.items[t].tolist()),
            pots=tuple(map(tuple, trace.pots[t].tolist())),
            beams=frozenset(
                ((n % width, n // width), i) for n, bits in lit for i in range(trace.players) if bits >> i & 1
            ),
            rewards=tuple(trace.rewards[t].tolist()),
            over=trace.over and t == trace.steps,
        )


def follow(trace: Trace, rules: Rules | None = None) -> Followed:
    """Follows one episode as far as ``rules`` (on the trace's map) explain it, with bars that lag or that do not.

    Without ``rules``, those of the trace's substrate.
    """
    rules = replace(rules or SUBSTRATES[trace.substrate], drawing=trace.drawing, players=trace.players)
    return max(
        (_followed(trace, rules, lagging) for lagging in (False, True)), key=lambda result: result.steps
    )


def _followed(trace: Trace, rules: Rules, lagging: bool) -> Followed:
    result = Followed(lagging=lagging)
    seen = rows(trace)
    row = next(seen)
    world = Follower(rules)
    world.start(row)
    world.lagging = lagging
    if (ours := shown_by(world)) != row:
        result.mismatches.append(f"reset: {difference(ours, row)}")
    for actions, row in zip(trace.actions.tolist(), seen, strict=True):
        after = explained(world, actions, row)
        if shown_by(after) != row:
            result.mismatches.append(f"step {after.step_number}: {difference(shown_by(after), row)}")
            break
        result.events.update(event.kind for event in after.events)
        result.events.update(refusals(world, after))
        result.events.update(
            "cooling"
            for a, action in zip(world.avatars, actions, strict=True)
            if a.cooldown and action == INTERACT
        )
        result.events.update(jostling(world, actions, row))
        result.events.update(
            f"order of {what}"
            for what, order in zip(("moves", "beams"), after.orders, strict=True)
            if order != sorted(order)
        )
        result.steps += 1
        world = after
    return result


def explained(world: Follower, actions: list[int], row: Seen) -> Follower:
    """``world`` a step later, under the first orders that lead to ``row``; under the last if none do."""
    moving = order_moves(world, actions, row)
    after = world
    for firing in order_beams(world.tried(actions, moving, list(range(len(actions)))), actions):
        after = world.tried(actions, moving, firing)
        if shown_by(after) == row:
            break
    return after


def order_moves(world: Plain, actions: list[int], row: Seen) -> list[int]:
    """The first order of moves under which all get to where ``row`` has them; that of the players if none does.

    Where avatars stand once some have moved does not depend on the order among these, so each set is tried once.
    """
    homes = [avatar.cell for avatar in world.avatars]
    ends = [avatar[:2] for avatar in row.avatars]
    aims = [
        ahead(avatar.cell, (avatar.facing + HEADING[action]) % 4) if HEADING[action] >= 0 else avatar.cell
        for avatar, action in zip(world.avatars, actions, strict=True)
    ]
    everybody = range(len(actions))
    hopeless: set[frozenset[int]] = set()

    def extend(moved: tuple[int, ...]) -> tuple[int, ...] | None:
        if len(moved) == len(actions):
            return moved
        if (now := frozenset(moved)) in hopeless:
            return None
        standing = {ends[i] if i in now else homes[i] for i in everybody}
        for i in everybody:
            free = world.rules.things[aims[i][1]][aims[i][0]] == FLOOR and aims[i] not in standing
            if i not in now and ends[i] == (aims[i] if free else homes[i]):
                order = extend((*moved, i))
                if order is not None:
                    return order
        hopeless.add(now)
        return None

    return list(extend(()) or everybody)


def order_beams(moved: Plain, actions: list[int]) -> Iterator[list[int]]:
    """The orders of beams that can make a difference, once all have ``moved``: only beams at one cell meet."""
    targets: dict[Cell, list[int]] = {}
    for i, avatar in enumerate(moved.avatars):
        targets.setdefault(
            ahead(avatar.cell, avatar.facing) if actions[i] == INTERACT else (-1, i), []
        ).append(i)
    for orders in product(*(permutations(players) for players in targets.values())):
        order = [i for players in orders for i in players]
        yield sorted(order) if all(list(players) == sorted(players) for players in orders) else order


def refusals(before: Plain, after: Plain) -> Iterator[str]:
    """Why pots refused in the step between."""
    for event in after.events:
        if event.kind == "refused":
            avatar = after.avatars[event.who]
            inside = before.pots[ahead(avatar.cell, avatar.facing)].inside
            if event.what == TOMATO:
                yield "full"
            elif event.what == DISH and inside == before.rules.capacity:
                yield "early"


def jostling(world: Plain, actions: list[int], row: Seen) -> Iterator[str]:
    """How the moves of a step met: ``contested`` cells, cells ``vacated`` and entered, moves ``denied``.

    A cell is contested that two or more avatars aim for; denied is a move into a
    cell whose avatar leaves it in the same step, but later.
    """
    aims: dict[Cell, list[int]] = {}
    for i, (avatar, action) in enumerate(zip(world.avatars, actions, strict=True)):
        if HEADING[action] >= 0:
            x, y = target = ahead(avatar.cell, (avatar.facing + HEADING[action]) % 4)
            if world.rules.things[y][x] == FLOOR:
                aims.setdefault(target, []).append(i)
    for target, players in aims.items():
        if len(players) > 1:
            yield "contested"
        left = target in world.standing and row.avatars[world.standing[target]][:2] != target
        for i in players:
            if left:
                yield "vacated" if row.avatars[i][:2] == target else "denied"


def difference(ours: Seen, theirs: Seen) -> str:
    """The parts in which two rows differ, ours first."""
    parts: list[str] = []
    for name in Seen.__dataclass_fields__:
        mine, real = getattr(ours, name), getattr(theirs, name)
        if mine != real and name in ("avatars", "items", "pots"):
            pairs = enumerate(zip(mine, real, strict=True))
            parts += [f"{name}[{i}] {m} is {r}" for i, (m, r) in pairs if m != r]
        elif mine != real:
            parts.append(f"{name} {mine} is {real}")
    return "; ".join(parts)
