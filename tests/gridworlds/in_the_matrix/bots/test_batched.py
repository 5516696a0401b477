"""Bots in a batch act as the readable ones do, step by step, random draws included."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from otherminds.core.encoding import derive
from otherminds.core.errors import StudyError, WorldError
from otherminds.core.record import SeatSpec
from otherminds.core.scenario import Setup, scenario
from otherminds.gridworlds.grid.vector_env import GridVectorEnv
from otherminds.gridworlds.in_the_matrix.bots import BatchedBots, bot_names
from otherminds.gridworlds.in_the_matrix.rules import PD_REPEATED, RWS_ARENA, RWS_REPEATED, SUBSTRATES, Rules
from otherminds.minds.registry import make_mind
from otherminds.play.loop import play_now
from tests.cases import depth, for_each, thinned
from tests.gridworlds.grid.one_shard import OneShard
from tests.gridworlds.in_the_matrix.bots.readable import Readable, happened, tally
from tests.gridworlds.in_the_matrix.substrates import RULES

BRIEF = {"minimum": 60, "interval": 30, "maximum": 130}
"""Episodes that end soon, some by chance, so that worlds begin anew at different steps."""
FULL = ((0, 1200), (1, 1200), (2, 1200))
"""For the slow run: seeds, and steps in which whole episodes of the real length are played."""


def casts(rules: Rules) -> list[dict[int, str]]:
    """Each bot of a roster against random actions, and against another bot; with more seats, among others."""
    names = bot_names(rules)
    found: list[dict[int, str]] = []
    for n, name in enumerate(names):
        others = {i: name if i < 4 else names[(n + i) % len(names)] for i in range(1, rules.players)}
        found += [others, others | {0: names[(n + 1) % len(names)]}]
    return found


def compare(
    rules: Rules, cast: list[dict[int, str]], noise: float, seed: int, steps: int
) -> dict[str, NDArray[np.int64]]:
    """Plays both kinds of bots side by side in a batch; other seats act at random. What happened in each world."""
    batch = OneShard(rules, len(cast))
    bots, readable = BatchedBots(batch, cast, noise), Readable(batch, lambda b, _: cast[b], noise)
    batch.reset(seed)
    seeds = [1000 + seed + b for b in range(len(cast))]
    bots.begin(seeds)
    for b, given in enumerate(seeds):
        readable.begin(b, given)
    rng = np.random.default_rng(seed)
    counts: dict[str, NDArray[np.int64]] = {}
    for step in range(steps):
        actions, expected = bots.act(), readable.act()
        wrong = np.argwhere(actions != expected)
        assert not wrong.size, f"step {step}: world and seat {wrong[0]}, cast {cast[wrong[0][0]]}"
        random = rng.integers(8, size=actions.shape)
        for b, seats in enumerate(cast):
            free = [i for i in range(rules.players) if i not in seats]
            actions[b, free] = random[b, free]
        before = batch.state.avatars.copy()
        batch.step(actions)
        tally(counts, happened(batch, before))
        for b in np.flatnonzero(batch.state.clock[:, 0] == 0).tolist():
            readable.begin(b, int(batch.seeds[b]))
    return counts


def duels_of_bots(counts: dict[str, NDArray[np.int64]]) -> list[int]:
    """The duels in the two worlds of each bot that :func:`casts` lists."""
    return (counts["duels"][0::2] + counts["duels"][1::2]).tolist()


@pytest.mark.parametrize("rules", RULES)
@pytest.mark.parametrize("noise", thinned([0.1, 0.0], 2))
def test_every_bot_acts_as_the_readable_one(rules: Rules, noise: float) -> None:
    steps = 140 if rules.players > 2 else 300
    counts = compare(replace(rules, **BRIEF), casts(rules), noise, 1, steps)
    assert min(duels_of_bots(counts)) >= 3
    assert min(counts["begun anew"]) >= 1
    assert all(number.sum() > 0 for number in counts.values()), counts


@pytest.mark.slow
@pytest.mark.parametrize("rules", RULES)
@pytest.mark.parametrize("noise", [0.0, 0.1])
@pytest.mark.parametrize(("seed", "steps"), FULL)
def test_every_bot_acts_as_the_readable_one_in_whole_episodes(
    rules: Rules, noise: float, seed: int, steps: int
) -> None:
    counts = compare(rules, casts(rules), noise, 100 * seed, steps)
    assert min(duels_of_bots(counts)) >= 15
    assert all(number.sum() > 0 for number in counts.values()), counts


@for_each("noise", [0.3, 0.0, 1.0], every=3)
def test_bots_in_a_crowd_act_as_readable_ones(noise: float) -> None:
    """A small room in which all are in each other's way: few paths, many duels, resources that come back at once."""
    crowd = replace(
        RWS_ARENA,
        drawing="WWWWWWWWW\nWP1a2P  W\nW aa3 W W\nWPa1WPW W\nW  P    W\nWWWWWWWWW",
        players=5,
        regrowth=0.3,
        delay=1,
        respawn=2,
        freeze=3,
        **BRIEF,
    )
    counts = compare(crowd, casts(crowd), noise, 3, 140)
    assert counts["duels"].sum() >= 15


