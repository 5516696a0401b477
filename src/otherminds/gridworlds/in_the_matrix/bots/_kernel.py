"""Bots of :mod:`.roster` for many worlds in one call: the puppeteers compiled, over :mod:`._sight` and :mod:`._puppet`.

They decide as the readable bots do, by the same random draws. Callers ensure that arrays have the shapes of
:mod:`.memory`.
"""

from __future__ import annotations

from numba.extending import register_jitable

from otherminds.gridworlds.grid import _mersenne as mersenne
from otherminds.gridworlds.grid._kernel import compiled, inner
from otherminds.gridworlds.in_the_matrix import state as world
from otherminds.gridworlds.in_the_matrix.bots import _puppet as puppet
from otherminds.gridworlds.in_the_matrix.bots import _sight as sight
from otherminds.gridworlds.in_the_matrix.bots import memory as columns
from otherminds.gridworlds.in_the_matrix.bots.memory import POLICY, PUPPET, Memory


@register_jitable(forceinline=True)  # Not ``inner``: what it returns has to be reference-counted
def seat(memory, b, i):
    """The memory of seat ``i`` in world ``b``."""
    return Memory(
        memory.own[b, i],
        memory.inventory[b, i],
        memory.kind[b, i],
        memory.there[b, i],
        memory.seen[b, i],
        memory.looked[b, i],
        memory.others[b, i],
        memory.last[b, i],
        memory.plan[b, i],
        memory.cause[b, i],
        memory.hoped[b, i],
        memory.wrong[b, i],
        memory.been[b, i],
        memory.held[b, i],
        memory.streams[b, i],
    )


@compiled
def begin_all(chart, policies, memory, fresh, bots, seeds):
    """New episodes in the worlds that are ``fresh`` (bool[B]).

    ``bots`` int64[B, P]: the bot in each seat, -1 for none; ``seeds`` uint64[B, P]: of their random generators.
    """
    for b in range(fresh.size):
        if not fresh[b]:
            continue
        for i in range(bots.shape[1]):
            mind = seat(memory, b, i)
            mind.own[columns.BOT] = bots[b, i]
            if bots[b, i] >= 0:
                mersenne.seed(mind.streams[POLICY], seeds[b, i])
                mersenne.seed(mind.streams[PUPPET], mersenne.bits(mind.streams[POLICY]))
                sight.begin(chart, mind)
                puppet.begin(mind)
                _draw(policies, mind, policies.start[bots[b, i]])


@compiled
def act_all(chart, policies, memory, desk, state, windows, noise, actions):
    """What bots do in each world, into ``actions`` (int64[B, P]); other entries stay as they are.

    ``state`` of the worlds: a bot takes from it its own pose, inventory and beam, and the inventories of its duels.
    ``windows`` uint8[B, P, R, 4]: what the avatars see. ``noise``: the probability of a random movement.
    """
    for b in range(actions.shape[0]):
        for i in range(actions.shape[1]):
            if memory.own[b, i, columns.BOT] >= 0:
                mind = seat(memory, b, i)
                sight.see(chart, mind, state.avatars[b, i], windows[b, i], state.clock[b, world.STEP])
                _hear(policies, mind, state.met[b, i, 1])
                actions[b, i] = _act(chart, policies, mind, desk, noise)


@inner
def _act(chart, policies, mind, desk, noise):
    kind = mind.own[columns.CLASS]
    most, margin = _leader(mind.inventory)
    seeks = most == kind and margin >= policies.margins[mind.own[columns.BOT], kind]
    return puppet.act(chart, mind, desk, kind, int(seeks), noise)


@inner
def _hear(policies, mind, partner):
    """The automaton after a step in which ``partner`` (int32[K]) was met in a duel."""
    own = mind.own
    most, margin = _leader(partner)
    if partner[most] > 0:
        after = policies.after[own[columns.STATE], own[columns.CLASS]]
        settled = True  # Whether its next state is the same after each behaviour of the other
        for k in range(after.size):
            settled = settled and after[k] == after[0]
        if margin or settled:
            _draw(policies, mind, after[most] if margin else after[0])
    if policies.gullible[own[columns.BOT]] and own[columns.TAKEN] >= 0:
        _draw(policies, mind, policies.after[own[columns.STATE], own[columns.CLASS], own[columns.TAKEN]])


@inner
def _leader(inventory):
    """The class of which there is most, the last of several, and by how much."""
    most = 0
    for k in range(1, inventory.size):
        if inventory[k] >= inventory[most]:
            most = k
    second = -1
    for k in range(inventory.size):
        if k != most and (second < 0 or inventory[k] > inventory[second]):
            second = k
    return most, inventory[most] - inventory[second]


@inner
def _draw(policies, mind, state):
    """The automaton is in ``state``, with a class drawn for it."""
    rng = mind.streams[POLICY]
    kind = policies.likeliest[state]
    some = policies.slips[state]
    if policies.even[state]:
        kind = mersenne.below(rng, policies.others.shape[1])
    elif some:
        drawn = mersenne.random(rng)
        if drawn < policies.chance[state]:
            kind = policies.others[state, int(drawn / policies.chance[state] * some)]
    mind.own[columns.STATE] = state
    mind.own[columns.CLASS] = kind
