"""A minimal world for the kit, which imports no other world: a repeated stage game."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
from gymnasium.spaces import Discrete, Space
from msgspec.structs import replace

from otherminds.core.contracts import Mind
from otherminds.core.data import Action, Answer, Brief, Encounter, Game, Partner, Question, Seat
from otherminds.core.errors import WorldError
from otherminds.core.record import SeatSpec
from otherminds.core.scenario import Population, Scenario
from otherminds.core.world import World

EGO, PARTNER = "ego", "partner_0"


class StageWorld(World):
    """``game`` for ``rounds`` rounds: ``ego`` in the row seat, ``partner_0`` in the column seat.

    Actions are indices of behaviours. A seat observes the number of finished rounds, and receives
    the behaviours as encounters. There is no fallback.
    """

    metadata: dict[str, Any] = {"name": "stage_v1", "render_modes": []}  # noqa: RUF012 - Gymnasium's form

    def __init__(self, game: Game, rounds: int) -> None:
        self.game = game
        self.rounds = rounds
        self.render_mode = None
        self.possible_agents = [EGO, PARTNER]
        self.agents: list[Seat] = []
        self.history: list[dict[Seat, tuple[str, ...]]] = []
        self._views = {EGO: game, PARTNER: game.flipped()}
        self._actions = {seat: Discrete(len(view.behaviours[0])) for seat, view in self._views.items()}
        self._observations = {seat: Discrete(rounds + 1) for seat in self._views}
        self._grants: dict[Seat, dict[str, Any]] = {}

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[Seat, Any], dict[Seat, dict[str, Any]]]:
        self.agents = list(self.possible_agents)
        self.history = []
        self._grants = (options or {}).get("grants", {})
        return {seat: np.int64(0) for seat in self.agents}, {seat: {} for seat in self.agents}

    def step(
        self, actions: dict[Seat, Action]
    ) -> tuple[
        dict[Seat, Any], dict[Seat, float], dict[Seat, bool], dict[Seat, bool], dict[Seat, dict[str, Any]]
    ]:
        seats = self.possible_agents
        for seat in seats:
            if not self._actions[seat].contains(actions[seat]):
                raise WorldError(f"action {actions[seat]!r} of seat {seat!r} is not the index of a behaviour")
        row, column = (int(actions[seat]) for seat in seats)
        rewards = dict(zip(seats, self.game.payoffs[row][column], strict=True))
        did = {EGO: (self.game.behaviours[0][row],), PARTNER: (self.game.behaviours[1][column],)}
        step = len(self.history)
        self.history.append(did)
        if over := step + 1 == self.rounds:
            self.agents = []
        return (
            {seat: np.int64(step + 1) for seat in seats},
            rewards,
            dict.fromkeys(seats, over),
            dict.fromkeys(seats, False),
            {seat: {"encounters": (Encounter(step, dict(did), rewards[seat]),)} for seat in seats},
        )

    def observation_space(self, agent: Seat) -> Space[Any]:
        return self._observations[agent]

    def action_space(self, agent: Seat) -> Space[Any]:
        return self._actions[agent]

    def brief(self, seat: Seat) -> Brief:
        view = self._views[seat]
        other = PARTNER if seat == EGO else EGO
        pays = [own for row in view.payoffs for own, _ in row]
        behaviours = {seat: view.behaviours[0], other: view.behaviours[1]}
        brief = Brief(seat, (other,), self._actions[seat], behaviours, (min(pays), max(pays)), self.rounds)
        return replace(brief, **self._grants.get(seat, {}))

    def fallback(self, seat: Seat) -> Action | None:
        return None

    def truth(self, question: Question, step: int) -> Answer | None:
        return self.history[step][question.about][0] if step < len(self.history) else None


def stage(game: Game, rounds: int, partner: Callable[[], Mind]) -> Scenario:
    """A scenario in the :class:`StageWorld` in which ``ego`` meets what ``partner()`` makes."""
    return Scenario(
        id=f"{game.name}-stage-v1",
        world=lambda: StageWorld(game, rounds),
        population=Population(((Fraction(1), (SeatSpec("partner"),)),)),
        partner=lambda spec, seat: (partner(), Partner(spec.mind)),
        game=game,
    )
