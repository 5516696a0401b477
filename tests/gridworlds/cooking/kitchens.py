"""Kitchens with everything put where a test wants it, and a cook who sees everything."""

from __future__ import annotations

from collections import deque
from dataclasses import replace
from typing import Any

import numpy as np

from otherminds.gridworlds.cooking import rules as columns
from otherminds.gridworlds.cooking.acts import DeliveryTally
from otherminds.gridworlds.cooking.rules import COOKING_ASYMMETRIC, DISH, EMPTY, SOUP, TOMATO, Rules, State
from otherminds.gridworlds.cooking.world import CookingWorld
from otherminds.gridworlds.grid.rules import DX, DY, FORWARD, INTERACT, TURN_LEFT, TURN_RIGHT
from tests.gridworlds.cooking.plain import Avatar, Cell, Plain

CROWDED = """
#OTTD##
#PPCPP#
#  P  #
#PP#PP#
##DTO##
"""
CROWD = replace(COOKING_ASYMMETRIC, name="crowd", drawing=CROWDED, players=4, cooking=7, maximum=80)
GALLEY = """
#OTD#
#   #
C P #
##P##
#####
"""


def kitchen(*avatars: tuple[Cell, int, int], drawing: str = GALLEY, **changes: Any) -> Plain:
    """A kitchen by the plain rules with avatars at (cell, facing, held), its bars not lagging."""
    plain = Plain(
        replace(
            COOKING_ASYMMETRIC, **{"drawing": drawing, "players": len(avatars), "name": "kitchen", **changes}
        )
    )
    plain.reset(0)
    plain.avatars = [Avatar(cell, facing, held) for cell, facing, held in avatars]
    plain.standing = {avatar.cell: i for i, avatar in enumerate(plain.avatars)}
    plain.lagging = False
    return plain


def stage(world: CookingWorld, *avatars: tuple[Cell, int, int]) -> None:
    """Resets a world and puts its avatars at (cell, facing, held)."""
    world.reset(0)
    state, (width, _) = world.engine.state, world.rules.size
    state.here[0] = 0
    for i, ((x, y), facing, held) in enumerate(avatars):
        state.avatars[0, i] = (x, y, facing, 0, held, columns.NOTHING)
        state.here[0, y * width + x] = i + 1
    world._tally = DeliveryTally(world.rules, state)


def play(world: CookingWorld, *turns: tuple[int, ...]) -> list[tuple[dict[str, float], dict[str, Any]]]:
    """Plays the actions of all seats, step by step; the rewards and infos of each step."""
    heard = []
    for actions in turns:
        _, rewards, _, _, infos = world.step(dict(zip(world.possible_agents, actions, strict=True)))
        heard.append((rewards, infos))
    return heard


def cook(rules: Rules, state: State, rng: np.random.Generator, noise: float = 0.2) -> list[int]:
    """What is due for everybody, but a share of ``noise`` at random."""
    return [
        int(rng.integers(8)) if rng.random() < noise else _due(rules, state, i) for i in range(rules.players)
    ]


def _due(rules: Rules, state: State, i: int) -> int:
    x, y, facing, _, held, _ = state.avatars[0, i].tolist()
    inside = dict(zip(rules.pots, state.pots[0, :, columns.INSIDE].tolist(), strict=True))
    stock = dict(zip(rules.containers, rules.stock, strict=True))
    full = {cell for cell, count in inside.items() if count == rules.capacity}
    wanted = DISH if full else TOMATO
    goals = {
        EMPTY: {cell for cell, item in stock.items() if item == wanted},
        TOMATO: set(inside) - full or {cell for cell, item in stock.items() if not item},
        DISH: full or set(inside),
        SOUP: {
            (cx, cy) for cy, line in enumerate(rules.drawn) for cx, char in enumerate(line) if char == "T"
        },
    }[held]
    way = _way(rules, (x, y), goals)
    if way is None:
        return FORWARD
    if way == facing:
        return INTERACT if (x + DX[way], y + DY[way]) in goals else FORWARD
    return TURN_LEFT if (way - facing) % 4 == 3 else TURN_RIGHT


def _way(rules: Rules, start: Cell, goals: set[Cell]) -> int | None:
    """The orientation in which a shortest way to a goal begins."""
    queue: deque[tuple[Cell, int | None]] = deque([(start, None)])
    known = {start}
    while queue:
        (x, y), first = queue.popleft()
        for way in range(4):
            cell = (x + DX[way], y + DY[way])
            begun = way if first is None else first
            if cell in goals:
                return begun
            if cell not in known and not rules.things[cell[1]][cell[0]]:
                known.add(cell)
                queue.append((cell, begun))
    return None
