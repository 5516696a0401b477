"""One world at a time for learning libraries: PettingZoo's interface (SuperSuit), and Gymnasium's for one seat."""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium.spaces import Box, Dict, Discrete
from pettingzoo import ParallelEnv

from otherminds.core.data import Action, Seat
from otherminds.core.encoding import check_seed
from otherminds.core.errors import WorldError
from otherminds.gridworlds.grid.learner import Substrate, substrate
from otherminds.gridworlds.grid.observing import Observing, Sort, take_row
from otherminds.gridworlds.grid.partners import LearnerSeats, MakeOthers
from otherminds.gridworlds.grid.rules import following, seat_of


class FlatEnv(ParallelEnv[Seat, Any, Action]):
    """A substrate, given by name or as it is, for learning libraries.

    ``observe`` names the observations (:class:`~.observing.Observing`): one float32 vector a seat unless another
    set is asked for. With ``others`` the only agent is ``ego``, and ``others`` makes the players of the other
    seats. Episodes equal those of the substrate's own PettingZoo world under the same seeds. A copy, by pickle or
    ``copy``, goes on from the same state.

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
        self._action = {seat: Discrete(len(source.rules.actions)) for seat in self.possible_agents}
        self._seed: int | None = None
        self._watch = self._observing.watch(self._batch, self._seats.learners)

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "_watch"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._watch = self._observing.watch(self._batch, self._seats.learners)

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
        seats, batch = self.possible_agents, self._batch
        if not self.agents:
            raise WorldError("no episode is going on: call reset before step")
        try:
            numbers = [actions[seat] for seat in seats]
        except KeyError:
            missing = ", ".join(seat for seat in seats if seat not in actions)
            raise WorldError(f"no action for {missing}") from None
        for i, action in enumerate(numbers):
            if type(action) is not int or not 0 <= action < self._action[seats[i]].n:
                numbers[i] = self._number(seats[i], action)
        batch.actions[0, : len(seats)] = numbers
        self._seats.advance()
        over: int = batch.over.item(0)
        observations = self._observe_seats(final=over > 0)
        if over:
            self.agents = []
        return (
            observations,
            dict(zip(seats, batch.rewards[0].tolist(), strict=False)),
            dict.fromkeys(seats, over == 1),
            dict.fromkeys(seats, over == 2),
            {seat: {} for seat in seats},
        )

    def _number(self, seat: Seat, action: Action) -> int:
        """An ``action`` that is not simply an int from 0 to 7, as one."""
        if not self._action[seat].contains(action):
            names = self._batch.substrate.rules.actions
            listing = f"0 to {len(names) - 1} ({', '.join(names)})"
            raise WorldError(f"action {action!r} of seat {seat!r} is not one of {listing}")
        return int(action)

    def observation_space(self, agent: Seat) -> Box | Dict:
        return self._observing.space

    def action_space(self, agent: Seat) -> Discrete:
        return self._action[agent]

    def close(self) -> None:
        """There is nothing to close."""

    def _observe_seats(self, final: bool) -> dict[Seat, Any]:
        if not final:
            return dict(zip(self.possible_agents, self._watch(), strict=True))
        observations = self._observing.of_ends(self._batch, self._seats.learners, np.zeros(1, np.int64))
        return {seat: take_row(observations, i) for i, seat in enumerate(self.possible_agents)}
