"""A training: what its file says (TOML, checked before anything runs), and its course.

Rollouts of a population and updates of its members take turns."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache, partial
from pathlib import Path
from time import process_time
from typing import Annotated, Any, Literal

import jax
import jax.numpy as jnp
import numpy as np
import optax
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from otherminds.core.errors import StudyError
from otherminds.core.scenario import scenario
from otherminds.core.text import near
from otherminds.core.user_files import check_kind, is_file, read_toml
from otherminds.gridworlds.learning.network import (
    EVERY,
    RATE,
    LearnerView,
    Memory,
    Parameters,
    Shape,
    initial_probe,
    train_probe,
)
from otherminds.gridworlds.learning.opre import OPRE
from otherminds.gridworlds.learning.population import (
    Act,
    Observed,
    Players,
    RandomOthers,
    Simulator,
    ego_seats,
    one_seat,
    own_population,
    simulator,
)
from otherminds.gridworlds.learning.ppo import (
    PPO,
    Algorithm,
    Modelling,
    Rates,
    Rollout,
    Settings,
    choose_actions,
    for_population,
    optimiser,
    update_learner,
)
from otherminds.studies.file import FaultyStudyError, faults_of, read_seed_field

OWN = "own population"
SHIPPED = Path(__file__).parent / "configs"
Positive = Annotated[float, Field(gt=0)]
Share = Annotated[float, Field(ge=0, le=1)]
Whole = Annotated[int, Field(ge=1)]


class TrainingFile(BaseModel):
    """One training of a population of ``members``, who share no weights.

    ``partners`` is ``own population``, or a scenario of the substrate: then a member plays the seat ``ego`` of each world,
    and partners drawn from the scenario's population anew in each episode play the others.
    ``steps`` are those of all members' seats together (agent steps). A world's seats belong to different members as far as there are
    enough. ``length`` is T, the steps of a rollout and of back-propagation. ``learning_rate`` falls linearly
    to zero, ``entropy`` linearly from its first to its second number. ``bonus`` gives pseudo-rewards by event, in the unit of rewards,
    which fall linearly to zero at ``bonus_until``, a share of ``steps``; scores never contain them.
    ``checkpoints`` and ``evaluations`` are how many there are in a training. ``modelling`` is the weight of PPO's prediction of what
    other players hold, 0 for none (:class:`~otherminds.gridworlds.learning.modelling.Modelling`). ``options``, ``posterior`` (what it sees of
    the others), ``divergence`` and ``spread`` are OPRE's, see :class:`~otherminds.gridworlds.learning.opre.OPRE`.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    substrate: str
    partners: str = OWN
    algorithm: Literal["ppo", "opre"] = "ppo"
    seed: Annotated[int, read_seed_field(32)] = 0
    steps: Whole = 6_000_000
    members: Whole = 2
    worlds: Whole = 64
    length: Annotated[int, Field(ge=8, le=512)] = 64
    learning_rate: Positive = 1e-3
    entropy: tuple[Annotated[float, Field(ge=0)], Annotated[float, Field(ge=0)]] = (0.02, 0.005)
    discount: Share = 0.99
    trace: Share = 0.95
    clip: Positive = 0.2
    value_weight: Positive = 0.5
    norm: Positive = 0.5
    epochs: Whole = 2
    minibatches: Whole = 4
    bonus: dict[str, float] = {}
    bonus_until: Share = 0.5
    checkpoints: Whole = 10
    evaluations: Whole = 12
    modelling: Annotated[float, Field(ge=0)] = 0.0
    options: Annotated[int, Field(ge=2, le=64)] = 8
    posterior: Literal["windows", "vectors"] = "windows"
    divergence: Annotated[float, Field(ge=0)] = 0.01
    spread: Annotated[float, Field(ge=0)] = 0.01

    @model_validator(mode="after")
    def _fits(self) -> TrainingFile:
        turns = self.members * (max(1, self.members - 1) if self.partners == OWN else 1)
        if self.worlds % turns:
            raise ValueError(
                f"worlds = {self.worlds} is no multiple of {turns}, so that members would not play equally often with "
                f"each other; use {max(turns, self.worlds // turns * turns)}"
            )
        return self

    @model_validator(mode="after")
    def _models(self) -> TrainingFile:
        if self.modelling and self.algorithm != "ppo":
            raise ValueError("modelling is an addition to ppo; opre has a posterior")
        return self

    @property
    def settings(self) -> Settings:
        """What the algorithm keeps fixed."""
        return Settings(
            self.discount, self.trace, self.clip, self.value_weight, self.norm, self.epochs, self.minibatches
        )


