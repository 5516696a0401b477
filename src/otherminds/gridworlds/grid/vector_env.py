"""Substrates as vector environments of Gymnasium, and what ``otherminds.make`` makes of a substrate."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from gymnasium.spaces import Discrete
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from otherminds.core.encoding import check_seed
from otherminds.core.errors import StudyError, WorldError
from otherminds.core.scenario import Scenario, environments, scenario
from otherminds.gridworlds.grid.flat_env import FlatEnv
from otherminds.gridworlds.grid.learner import Substrate, substrate, substrates
from otherminds.gridworlds.grid.observing import Observations, Observing, Sort, put_rows, take_row
from otherminds.gridworlds.grid.partners import LearnerSeats, MakeOthers
from otherminds.gridworlds.grid.rules import following


class GridVectorEnv(VectorEnv[Observations, NDArray[np.integer], NDArray[Any]]):
    """``worlds`` copies of a substrate, given by name or as it is, as one vector environment.

    Without ``others`` every seat is a sub-environment, for self-play: number i is player i modulo P of world i
    divided by P. With ``others`` each world is one: the agent is the first player, and ``others`` makes the
    players of the other seats, for each shard (:class:`~.partners.Others`). ``observe`` names the observations
    (:class:`~.observing.Observing`); ``threads`` step the worlds.

    With ``autoreset_mode`` ``SAME_STEP`` a world begins anew in the step that ends its episode: ``infos["final_obs"]``
    has the last observations, in an array of objects, and ``infos["_final_obs"]`` says where. With ``NEXT_STEP``, which
    most wrappers of Gymnasium ask for, that step returns the last observations, and the next one, whose actions for such
    a world are not played, the first of the next episode, with rewards of 0. The episodes are the same. All arrays
    returned are new. A copy, by pickle or ``copy``, goes on from the same state.

    Raises:
        UnknownNameError: there is no such substrate.
        WorldError: there are no such observations, the mode is another, or there are fewer than one world or thread, or more
            threads than worlds.

    >>> envs = GridVectorEnv("rws-repeated-v1", worlds=3)
    >>> observations, infos = envs.reset(seed=7)
    >>> observations.shape, envs.single_action_space
    ((6, 529), Discrete(8))
    """

    def __init__(
        self,
        of: str | Substrate,
        worlds: int,
        observe: Sort = "symbolic",
        others: MakeOthers | None = None,
        threads: int = 1,
        autoreset_mode: AutoresetMode = AutoresetMode.SAME_STEP,
    ) -> None:
        source = substrate(of) if isinstance(of, str) else of
        if autoreset_mode is AutoresetMode.DISABLED:
            raise WorldError(
                "worlds of a batch are not reset one by one: autoreset is SAME_STEP or NEXT_STEP"
            )
        self._observing = Observing(source, observe)
        self.metadata = {
            "render_modes": [],
            "autoreset_mode": autoreset_mode,
            "observations": self._observing.about,
        }
        self.convert_observation = self._observing.of_seat
        self.batch = source.batch(worlds, threads, rgb=self._observing.pictures)
        self._seats = LearnerSeats(self.batch, others)
        self._reset = False
        self._ended: NDArray[np.bool_] | None = None
        """bool[B]: the worlds that begin the next episode in the next step; None with ``SAME_STEP``."""
        if self.metadata["autoreset_mode"] is AutoresetMode.NEXT_STEP:
            self._ended = np.zeros(worlds, np.bool_)
        self.num_envs = worlds * self._seats.learners
        self.single_observation_space = self._observing.space
        self.single_action_space = Discrete(len(source.rules.actions))
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space = batch_space(self.single_action_space, self.num_envs)

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observations, dict[str, Any]]:
        """New episodes everywhere, under seeds s, s + 1, ... of the worlds, or under one for each world.

        Where it is None, the episode follows the world's last one, or is any if there was none. ``options`` are not read.

        Raises:
            WorldError: there is not one seed a world.
            StudyError: one is no whole number from 0 to 2**64 - 1. The episodes are where they were.
        """
        self._seats.reset(self._fill_seeds(seed))
        self._reset = True
        if self._ended is not None:
            self._ended[:] = False
        return self._observing.of(self.batch, self._seats.learners), {}

    def _fill_seeds(self, seed: int | Sequence[int | None] | None) -> int | list[int]:
        """The seed, or the seeds of all worlds, with those that follow in place of None."""
        if seed is None:
            seeds = [None] * self.batch.worlds
        elif isinstance(seed, Sequence | np.ndarray) and not isinstance(seed, str | bytes):
            seeds = list(seed)
        else:
            return check_seed(seed, 64)
        if len(seeds) != self.batch.worlds:
            raise WorldError(f"{len(seeds)} seeds for {self.batch.worlds} worlds")
        last_seeds = self.batch.seeds.tolist()
        return [
            following(last if self._reset else None) if own is None else own
            for own, last in zip(seeds, last_seeds, strict=True)
        ]

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
        self._seats.step(action_array, self._ended)
        batch, learners = self.batch, self._seats.learners
        observations = self._observing.of(batch, learners)
        infos: dict[str, Any] = {}
        over = batch.terminations | batch.truncations
        if over.any():
            ended = np.flatnonzero(over)
            rows = (ended[:, None] * learners + np.arange(learners)).ravel()
            last = self._observing.of_ends(batch, learners, ended)
            if self._ended is not None:
                put_rows(observations, rows, last)
            else:
                final = np.full(self.num_envs, None, object)
                for k, n in enumerate(rows.tolist()):
                    final[n] = take_row(last, k)
                infos = {"final_obs": final, "_final_obs": over.repeat(learners)}
        if self._ended is not None:
            self._ended = over
        rewards = batch.rewards[:, :learners].flatten()
        return (
            observations,
            rewards,
            batch.terminations.repeat(learners),
            batch.truncations.repeat(learners),
            infos,
        )


def make_environment(
    name: str,
    observe: Sort = "symbolic",
    partners: str | Scenario | None = None,
    num_envs: int | None = None,
    threads: int = 1,
    autoreset_mode: AutoresetMode = AutoresetMode.SAME_STEP,
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
    return GridVectorEnv(source, num_envs // learners, observe, others, threads, autoreset_mode)


def _bind_partners(source: Substrate, partners: str | Scenario) -> MakeOthers:
    if not isinstance(partners, str | Scenario):
        raise StudyError(
            f"the partners in {source.name} are named by a scenario, such as 'rws-repeated-mixed-v1', not {partners!r}"
        )
    cast = scenario(partners, {}) if isinstance(partners, str) else partners
    if source.partners is None:
        raise StudyError(
            f"{source.name} has no compiled partners for learners; leave partners out, or make one of its scenarios, "
            "whose partners act inside"
        )
    if len(cast.seats) != source.players:
        raise StudyError(f"{cast.id} has no partners that can play in {source.name}")
    make_partners = source.partners
    return lambda batch: make_partners(batch, cast)


@environments.opens(".toml")
def open_environment(path: Path) -> Callable[..., FlatEnv | GridVectorEnv]:
    """A user's own substrate."""
    return partial(make_environment, str(path))


@environments.family
def every_environment() -> dict[str, Callable[..., FlatEnv | GridVectorEnv]]:
    """The substrates known by now."""
    return {name: partial(make_environment, name) for name in substrates}
