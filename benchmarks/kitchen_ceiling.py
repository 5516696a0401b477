"""The most soups that two cooks can deliver: exact dynamic programming over the whole kitchen.

What competence is measured against, fixed before any cook is measured. The state is
both poses, both hands and both pots; every action of both cooks is tried, backwards
from the last step, so the figure is the optimum of a team that decides as one. Left
out: counters (a buffer that nobody needs while pots wait for no one) and the beam's
pause (between two acts that change anything there is always a turn or a move).
``supply`` may only bring tomatoes, ``serve`` only dish up and deliver, ``alone`` has
a partner that does nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from common import arguments, finish, show
from numpy.typing import NDArray

from otherminds.gridworlds.cooking.rules import (
    COOKING_ASYMMETRIC,
    DISH,
    DISHES,
    EMPTY,
    HATCH,
    POT,
    SOUP,
    TOMATO,
    TOMATOES,
    Rules,
)
from otherminds.gridworlds.grid.paths import Ground, moved
from otherminds.gridworlds.grid.rules import DX, DY, MOVES

HANDS = 4
SUPPLY, SERVE = frozenset({TOMATO}), frozenset({DISH, SOUP})
ROLES = {"all": SUPPLY | SERVE, "supply": SUPPLY, "serve": SERVE, "nothing": frozenset[int]()}
"""What each role may take into its hands."""


@dataclass(frozen=True)
class Cook:
    """One room as tables: ``ways`` int[6, S] the state after each move, ``deeds`` what beams do.

    A state is 4 * pose + hand. A deed is (state, state after, pot or -1, soups delivered).
    """

    ways: NDArray[np.int64]
    deeds: tuple[tuple[int, int, int, int], ...]
    starts: tuple[int, ...]


def cook(rules: Rules, spawn: tuple[int, int], may: frozenset[int]) -> Cook:
    """The room around ``spawn`` for a cook who may take ``may`` into its hands."""
    width, height = rules.size
    walls = [(x, y) for x in range(width) for y in range(height) if rules.things[y][x]]
    ground = Ground(rules.size, walls)
    cells = sorted(cell for cell in ground.open if ground.distance(spawn, cell) < width * height)
    poses = [(*cell, facing) for cell in cells for facing in range(4)]
    number = {pose: n for n, pose in enumerate(poses)}
    ways = np.array(
        [
            [
                HANDS * number.get(moved(pose, action), number[pose]) + hand
                for pose in poses
                for hand in range(HANDS)
            ]
            for action in (MOVES if may else ())
        ]
    )
    deeds: list[tuple[int, int, int, int]] = []
    for n, (x, y, facing) in enumerate(poses):
        there = x + DX[facing], y + DY[facing]
        thing = rules.things[there[1]][there[0]]

        def deed(hand: int, then: int, pot: int = -1, soups: int = 0, n: int = n) -> None:
            deeds.append((HANDS * n + hand, HANDS * n + then, pot, soups))

        if thing == TOMATOES and TOMATO in may:
            deed(EMPTY, TOMATO)
        elif thing == DISHES and DISH in may:
            deed(EMPTY, DISH)
        elif thing == HATCH and SOUP in may:
            deed(SOUP, EMPTY, soups=1)
        elif thing == POT:
            deed(TOMATO, EMPTY, rules.pots.index(there))
            deed(DISH, SOUP, rules.pots.index(there))
    return Cook(ways, tuple(deeds), tuple(HANDS * number[(*spawn, facing)] for facing in range(4)))


def optimum(rules: Rules, roles: Sequence[str], steps: int) -> list[float]:
    """The soups that cooks in ``roles`` (left, right) can deliver within 0 to ``steps`` steps.

    The mean over the ways in which they face at the start.
    """
    cooks = [cook(rules, spawn, ROLES[role]) for spawn, role in zip(sorted(rules.spawns), roles, strict=True)]
    full, ready = rules.capacity, rules.capacity + rules.cooking + 1
    ticked = np.arange(ready + 1)
    ticked[full:ready] += 1
    # A cook that does nothing has one state.
    sizes = [a.ways.shape[1] if len(a.ways) else 1 for a in cooks]
    best = np.zeros((*sizes, ready + 1, ready + 1), np.uint8)
    starts = [a.starts if len(a.ways) else (0,) for a in cooks]
    found: list[float] = []
    for _ in range(steps + 1):
        found.append(float(best[np.ix_(*starts)][:, :, 0, 0].mean()))
        for axis in (1, 0):
            best = _turn(np.moveaxis(best, axis, 0), cooks[axis], full, ready)
            best = np.moveaxis(best, 0, axis)
        best = np.ascontiguousarray(best[:, :, ticked][..., ticked])
    return found


def _turn(after: NDArray[np.uint8], cook: Cook, full: int, ready: int) -> NDArray[np.uint8]:
    """The best of all actions of one cook; ``after`` uint8[S, other, pot, pot] is what follows."""
    best = after.copy()
    for way in cook.ways:
        np.maximum(best, after[way], out=best)
    for state, then, pot, soups in cook.deeds if len(cook.ways) else ():
        if pot < 0:
            np.maximum(best[state], after[then] + np.uint8(soups), out=best[state])
            continue
        here, there = (np.moveaxis(plane, 1 + pot, 0) for plane in (best[state], after[then]))
        if state % HANDS == TOMATO:
            np.maximum(here[:full], there[1 : full + 1], out=here[:full])
        else:
            np.maximum(here[ready], there[0], out=here[ready])
    return best


TEAMS = (
    ("all", "all"),
    ("serve", "supply"),
    ("supply", "serve"),
    ("all", "supply"),
    ("serve", "all"),
    ("all", "nothing"),
    ("nothing", "all"),
)


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--steps", type=int, default=COOKING_ASYMMETRIC.maximum, help="steps of an episode")
    options = parser.parse_args()
    rows: list[tuple[str, str, str, str]] = []
    figures: dict[str, float] = {}
    for left, right in TEAMS:
        found = optimum(COOKING_ASYMMETRIC, (left, right), options.steps)
        figures[f"{left}, {right}"] = found[-1]
        half = len(found) // 2
        gained = found[-1] - found[half]
        pace = f"{(len(found) - 1 - half) / gained:.1f}" if gained else "none"
        rows.append((left, right, f"{found[-1]:.2f}", pace))
    show(
        f"soups in {options.steps} steps, optimum",
        ("left room", "right room", "soups", "steps a soup in the second half"),
        rows,
    )
    finish(options, {"steps": options.steps, "soups": figures})


if __name__ == "__main__":
    main()
