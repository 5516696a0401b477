"""The actions towards a goal: :class:`~.puppet.Puppet`, compiled, with :mod:`._goals` and :mod:`._routes`.

``mind`` is the :class:`~.memory.Memory` of one seat, ``desk`` the room to work in. ``kind`` is the class of the
goal. An action of ``NONE`` says that there is no way.
"""

from __future__ import annotations

from otherminds.gridworlds.grid import _mersenne as mersenne
from otherminds.gridworlds.grid._kernel import inner
from otherminds.gridworlds.grid.actions import FORWARD, INTERACT, NOOP, STEP_RIGHT
from otherminds.gridworlds.in_the_matrix.bots import _goals as goals
from otherminds.gridworlds.in_the_matrix.bots import _routes as routes
from otherminds.gridworlds.in_the_matrix.bots import memory as columns
from otherminds.gridworlds.in_the_matrix.bots._routes import NONE
from otherminds.gridworlds.in_the_matrix.bots.memory import PUPPET, WHY
from otherminds.gridworlds.in_the_matrix.bots.puppet import PATIENCE, STRAYS


@inner
def begin(mind):
    """Has done nothing yet."""
    own = mind.own
    own[columns.EXPECTED] = own[columns.WATCHED] = own[columns.GOAL] = -1
    own[columns.STRAYS] = own[columns.PLANNED] = 0
    own[columns.BEEN] = 1
    _rest(own, mind.been)
    mind.cause[WHY] = columns.NOTHING


@inner
def act(chart, mind, desk, kind, seeks, noise):
    """The action towards class ``kind``: to collect it, or, if it ``seeks`` one, to duel."""
    own = mind.own
    pose = own[columns.POSE]
    if pose < 0 or own[columns.HELD]:
        own[columns.PLANNED] = own[columns.STRAYS] = 0
        _rest(own, mind.been)
        return NOOP
    if pose != own[columns.EXPECTED]:
        own[columns.PLANNED] = 0
    if _progress(own, mind.held, mind.inventory, 2 * kind + seeks):
        _rest(own, mind.been)
    for n in range(mind.there.size):
        desk.wrong[n] = mind.there[n] and mind.kind[n] != kind
    rng = mind.streams[PUPPET]
    if noise > 0.0 and mersenne.random(rng) < noise:
        action = FORWARD + mersenne.below(rng, INTERACT - FORWARD)
    elif _tired(own, mind.been, rng, pose):
        action = _stray(chart, mind, desk, pose)
    else:
        action = _towards(chart, mind, desk, kind, seeks, pose)
    if action != NOOP:
        own[columns.BEEN] = 1
        mind.been[pose] = min(mind.been[pose] + 1, PATIENCE)
    if action == NONE:
        action = NOOP
    own[columns.EXPECTED] = chart.ways.after[pose, action]
    return action


@inner
def _rest(own, been):
    if own[columns.BEEN]:
        for pose in range(been.size):
            been[pose] = 0
        own[columns.BEEN] = 0


@inner
def _progress(own, held, inventory, goal):
    """Whether the goal or the inventory is another one than at the last progress; it is noted."""
    other = own[columns.GOAL] != goal
    own[columns.GOAL] = goal
    for k in range(held.size):
        other = other or held[k] != inventory[k]
        held[k] = inventory[k]
    return other


@inner
def _tired(own, been, rng, pose):
    if been[pose] >= PATIENCE:
        own[columns.STRAYS] = 1 + mersenne.below(rng, STRAYS)
        _rest(own, been)
    if not own[columns.STRAYS]:
        return False
    own[columns.STRAYS] -= 1
    return True


@inner
def _stray(chart, mind, desk, pose):
    mind.own[columns.PLANNED] = 0
    free = 0
    for action in range(FORWARD, STEP_RIGHT + 1):
        free += _open(chart, mind, desk, chart.ways.after[pose, action])
    drawn = mersenne.below(mind.streams[PUPPET], free or STEP_RIGHT + 1 - FORWARD)
    if not free:
        return FORWARD + drawn
    for action in range(FORWARD, STEP_RIGHT + 1):
        if _open(chart, mind, desk, chart.ways.after[pose, action]):
            if drawn == 0:
                return action
            drawn -= 1
    return NONE


@inner
def _open(chart, mind, desk, pose):
    """Whether a move to ``pose`` (-1: a wall) meets nobody and takes nothing wrong."""
    if pose < 0:
        return False
    if routes.occupied(mind.others, mind.own[columns.OTHERS], pose // 4):
        return False
    n = chart.place[pose // 4]
    return n < 0 or not desk.wrong[n]


@inner
def _towards(chart, mind, desk, kind, seeks, pose):
    """Tries one goal after the other until one can be reached.

    A path is searched in one place only: compiled code is inlined, and would otherwise be five times as long.
    """
    if seeks:
        goals.listed(mind, desk, chart.players == 2)
    first, more = True, True
    while more:
        found = goals.LOOK
        if seeks:
            found = goals.rival(chart, mind, desk, pose)
        elif first and goals.hope(mind, desk, kind, chart.wait):
            found = goals.GO
        first = False
        if found == goals.LOOK:
            more = False
            found = goals.unseen(chart, mind, desk.cause, goals.ANY if seeks else kind)
        if found != goals.GO:
            return found
        action = routes.step(chart, mind, desk, pose)
        if action != NONE:
            return action
    return NONE