def shipped_trainings() -> list[str]:
    """The names of the shipped training files."""
    return sorted(file.stem for file in SHIPPED.glob("*.toml"))


def load_training(name: Path) -> TrainingFile:
    """Reads a training file, or the shipped one of that name.

    Raises:
        StudyError: there is none, or it is not a training; the text lists all errors with their places.
    """
    path = name if is_file(name) else SHIPPED / f"{name}.toml"
    if not is_file(path):
        check_kind(name, StudyError)
        suggestion = near(name.stem, shipped_trainings())
        raise StudyError(
            f"{name}: no such training file{suggestion}; shipped are {', '.join(shipped_trainings())}"
        )
    raw = read_toml(path)
    try:
        return TrainingFile.model_validate(raw)
    except ValidationError as error:
        raise FaultyStudyError(faults_of(error, raw, TrainingFile.model_fields), str(path)) from error


SCORED = 1000
"""Steps of an evaluation, from the beginning of episodes: none ends earlier."""
TRAINING, ORDER, EVALUATION, WORLDS = range(4)
"""What random numbers are for; each has its own stream, so that none has a state to be stored."""


@cache
def acting(algorithm: Algorithm, shape: Shape) -> Act:
    """A step of all members, compiled once in a process."""
    return for_population(partial(choose_actions, algorithm, shape))


@cache
def updating(algorithm: Algorithm, shape: Shape, settings: Settings) -> Callable[..., Any]:
    """An update of all members, compiled once in a process."""
    return for_population(partial(update_learner, algorithm, shape, settings), shared=1)


@cache
def probing(behaviours: int) -> Callable[..., Any]:
    """An update of all members' probes, compiled once in a process."""
    return for_population(partial(train_probe, behaviours=behaviours))


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
    """The algorithm that ``config`` names, for a substrate of ``players`` players."""
    if config.algorithm == "ppo":
        return Modelling(config.modelling, players - 1) if config.modelling else PPO()
    return OPRE(config.options, players - 1, config.posterior == "windows", config.divergence, config.spread)


def _over_time(steps: list[Observed]) -> LearnerView:
    """Observations of single steps as [members, T + 1, ...]."""
    return LearnerView(*(np.stack(part, 1) for part in zip(*steps, strict=True)))


