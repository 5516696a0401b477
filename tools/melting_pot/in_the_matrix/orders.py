"""In which orders avatars can have moved and fired, given where they are seen to have ended.

Melting Pot shuffles the avatars twice a step: for moves and, anew, for beams.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations, product

from tests.gridworlds.in_the_matrix.plain import Avatar, Cell, Plain
from tools.melting_pot.in_the_matrix.trace import Seen

from otherminds.gridworlds.grid.rules import DX, DY, HEADING


def target_of(avatar: Avatar, action: int) -> Cell | None:
    """Where an avatar that is free to move goes with ``action``; None where it stays."""
    if not avatar.alive or avatar.lock > 1 or HEADING[action] < 0:
        return None
    way = (avatar.facing + HEADING[action]) % 4
    return avatar.cell[0] + DX[way], avatar.cell[1] + DY[way]


def move_order(world: Plain, actions: list[int], row: Seen) -> list[int]:
    """An order in which the avatars' moves end where ``row`` has them; any, if there is none.

    All such orders are alike in what follows: who moved where is known already.
    """
    players = range(len(world.avatars))
    targets = {i: cell for i in players if (cell := target_of(world.avatars[i], actions[i])) is not None}
    failed: set[frozenset[int]] = set()

    def search(done: tuple[int, ...], standing: dict[Cell, int]) -> tuple[int, ...] | None:
        if len(done) == len(targets):
            return done
        if frozenset(done) in failed:
            return None
        for i in targets.keys() - set(done):
            blocked = targets[i] in standing or targets[i] in world.walls
            start, end = world.avatars[i].cell, row.avatars[i][1]
            if end != (start if blocked else targets[i]):
                continue
            after = standing
            if not blocked:
                after = {cell: j for cell, j in standing.items() if j != i}
                after[end] = i
            if (found := search((*done, i), after)) is not None:
                return found
        failed.add(frozenset(done))
        return None

    first = search((), world.standing) or ()
    return [*first, *(i for i in players if i not in first)]


FOOTPRINT = (*((side, far) for side in (-1, 1) for far in (0, 1, 2)), (0, 1), (0, 2), (0, 3))


def footprint(cell: Cell, facing: int) -> list[Cell]:
    """The cells that a beam can reach: three columns, as (side, distance ahead)."""
    right = (facing + 1) % 4
    return [
        (cell[0] + side * DX[right] + far * DX[facing], cell[1] + side * DY[right] + far * DY[facing])
        for side, far in FOOTPRINT
    ]


def fired(before: Seen, row: Seen) -> list[int]:
    """Who fired: whose beam was cool and is at its hottest."""
    pairs = enumerate(zip(before.avatars, row.avatars, strict=True))
    return [i for i, (old, new) in pairs if old[3] == 0 and new[3] == 2]


def beam_orders(world: Plain, before: Seen, row: Seen) -> Iterator[list[int]]:
    """Every order of beams that may make a difference: those that reach something in common are permuted."""
    firing = fired(before, row)
    things = {resource.cell for resource in world.resources if resource.shown} | set(world.standing)
    things |= {avatar[1] for avatar in row.avatars}
    groups: list[tuple[set[int], set[Cell]]] = []
    for i in firing:
        _, cell, facing, *_ = row.avatars[i]
        members, reach = {i}, {cell} | (things & set(footprint(cell, facing)))
        for group in [group for group in groups if group[1] & reach]:
            groups.remove(group)
            members, reach = members | group[0], reach | group[1]
        groups.append((members, reach))
    rest = [i for i in range(len(world.avatars)) if i not in firing]
    for order in product(*(permutations(sorted(members)) for members, _ in groups)):
        yield [i for part in order for i in part] + rest
