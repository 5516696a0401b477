"""Substrates as environments of learning libraries: vector environments of Gymnasium, and PettingZoo for SuperSuit."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, Literal

import numpy as np
from gymnasium.spaces import Box, Dict, Discrete
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray
from pettingzoo import ParallelEnv

from otherminds.core.data import Action, Seat
from otherminds.core.encoding import check_seed
from otherminds.core.errors import StudyError, WorldError
from otherminds.core.scenario import Scenario, environments, scenario
from otherminds.gridworlds.grid.learner import LearnerBatch, Substrate, substrate, substrates
from otherminds.gridworlds.grid.partners import LearnerSeats, MakeOthers
from otherminds.gridworlds.grid.pixels import TILE
from otherminds.gridworlds.grid.rules import ACTIONS, following, seat_of

Sort = Literal["symbolic", "rgb", "official"]
"""A set of observations: see :class:`Observing`."""
Observations = NDArray[np.float32] | NDArray[np.uint8] | dict[str, NDArray[np.float32] | NDArray[np.uint8]]


class Observing:
    """One set of the observations of ``substrate``; none has positions or orientations.

    - ``symbolic``: float32[cells · C + V], the window one-hot, row by row, each cell with its C codes layer by
      layer, and then the vector.
    - ``rgb``: uint8[rows · 8, columns · 8, 3], the window in Melting Pot's pixels, alone.
    - ``official``: a dictionary of what Melting Pot gives to policies: ``RGB``, as before, and where the substrate
      has them ``INVENTORY`` float32[K] and ``READY_TO_SHOOT`` float32[1] (a scalar in Melting Pot).

    ``space`` is the Gymnasium space of one player's observation, and ``about`` says in words what it holds.

    Raises:
        WorldError: there is no such set.
    """

    def __init__(self, substrate: Substrate, sort: Sort) -> None:
        if sort not in {"symbolic", "rgb", "official"}:
            raise WorldError(f"observations {sort!r} are none of symbolic, rgb, official")
        self.sort: Sort = sort
        self.pictures = sort != "symbolic"
        rows, columns = substrate.rules.view.shape
        sizes = [size for _, size in substrate.vector]
        ends = np.cumsum(sizes, dtype=int).tolist()
        self._parts = {
            name: slice(end - size, end) for (name, size), end in zip(substrate.vector, ends, strict=True)
        }
        self._starts = np.cumsum((0, *substrate.codes))
        self._size = rows * columns * int(self._starts[-1]) + sum(sizes)
        window = f"the window of {rows} x {columns} cells"
        drawn = f"uint8[{rows * TILE}, {columns * TILE}, 3], {window} in Melting Pot's pixels"
        picture = Box(0, 255, (rows * TILE, columns * TILE, 3), np.uint8)
        self.space: Box | Dict = picture
        self.about: str | dict[str, str] = drawn
        if sort == "symbolic":
            listed = "".join(f", then {name} ({size})" for name, size in substrate.vector)
            self.space = Box(0, np.inf, (self._size,), np.float32)
            self.about = (
                f"float32[{self._size}]: {window}, row by row, each cell one-hot with its {self._starts[-1]} codes in "
                f"layers of {', '.join(map(str, substrate.codes))}{listed}"
            )
        elif sort == "official":
            vectors = {name: Box(0, np.inf, (size,), np.float32) for name, size in substrate.vector}
            self.space = Dict({"RGB": picture, **vectors})
            self.about = {"RGB": drawn} | {name: f"float32[{size}]" for name, size in substrate.vector}

    def of(self, batch: LearnerBatch, players: int, final: bool = False) -> Observations:
        """The observations of the first ``players`` of each world; new arrays whose first axis is world · players + player.

        ``final``: those at the ends of episodes, which are valid where one ended in the last step.
        """
        vectors = _rows(batch.final_vectors if final else batch.vectors, players)
        pictures = batch.final_rgb if final else batch.rgb
        if self.sort == "symbolic":
            return self._spread_codes(
                _rows(batch.final_windows if final else batch.windows, players), vectors
            )
        assert pictures is not None, "the batch was made without pictures"
        images = _rows(pictures, players).copy()
        if self.sort == "rgb":
            return images
        return {"RGB": images, **{name: vectors[:, part].copy() for name, part in self._parts.items()}}

    def of_seat(self, observation: Mapping[str, Any]) -> Observations:
        """The same observation from what a seat of the substrate's own PettingZoo world observes, as in a study.

        Raises:
            StudyError: pictures are needed, and the world shows none.
        """
        beside = {name: np.float32(observation[name]).reshape(-1) for name in self._parts}
        if self.sort == "symbolic":
            vectors = np.concatenate([np.zeros(0, np.float32), *beside.values()])[None]
            return self._spread_codes(observation["WINDOW"][None], vectors)[0]
        if "RGB" not in observation:
            raise StudyError(
                f"a policy of {self.sort} observations needs pictures, which scenarios do not show"
            )
        return observation["RGB"] if self.sort == "rgb" else {"RGB": observation["RGB"], **beside}

    def _spread_codes(self, windows: NDArray[np.uint8], vectors: NDArray[np.float32]) -> NDArray[np.float32]:
        from otherminds.gridworlds.grid._kernel import spread

        flat = np.empty((len(windows), self._size), np.float32)
        cells = windows.reshape(len(windows), -1, windows.shape[-1])
        spread(cells, vectors, self._starts, flat)
        return flat


def take_row(observations: Observations, n: int) -> Observations:
    """Row ``n`` of what :meth:`Observing.of` gave."""
    if isinstance(observations, dict):
        return {name: array[n] for name, array in observations.items()}
    return observations[n]


def _rows(array: NDArray[np.float32] | NDArray[np.uint8], players: int) -> NDArray:
    """The first ``players`` of each world, one after the other."""
    first = np.ascontiguousarray(array[:, :players])
    return first.reshape(len(array) * players, *array.shape[2:])


class GridVectorEnv(VectorEnv[Observations, NDArray[np.integer], NDArray[Any]]):
    """``worlds`` copies of a substrate, given by name or as it is, as one vector environment.

    Without ``others`` every seat is a sub-environment, for self-play: number i is player i modulo P of world i
    divided by P. With ``others`` each world is one: the agent is the first player, and ``others`` makes the
    players of the other seats, for each shard (:class:`~.partners.Others`). ``observe`` names the observations
    (:class:`~.vector_env.Observing`); ``threads`` step the worlds.

    Autoreset is ``SAME_STEP``: where an episode ends, ``infos["final_obs"]`` has its last observation, in an
    array of objects, and ``infos["_final_obs"]`` says where. All arrays returned are new.

    Raises:
        UnknownNameError: there is no such substrate.
        WorldError: there are no such observations, or fewer than one world or thread, or more threads than worlds.

    >>> envs = GridVectorEnv("rws-repeated-v1", worlds=3)
    >>> observations, infos = envs.reset(seed=7)
    >>> observations.shape, envs.single_action_space
    ((6, 529), Discrete(8))
    """

    metadata: dict[str, Any] = {"autoreset_mode": AutoresetMode.SAME_STEP, "render_modes": []}  # noqa: RUF012 - Gymnasium's form

    def __init__(
        self,
        of: str | Substrate,
        worlds: int,
        observe: Sort = "symbolic",
        others: MakeOthers | None = None,
        threads: int = 1,
    ) -> None:
        source = substrate(of) if isinstance(of, str) else of
        self._observing = Observing(source, observe)
        self.metadata = {**type(self).metadata, "observations": self._observing.about}
        self.convert_observation = self._observing.of_seat
        self.batch = source.batch(worlds, threads, rgb=self._observing.pictures)
        self._seats = LearnerSeats(self.batch, others)
        self._reset = False
        self.num_envs = worlds * self._seats.learners
        self.single_observation_space = self._observing.space
        self.single_action_space = Discrete(len(ACTIONS))
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space = batch_space(self.single_action_space, self.num_envs)

    def reset(
        self, *, seed: int | Sequence[int] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observations, dict[str, Any]]:
        """New episodes everywhere, under seeds s, s + 1, ... of the worlds, or under one for each world.

        Without a seed they follow the last episodes, or are any if there were none. ``options`` are not read.

        Raises:
            WorldError: there is not one seed a world.
            StudyError: one is no whole number from 0 to 2**64 - 1. The episodes are where they were.
        """
        if seed is None:
            seed = [following(last_seed if self._reset else None) for last_seed in self.batch.seeds.tolist()]
        self._seats.reset(seed)
        self._reset = True
        return self._observing.of(self.batch, self._seats.learners), {}

    def step(
        self, actions: NDArray[np.integer]
    ) -> tuple[Observations, NDArray[Any], NDArray[Any], NDArray[Any], dict[str, Any]]:
        """One step of all worlds. ``actions`` int[num_envs], 0 to 7.

        Raises:
            WorldError: the array has another shape or other numbers, or nothing was reset yet.
        """
        action_array = np.asarray(actions)
        if action_array.shape != (self.num_envs,) or action_array.dtype.kind not in "iu":
            raise WorldError(
                f"actions are int[{self.num_envs}], not {action_array.dtype}{list(action_array.shape)}"
            )
        self._seats.step(action_array)
        batch, learners = self.batch, self._seats.learners
        terminations = np.repeat(batch.terminations, learners)
        truncations = np.repeat(batch.truncations, learners)
        over = terminations | truncations
        infos: dict[str, Any] = {}
        if over.any():
            final_observations = self._observing.of(batch, learners, final=True)
            final = np.full(self.num_envs, None, object)
            for n in np.flatnonzero(over).tolist():
                final[n] = take_row(final_observations, n)
            infos = {"final_obs": final, "_final_obs": over}
        rewards = batch.rewards[:, :learners].flatten()
        return self._observing.of(batch, learners), rewards, terminations, truncations, infos


class FlatEnv(ParallelEnv[Seat, Any, Action]):
    """A substrate, given by name or as it is, for learning libraries.

    ``observe`` names the observations (:class:`~.vector_env.Observing`): one float32 vector a seat unless another
    set is asked for. With ``others`` the only agent is ``ego``, and ``others`` makes the players of the other
    seats. Episodes equal those of the substrate's own PettingZoo world under the same seeds. A copy, by pickle or
    ``copy``, is the same environment before its first reset.

    Raises:
        UnknownNameError: there is no such substrate.
        WorldError: there are no such observations.

    >>> env = FlatEnv("cooking-asymmetric-v1", "rgb")
    >>> observations, infos = env.reset(seed=7)
    >>> observations["ego"].shape, env.possible_agents
    ((40, 40, 3), ['ego', 'partner_0'])
    """

    def __init__(
        self, of: str | Substrate, observe: Sort = "symbolic", others: MakeOthers | None = None
    ) -> None:
        source = substrate(of) if isinstance(of, str) else of
        self._made_from = (source, observe, others)
        self.metadata: dict[str, Any] = {
            "name": f"{source.name.replace('-', '_')}_{observe}",
            "render_modes": [],
            "is_parallelizable": True,
        }
        self.render_mode: str | None = None
        self._observing = Observing(source, observe)
        self.metadata["observations"] = self._observing.about
        self.convert_observation = self._observing.of_seat
        self._batch = source.batch(1, rgb=self._observing.pictures)
        self._seats = LearnerSeats(self._batch, others)
        self.possible_agents: list[Seat] = [seat_of(i) for i in range(self._seats.learners)]
        self.agents: list[Seat] = []
        self._action = {seat: Discrete(len(ACTIONS)) for seat in self.possible_agents}
        self._seed: int | None = None

    def __reduce__(self) -> tuple[Callable[..., FlatEnv], tuple[Any, ...]]:
        return type(self), self._made_from

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[Seat, Any], dict[Seat, dict[str, Any]]]:
        """A new episode under ``seed``, or the one that follows the last, or any. ``options`` are not read.

        Raises:
            StudyError: the seed is no whole number from 0 to 2**64 - 1. The episode is where it was.
        """
        seed = following(self._seed) if seed is None else check_seed(seed, 64)
        self._seats.reset([seed])
        self._seed = seed
        self.agents = list(self.possible_agents)
        return self._observe_seats(final=False), {seat: {} for seat in self.agents}

    def step(
        self, actions: dict[Seat, Action]
    ) -> tuple[
        dict[Seat, Any], dict[Seat, float], dict[Seat, bool], dict[Seat, bool], dict[Seat, dict[str, Any]]
    ]:
        """One step.

        Raises:
            WorldError: an action is missing or not one of 0 to 7, or no episode is going on.
        """
        seats = self.possible_agents
        if not self.agents:
            raise WorldError("no episode is going on: call reset before step")
        if missing := [seat for seat in seats if seat not in actions]:
            raise WorldError(f"no action for {', '.join(missing)}")
        self._seats.step(np.array([actions[seat] for seat in seats]))
        terminated, truncated = bool(self._batch.terminations[0]), bool(self._batch.truncations[0])
        observations = self._observe_seats(final=terminated or truncated)
        if terminated or truncated:
            self.agents = []
        return (
            observations,
            dict(zip(seats, self._batch.rewards[0].tolist(), strict=False)),
            dict.fromkeys(seats, terminated),
            dict.fromkeys(seats, truncated),
            {seat: {} for seat in seats},
        )

    def observation_space(self, agent: Seat) -> Box | Dict:
        return self._observing.space

    def action_space(self, agent: Seat) -> Discrete:
        return self._action[agent]

    def close(self) -> None:
        """There is nothing to close."""

    def _observe_seats(self, final: bool) -> dict[Seat, Any]:
        observations = self._observing.of(self._batch, self._seats.learners, final)
        return {seat: take_row(observations, i) for i, seat in enumerate(self.possible_agents)}


def make_environment(
    name: str,
    observe: Sort = "symbolic",
    partners: str | Scenario | None = None,
    num_envs: int | None = None,
    threads: int = 1,
) -> FlatEnv | GridVectorEnv:
    """Substrate ``name`` as ``otherminds.make`` returns it: a :class:`FlatEnv`, or with ``num_envs`` a :class:`GridVectorEnv`.

    ``partners`` is the scenario whose population plays in the seats other than the first. Without it, each of the P seats
    of a world is one of the ``num_envs`` sub-environments.

    Raises:
        StudyError: ``num_envs`` is no multiple of P, there are ``threads`` without ``num_envs``, or the scenario is of
            another substrate.
        WorldError: there are no such observations, or more threads than worlds.
    """
    source = substrate(name)
    others = None if partners is None else _bind_partners(source, partners)
    if num_envs is None:
        if threads != 1:
            raise StudyError("threads step the worlds of a vector environment; give num_envs too")
        return FlatEnv(source, observe, others)
    learners = source.players if others is None else 1
    if num_envs % learners:
        raise StudyError(
            f"without partners each of the {learners} seats of {name} is a sub-environment; num_envs must be a "
            f"multiple of {learners}, not {num_envs}"
        )
    return GridVectorEnv(source, num_envs // learners, observe, others, threads)


def _bind_partners(source: Substrate, partners: str | Scenario) -> MakeOthers:
    if not isinstance(partners, str | Scenario):
        raise StudyError(
            f"the partners in {source.name} are named by a scenario, such as 'rws-repeated-mixed-v1', not {partners!r}"
        )
    cast = scenario(partners, {}) if isinstance(partners, str) else partners
    if source.partners is None or len(cast.seats) != source.players:
        raise StudyError(f"{cast.id} has no partners that can play in {source.name}")
    make_partners = source.partners
    return lambda batch: make_partners(batch, cast)


@environments.family
def every_environment() -> dict[str, Callable[..., FlatEnv | GridVectorEnv]]:
    """The substrates known by now."""
    return {name: partial(make_environment, name) for name in substrates}
