"""A training: rollouts of a population and updates of its members, one after the other."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache, partial
from time import process_time
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import optax
from numpy.typing import NDArray

from otherminds.core.errors import StudyError
from otherminds.learning.config import TrainingFile
from otherminds.learning.network import Parameters, Seen, Shape
from otherminds.learning.opre import OPRE
from otherminds.learning.population import Act, Observed, Players, RandomOthers, one_seat, own_population
from otherminds.learning.ppo import (
    PPO,
    Algorithm,
    Rates,
    Rollout,
    Settings,
    acted,
    for_population,
    optimiser,
    updated,
)
from otherminds.learning.probe import EVERY, RATE, Memory, initial_probe, probed
from otherminds.learning.simulators import Simulator, simulator

SCORED = 1000
"""Steps of an evaluation, from the beginning of episodes: none ends earlier."""
TRAINING, ORDER, EVALUATION, WORLDS = range(4)
"""What random numbers are for; each has its own stream, so that none has a state to be stored."""


@cache
def acting(algorithm: Algorithm, shape: Shape) -> Act:
    """A step of all members, compiled once in a process."""
    return for_population(partial(acted, algorithm, shape))


@cache
def updating(algorithm: Algorithm, shape: Shape, settings: Settings) -> Callable[..., Any]:
    """An update of all members, compiled once in a process."""
    return for_population(partial(updated, algorithm, shape, settings), shared=1)


@cache
def probing(behaviours: int) -> Callable[..., Any]:
    """An update of all members' probes, compiled once in a process."""
    return for_population(partial(probed, behaviours=behaviours))


class Means:
    """Means of what happened since the last row of the curve."""

    def __init__(self) -> None:
        self.totals: dict[str, float] = {}
        self.weights: dict[str, float] = {}

    def note(self, values: Mapping[str, float]) -> None:
        """Adds a value of each name."""
        for name, value in values.items():
            self.totals[name] = self.totals.get(name, 0.0) + value
            self.weights[name] = self.weights.get(name, 0.0) + 1

    def take(self) -> dict[str, float]:
        """The means; begins again."""
        means = {name: total / self.weights[name] for name, total in self.totals.items()}
        self.totals, self.weights = {}, {}
        return means


def algorithm_of(config: TrainingFile, players: int) -> Algorithm:
    """The algorithm that ``config`` names, for a substrate of so many players."""
    if config.algorithm == "ppo":
        return PPO()
    return OPRE(config.options, players - 1, config.posterior == "windows", config.divergence, config.spread)


def _check(config: TrainingFile, simulator: Simulator) -> None:
    """Refuses what only the substrate shows to be wrong."""
    for name in config.bonus:
        if name not in simulator.bonuses:
            known = ", ".join(map(repr, simulator.bonuses))
            raise StudyError(f"bonus: {name!r} is no event of {config.substrate!r}; there are {known}")
    seats = config.worlds * simulator.batch.players // config.members
    if seats % config.minibatches:
        raise StudyError(
            f"minibatches = {config.minibatches} does not divide the {seats} seats of a member; use a divisor"
        )


