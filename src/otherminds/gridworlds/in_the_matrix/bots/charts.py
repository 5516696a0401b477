"""What compiled bots look up: a substrate's :class:`~..sight.Survey` and its bots' policies as arrays.

A map of C = H · W cells with N places where resources grow; a cell is y · W + x, a pose 4 · cell + facing.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from otherminds.gridworlds.grid.paths import UNREACHED, UPRIGHT
from otherminds.gridworlds.grid.ways import Ways, ways
from otherminds.gridworlds.in_the_matrix.bots.puppeteers import slip
from otherminds.gridworlds.in_the_matrix.bots.roster import bot_names, policy, puppeteer
from otherminds.gridworlds.in_the_matrix.rules import Rules
from otherminds.gridworlds.in_the_matrix.sight import survey, wait


class Chart(NamedTuple):
    """What follows from the rules.

    ``ways``: how avatars move. ``places`` int32[N], ``fixed`` int8[N]: where resources grow, and the class of
    each, -1 where chance draws it. ``place`` int32[C]: the place in a cell, -1 where there is none. ``cells``
    int32[M]: the cells without a wall, in the survey's order. ``seers`` uint8[C, 4C]: 1 for the poses from
    which a cell is in the window. ``bound`` int32[C, C]: the fewest moves from a cell (second index) to one
    from which the first cell is in the window. ``shifts`` int32[4, R, 2]: by orientation, for the R cells of a
    window, how far east and south of the seat it is. ``own`` is the seat's own cell among them. ``wait`` is
    the number of steps after which a resource that went is more likely back than not.
    """

    ways: Ways
    places: NDArray[np.int32]
    fixed: NDArray[np.int8]
    place: NDArray[np.int32]
    cells: NDArray[np.int32]
    seers: NDArray[np.uint8]
    bound: NDArray[np.int32]
    shifts: NDArray[np.int32]
    own: int
    wait: int
    width: int
    height: int
    players: int
    refill: bool


class Policies(NamedTuple):
    """The automata of all bots of a substrate (in the order of :func:`.roster.bot_names`) one after the other.

    S states of all Q bots, K classes. ``after`` int32[S, K, K]: the state after the own class (first) and the
    other's. ``even`` uint8[S]: 1 where all classes are equally likely. Elsewhere ``likeliest`` int32[S], and
    with probability ``chance`` float64[S] one of the first ``slips`` int32[S] of ``others`` int32[S, K].
    ``start`` int32[Q], ``margins`` int32[Q, K], ``gullible`` uint8[Q]: see :class:`.puppeteers.Puppeteer`.
    """

    after: NDArray[np.int32]
    even: NDArray[np.uint8]
    likeliest: NDArray[np.int32]
    chance: NDArray[np.float64]
    slips: NDArray[np.int32]
    others: NDArray[np.int32]
    start: NDArray[np.int32]
    margins: NDArray[np.int32]
    gullible: NDArray[np.uint8]


@lru_cache(maxsize=8)
def chart(rules: Rules) -> Chart:
    """The chart of ``rules``."""
    known = survey(rules)
    ground = known.ground
    width, height = rules.size
    size = width * height
    paths = ways(ground, UPRIGHT)
    places = np.array([y * width + x for x, y in rules.places], np.int32)
    place = np.full(size, -1, np.int32)
    place[places] = np.arange(len(places))
    seers, bound = np.zeros((size, 4 * size), np.uint8), np.full((size, size), UNREACHED, np.int32)
    for x, y in ground.open:
        poses = [ground.number(pose) for pose in known.seers((x, y))]
        seers[y * width + x, poses] = 1
        if poses:
            bound[y * width + x] = paths.far[np.unique(poses) // 4].min(axis=0)
    view = rules.view
    return Chart(
        ways=paths,
        places=places,
        fixed=np.array(rules.fixed, np.int8),
        place=place,
        cells=np.array([y * width + x for x, y in known.cells], np.int32),
        seers=seers,
        bound=bound,
        shifts=np.array(view.shifts, np.int32)[..., 2:].copy(),
        own=view.forward * view.shape[1] + view.left,
        wait=wait(rules),
        width=width,
        height=height,
        players=rules.players,
        refill=rules.refill,
    )


@lru_cache(maxsize=8)
def policies(rules: Rules) -> Policies:
    """The policies of all bots of ``rules``."""
    followed = [puppeteer(rules, policy(rules, name)) for name in bot_names(rules)]
    automata = [one.automaton for one in followed]
    first = np.cumsum([0, *(len(one.output) for one in automata)])[:-1]
    outputs = [output for one in automata for output in one.output]
    drawn = [slip(output) for output in outputs]
    others = np.zeros((len(outputs), len(rules.classes)), np.int32)
    for state, (_, some, _) in enumerate(drawn):
        others[state, : len(some)] = some
    return Policies(
        after=np.concatenate(
            [np.array(one.next, np.int32) + shift for one, shift in zip(automata, first, strict=True)]
        ).astype(np.int32),
        even=np.array([min(output) == max(output) for output in outputs], np.uint8),
        likeliest=np.array([kind for kind, _, _ in drawn], np.int32),
        chance=np.array([chance for _, _, chance in drawn], np.float64),
        slips=np.array([len(some) for _, some, _ in drawn], np.int32),
        others=others,
        start=np.array([one.start for one in automata], np.int32) + first.astype(np.int32),
        margins=np.array([one.margins for one in followed], np.int32),
        gullible=np.array([one.gullible for one in followed], np.uint8),
    )