def _check(config: TrainingFile, simulator: Simulator) -> None:
    """Refuses what only the substrate shows to be wrong."""
    for name in config.bonus:
        if name not in simulator.bonuses:
            names = ", ".join(map(repr, simulator.bonuses))
            raise StudyError(f"bonus: {name!r} is no event of {config.substrate!r}; there are {names}")
    if config.modelling and not simulator.shape.scale:
        raise StudyError(f"modelling: {config.substrate!r} has no inventories to predict; leave the key out")
    each = simulator.batch.players if config.partners == OWN else 1
    seats = config.worlds * each // config.members
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
        if config.partners == OWN:
            roles, partners = own_population(config.members, config.worlds, players), None
        else:
            roles = ego_seats(config.members, config.worlds, players)
            partners = self.simulator.partners(scenario(config.partners, {}))
        self.partners = partners
        self.players = Players(self.simulator, roles, self._act, partners)
        members, seats = self.players.seats.shape
        turns = (self.players.seats[..., None] % players + np.arange(1, players)) % players
        self._others = self.players.worlds[..., None] * players + turns
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
        self.parameters, self.optimising, metrics = self._update(
            self.parameters, self.optimising, rollout, order.astype(np.int32), rates
        )
        self.means.note({name: float(value.mean()) for name, value in metrics.items()})
        self.times["learning"] += process_time() - began
        self._learn_probe()
        self.update += 1

    def evaluate(self) -> NDArray[np.float64]:
        """Returns of each member over ``SCORED`` steps among random players, float64[members, episodes]."""
        began = process_time()
        config, players = self.config, self.simulator.batch.players
        worlds = max(1, 64 // config.members) * config.members
        arena = simulator(config.substrate, worlds)
        others = RandomOthers(arena.batch)
        alone, batch = (
            Players(arena, one_seat(config.members, worlds, players), self._act, others),
            arena.batch,
        )
        rng = self._rng(EVALUATION, self.update)
        alone.begin(rng.integers(0, 2**63, worlds, np.uint64))
        total = np.zeros(alone.seats.shape)
        for _ in range(SCORED):
            alone.step(self.parameters, alone.observed(), rng.random(alone.seats.shape, np.float32))
            total += batch.rewards.reshape(-1)[alone.seats]
        self.times["evaluating"] += process_time() - began
        return total

    def _rollout(self, bonus: float) -> Rollout:
        """``length`` steps of all members, all arrays [members, ...]; ``bonus`` is the share of pseudo-rewards left."""
        config, players, length = self.config, self.players, self.config.length
        seats, batch = players.seats, self.simulator.batch
        reads = self.algorithm.reads != "nothing"
        luck = self._rng(TRAINING, self.update).random((length, *seats.shape), np.float32)
        worth = {name: value * bonus for name, value in config.bonus.items()} if bonus else {}
        started, hs = players.h.copy(), []
        observations, others, final = [], [], players.observed().of(seats)
        cut = np.full(seats.shape, -1, np.int32)
        action, reward, rewards, ended, behaviours = [], [], [], [], []
        for t in range(length):
            began = process_time()
            now = players.observed()
            observations.append(now.of(seats))
            if reads:
                others.append(self._of_others(now))
            stepped = players.step(self.parameters, now, luck[t])
            behaviours.append(self.simulator.shown())
            rewards.append(batch.rewards.reshape(-1)[seats])
            gained = self.simulator.bonus(worth).reshape(-1)[seats] if worth else np.float32(0)
            reward.append((rewards[-1] + gained) * np.float32(self.shape.reward_scale))
            action.append(players.played.reshape(-1)[seats])
            ended.append(players.ended)
            if players.cut.any():
                here = players.cut[players.worlds]
                cut[here] = t
                for array, new in zip(final, players.finals().of(seats), strict=True):
                    array[here] = new[here]
            if t % EVERY == 0:
                hs.append(players.h)
            self.times["simulator"] += stepped
            self.times["acting"] += process_time() - began - stepped
        now = players.observed()
        observations.append(now.of(seats))
        if reads:
            others.append(self._of_others(now))
        over, acts = np.stack(ended), np.stack(behaviours)
        self.memory.add(np.stack(hs, 1), acts, over)
        own = np.stack(rewards).mean((0, 2), np.float64).tolist()
        self.means.note({f"own {member}": value for member, value in enumerate(own)})
        flags = {f"shown {name}": acts == number for number, name in enumerate(self.simulator.behaviours)}
        self.means.note({name: float(there.mean()) for name, there in flags.items()})
        return Rollout(
            seen=_over_time(observations),
            others=_over_time(others) if others else None,
            h=started,
            action=np.stack(action, 1),
            reward=np.stack(reward, 1),
            ended=np.stack([now[players.worlds] for now in ended], 1),
            final=LearnerView(*final),
            cut=cut,
        )

    def _of_others(self, observed: Observed) -> Observed:
        """What the other players of each seat's world observe, [members, S, others, ...]."""
        others = observed.of(self._others)
        return others if self.algorithm.reads == "windows" else others._replace(window=others.window[..., :0])

    def _learn_probe(self) -> None:
        began = process_time()
        lesson = self.memory.lesson(
            self.players.seats, self.simulator.patience, len(self.simulator.behaviours)
        )
        if lesson is not None:
            self.probe, self.probe_optimising, right = self._probe(self.probe, self.probe_optimising, *lesson)
            accuracies = np.asarray(right)
            if np.isfinite(accuracies).any():
                self.means.note({"probe": float(np.nanmean(accuracies))})
        self.times["probe"] += process_time() - began

    def _rng(self, purpose: int, number: int) -> np.random.Generator:
        return np.random.default_rng((self.config.seed, purpose, number))
