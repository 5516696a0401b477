"""Worlds in which every action is a whole number: what they have in common whatever their rules are."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from typing import Any

from gymnasium.spaces import Discrete, Space

from otherminds.core.data import Action, Behaviour, Brief, Encounter, Seat
from otherminds.core.errors import WorldError
from otherminds.core.scenario import World

Started = tuple[dict[Seat, Any], dict[Seat, dict[str, Any]]]
"""What a reset returns, as PettingZoo wants it."""
Stepped = tuple[
    dict[Seat, Any], dict[Seat, float], dict[Seat, bool], dict[Seat, bool], dict[Seat, dict[str, Any]]
]
"""What a step returns, as PettingZoo wants it."""


class DiscreteWorld(World):
    """The seats with their spaces and grants. All seats play to the end, and no action stands in for an invalid reply.

    A world of this kind ends ``reset`` with :meth:`start`, and ``step`` with :meth:`finish`.
    """

    def __init__(
        self, actions: Mapping[Seat, Discrete], observed: Space[Any], render_mode: str | None
    ) -> None:
        self.possible_agents, self.render_mode = [*actions], render_mode
        self.agents: list[Seat] = []
        self._actions, self._observed = dict(actions), observed
        self._grants: dict[Seat, dict[str, Any]] = {}

    def observation_space(self, agent: Seat) -> Space[Any]:
        return self._observed

    def action_space(self, agent: Seat) -> Discrete:
        return self._actions[agent]

    def fallback(self, seat: Seat) -> Action | None:
        return None

    @abstractmethod
    def observe(self) -> dict[Seat, Any]:
        """What each seat sees now."""

    def start(self, options: dict[str, Any] | None) -> Started:
        """The first observations of an episode."""
        self.agents = list(self.possible_agents)
        self._grants = (options or {}).get("grants", {})
        return self.observe(), {seat: {} for seat in self.agents}

    def describe_seat(
        self,
        seat: Seat,
        behaviours: Mapping[Seat, tuple[Behaviour, ...]],
        reward_range: tuple[float, float],
        horizon: int,
        rounds: int = 0,
    ) -> Brief:
        """The brief of ``seat``, with the secrets that it is granted."""
        return Brief(
            seat=seat,
            others=tuple(other for other in self.possible_agents if other != seat),
            action_space=self._actions[seat],
            behaviours=dict(behaviours),
            reward_range=reward_range,
            horizon=horizon,
            secrets=tuple(self._grants.get(seat, {}).get("secrets", ())),
            rounds=rounds,
        )

    def check(self, actions: Mapping[Seat, Action]) -> None:
        """Raises a :class:`~otherminds.core.errors.WorldError` where no episode is going on, or an action is outside its space."""
        if not self.agents:
            raise WorldError("no episode is going on: call reset before step")
        for seat, space in self._actions.items():
            if not space.contains(actions[seat]):
                raise WorldError(
                    f"action {actions[seat]!r} of seat {seat!r} is not a whole number below {space.n}"
                )

    def finish(self, rewards: dict[Seat, float], met: Mapping[Seat, Encounter], *, ended: bool) -> Stepped:
        """The result of a step after which each seat is told of the encounter in ``met``, if there is one."""
        if ended:
            self.agents = []
        seats = self.possible_agents
        infos: dict[Seat, dict[str, Any]] = {
            seat: {"encounters": (met[seat],)} if seat in met else {} for seat in seats
        }
        return self.observe(), rewards, dict.fromkeys(seats, ended), dict.fromkeys(seats, False), infos
