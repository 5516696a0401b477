"""Stage by stage: what a compiled bot knows, draws, plans and remembers is what the readable one does."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import numpy as np

from otherminds.gridworlds.in_the_matrix.bots import memory as columns
from otherminds.gridworlds.in_the_matrix.bots.batched import BatchedBots
from otherminds.gridworlds.in_the_matrix.bots.memory import POLICY, PUPPET, Memory
from otherminds.gridworlds.in_the_matrix.bots.puppet import PATIENCE, Puppet
from otherminds.gridworlds.in_the_matrix.bots.roster import Bot
from otherminds.gridworlds.in_the_matrix.rules import PD_REPEATED, RWS_ARENA, RWS_REPEATED, Rules
from otherminds.gridworlds.in_the_matrix.sight import AvatarSighting, Sight
from tests.cases import for_each
from tests.gridworlds.grid.one_shard import OneShard
from tests.gridworlds.in_the_matrix.bots.readable import Readable

CASES = [
    (RWS_REPEATED, {0: "free_0", 1: "resp2prev_margin_0"}),
    (PD_REPEATED, {0: "puppet_tft_tremble_margin_0", 1: "puppet_corrigible_tremble_0"}),
    (RWS_ARENA, {0: "free_0", 1: "flip_p2r_0", 2: "rock_margin_1", 4: "free_0", 7: "paper_margin_0"}),
]


def same_sight(mind: Memory, sight: Sight, width: int) -> None:
    own = mind.own
    pose = None
    if own[columns.POSE] >= 0:
        cell, facing = divmod(int(own[columns.POSE]), 4)
        pose = (cell % width, cell // width, facing)
    assert pose == sight.pose
    assert bool(own[columns.CHARGED]) == sight.charged
    assert bool(own[columns.HELD]) == sight.held
    assert mind.inventory.tolist() == list(sight.inventory)
    assert mind.kind.tolist() == sight.kind
    assert mind.there.astype(bool).tolist() == sight.there
    assert mind.seen.tolist() == sight.seen
    assert mind.looked.tolist() == sight.looked.ravel().tolist()
    assert sightings(mind.others[: own[columns.OTHERS]], width) == list(sight.others)
    known = sightings(mind.last[: own[columns.LAST]], width)
    assert {one.player: one for one in known} == sight.last
    assert [one.player for one in known] == list(sight.last)
    assert own[columns.TAKEN] == (sight.taken[-1] if sight.taken else -1)


def sightings(rows: np.ndarray, width: int) -> list[AvatarSighting]:
    return [
        AvatarSighting((cell % width, cell // width), player, mark, step)
        for cell, player, mark, step in rows.tolist()
    ]


def same_puppet(mind: Memory, puppet: Puppet, width: int) -> None:
    own = mind.own
    assert mind.plan[: own[columns.PLANNED]].tolist() == puppet._plan
    assert own[columns.STRAYS] == puppet._strays
    watched = int(own[columns.WATCHED])
    assert (None if watched < 0 else (watched % width, watched // width)) == puppet._watched
    been = np.zeros_like(mind.been)
    for (x, y, facing), times in puppet._been.items():
        been[4 * (y * width + x) + facing] = min(times, PATIENCE)
    assert mind.been.tolist() == been.tolist()


def same_draws(row: np.ndarray, rng: Random) -> None:
    assert tuple(row.tolist()) == rng.getstate()[1]


def same_bot(bots: BatchedBots, b: int, i: int, bot: Bot) -> None:
    width = bots.batch.rules.size[0]
    mind = Memory(*(array[b, i] for array in bots._memory))
    same_sight(mind, bot._sight, width)
    first = bots._policies.start[bots.cast[b, i]] - bot.followed.automaton.start
    assert (mind.own[columns.STATE] - first, mind.own[columns.CLASS]) == bot._state
    same_draws(mind.streams[POLICY], bot._rng)
    same_puppet(mind, bot._puppet, width)
    same_draws(mind.streams[PUPPET], bot._puppet.rng)


@for_each(("rules", "seats"), CASES, ids=lambda part: getattr(part, "name", ""))
def test_each_step_leaves_the_memory_of_the_readable_bot(rules: Rules, seats: dict[int, str]) -> None:
    batch = OneShard(replace(rules, minimum=60, interval=30, maximum=130), 2)
    bots, readable = BatchedBots(batch, [seats] * 2, 0.05), Readable(batch, lambda b, seed: seats, 0.05)
    batch.reset(30)
    bots.begin()
    readable.begin(0, 30)
    readable.begin(1, 31)
    rng = np.random.default_rng(1)
    strayed = taken = 0
    for _ in range(200):
        actions = bots.act()
        assert actions.tolist() == readable.act().tolist()
        for (b, i), bot in readable.minds.items():
            same_bot(bots, b, i, bot)
            strayed += bot._puppet._strays > 0
            taken += len(bot._sight.taken)
        free = [i for i in range(rules.players) if i not in seats]
        actions[:, free] = rng.integers(8, size=(2, len(free)))
        batch.step(actions)
        for b in np.flatnonzero(batch.state.clock[:, 0] == 0).tolist():
            readable.begin(b, int(batch.seeds[b]))
    assert taken
    assert strayed or rules is not RWS_ARENA