@pytest.mark.parametrize("steps", depth(150, 700))
def test_worlds_and_seats_together_do_what_each_does_alone(steps: int) -> None:
    rules = replace(RWS_ARENA, **BRIEF)
    cast = [{1: "free_0", 4: "rock_margin_1"}, {}, dict.fromkeys(range(8), "flip_r2s_0")]
    random = np.random.default_rng(5).integers(8, size=(steps, len(cast), rules.players))
    together, alone = OneShard(rules, len(cast)), [OneShard(rules, 1) for _ in cast]
    bots = BatchedBots(together, cast, 0.05)
    single = [BatchedBots(batch, [seats], 0.05) for batch, seats in zip(alone, cast, strict=True)]
    together.reset(20)
    bots.begin()
    for b, batch in enumerate(alone):
        batch.reset(20 + b)
        single[b].begin()
    for made in random:
        actions = bots.act()
        for b, seats in enumerate(cast):
            assert actions[b].tolist() == single[b].act()[0].tolist()
            free = [i for i in range(rules.players) if i not in seats]
            assert not actions[b, free].any()
            actions[b, free] = made[b, free]
            alone[b].step(actions[b : b + 1])
        together.step(actions)


@for_each(
    ("name", "seed", "noise"),
    [
        ("rws-repeated-3-v1", 4, 0.0),
        ("pd-repeated-9-v1", 7, 0.1),
        ("rws-arena-0-v1", 2, 0.0),
        ("pd-repeated-mixed-v1", 11, 0.0),
    ],
)
def test_a_scenario_meets_the_partners_of_a_study_and_they_play_the_same_episode(
    name: str, seed: int, noise: float
) -> None:
    steps = 150
    options: dict[str, Any] = {"steps": steps}
    played = scenario(name, options | {"noise": noise})
    record, _ = play_now(Setup(played, {"ego": make_mind(SeatSpec("uniform"))}, seed))
    built = scenario(name, options)
    batch = OneShard(replace(SUBSTRATES[f"{name.rsplit('-', 2)[0]}-v1"], maximum=steps), 2)
    bots = BatchedBots(batch, built, noise)
    batch.reset([1, derive(seed, "world") % 2**31])
    bots.begin([1, seed])
    met = [spec.mind for spec in built.population.met(seed)]
    assert [bot_names(batch.rules)[n] for n in bots.cast[1, 1:]] == met
    for row in record.actions:
        actions = bots.act()
        assert tuple(actions[1, 1:].tolist()) == row[1:]
        actions[:, 0] = row[0]
        batch.step(actions)


