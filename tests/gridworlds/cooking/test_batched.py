"""Cooks alone and in a batch act as the plain ones under the same seeds, step by step and from episode to episode."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
import pytest

from otherminds.core.contracts import Mind
from otherminds.core.data import Moment
from otherminds.core.encoding import derive
from otherminds.core.errors import StudyError
from otherminds.core.scenario import Setup, scenario
from otherminds.gridworlds.cooking import rules as columns
from otherminds.gridworlds.cooking.cooks import (
    BATCHED,
    BEST,
    NAMES,
    NOOP_BOT,
    BatchedCooks,
    BlindCook,
    SharingCook,
    in_role,
    scripted,
)
from otherminds.gridworlds.cooking.form import ROLES
from otherminds.gridworlds.cooking.routes import routes
from otherminds.gridworlds.cooking.rules import COOKING_ASYMMETRIC, EMPTY, FLOOR, ITEMS, Rules, empty
from otherminds.gridworlds.cooking.views import LAYERS
from otherminds.gridworlds.cooking.world import CookingWorld, make_substrate
from otherminds.gridworlds.grid.rules import Luck
from otherminds.play.loop import finish, play_now
from otherminds.play.seat_context import Now, SeatContext
from tests.cases import depth, for_each, thinned
from tests.gridworlds.cooking import kitchens
from tests.gridworlds.cooking.plain import window
from tests.gridworlds.cooking.plain_cooks import PlainCook, PlainKitchen, PotSeen, Work

SEEDS = (0, 1, 2, 5)
GALLEY = replace(COOKING_ASYMMETRIC, name="galley", drawing=kitchens.GALLEY, players=1, cooking=5, maximum=70)
STOVES = replace(
    COOKING_ASYMMETRIC, name="stoves", drawing="##CC##C\nO     C\n#     D\n# P   T\n##CC###", players=1
)
Names = tuple[str | None, ...]


def cook_alone(rules: Rules, name: str, noise: float) -> Mind:
    """The mind of one seat that the batched cook ``name`` is to equal."""
    if name in NAMES:
        return scripted(rules, name, 0.0 if name == NOOP_BOT else noise)
    if name in ROLES:
        return in_role(rules, name, noise)
    mind = {"blind": BlindCook, "cook": SharingCook}[name](rules)
    mind.noise = noise
    return mind


class Alone:
    """One world with cooks alone, and plain ones where each has a room of its own, which demand equal actions.

    Episodes follow each other as in a batch.
    """

    def __init__(self, rules: Rules, seats: Callable[[int], Names], noise: float, seed: int) -> None:
        self.world = CookingWorld(rules)
        self.seats, self.noise = seats, noise
        self.delivered: Counter[str] = Counter()
        self._begin(seed)

    def _begin(self, seed: int) -> None:
        self.seed, self.step = seed, 0
        self.observations, self.infos = self.world.reset(seed)
        self.rewards = dict.fromkeys(self.observations, 0.0)
        self.minds: dict[int, tuple[Mind, ...]] = {}
        for i, (seat, cook) in enumerate(zip(self.observations, self.seats(seed), strict=True)):
            if cook is not None:
                rules, noise = self.world.rules, self.noise
                plain = PlainCook(rules, BATCHED[cook], 0.0 if cook == NOOP_BOT else noise)
                single = cook_alone(rules, cook, noise)
                self.minds[i] = (single,) if routes(rules).shared else (plain, single)
                for mind in self.minds[i]:
                    mind.begin(self.world.brief(seat), SeatContext(seat, seed, Now()))

    def act(self, others: Sequence[int]) -> list[int]:
        """What all do next: cooks by themselves, who else is there by ``others``."""
        made = [int(action) for action in others]
        for i, minds in self.minds.items():
            seat = self.world.possible_agents[i]
            met = self.infos[seat].get("encounters", ())
            moment = Moment(self.step, self.observations[seat], self.rewards[seat], met)
            for mind in minds:
                finish(mind.perceive(moment))
            action, *more = (finish(mind.act()) for mind in minds)
            assert all(other == action for other in more), f"seat {i} of seed {self.seed}, step {self.step}"
            assert isinstance(action, int)
            made[i] = action
        return made

    def go(self, actions: Sequence[int]) -> None:
        """Plays ``actions``, and begins the next episode after the last step of one."""
        heard = self.world.step(dict(zip(self.world.possible_agents, actions, strict=True)))
        self.observations, self.rewards, _, _, self.infos = heard
        self.step += 1
        if not self.world.agents:
            self.delivered.update(delivery["seat"] for delivery in self.world.deliveries)
            self._begin(Luck(self.seed).next())


def compared(
    rules: Rules,
    cast: Names | Callable[[int], Names],
    steps: int,
    noise: float = 0.0,
    others: str = "random",
) -> Iterator[tuple[BatchedCooks, list[Alone]]]:
    """Plays a batch and single worlds side by side, and demands equal actions of all cooks in every step."""
    batch = make_substrate(rules).batch(len(SEEDS))
    seats: Callable[[int], Names] = cast if callable(cast) else lambda seed: cast
    cooks = BatchedCooks(batch.shards[0], lambda world, seed: seats(seed), noise)
    batch.reset(SEEDS)
    cooks.begin()
    alone = [Alone(rules, seats, noise, seed) for seed in SEEDS]
    rng = np.random.default_rng(7)
    for step in range(steps):
        mates = rng.integers(8, size=(len(SEEDS), rules.players))
        if others == "able":
            mates = np.array([kitchens.cook(rules, one.world.engine.state, rng) for one in alone])
        expected = np.array([one.act(made) for one, made in zip(alone, mates, strict=True)])
        ours = cooks.act()
        assert not ours[cooks.cast < 0].any()
        actions = np.where(cooks.cast < 0, mates, ours)
        assert actions.tolist() == expected.tolist(), f"step {step}"
        yield cooks, alone
        batch.step(actions)
        for one, made in zip(alone, actions.tolist(), strict=True):
            one.go(made)
        assert batch.seeds.tolist() == [one.seed for one in alone]


def soups(played: Iterator[tuple[BatchedCooks, list[Alone]]]) -> Counter[str]:
    """Plays to the end; the soups that each seat delivered in all episodes that ended."""
    *_, (_, alone) = played
    return sum((one.delivered for one in alone), Counter())


def rooms(rules: Rules) -> set[int]:
    """The sides of the kitchen where player 1 begins."""
    return {int(CookingWorld(rules).reset(seed)[0]["partner_0"]["POSITION"][0]) // 4 for seed in SEEDS}


@pytest.mark.parametrize("maximum", depth(150, 1000))
@pytest.mark.parametrize("noise", [0.0, 0.1])
@for_each("name", BATCHED)
def test_a_cook_beside_an_able_partner_acts_as_the_plain_one(name: str, noise: float, maximum: int) -> None:
    rules = replace(COOKING_ASYMMETRIC, maximum=maximum)
    assert rooms(rules) == {0, 1}
    delivered = soups(compared(rules, (None, name), maximum + 10, noise, "able"))
    assert delivered.total() > 0
    assert (delivered["partner_0"] > 0) == (name not in (NOOP_BOT, "supply"))


@pytest.mark.parametrize("maximum", depth(140, 1000))
@for_each("name", BATCHED)
def test_a_cook_beside_a_random_partner_acts_as_the_plain_one(name: str, maximum: int) -> None:
    rules = replace(COOKING_ASYMMETRIC, maximum=maximum)
    delivered = soups(compared(rules, (name, None), maximum + 10, 0.05))
    if name in ("cook", "share", "alone"):
        assert delivered["ego"] > 0


@pytest.mark.parametrize("maximum", depth(140, 1000))
@pytest.mark.parametrize(("one", "other"), thinned(product(BATCHED, BATCHED), 10))
def test_two_cooks_act_as_the_plain_ones(one: str, other: str, maximum: int) -> None:
    rules = replace(COOKING_ASYMMETRIC, maximum=maximum)
    delivered = soups(compared(rules, (one, other), maximum + 10))
    if not {one, other} & {NOOP_BOT, "supply", "serve"}:
        assert delivered.total() >= len(SEEDS) * maximum // 60


@for_each("name", NAMES)
def test_the_informed_is_one_of_the_batched_cooks_beside_each_partner(name: str) -> None:
    assert BATCHED["alone" if name == NOOP_BOT else "blind"] == BEST[name]


@pytest.mark.parametrize(
    ("rules", "cast"),
    [(kitchens.CROWD, ("cook", "chef_0", "apprentice_1", None)), (GALLEY, ("cook",))],
    ids=["four in one room", "alone"],
)
def test_cooks_of_other_kitchens_act_as_those_alone(rules: Rules, cast: Names) -> None:
    delivered = soups(compared(rules, cast, 3 * rules.maximum + 5, 0.1, "able"))
    assert delivered.total() > 0


def test_each_episode_can_have_cooks_of_its_own() -> None:
    rules = replace(COOKING_ASYMMETRIC, maximum=40)
    names = tuple(BATCHED)

    def seats(seed: int) -> Names:
        name = names[seed % len(names)]
        return (name, None) if seed % 2 else (None, name)

    met: set[int] = set()
    for cooks, alone in compared(rules, seats, 500, 0.1, "able"):
        drawn = [[-1 if who is None else names.index(who) for who in seats(one.seed)] for one in alone]
        assert cooks.cast.tolist() == drawn
        met |= set(cooks.cast.ravel().tolist())
    assert met == set(range(-1, len(names)))


@for_each("seed", range(6))
def test_an_episode_of_a_study_is_played_again_by_a_batch(seed: int) -> None:
    """Under the seed that the study gives to the world, and the minds' own."""
    built = scenario("cooking-asymmetric-mixed-v1", {"steps": 300})
    noisy = scenario("cooking-asymmetric-mixed-v1", {"steps": 300, "noise": 0.1})
    met = built.population.met(seed)[0].mind
    record, _ = play_now(Setup(noisy, {"ego": noisy.minds["cook"]()}, seed))
    batch = make_substrate(replace(COOKING_ASYMMETRIC, maximum=300)).batch(1)
    cooks = BatchedCooks(batch.shards[0], built, 0.1)
    batch.reset([derive(seed, "world") % 2**31])
    cooks.begin(seed)
    assert cooks.names[cooks.cast[0, 1]] == met
    made = []
    for ego, _ in record.actions:
        actions = cooks.act()
        made.append(int(actions[0, 1]))
        actions[0, 0] = ego
        batch.step(actions)
    assert made == [partner for _, partner in record.actions]
    assert (len(set(made)) > 1) == (met != NOOP_BOT)


