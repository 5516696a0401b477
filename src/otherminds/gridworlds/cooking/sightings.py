"""Observations of the kitchen in map coordinates."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from otherminds.gridworlds.cooking import views
from otherminds.gridworlds.cooking.kitchen import layout
from otherminds.gridworlds.cooking.rules import COUNTER, FLOOR, POT, Rules
from otherminds.gridworlds.grid.actions import DX, DY
from otherminds.gridworlds.grid.paths import Cell, Pose

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
        thing, item, avatar, turned, bar, _ = map(int, window[row, column])
        if thing >= POT:
            pots[cell] = thing - POT, bar
        elif thing == COUNTER and item:
            items[cell] = item
        elif avatar >= views.OTHER:
            mates[cell] = Mate(avatar - views.OTHER, cell, (pose[2] + turned - 1) % 4, item)
    held = int(window[view.forward, view.left, views.ITEM])
    whole = observation.get("WORLD.MAP")
    if whole is not None:
        pots = {(i, j): (int(whole[j, i, 1]), int(whole[j, i, 2])) for i, j in rules.pots}
        items = {(i, j): int(whole[j, i, 0]) for i, j in rules.containers if whole[j, i, 0]}
        for j, i in np.argwhere((whole[..., 3] > 0) & (whole[..., 3] != player + 1)).tolist():
            far = Mate(int(whole[j, i, 3]) - 1, (i, j), UNSEEN, int(whole[j, i, 0]))
            mates.setdefault((i, j), far)
    return ParsedObservation(
        pose,
        held,
        tuple(sorted(items.items(), key=lambda seen: seen[0][::-1])),
        tuple((cell, *pots[cell]) for cell in sorted(pots, key=lambda cell: cell[::-1])),
        tuple(sorted(mates.values(), key=lambda mate: mate.player)),
        whole is not None,
    )


def side(rules: Rules, cell: Cell) -> Side:
    """The side of the kitchen that ``cell`` is on."""
    floor, things, left = {cell}, set[Cell](), [cell]
    while left:
        x, y = left.pop()
        for dx, dy in zip(DX, DY, strict=True):
            near = x + dx, y + dy
            if rules.things[near[1]][near[0]] != FLOOR:
                things.add(near)
            elif near not in floor:
                floor.add(near)
                left.append(near)
    by_row = sorted(things, key=lambda cell: cell[::-1])
    kinds = {
        kind: tuple(c for c in by_row if rules.things[c[1]][c[0]] == kind) for kind in range(COUNTER, POT + 1)
    }
    return Side(tuple(sorted(floor, key=lambda cell: cell[::-1])), kinds)