def test_a_cast_is_drawn_anew_for_each_episode() -> None:
    rules = replace(PD_REPEATED, **BRIEF)
    names = bot_names(rules)
    asked: list[tuple[int, int]] = []

    def draw(world: int, seed: int) -> list[str | None]:
        asked.append((world, seed))
        return [None, names[seed % len(names)]]

    batch = OneShard(rules, 3)
    bots, readable = BatchedBots(batch, draw), Readable(batch, draw)
    batch.reset([5, 6, 2**64 - 1])
    bots.begin()
    assert asked == [(0, 5), (1, 6), (2, 2**64 - 1)]
    for b, seed in list(asked):
        readable.begin(b, seed)
    rng = np.random.default_rng(0)
    for _ in range(300):
        actions = bots.act()
        assert actions.tolist() == readable.act().tolist()
        actions[:, 0] = rng.integers(8, size=3)
        batch.step(actions)
        for b in np.flatnonzero(batch.state.clock[:, 0] == 0).tolist():
            readable.begin(b, int(batch.seeds[b]))
    drawn = {asked[n][1] % len(names) for n in range(len(asked))}
    assert len(drawn) > 3


def test_a_reset_forgets_what_was_before() -> None:
    batch = OneShard(RWS_REPEATED, 2)
    bots = BatchedBots(batch, [["paper_0", "free_0"]] * 2, 0.1)
    played = []
    for _ in range(2):
        batch.reset(9)
        bots.begin(4)
        played.append([])
        for _ in range(80):
            actions = bots.act()
            played[-1].append(actions.tolist())
            batch.step(actions)
    assert played[0] == played[1]
    batch.reset(50)
    bots.act()  # Another seed than before: it is noticed


def test_bots_act_once_in_each_step() -> None:
    batch = OneShard(PD_REPEATED, 2)
    bots = BatchedBots(batch, [{1: "puppet_flip_0"}, {}])
    batch.reset(0)
    with pytest.raises(WorldError, match="have not begun: call begin"):
        bots.act()
    bots.begin()
    actions = bots.act()
    with pytest.raises(WorldError, match="world 0 is at step 0 and its partners acted last in step 0"):
        bots.act()
    batch.step(actions)
    batch.step(actions)
    with pytest.raises(WorldError, match="world 0 is at step 2"):
        bots.act()
    with pytest.raises(WorldError, match="3 seeds for the partners of 2 worlds"):
        bots.begin([1, 2, 3])


@for_each(
    ("cast", "text"),
    [
        ([{1: "puppet_flip_0"}], "cast of 2 worlds has 1 entries"),
        ([{1: "rock_0"}, {}], "no batched partner 'rock_0'; there are puppet_cooperator_margin_0"),
        ([{2: "puppet_flip_0"}, {}], "names seat 2; there are seats 0 to 1"),
        ([[None, None, None], {}], "names seat 2"),
        (
            scenario("rws-repeated-0-v1", {}),
            "partner 'paper_margin_0' of rws-repeated-0-v1 is none of",
        ),
        (scenario("pd-repeated-0-v1", {"noise": 0.5}), "gives partner .* the options"),
    ],
    ids=["few", "bot", "seat", "long", "substrate", "options"],
)
def test_a_bad_cast_is_named(cast: Any, text: str) -> None:
    batch = OneShard(PD_REPEATED, 2)
    batch.reset(0)
    with pytest.raises(StudyError, match=text):
        BatchedBots(batch, cast).begin()


def test_noise_is_a_probability() -> None:
    with pytest.raises(StudyError, match="the noise of a bot must be from 0 to 1, not 2"):
        BatchedBots(OneShard(PD_REPEATED, 1), [{}], noise=2)


def test_bots_of_each_shard_play_the_other_seats_of_a_vector_environment() -> None:
    """The number of threads, and so of shards, changes nothing: the partners are those of the worlds' seeds."""
    mixture = scenario("rws-repeated-mixed-v1", {})
    made = np.random.default_rng(0).integers(8, size=(60, 5))
    played: list[list[Any]] = []
    for threads in (1, 2):
        envs = GridVectorEnv(
            "rws-repeated-v1", 5, threads=threads, others=lambda shard: BatchedBots(shard, mixture, 0.1)
        )
        envs.reset(seed=3)
        played.append([envs.step(actions)[0].tolist() for actions in made])
    assert played[0] == played[1]
