"""Stage by stage: what a compiled bot knows, draws, plans and remembers is what the plain one does."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import numpy as np

from otherminds.core.data import Moment
from otherminds.gridworlds.grid.rules import INTERACT
from otherminds.gridworlds.in_the_matrix import charts as columns
from otherminds.gridworlds.in_the_matrix.bots import BatchedBots, Reach, bot, bot_names
from otherminds.gridworlds.in_the_matrix.charts import POLICY, PUPPET, Memory
from otherminds.gridworlds.in_the_matrix.rules import PD_REPEATED, RWS_ARENA, RWS_REPEATED, Rules
from otherminds.gridworlds.in_the_matrix.sight import AvatarSighting, Collect, SeekDuel, Walk
from otherminds.gridworlds.in_the_matrix.sight import Puppet as CompiledPuppet
from otherminds.gridworlds.in_the_matrix.sight import Sight as CompiledSight
from otherminds.gridworlds.in_the_matrix.world import InTheMatrixWorld
from otherminds.play.loop import finish
from otherminds.play.seat_context import Now, SeatContext
from tests.cases import for_each
from tests.gridworlds.grid.one_shard import OneShard
from tests.gridworlds.in_the_matrix.bots.plain import PATIENCE, PlainBot, Puppet, Sight
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
    assert sightings(mind.others[: own[columns.OTHERS], : columns.TOOK], width) == list(sight.others)
    known = sightings(mind.last[: own[columns.LAST]], width)
    assert {one.player: one for one in known} == sight.last
    assert [one.player for one in known] == list(sight.last)
    taken = [list(pair) for pair in zip(sight.takers, sight.taken, strict=True)]
    seen = mind.others[: own[columns.OTHERS], [columns.PLAYER, columns.TOOK]].tolist()
    assert [pair for pair in seen if pair[1] >= 0] == taken


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


def same_bot(bots: BatchedBots, b: int, i: int, bot: PlainBot) -> None:
    width = bots.batch.rules.size[0]
    mind = Memory(*(array[b, i] for array in bots._memory))
    same_sight(mind, bot._sight, width)
    first = bots._policies.start[bots.cast[b, i]] - bot.followed.automaton.start
    assert (mind.own[columns.STATE] - first, mind.own[columns.CLASS]) == bot._state
    same_draws(mind.streams[POLICY], bot._rng)
    same_puppet(mind, bot._puppet, width)
    same_draws(mind.streams[PUPPET], bot._puppet.rng)


@for_each(("rules", "seats"), CASES, ids=lambda part: getattr(part, "name", ""), every=2)
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
        for (b, i), plain in readable.minds.items():
            same_bot(bots, b, i, plain)
            strayed += plain._puppet._strays > 0
            taken += len(plain._sight.taken)
        free = [i for i in range(rules.players) if i not in seats]
        actions[:, free] = rng.integers(8, size=(2, len(free)))
        batch.step(actions)
        for b in np.flatnonzero(batch.state.clock[:, 0] == 0).tolist():
            readable.begin(b, int(batch.seeds[b]))
    assert taken
    assert strayed or rules is not RWS_ARENA


@for_each("reach", ["window", "map"], every=2)
@for_each("rules", [PD_REPEATED, RWS_ARENA], ids=lambda rules: rules.name)
def test_a_bot_alone_acts_as_the_plain_one(rules: Rules, reach: Reach) -> None:
    """With its window alone and with the whole map, in an episode that ends and in the next one."""
    rules = replace(rules, minimum=60, interval=30, maximum=130)
    names = [bot_names(rules)[n % len(bot_names(rules))] for n in range(3, 3 + rules.players)]
    world = InTheMatrixWorld(rules)
    grants = {"inventories": True, "map": True} if reach == "map" else {"inventories": True}
    removed = taken = 0
    for seed in (1, 2):
        heard, _ = world.reset(seed, {"grants": dict.fromkeys(world.possible_agents, grants)})
        pairs = {}
        for seat, name in zip(world.possible_agents, names, strict=True):
            pairs[seat] = bot(rules, name, 0.05, reach), PlainBot(rules, name, 0.05)
            for mind in pairs[seat]:
                mind.begin(world.brief(seat), SeatContext(seat, seed, Now()))
        for step in range(rules.maximum):
            actions = {}
            for seat, (ours, plain) in pairs.items():
                for mind in (ours, plain):
                    finish(mind.perceive(Moment(step, heard[seat])))
                same_sight(ours._sight.mind, plain._sight, rules.size[0])
                actions[seat] = finish(ours.act())
                assert actions[seat] == finish(plain.act())
                removed += plain._sight.pose is None
                taken += len(plain._sight.taken)
            heard, *_ = world.step(actions)
            if not world.agents:
                break
    assert removed
    assert taken


@for_each("granted", [False, True], ids=["window", "map"], every=2)
@for_each("rules", [RWS_REPEATED, RWS_ARENA], ids=lambda rules: rules.name)
def test_a_puppet_that_is_led_acts_as_the_plain_one(rules: Rules, granted: bool) -> None:
    """Towards goals of all kinds, each for a while: to collect, to duel with some or with anyone, to walk."""
    world = InTheMatrixWorld(rules)
    seats = world.possible_agents
    heard, _ = world.reset(4, {"grants": {seat: {"map": True} for seat in seats}} if granted else {})
    choose = Random(0)
    ours = [CompiledPuppet(CompiledSight(rules), Random(n), 0.02) for n in range(rules.players)]
    plain = [Puppet(Sight(rules), Random(n), 0.02) for n in range(rules.players)]
    goals = [Collect(0)] * rules.players
    shots = 0
    for step in range(400):
        actions = {}
        for i, seat in enumerate(seats):
            if step % 15 == 0:
                sought = frozenset(choose.sample(range(rules.players), choose.randrange(3)))
                kind = choose.randrange(3)
                seek = SeekDuel(kind, sought if rules.distinct else frozenset())
                goals[i] = choose.choice([Collect(kind), seek, Walk(choose.choice(rules.open))])
            for puppet in (ours[i], plain[i]):
                puppet.sight.see(heard[seat], step)
            actions[seat] = ours[i].act(goals[i])
            assert actions[seat] == plain[i].act(goals[i]), (step, seat, goals[i])
            same_puppet(ours[i].sight.mind, plain[i], rules.size[0])
            same_draws(ours[i].sight.mind.streams[PUPPET], plain[i].rng)
            shots += actions[seat] == INTERACT
        heard, *_ = world.step(actions)
    assert shots
