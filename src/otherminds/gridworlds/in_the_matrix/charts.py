"""What compiled bots look up, what they keep from step to step, and the room that they work in.

They look up the map and the policies: puppeteers, which are partner strategies of :mod:`otherminds.games` over duels
(Agapiou et al. 2022): tit-for-tat, grim, a best response to the last duel, and so on. Each is the automaton of a
partner family, so that a bot does what its record says. Classes are numbered as in the inventory.

A map of C = H · W cells with N places where resources grow; a cell is y · W + x, a pose 4 · cell + facing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import ceil, log
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from otherminds.core.data import Automaton
from otherminds.gridworlds.grid.paths import UPRIGHT, Ground, Room, Ways, room, ways
from otherminds.gridworlds.grid.rules import UNREACHED
from otherminds.gridworlds.in_the_matrix.rules import Rules

UNKNOWN = -1  # The class of a place that chance draws, before it was seen
NEVER = -1  # In place of a step

# Columns of ``own``.
BOT = 0  # the number of the bot, or one of the two below
STATE = 1  # of its automaton
CLASS = 2  # that it raises now
STEP = 3  # of what it last saw
POSE, CHARGED, HELD = 4, 5, 6  # -1 for no pose
TAKEN = 7  # the class of the resource that it last saw another collect in this step, -1 for none
OTHERS, LAST = 8, 9  # how many rows of ``others`` and of ``last`` are in use
EXPECTED = 10  # the pose to which its last action was to lead
STRAYS = 11  # random moves still to be made
WATCHED = 12  # the cell that it last went to see, -1 for none
PLANNED = 13  # how many actions of ``plan`` are still to be made
BEEN = 14  # 1 if ``been`` has anything in it
GOAL = 15  # its last goal: three times the class, and what it wanted; -1 for none
WANTS = 16  # what it is to do now, in the codes below
TO = 17  # the cell to walk to
SOUGHT = 18  # how many it seeks to duel with, 0 for anyone
SIDE = 19  # its role, whose number those have with whom it never duels; -1 where there are no roles
FIELDS = 20

NO_BOT, LED = -1, -2  # In place of a bot: nobody sits there; goals are set from outside
COLLECT, DUEL, WALK = range(3)  # Codes of WANTS

CELL, PLAYER, MARK, SEEN = 0, 1, 2, 3  # Columns of ``others`` and ``last``
TOOK = 4  # of ``others``: the class that it was seen to collect in this step, -1 for none
POLICY, PUPPET = 0, 1  # Rows of ``streams``

# Columns of ``cause``: why a path is followed.
WHY = 0
NOTHING, HOPED, SIGHTING, CELL_UNSEEN, DESTINATION = range(5)
WHAT = 1  # from here on: the class, the row of ``last``, or the cell
CAUSE = 5


class Chart(NamedTuple):
    """What follows from the rules.

    ``ways``: how avatars move. ``places`` int32[N], ``fixed`` int8[N]: where resources grow, and the class of
    each, -1 where chance draws it. ``place`` int32[C]: the place in a cell, -1 where there is none. ``cells``
    int32[M]: the cells without a wall, by x, then y. ``seers`` uint8[C, 4C]: 1 for the poses from
    which a cell is in the window. ``bound`` int32[C, C]: the fewest moves from a cell (second index) to one
    from which the first cell is in the window. ``shifts`` int32[4, R, 2]: by orientation, for the R cells of a
    window, how far east and south of the seat it is. ``own`` is the seat's own cell among them. ``wait`` is
    the number of steps after which a resource that went is more likely back than not. ``numbers`` int32[P]: by which
    number others know each player.
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
    numbers: NDArray[np.int32]
    refill: bool