class Trainer:
    """The training that ``config`` describes. Everything it does follows from ``config`` and the seed.

    ``times`` are processor seconds by part: ``simulator``, ``acting``, ``learning``, ``probe``, ``evaluating``.

    Raises:
        StudyError: learners cannot play the substrate, or it has no such event to give a bonus for.
    """

    def __init__(self, config: TrainingFile) -> None:
        self.config = config
        self.simulator = simulator(config.substrate, config.worlds)
        self.shape = self.simulator.shape
        players = self.simulator.batch.players
        _check(config, self.simulator)
        self.algorithm = algorithm_of(config, players)
        behaviours = len(self.simulator.behaviours)
        self._act = acting(self.algorithm, self.shape)
        self._update = updating(self.algorithm, self.shape, config.settings)
        self._probe = probing(behaviours)
        roles = own_population(config.members, config.worlds, players)
        self.players = Players(self.simulator, roles, self._act)
        members, seats = self.players.seats.shape
        self.per_update = members * seats * config.length
        self.updates = -(-config.steps // self.per_update)
        self.update = 0
        keys = jax.random.split(jax.random.key(config.seed), members)
        self.parameters: Parameters = jax.vmap(partial(self.algorithm.initial, shape=self.shape))(keys)
        self.optimising = jax.vmap(optimiser(config.settings).init)(self.parameters)
        self.probe = jax.vmap(lambda key: initial_probe(players - 1, behaviours))(keys)
        self.probe_optimising = jax.vmap(optax.adam(RATE).init)(self.probe)
        self.memory = Memory(config.length)
        self.players.begin(self._rng(WORLDS, 0).integers(0, 2**63, config.worlds, np.uint64))
        self.means = Means()
        self.times: dict[str, float] = dict.fromkeys(
            ("simulator", "acting", "learning", "probe", "evaluating"), 0.0
        )

    @property
    def steps(self) -> int:
        """Agent steps made so far, by all members."""
        return self.update * self.per_update

    def advance(self) -> None:
        """One rollout and one update of each member."""
        config, share = self.config, self.update / self.updates
        rollout = self._rollout(max(0.0, 1 - share / config.bonus_until) if config.bonus_until else 0.0)
        began = process_time()
        members, seats = self.players.seats.shape
        rng = self._rng(ORDER, self.update)
        each = [[rng.permutation(seats) for _ in range(config.epochs)] for _ in range(members)]
        order = np.array(each).reshape(members, config.epochs * config.minibatches, -1)
        first, last = config.entropy
        rates = Rates(
            jnp.float32(config.learning_rate * (1 - share)), jnp.float32(first + (last - first) * share)
        )
        self.parameters, self.optimising, told = self._update(
            self.parameters, self.optimising, rollout, order.astype(np.int32), rates
        )
        self.means.note({name: float(value.mean()) for name, value in told.items()})
        self.times["learning"] += process_time() - began
        self._learn_probe()
        self.update += 1

    def evaluate(self) -> NDArray[np.float64]:
        """Returns of each member over ``SCORED`` steps among random players, float64[members, episodes]."""
        began = process_time()
        config, players = self.config, self.simulator.batch.players
        worlds = max(1, 64 // config.members) * config.members
        others = RandomOthers(worlds, players)
        alone = Players(
            simulator(config.substrate, worlds), one_seat(config.members, worlds, players), self._act, others
        )
        rng = self._rng(EVALUATION, self.update)
        alone.begin(rng.integers(0, 2**63, worlds, np.uint64))
        total = np.zeros(alone.seats.shape)
        for _ in range(SCORED):
            alone.step(self.parameters, alone.observed(), rng.random(alone.seats.shape, np.float32))
            total += alone.rewards
        self.times["evaluating"] += process_time() - began
        return total

    def _rollout(self, bonus: float) -> Rollout:
        """``length`` steps of all members, all arrays [members, ...]; ``bonus`` is the share of pseudo-rewards left."""
        config, players, length = self.config, self.players, self.config.length
        members, seats = players.seats.shape
        batch = self.simulator.batch
        luck = self._rng(TRAINING, self.update).random((length, members, seats), np.float32)
        seen: list[Observed] = []
        action, reward, ended, shown, hs = [], [], [], [], []
        started, final = players.h.copy(), players.observed()
        cut = np.full((members, seats), -1, np.int32)
        worth = {name: value * bonus for name, value in config.bonus.items()} if bonus else {}
        own = np.zeros(members)
        for t in range(length):
            began = process_time()
            seen.append(players.observed())
            stepped = players.step(self.parameters, seen[-1], luck[t])
            gained = players.rewards
            shown.append(self.simulator.shown())
            if worth:
                gained = gained + self.simulator.bonus(worth).reshape(-1)[players.seats]
            action.append(players.chosen)
            reward.append(gained * np.float32(self.shape.reward_scale))
            ended.append(players.ended)
            if players.cut.any():
                cut[players.cut] = t
                for kept, new in zip(final, players.finals(), strict=True):
                    kept[players.cut] = new[players.cut]
            if t % EVERY == 0:
                hs.append(players.h)
            self.times["simulator"] += stepped
            self.times["acting"] += process_time() - began - stepped
            own += players.rewards.mean(1)
        seen.append(players.observed())
        over = np.zeros((length, batch.worlds), np.bool_)
        over[:, players.worlds.ravel()] = np.array(ended).reshape(length, -1)
        self.means.note({f"own {member}": value / length for member, value in enumerate(own.tolist())})
        acts = np.array(shown)
        self.memory.add(np.stack(hs, 1), acts, over)
        for number, name in enumerate(self.simulator.behaviours):
            self.means.note({f"shown {name}": float((acts == number).mean())})
        return Rollout(
            seen=Seen(*(np.stack(part, 1) for part in zip(*seen, strict=True))),
            others=self._seen_by_others(seen) if config.algorithm == "opre" else None,
            h=started,
            action=np.stack(action, 1),
            reward=np.stack(reward, 1),
            ended=np.stack(ended, 1),
            final=Seen(*final),
            cut=cut,
        )

    def _seen_by_others(self, seen: list[Observed]) -> Seen:
        """What the other players of each seat's world observed, [members, T + 1, S, others, ...]."""
        players, count = self.players, self.simulator.batch.players
        flat = players.seats.ravel()
        place = np.empty(len(flat), np.intp)  # where each seat of the worlds is among the members' seats
        place[flat] = np.arange(len(flat))
        index = place[
            players.worlds[..., None] * count
            + (players.seats[..., None] % count + np.arange(1, count)) % count
        ]

        def gathered(part: list[NDArray[Any]]) -> NDArray[Any]:
            return np.stack([step.reshape(len(flat), *step.shape[2:])[index] for step in part], 1)

        names = [name for name in Observed._fields if name != "window" or self.config.posterior == "windows"]
        found = {name: gathered([getattr(step, name) for step in seen]) for name in names}
        return Seen(**({"window": None} | found))

    def _learn_probe(self) -> None:
        began = process_time()
        lesson = self.memory.lesson(
            self.players.seats, self.simulator.patience, len(self.simulator.behaviours)
        )
        if lesson is not None:
            self.probe, self.probe_optimising, right = self._probe(self.probe, self.probe_optimising, *lesson)
            told = np.asarray(right)
            if np.isfinite(told).any():
                self.means.note({"probe": float(np.nanmean(told))})
        self.times["probe"] += process_time() - began

    def _rng(self, purpose: int, number: int) -> np.random.Generator:
        return np.random.default_rng((self.config.seed, purpose, number))