def test_worlds_of_a_batch_do_not_touch_each_other_nor_episodes_those_before() -> None:
    """Every episode of a large batch equals the one that is played alone, from its beginning."""
    rules = replace(COOKING_ASYMMETRIC, maximum=120)
    worlds, steps = 16, 3 * rules.maximum

    def played(seeds: list[int], steps: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        batch = make_substrate(rules).batch(len(seeds))
        cooks = BatchedCooks(batch.shards[0], [("apprentice_1", "cook")] * len(seeds), noise=0.1)
        batch.reset(seeds)
        cooks.begin()
        actions, rewards, under = [], [], []
        for _ in range(steps):
            under.append(batch.seeds.copy())
            actions.append(cooks.act())
            batch.step(actions[-1])
            rewards.append(batch.rewards.copy())
        return np.array(actions), np.array(rewards), np.array(under)

    actions, rewards, under = played(list(range(50, 50 + worlds)), steps)
    assert len(np.unique(under)) == 3 * worlds
    assert rewards.sum() > 20 * worlds
    for b in range(worlds):
        for begun in range(0, steps, rules.maximum):
            episode = slice(begun, begun + rules.maximum)
            alone = played([int(under[begun, b])], rules.maximum)
            assert np.array_equal(alone[0][:, 0], actions[episode, b])
            assert np.array_equal(alone[1][:, 0], rewards[episode, b])


def test_a_second_beginning_forgets_the_first() -> None:
    batch = make_substrate(replace(COOKING_ASYMMETRIC, maximum=90)).batch(2)
    cooks = BatchedCooks(batch.shards[0], [("cook", "apprentice_0")] * 2, 0.1)
    made: list[list[Any]] = []
    for _ in range(2):
        batch.reset(3)
        cooks.begin()
        made.append([])
        for _ in range(130):
            actions = cooks.act()
            made[-1].append(actions.tolist())
            batch.step(actions)
    assert made[0] == made[1]


@pytest.mark.parametrize("rules", [COOKING_ASYMMETRIC, STOVES], ids=["official", "six pots"])
@pytest.mark.parametrize("cases", depth(500, 20_000))
def test_whatever_a_cook_remembers_it_takes_in_and_does_what_the_plain_one_does(
    rules: Rules, cases: int
) -> None:
    """Also what does not occur in play, such as soups that are done at the same time; times are close together."""
    from otherminds.gridworlds.cooking import _cooks
    from otherminds.gridworlds.grid._kernel import hold

    rng = np.random.default_rng(3)
    floor = [(x, y) for y, row in enumerate(rules.things) for x, thing in enumerate(row) if thing == FLOOR]
    found, memory, state = routes(rules), _cooks.empty(routes(rules), 1, 1), empty(rules, 1)
    actions, windows = np.zeros((1, 1), np.int64), np.zeros((1, 1, *rules.view.shape, LAYERS), np.uint8)
    held = hold((found, memory, _cooks.News(state.avatars, state.clock, state.rewards, windows)))
    made: Counter[int] = Counter()
    counters = np.array(rules.stock) == EMPTY
    for _ in range(cases):
        step = int(rng.integers(40, 60))
        state.clock[0, columns.STEP] = step
        state.avatars[0, 0, :4] = *floor[rng.integers(len(floor))], rng.integers(4), 0
        state.avatars[0, 0, columns.HELD] = rng.integers(len(ITEMS))
        state.items[0] = np.where(counters, rng.integers(len(ITEMS), size=counters.size), rules.stock)
        state.pots[0, :, columns.INSIDE] = rng.choice(4, len(rules.pots), p=[0.1, 0.1, 0.2, 0.6])
        state.pots[0, :, columns.BAR] = rng.integers(11, size=len(rules.pots))
        state.beam[0] = rng.integers(3, size=state.beam.shape[1])
        state.rewards[0] = rng.choice([0.0, rules.pay, 2 * rules.pay])
        kitchen = PlainKitchen(rules, 0)
        work = Work(kitchen)
        kitchen.pots = {
            pot: PotSeen(int(rng.choice(4, p=[0.1, 0.1, 0.2, 0.6])), int(rng.integers(step - 15, step + 15)))
            for pot in rules.pots
        }
        kitchen.items = {cell: int(rng.choice(4, p=[0.7, 0.1, 0.1, 0.1])) for cell in kitchen.items}
        work.trusted, work._held = bool(rng.integers(2)), int(rng.integers(len(ITEMS)))
        role = ROLES[rng.integers(len(ROLES))]
        memory.roles[:] = ROLES.index(role)
        memory.tomatoes[0, 0] = [pot.tomatoes for pot in kitchen.pots.values()]
        memory.ready[0, 0] = [pot.ready for pot in kitchen.pots.values()]
        memory.items[0, 0] = [
            kitchen.items.get(cell, stock) for cell, stock in zip(rules.containers, rules.stock, strict=True)
        ]
        memory.trusted[:], memory.held[:] = work.trusted, work._held
        seen = window(rules, state, 0, 0)
        place = state.avatars[0, 0]
        kitchen.see({"WINDOW": seen, "POSITION": place[:2], "ORIENTATION": place[columns.FACING]}, step)
        work.hear(float(state.rewards[0, 0]))
        expected = work.act(role)
        windows[0, 0] = seen
        _cooks.run(held, True, True, True, actions)
        assert actions[0, 0] == expected
        full = [pot.tomatoes == rules.capacity for pot in kitchen.pots.values()]
        assert memory.tomatoes[0, 0].tolist() == [pot.tomatoes for pot in kitchen.pots.values()]
        assert memory.ready[0, 0][full].tolist() == [
            pot.ready for pot in kitchen.pots.values() if pot.tomatoes == 3
        ]
        assert memory.items[0, 0][counters].tolist() == list(kitchen.items.values())
        assert (memory.trusted[0, 0], memory.held[0, 0]) == (work.trusted, work._held)
        made[expected] += 1
    assert len(made) >= 6


@for_each("threads", [2, 3])
def test_cooks_of_several_threads_act_as_those_of_one(threads: int) -> None:
    rules = replace(COOKING_ASYMMETRIC, maximum=60)
    made: list[list[Any]] = []
    for count in (1, threads):
        batch = make_substrate(rules).batch(5, count)
        cooks = [
            BatchedCooks(shard, lambda world, seed: (tuple(BATCHED)[seed % 7], "cook"), 0.1)
            for shard in batch.shards
        ]
        batch.reset(20)
        for one in cooks:
            one.begin()
        made.append([])
        for _ in range(150):
            actions = np.concatenate([one.act() for one in cooks])
            made[-1].append(actions.tolist())
            batch.step(actions)
    assert made[0] == made[1]


def test_noise_must_be_a_probability() -> None:
    with pytest.raises(StudyError, match="noise of a cook must be from 0 to 1"):
        BatchedCooks(make_substrate(COOKING_ASYMMETRIC).batch(1).shards[0], [("cook", None)], 1.5)
