"""What both worlds of Hanabi share: one seat acts in each step, and all earn the same."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

from gymnasium.spaces import Discrete, Space

from otherminds.core.data import Action, Seat
from otherminds.core.errors import WorldError
from otherminds.core.scenario import World

Stepped = tuple[
    dict[Seat, Any], dict[Seat, float], dict[Seat, bool], dict[Seat, bool], dict[Seat, dict[str, Any]]
]
"""What a step returns, as PettingZoo wants it."""


class TurnWorld(World):
    """A world in which the actions of the seats that are not in turn do not count."""

    def __init__(
        self, seats: list[Seat], actions: int, observed: Space[Any], render_mode: str | None
    ) -> None:
        self.possible_agents, self.render_mode = seats, render_mode
        self.agents: list[Seat] = []
        self._actions, self._observed = Discrete(actions), observed
        self._grants: dict[Seat, dict[str, Any]] = {}

    def observation_space(self, agent: Seat) -> Space[Any]:
        return self._observed

    def action_space(self, agent: Seat) -> Discrete:
        return self._actions

    def fallback(self, seat: Seat) -> Action | None:
        return None

    @abstractmethod
    def observe(self) -> dict[Seat, Any]:
        """What each seat sees now."""

    def start(self, options: dict[str, Any] | None) -> tuple[dict[Seat, Any], dict[Seat, dict[str, Any]]]:
        """The first observations of an episode."""
        self.agents = list(self.possible_agents)
        self._grants = (options or {}).get("grants", {})
        return self.observe(), {seat: {} for seat in self.agents}

    def list_secrets(self, seat: Seat) -> tuple[str, ...]:
        """What a seat is told by its grants."""
        return tuple(self._grants.get(seat, {}).get("secrets", ()))

    def check(self, actions: dict[Seat, Action]) -> None:
        """Raises a :class:`~otherminds.core.errors.WorldError` where no episode is going on, or an action is outside its space."""
        if not self.agents:
            raise WorldError("no episode is going on: call reset before step")
        for seat in self.possible_agents:
            if not self._actions.contains(actions[seat]):
                raise WorldError(
                    f"action {actions[seat]!r} of seat {seat!r} is not a whole number below {self._actions.n}"
                )

    def finish(self, reward: float, infos: dict[str, Any], *, ended: bool) -> Stepped:
        """The result of a step in which all earned ``reward`` and were told ``infos``."""
        if ended:
            self.agents = []
        seats = self.possible_agents
        infos_by_seat = {seat: dict(infos) for seat in seats}
        ends, cut = dict.fromkeys(seats, ended), dict.fromkeys(seats, False)
        return self.observe(), dict.fromkeys(seats, reward), ends, cut, infos_by_seat