class Policies(NamedTuple):
    """The automata of all bots of a substrate (in the order of their names) one after the other.

    S states of all Q bots, K classes. ``after`` int32[S, K, K]: the state after the own class (first) and the
    other's. ``even`` uint8[S]: 1 where all classes are equally likely. Elsewhere ``likeliest`` int32[S], and
    with probability ``chance`` float64[S] one of the first ``slips`` int32[S] of ``others`` int32[S, K].
    ``start`` int32[Q], ``margins`` int32[Q, K], ``gullible`` uint8[Q]: see :class:`.charts.Puppeteer`.
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


class Memory(NamedTuple):
    """P seats in B worlds, or, without the first two dimensions, one seat.

    What a seat knows, with C cells and N places: ``kind`` int8[B, P, N], ``there``
    uint8[B, P, N], ``seen`` int32[B, P, N], ``looked`` int32[B, P, C], ``others`` int32[B, P, P, 5] and ``last`` int32[B, P, P, 4]
    (columns above): those in sight, and
    where each was seen last; ``inventory`` int32[B, P, K].

    What a puppet keeps: ``plan`` uint8[B, P, 4C], the last action first, with its reason
    ``cause`` int32[B, P, 5], ``hoped`` and ``wrong`` uint8[B, P, N]; ``been`` uint8[B, P, 4C], how often it left
    a pose, up to the number that matters; ``held`` int32[B, P, K], the inventory at its last progress.

    ``own`` int32[B, P, 20]: columns above. ``streams`` uint32[B, P, 2, 625]: the generators of policy and puppet.
    """

    own: NDArray[np.int32]
    inventory: NDArray[np.int32]
    kind: NDArray[np.int8]
    there: NDArray[np.uint8]
    seen: NDArray[np.int32]
    looked: NDArray[np.int32]
    others: NDArray[np.int32]
    last: NDArray[np.int32]
    plan: NDArray[np.uint8]
    cause: NDArray[np.int32]
    hoped: NDArray[np.uint8]
    wrong: NDArray[np.uint8]
    been: NDArray[np.uint8]
    held: NDArray[np.int32]
    streams: NDArray[np.uint32]


class News(NamedTuple):
    """What the seats of B worlds observe in a step.

    Of the worlds' state: ``avatars`` int32[B, P, 13 + K], of which a seat takes its own pose, inventory and beam,
    ``clock`` int32[B, 3], ``met`` int32[B, P, 2, K]. ``windows`` uint8[B, P, R, 4]: what the avatars see. ``maps``
    int8[B, C, 2]: the whole map, resources and avatars, or int8[0, C, 2] if it is not granted.
    """

    avatars: NDArray[np.int32]
    clock: NDArray[np.int32]
    met: NDArray[np.int32]
    windows: NDArray[np.uint8]
    maps: NDArray[np.int8]


class Desk(NamedTuple):
    """Room to work in: ``search`` for paths, and what one seat wants in one step.

    ``ends`` uint8[4C], ``bound`` int32[C], ``dear`` float64[C], ``shut`` uint8[C]: see :func:`~.._paths.search`;
    ``dear`` and ``shut`` are zero between calls. ``cause``, ``hoped``, ``wrong``: as in :class:`Memory`.
    ``tried`` uint8[P]: which rows of ``last`` were followed. ``sought`` uint8[P]: 1 for the numbers of those to duel with.
    """

    search: Room
    ends: NDArray[np.uint8]
    bound: NDArray[np.int32]
    dear: NDArray[np.float64]
    shut: NDArray[np.uint8]
    cause: NDArray[np.int32]
    hoped: NDArray[np.uint8]
    wrong: NDArray[np.uint8]
    tried: NDArray[np.uint8]
    sought: NDArray[np.uint8]


@lru_cache(maxsize=32)
def ground(rules: Rules) -> Ground:
    """The cells of a map that avatars can enter."""
    return Ground(rules.size, rules.closed)


@lru_cache(maxsize=32)
def chart(rules: Rules) -> Chart:
    """The chart of ``rules``."""
    enterable = ground(rules)
    width, height = rules.size
    size = width * height
    cells = np.array(sorted(enterable.open), np.int32)
    places = np.array([y * width + x for x, y in rules.places], np.int32)
    place = np.full(size, -1, np.int32)
    place[places] = np.arange(len(places))
    shifts = np.array(rules.view.shifts, np.int32)[..., 2:].copy()
    is_open = np.zeros(size, np.bool_)
    is_open[cells[:, 1] * width + cells[:, 0]] = True
    seers, bound = np.zeros((size, 4 * size), np.uint8), np.full((size, size), UNREACHED, np.int32)
    for facing in range(4):
        for shift in shifts[facing]:
            x, y = (cells + shift).T
            inside = (x >= 0) & (x < width) & (y >= 0) & (y < height)
            inside[inside] = is_open[(y * width + x)[inside]]
            own = cells[inside]
            seers[(y * width + x)[inside], 4 * (own[:, 1] * width + own[:, 0]) + facing] = 1
    paths = ways(enterable, UPRIGHT)
    near: NDArray[np.bool_] = seers.reshape(size, size, 4).max(axis=2) > 0
    for cell in np.flatnonzero(near.max(axis=1)).tolist():
        bound[cell] = paths.far[near[cell]].min(axis=0)
    view = rules.view
    # The steps after which a resource that went is more likely back than not, if nothing hinders it.
    draws = ceil(log(0.5) / log(1 - rules.regrowth)) if 0 < rules.regrowth < 1 else 0
    wait = rules.delay + draws if rules.regrowth else rules.maximum
    return Chart(
        ways=paths,
        places=places,
        fixed=np.array(rules.fixed, np.int8),
        place=place,
        cells=cells[:, 1] * width + cells[:, 0],
        seers=seers,
        bound=bound,
        shifts=shifts,
        own=view.forward * view.shape[1] + view.left,
        wait=wait,
        width=width,
        height=height,
        players=rules.players,
        numbers=np.array(rules.numbers, np.int32),
        refill=rules.refill,
    )


def empty(rules: Rules, worlds: int, seats: int) -> Memory:
    """The memory of ``seats`` seats in each of ``worlds`` worlds, in which no bot sits."""
    from otherminds.gridworlds.grid._mersenne import SIZE

    width, height = rules.size
    cells, players, places, kinds = width * height, rules.players, len(rules.places), len(rules.classes)
    rows = (worlds, seats)
    own = np.zeros((*rows, FIELDS), np.int32)
    own[..., BOT] = NO_BOT
    own[..., SIDE] = rules.sides[:seats]
    return Memory(
        own=own,
        inventory=np.zeros((*rows, kinds), np.int32),
        kind=np.zeros((*rows, places), np.int8),
        there=np.zeros((*rows, places), np.uint8),
        seen=np.zeros((*rows, places), np.int32),
        looked=np.zeros((*rows, cells), np.int32),
        others=np.zeros((*rows, players, 5), np.int32),
        last=np.zeros((*rows, players, 4), np.int32),
        plan=np.zeros((*rows, 4 * cells), np.uint8),
        cause=np.zeros((*rows, CAUSE), np.int32),
        hoped=np.zeros((*rows, places), np.uint8),
        wrong=np.zeros((*rows, places), np.uint8),
        been=np.zeros((*rows, 4 * cells), np.uint8),
        held=np.zeros((*rows, kinds), np.int32),
        streams=np.zeros((*rows, 2, SIZE), np.uint32),
    )


def desk(rules: Rules) -> Desk:
    """Room for the bots of ``rules``."""
    width, height = rules.size
    cells, places = width * height, len(rules.places)
    return Desk(
        search=room(ground(rules)),
        ends=np.zeros(4 * cells, np.uint8),
        bound=np.zeros(cells, np.int32),
        dear=np.zeros(cells),
        shut=np.zeros(cells, np.uint8),
        cause=np.zeros(CAUSE, np.int32),
        hoped=np.zeros(places, np.uint8),
        wrong=np.zeros(places, np.uint8),
        tried=np.zeros(rules.players, np.uint8),
        sought=np.zeros(rules.players, np.uint8),
    )


class Aim(NamedTuple):
    """To duel with ``margin`` more of class ``kind`` than of any other."""

    kind: int
    margin: int


@dataclass(frozen=True)
class Puppeteer:
    """Follows ``automaton`` over duels and raises class k by ``margins[k]``.

    After a tie the automaton moves on only if its next state does not depend on the other's
    behaviour; otherwise nothing is drawn. A ``gullible`` one assumes that another plays what it was last seen
    to collect: a stand-in for the official ``free_0``, a network trained in self-play, of whose
    policy only that word was published.
    """

    automaton: Automaton
    margins: tuple[int, ...]
    gullible: bool = False


def slip(output: Sequence[float]) -> tuple[int, tuple[int, ...], float]:
    """The likeliest class of a state, the others that it may draw, and the probability of drawing one of those.

    >>> slip((0.25, 0.75, 0.0))
    (1, (0,), 0.25)
    """
    kind = output.index(max(output))
    others = tuple(k for k, p in enumerate(output) if p and k != kind)
    return kind, others, sum(output[k] for k in others)


def leader(inventory: Sequence[int]) -> Aim:
    """The class of which there is most, and by how much.

    >>> leader((1, 4, 2))
    Aim(kind=1, margin=2)
    """
    order = sorted(range(len(inventory)), key=inventory.__getitem__)
    return Aim(order[-1], inventory[order[-1]] - inventory[order[-2]])


@lru_cache(maxsize=64)
def policies(followed: tuple[Puppeteer, ...], classes: int) -> Policies:
    """What ``followed`` do, for compiled bots, whose numbers are their places here."""
    automata = [puppeteer.automaton for puppeteer in followed]
    first = np.cumsum([0, *(len(automaton.output) for automaton in automata)])[:-1]
    after = [
        np.array(state) + shift
        for automaton, shift in zip(automata, first, strict=True)
        for state in automaton.next
    ]
    outputs = [output for automaton in automata for output in automaton.output]
    slips = [slip(output) for output in outputs]
    others = np.zeros((len(outputs), classes), np.int32)
    for state, (_, kinds, _) in enumerate(slips):
        others[state, : len(kinds)] = kinds
    return Policies(
        after=np.array(after, np.int32).reshape(-1, classes, classes),
        even=np.array([min(output) == max(output) for output in outputs], np.uint8),
        likeliest=np.array([kind for kind, _, _ in slips], np.int32),
        chance=np.array([chance for _, _, chance in slips], np.float64),
        slips=np.array([len(kinds) for _, kinds, _ in slips], np.int32),
        others=others,
        start=np.array([automaton.start for automaton in automata], np.int32) + first.astype(np.int32),
        margins=np.array([puppeteer.margins for puppeteer in followed], np.int32).reshape(-1, classes),
        gullible=np.array([puppeteer.gullible for puppeteer in followed], np.uint8),
    )
