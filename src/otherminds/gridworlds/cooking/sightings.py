"""Observations of the kitchen in map coordinates, and its rules in words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from otherminds.core.data import Behaviour
from otherminds.gridworlds.cooking import acts, views
from otherminds.gridworlds.cooking.routes import FULL_BAR, layout
from otherminds.gridworlds.cooking.rules import COUNTER, DISHES, FLOOR, HATCH, POT, TOMATOES, Rules
from otherminds.gridworlds.grid.paths import Cell, Pose
from otherminds.gridworlds.grid.rules import DX, DY
from otherminds.gridworlds.grid.words import MAP, number, window

UNSEEN = -1  # The orientation of an avatar that is known from the whole map alone, which shows none


@dataclass(frozen=True)
class Mate:
    """Another avatar: its player's number, place, orientation (or ``UNSEEN``), and item held."""

    player: int
    cell: Cell
    facing: int
    held: int


@dataclass(frozen=True)
class ParsedObservation:
    """One observation, read: the own pose and item; then all that is seen, each row from north to south.

    ``items`` are what lies on counters, ``pots`` how many tomatoes each has and how
    far its bar is filled, ``mates`` the other avatars. ``whole`` says that these are
    those of the whole map, which some seats are granted.
    """

    pose: Pose
    held: int
    items: tuple[tuple[Cell, int], ...]
    pots: tuple[tuple[Cell, int, int], ...]
    mates: tuple[Mate, ...]
    whole: bool


@dataclass(frozen=True)
class Side:
    """Where a seat can go, and what it can use from there."""

    floor: tuple[Cell, ...]
    things: Mapping[int, tuple[Cell, ...]]


def see(rules: Rules, observation: Mapping[str, Any], player: int) -> ParsedObservation:
    """What ``player`` sees in an observation of :class:`~.world.CookingWorld`."""
    x, y = map(int, observation["POSITION"])
    pose, view, window = (x, y, int(observation["ORIENTATION"])), rules.view, observation["WINDOW"]
    items: dict[Cell, int] = {}
    pots: dict[Cell, tuple[int, int]] = {}
    mates: dict[Cell, Mate] = {}
    for cell, row, column in layout(rules).shown[pose]:
        tile, item, avatar, turned, bar, _ = map(int, window[row, column])
        if tile >= POT:
            pots[cell] = tile - POT, bar
        elif tile == COUNTER and item:
            items[cell] = item
        elif avatar >= views.OTHER:
            mates[cell] = Mate(avatar - views.OTHER, cell, (pose[2] + turned - 1) % 4, item)
    hand = int(window[view.forward, view.left, views.ITEM])
    world_map = observation.get("WORLD.MAP")
    if world_map is not None:
        pots = {(i, j): (int(world_map[j, i, 1]), int(world_map[j, i, 2])) for i, j in rules.pots}
        items = {(i, j): int(world_map[j, i, 0]) for i, j in rules.containers if world_map[j, i, 0]}
        for j, i in np.argwhere((world_map[..., 3] > 0) & (world_map[..., 3] != player + 1)).tolist():
            far = Mate(int(world_map[j, i, 3]) - 1, (i, j), UNSEEN, int(world_map[j, i, 0]))
            mates.setdefault((i, j), far)
    return ParsedObservation(
        pose,
        hand,
        tuple(sorted(items.items(), key=lambda entry: entry[0][::-1])),
        tuple((cell, *pots[cell]) for cell in sorted(pots, key=lambda cell: cell[::-1])),
        tuple(sorted(mates.values(), key=lambda mate: mate.player)),
        world_map is not None,
    )


def side(rules: Rules, cell: Cell) -> Side:
    """The side of the kitchen that ``cell`` is on."""
    floor, fixtures, frontier = {cell}, set[Cell](), [cell]
    while frontier:
        x, y = frontier.pop()
        for dx, dy in zip(DX, DY, strict=True):
            near = x + dx, y + dy
            if rules.things[near[1]][near[0]] != FLOOR:
                fixtures.add(near)
            elif near not in floor:
                floor.add(near)
                frontier.append(near)
    by_row = sorted(fixtures, key=lambda cell: cell[::-1])
    kinds = {
        kind: tuple(c for c in by_row if rules.things[c[1]][c[0]] == kind) for kind in range(COUNTER, POT + 1)
    }
    return Side(tuple(sorted(floor, key=lambda cell: cell[::-1])), kinds)


LABELS: dict[Behaviour, str] = {
    acts.TOOK_TOMATO: "pick up a tomato",
    acts.FILLED_POT: "put a tomato into a pot",
    acts.TOOK_DISH: "pick up a dish",
    acts.PUT_DISH: "put down a dish",
    acts.TOOK_SOUP: "pick up soup",
    acts.DELIVERED: "deliver soup",
    acts.STOOD: "stand around",
}
"""The behaviours as something to do: what options are called."""
THINGS = {
    TOMATOES: "tomato dispenser",
    DISHES: "dish dispenser",
    HATCH: "place of delivery",
    POT: "pots",
    COUNTER: "counters",
}


def paragraphs(rules: Rules) -> list[str]:
    """Who cooks, where and for how long; places and sides; what a soup takes and pays; hands; what a seat "
    "sees."""
    width, height = rules.size
    who = name_player(rules, 1) if rules.players == 2 else f"{rules.players - 1} teammates"
    sides = {side(rules, cell).floor for cell in rules.spawns}
    apart = (
        f" It has {len(sides)} sides, and nobody gets from one to the other; at the start you are told which "
        "is yours. What stands between two sides can be used from both."
    )
    return [
        f"You and {who} cook tomato soup in a kitchen of {width} by {height} cells, for {rules.maximum} steps. "
        "You cannot talk to each other.",
        MAP + apart * (len(sides) > 1),
        f"For a soup, {rules.capacity} tomatoes go into a pot, one after the other; then it cooks for "
        f"{rules.cooking} steps. Who holds a dish takes the soup out of the pot with it, and brings it to a place of "
        f"delivery. Each soup delivered pays {number(rules.pay)} to each of you.",
        "One can hold one thing at a time. With empty hands one takes a tomato or a dish from its dispenser, which "
        "never runs out, or what lies on a counter; onto an empty counter one puts what one holds. What is in a "
        "pot comes out only as soup.",
        f"{window(rules.view)} It shows what lies on counters, how many tomatoes are in a pot, and players, with "
        f"what they hold. Above a pot that cooks a bar grows from 0 to {FULL_BAR}; when it is full, the soup is ready "
        "within a step. What you saw earlier may have changed since.",
    ]


def name_player(rules: Rules, player: int) -> str:
    """What another player is called."""
    return "your teammate" if rules.players == 2 else f"player {player}"
