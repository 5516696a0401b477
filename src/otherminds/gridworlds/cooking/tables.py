"""What the compiled kernel looks up: a substrate's rules as arrays and numbers."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from otherminds.gridworlds.cooking import views
from otherminds.gridworlds.cooking.rules import FLOOR, Rules


class Tables(NamedTuple):
    """One substrate of P avatars, N containers, M pots on a map of H × W cells; a cell is y · W + x.

    ``ground`` int32[H·W]: what stands in each cell, by the numbers of :mod:`.rules`;
    ``slot`` int32[H·W]: which container or pot that is, by number. ``stock``
    int32[N]: what a dispenser gives, 0 for a counter. ``spawns`` int32[S, 2]: x and y.

    ``canvas`` uint8[(H + 2m) · (W + 2m), 6] is the empty map as windows show it, in a ``margin`` of m cells
    of nothing; ``counters`` int32[N] and ``stoves`` int32[M] are the containers' and the pots' places on it;
    ``gaze`` uint32[4, rows · columns] is where on the canvas an avatar of each orientation sees each cell of
    its window, from the place m columns left and m rows above its own (so that no number is negative, for
    which kernels would have to look), and ``own`` the number of its own cell in the window. The other numbers
    are those of :class:`~.rules.Rules`.
    """

    ground: NDArray[np.int32]
    slot: NDArray[np.int32]
    stock: NDArray[np.int32]
    spawns: NDArray[np.int32]
    canvas: NDArray[np.uint8]
    counters: NDArray[np.int32]
    stoves: NDArray[np.int32]
    gaze: NDArray[np.uint32]
    own: int
    margin: int
    width: int
    cooking: int
    capacity: int
    cooldown: int
    maximum: int
    pay: float


def tables(rules: Rules) -> Tables:
    """The tables of ``rules``.

    Raises:
        ValueError: an avatar could leave the map, or there are fewer spawn points than avatars.
    """
    width, height = rules.size
    rules.check([(x, y) for x in range(width) for y in range(height) if rules.things[y][x] != FLOOR])
    view = rules.view
    margin = view.margin
    wide = width + 2 * margin
    canvas = np.zeros((height + 2 * margin, wide, views.LAYERS), np.uint8)
    canvas[margin : margin + height, margin : margin + width, views.THING] = np.array(rules.things)
    slot = np.full(height * width, -1, np.int32)
    for places in (rules.containers, rules.pots):
        for n, (x, y) in enumerate(places):
            slot[y * width + x] = n
    counters, stoves = (
        np.array([(y + margin) * wide + x + margin for x, y in places], np.int32)
        for places in (rules.containers, rules.pots)
    )
    return Tables(
        ground=np.array(rules.things, np.int32).ravel(),
        slot=slot,
        stock=np.array(rules.stock, np.int32),
        spawns=np.array(rules.spawns, np.int32),
        canvas=canvas.reshape(-1, views.LAYERS),
        counters=counters,
        stoves=stoves,
        gaze=view.reach(wide),
        own=view.forward * view.shape[1] + view.left,
        margin=margin,
        width=width,
        cooking=rules.cooking,
        capacity=rules.capacity,
        cooldown=rules.cooldown,
        maximum=rules.maximum,
        pay=float(rules.pay),
    )
