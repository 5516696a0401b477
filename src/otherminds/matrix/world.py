"""A stage game played for a fixed number of rounds."""

from __future__ import annotations

from functools import cached_property, lru_cache
from typing import Any

import numpy as np
from gymnasium.spaces import Discrete, Space

from otherminds.core.data import SUPPOSING, Action, Answer, Behaviour, Brief, Encounter, Game, Question, Seat
from otherminds.core.errors import StudyError, WorldError
from otherminds.core.scenario import World, worlds

EGO, PARTNER = "ego", "partner_0"


@worlds.register("matrix")
class MatrixWorld(World):
    """``game`` played ``rounds`` times; ``ego`` is the row seat, ``partner_0`` the column seat.

    Actions are behaviours by index. A seat observes the round before as one number: 0 at the start, else 1 +
    own × (number of the other's behaviours) + other's. Every round is one encounter that both seats know
    exactly. There is no fallback: an invalid reply ends the episode. If it ``talks``, each seat may send one text before the first round.

    Raises:
        StudyError: fewer than one round.
    """

    metadata: dict[str, Any] = {  # noqa: RUF012 - Gymnasium's form
        "name": "matrix_v1",
        "render_modes": ["ansi"],
        "observations": "a whole number, the last round: 0 before the first round, else 1 + own behaviour x (number of "
        "the partner's behaviours) + the partner's behaviour, both as indices",
    }

    def __init__(
        self, game: Game, rounds: int = 100, render_mode: str | None = None, talks: bool = False
    ) -> None:
        if rounds < 1:
            raise StudyError(f"a repeated game needs at least 1 round, not {rounds}")
        self.game = game
        self.rounds = rounds
        self.render_mode = render_mode
        self.talks = talks
        self.possible_agents = [EGO, PARTNER]
        self.agents: list[Seat] = []
        flipped, self._cells = _tabulate_game(game)
        self._games = {EGO: game, PARTNER: flipped}
        n, m = (len(names) for names in game.behaviours)
        self._sizes = {EGO: n, PARTNER: m}
        self._actions = {EGO: Discrete(n), PARTNER: Discrete(m)}
        self.history: list[tuple[int, int]] = []
        self._grants: dict[Seat, dict[str, Any]] = {}

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[Seat, Any], dict[Seat, dict[str, Any]]]:
        self.agents = [EGO, PARTNER]
        self.history = []
        self._grants = (options or {}).get("grants", {})
        return {EGO: np.int64(0), PARTNER: np.int64(0)}, {EGO: {}, PARTNER: {}}

    def step(
        self, actions: dict[Seat, Action]
    ) -> tuple[
        dict[Seat, Any], dict[Seat, float], dict[Seat, bool], dict[Seat, bool], dict[Seat, dict[str, Any]]
    ]:
        a, b = joint = actions[EGO], actions[PARTNER]
        try:
            if a < 0 or b < 0:
                raise IndexError
            observations, rewards, did, own, other = self._cells[a][b]
        except (IndexError, TypeError, ValueError):
            for seat, action in actions.items():
                if not self._actions[seat].contains(action):
                    names = ", ".join(self._games[seat].behaviours[0])
                    raise WorldError(
                        f"action {action!r} of seat {seat!r} is not an index into its behaviours ({names})"
                    ) from None
            raise
        history = self.history
        step = len(history)
        history.append(joint)
        ended = step + 1 == self.rounds
        if ended:
            self.agents = []
        return (
            observations.copy(),
            rewards.copy(),
            {EGO: ended, PARTNER: ended},
            {EGO: False, PARTNER: False},
            {
                EGO: {"encounters": (Encounter(step, did, own),)},
                PARTNER: {"encounters": (Encounter(step, did, other),)},
            },
        )

    @cached_property
    def _build_space(self) -> dict[Seat, Discrete]:
        cells = self._sizes[EGO] * self._sizes[PARTNER]
        return {EGO: Discrete(cells + 1), PARTNER: Discrete(cells + 1)}

    def observation_space(self, agent: Seat) -> Space[Any]:
        return self._build_space[agent]

    def action_space(self, agent: Seat) -> Space[Any]:
        return self._actions[agent]

    def brief(self, seat: Seat) -> Brief:
        view = self._games[seat]
        other = PARTNER if seat == EGO else EGO
        pays = [cell[0] for row in view.payoffs for cell in row]
        grants = self._grants.get(seat, {})
        return Brief(
            seat=seat,
            others=(other,),
            action_space=self.action_space(seat),
            behaviours={seat: view.behaviours[0], other: view.behaviours[1]},
            reward_range=(min(pays), max(pays)),
            horizon=self.rounds,
            game=grants.get("game"),
            partners=grants.get("partners", ()),
            secrets=grants.get("secrets", ()),
        )

    def fallback(self, seat: Seat) -> Action | None:
        return None

    def truth(self, question: Question, step: int) -> Answer | None:
        if step >= len(self.history) or question.id.startswith(SUPPOSING):
            return None  # answers to policy questions are scored against the partner's recorded policy
        did = self.history[step]
        i = 0 if question.about == EGO else 1
        return self.game.behaviours[i][did[i]]

    def render(self) -> str:
        """The rounds so far, a line each."""
        rows, columns = self.game.behaviours
        return "\n".join(f"{t}: {rows[a]} {columns[b]}" for t, (a, b) in enumerate(self.history, 1))


_Cell = tuple[dict[Seat, np.int64], dict[Seat, float], dict[Seat, tuple[Behaviour, ...]], float, float]
"""What a joint action brings: observations, rewards, behaviours, each seat's reward."""


@lru_cache(maxsize=256)
def _tabulate_game(game: Game) -> tuple[Game, list[list[_Cell]]]:
    """The game as the column seat sees it, and the cell of each joint action; shared by all worlds of ``game``."""
    rows, columns = game.behaviours
    n, m = len(rows), len(columns)
    cells: list[list[_Cell]] = []
    for i, row in enumerate(game.payoffs):
        cells.append([])
        for j, (own, other) in enumerate(row):
            observations = {EGO: np.int64(1 + i * m + j), PARTNER: np.int64(1 + j * n + i)}
            did = {EGO: (rows[i],), PARTNER: (columns[j],)}
            cells[i].append((observations, {EGO: own, PARTNER: other}, did, own, other))
    return game.flipped(), cells
