"""What compiled bots keep from step to step, and the room that they work in."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from otherminds.gridworlds.grid.ways import Room, room
from otherminds.gridworlds.in_the_matrix.rules import Rules
from otherminds.gridworlds.in_the_matrix.sight import survey

# Columns of ``own``.
BOT = 0  # the number of the bot, -1 where none sits
STATE, CLASS = 1, 2  # of its automaton
STEP = 3  # of what it last saw
POSE, CHARGED, HELD = 4, 5, 6  # -1 for no pose
TAKEN = 7  # the class of the resource that it last saw another collect in this step, -1 for none
OTHERS, LAST = 8, 9  # how many rows of ``others`` and of ``last`` are in use
EXPECTED = 10  # the pose to which its last action was to lead
STRAYS = 11  # random moves still to be made
WATCHED = 12  # the cell that it last went to see, -1 for none
PLANNED = 13  # how many actions of ``plan`` are still to be made
BEEN = 14  # 1 if ``been`` has anything in it
GOAL = 15  # its last goal: twice the class, and 1 more if it sought a duel
FIELDS = 16

CELL, PLAYER, MARK, SEEN = 0, 1, 2, 3  # Columns of ``others`` and ``last``
POLICY, PUPPET = 0, 1  # Rows of ``streams``

# Columns of ``cause``: why a path is followed.
WHY = 0
NOTHING, HOPED, SIGHTING, CELL_UNSEEN = 0, 1, 2, 3
WHAT = 1  # from here on: the class, the row of ``last``, or the cell
CAUSE = 5


class Memory(NamedTuple):
    """P seats in B worlds, or, without the first two dimensions, one seat.

    The knowledge of a :class:`~..sight.Sight`, with C cells and N places: ``kind`` int8[B, P, N], ``there``
    uint8[B, P, N], ``seen`` int32[B, P, N], ``looked`` int32[B, P, C], ``others`` and ``last`` int32[B, P, P, 4]
    (columns above; ``last`` in the order of the dictionary), ``inventory`` int32[B, P, K].

    What a :class:`~.puppet.Puppet` keeps: ``plan`` uint8[B, P, 4C], the last action first, with its reason
    ``cause`` int32[B, P, 5], ``hoped`` and ``wrong`` uint8[B, P, N]; ``been`` uint8[B, P, 4C], how often it left
    a pose, up to the number that matters; ``held`` int32[B, P, K], the inventory at its last progress.

    ``own`` int32[B, P, 16]: columns above. ``streams`` uint32[B, P, 2, 625]: the generators of policy and puppet.
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


class Desk(NamedTuple):
    """Room to work in: ``search`` for paths, and what one seat wants in one step.

    ``ends`` uint8[4C], ``bound`` int32[C], ``dear`` float64[C], ``shut`` uint8[C]: see :func:`~.._paths.search`;
    ``dear`` and ``shut`` are zero between calls. ``cause``, ``hoped``, ``wrong``: as in :class:`Memory`.
    ``tried`` uint8[P]: which rows of ``last`` were followed.
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


def empty(rules: Rules, worlds: int) -> Memory:
    """The memory of ``worlds`` worlds in which no bot sits.

    Raises:
        ImportError: numba is not installed.
    """
    from otherminds.gridworlds.grid._mersenne import SIZE

    width, height = rules.size
    cells, players, places, kinds = width * height, rules.players, len(rules.places), len(rules.classes)
    seats = (worlds, players)
    own = np.zeros((*seats, FIELDS), np.int32)
    own[..., BOT] = -1
    return Memory(
        own=own,
        inventory=np.zeros((*seats, kinds), np.int32),
        kind=np.zeros((*seats, places), np.int8),
        there=np.zeros((*seats, places), np.uint8),
        seen=np.zeros((*seats, places), np.int32),
        looked=np.zeros((*seats, cells), np.int32),
        others=np.zeros((*seats, players, 4), np.int32),
        last=np.zeros((*seats, players, 4), np.int32),
        plan=np.zeros((*seats, 4 * cells), np.uint8),
        cause=np.zeros((*seats, CAUSE), np.int32),
        hoped=np.zeros((*seats, places), np.uint8),
        wrong=np.zeros((*seats, places), np.uint8),
        been=np.zeros((*seats, 4 * cells), np.uint8),
        held=np.zeros((*seats, kinds), np.int32),
        streams=np.zeros((*seats, 2, SIZE), np.uint32),
    )


def desk(rules: Rules) -> Desk:
    """Room for the bots of ``rules``."""
    width, height = rules.size
    cells, places = width * height, len(rules.places)
    return Desk(
        search=room(survey(rules).ground),
        ends=np.zeros(4 * cells, np.uint8),
        bound=np.zeros(cells, np.int32),
        dear=np.zeros(cells),
        shut=np.zeros(cells, np.uint8),
        cause=np.zeros(CAUSE, np.int32),
        hoped=np.zeros(places, np.uint8),
        wrong=np.zeros(places, np.uint8),
        tried=np.zeros(rules.players, np.uint8),
    )
