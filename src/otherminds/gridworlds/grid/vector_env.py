"""Substrates as vector environments of Gymnasium."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
from gymnasium.spaces import Discrete
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from otherminds.core.errors import WorldError
from otherminds.gridworlds.grid.actions import ACTIONS
from otherminds.gridworlds.grid.learner import Substrate
from otherminds.gridworlds.grid.luck import following
from otherminds.gridworlds.grid.observing import Observations, Observing, Sort, taken
from otherminds.gridworlds.grid.others import MakeOthers, Seats
from otherminds.gridworlds.grid.substrates import substrate


class GridVectorEnv(VectorEnv[Observations, NDArray[np.integer], NDArray[Any]]):
    """``worlds`` copies of a substrate, given by name or as it is, as one vector environment.

    Without ``others`` every seat is a sub-environment, for self-play: number i is player i modulo P of world i
    divided by P. With ``others`` each world is one: the agent is the first player, and ``others`` makes the
    players of the other seats, for each shard (:class:`~.others.Others`). ``observe`` names the observations
    (:class:`~.observing.Observing`); ``threads`` step the worlds.

    Autoreset is ``SAME_STEP``: where an episode ends, ``infos["final_obs"]`` has its last observation, in an
    array of objects, and ``infos["_final_obs"]`` says where. All arrays returned are new.

    Raises:
        ImportError: numba is not installed.
        UnknownNameError: there is no such substrate.
        WorldError: there are no such observations, or fewer than one world or thread, or more threads than worlds.

    >>> envs = GridVectorEnv("rws-repeated-v1", worlds=3)
    >>> observations, infos = envs.reset(seed=7)
    >>> observations.shape, envs.single_action_space
    ((6, 529), Discrete(8))
    """

    metadata: ClassVar[dict[str, Any]] = {"autoreset_mode": AutoresetMode.SAME_STEP, "render_modes": []}

    def __init__(
        self,
        of: str | Substrate,
        worlds: int,
        observe: Sort = "symbolic",
        others: MakeOthers | None = None,
        threads: int = 1,
    ) -> None:
        made = substrate(of) if isinstance(of, str) else of
        self._observing = Observing(made, observe)
        self.batch = made.batch(worlds, threads, rgb=self._observing.pictures)
        self._seats = Seats(self.batch, others)
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
            WorldError: there is not one seed a world, or one is out of range.
        """
        if seed is None:
            seed = [following(one if self._reset else None) for one in self.batch.seeds.tolist()]
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
        made = np.asarray(actions)
        if made.shape != (self.num_envs,) or made.dtype.kind not in "iu":
            raise WorldError(f"actions are int[{self.num_envs}], not {made.dtype}{list(made.shape)}")
        self._seats.step(made)
        batch, learners = self.batch, self._seats.learners
        terminations = np.repeat(batch.terminations, learners)
        truncations = np.repeat(batch.truncations, learners)
        over = terminations | truncations
        infos: dict[str, Any] = {}
        if over.any():
            found = self._observing.of(batch, learners, final=True)
            final = np.full(self.num_envs, None, object)
            for n in np.flatnonzero(over).tolist():
                final[n] = taken(found, n)
            infos = {"final_obs": final, "_final_obs": over}
        rewards = batch.rewards[:, :learners].flatten()
        return self._observing.of(batch, learners), rewards, terminations, truncations, infos
