"""A toy grid: two seats walk on a ring of three cells, take up what lies there, and duel.

It shows that the contracts carry what a grid needs: skills of many steps that
may fail, a hidden inventory, encounters that leave doubts, questions that are
due only now and then. No product: a fixture.
"""

from collections.abc import Callable
from fractions import Fraction
from random import Random
from typing import Any

import numpy as np
from gymnasium.spaces import Discrete, MultiDiscrete, Space

from otherminds.core.contracts import Controller, Mind, Probe
from otherminds.core.data import Action, Brief, Encounter, Ended, Game, Moment, Partner, Question, Seat
from otherminds.core.encoding import stream
from otherminds.core.errors import WorldError
from otherminds.core.record import SeatSpec
from otherminds.core.scenario import Population, Scenario, World
from otherminds.games.player import AutomatonPlayer
from otherminds.games.registry import automaton

EGO, PARTNER = SEATS = ("ego", "partner_0")
STAY, LEFT, RIGHT, TAKE, DUEL = range(5)
CELLS = 3


class DuelWorld(World):
    """``game`` (3 × 3) with one resource a cell: cell i gives what behaviour i stands for.

    A seat observes (own cell, the other's cell, what it holds: 0 or 1 + resource,
    whether the other holds anything). Who moves first in a step is drawn; an
    occupied cell cannot be entered. When both hold something and both play
    ``DUEL``, they are paid by the game and hold nothing again. What the other
    held is told only as far as the own reward gives it away, unless the grant
    ``inventories`` says more.
    """

    metadata: dict[str, Any] = {"name": "duel_v1"}  # noqa: RUF012 - Gymnasium's form

    def __init__(self, game: Game, duels: int = 6, steps: int = 300) -> None:
        self.possible_agents = list(SEATS)
        self.agents: list[Seat] = []
        self.duels, self.steps = duels, steps
        self.games = {EGO: game, PARTNER: game.flipped()}
        seen = MultiDiscrete([CELLS, CELLS, CELLS + 1, 2])
        self.spaces: dict[Seat, tuple[Space[Any], Space[Any]]] = {seat: (seen, Discrete(5)) for seat in SEATS}

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        self.rng = stream(seed or 0, "duel")
        self.agents = list(SEATS)
        self.grants: dict[Seat, dict[str, Any]] = (options or {}).get("grants", {})
        self.cell = dict(zip(SEATS, self.rng.sample(range(CELLS), 2), strict=True))
        self.holds: dict[Seat, int | None] = dict.fromkeys(SEATS)
        self.fought: list[tuple[int, dict[Seat, int]]] = []
        self.step_number = 0
        return self._observed(), {seat: {} for seat in SEATS}

    def step(self, actions: dict[Seat, Action]) -> Any:
        for seat in SEATS:
            if not self.action_space(seat).contains(actions[seat]):
                raise WorldError(f"action {actions[seat]!r} of seat {seat!r} is not one of the 5 of a duel")
        rewards = dict.fromkeys(SEATS, 0.0)
        infos: dict[Seat, dict[str, Any]] = {seat: {} for seat in SEATS}
        for seat in self.rng.sample(SEATS, 2):
            if actions[seat] in (LEFT, RIGHT):
                to = (self.cell[seat] + (1 if actions[seat] == RIGHT else -1)) % CELLS
                if to not in self.cell.values():
                    self.cell[seat] = to
            elif actions[seat] == TAKE:
                self.holds[seat] = self.cell[seat]
        held = {seat: self.holds[seat] for seat in SEATS if actions[seat] == DUEL}
        did = {seat: thing for seat, thing in held.items() if thing is not None}
        if len(did) == 2:
            for seat, other in (SEATS, SEATS[::-1]):
                rewards[seat] = self.games[seat].payoffs[did[seat]][did[other]][0]
                met = Encounter(self.step_number, self._known(seat, other, did), rewards[seat])
                infos[seat]["encounters"] = (met,)
            self.fought.append((self.step_number, did))
            self.holds = dict.fromkeys(SEATS)
        self.step_number += 1
        over = len(self.fought) == self.duels
        cut = not over and self.step_number == self.steps
        if over or cut:
            self.agents = []
        return self._observed(), rewards, dict.fromkeys(SEATS, over), dict.fromkeys(SEATS, cut), infos

    def _known(self, seat: Seat, other: Seat, did: dict[Seat, int]) -> dict[Seat, tuple[str, ...]]:
        """What ``seat`` may think possible: whatever of the other's would have paid it the same."""
        game = self.games[seat]
        pays = [cell[0] for cell in game.payoffs[did[seat]]]
        sure = "inventories" in self.grants.get(seat, {})
        theirs = did[other]
        possible = [j for j, pay in enumerate(pays) if j == theirs or (not sure and pay == pays[theirs])]
        names, others = game.behaviours
        return {seat: (names[did[seat]],), other: tuple(others[j] for j in possible)}

    def _observed(self) -> dict[Seat, Any]:
        holds = {seat: 0 if thing is None else 1 + thing for seat, thing in self.holds.items()}
        return {
            seat: np.array([self.cell[seat], self.cell[other], holds[seat], int(holds[other] > 0)])
            for seat, other in (SEATS, SEATS[::-1])
        }

    def observation_space(self, agent: Seat) -> Space[Any]:
        return self.spaces[agent][0]

    def action_space(self, agent: Seat) -> Space[Any]:
        return self.spaces[agent][1]

    def brief(self, seat: Seat) -> Brief:
        game = self.games[seat]
        other = PARTNER if seat == EGO else EGO
        pays = [cell[0] for row in game.payoffs for cell in row]
        grants = self.grants.get(seat, {})
        return Brief(
            seat,
            (other,),
            self.action_space(seat),
            {seat: game.behaviours[0], other: game.behaviours[1]},
            (min(pays), max(pays)),
            self.steps,
            skills=game.behaviours[0],
            game=grants.get("game"),
            partners=grants.get("partners", ()),
        )

    def fallback(self, seat: Seat) -> Action:
        return STAY

    def truth(self, question: Question, step: int) -> str | None:
        """What ``question.about`` held in the first duel from ``step`` on."""
        duels = [did for fought, did in self.fought if fought >= step]
        names = self.games[question.about].behaviours[0]
        return names[duels[0][question.about]] if duels else None

    def facts(self) -> dict[str, Any]:
        return {"duels": [[step, did[EGO], did[PARTNER]] for step, did in self.fought]}


def seek(resource: int, yields: float = 0.5, patience: int = 60) -> Callable[[Brief, Random], Controller]:
    """The skill that fetches ``resource`` and then duels.

    Where the way is blocked, or nobody is ready, it steps aside with probability
    ``yields``; it gives up after ``patience`` steps.
    """

    def skill(brief: Brief, rng: Random) -> Controller:
        left = patience

        def control(moment: Moment) -> int | Ended:
            nonlocal left
            if left < patience and moment.encounters:
                return Ended(True, "duelled")
            if not left:
                return Ended(False, "nobody came, or the way was blocked")
            left -= 1
            own, other, holds, ready = moment.observation
            aside = LEFT if (own - 1) % CELLS != other else RIGHT
            if holds == 1 + resource:
                return DUEL if ready or rng.random() >= yields else aside
            if own == resource:
                return TAKE
            if other == resource:
                return aside if rng.random() < yields else STAY
            return LEFT if (own - 1) % CELLS == resource else RIGHT

        return control

    return skill


def scenario(game: Game, duels: int = 6, yields: float = 0.5, steps: int = 300) -> Scenario:
    """Against tit-for-tat, half the time, or one behaviour for ever."""

    def partner(spec: SeatSpec, seat: Seat) -> tuple[Mind, Partner]:
        played = automaton(spec.mind, game, duels, spec.params)
        return AutomatonPlayer(played), Partner(spec.title, played)

    def due(moment: Moment) -> bool:
        return moment.step == 0 or bool(moment.encounters)

    names = game.behaviours[1]
    members = [SeatSpec("tit_for_tat"), SeatSpec("single", {"behaviour": 0})]
    question = Question(
        f"next:{PARTNER}", EGO, "before", "What will it hold?", names, 1 / len(names), PARTNER
    )
    return Scenario(
        id=f"duel-{game.name}-v1",
        world=lambda: DuelWorld(game, duels, steps),
        population=Population(tuple((Fraction(1, 2), (member,)) for member in members)),
        partner=partner,
        probes=(Probe(question, due),),
        skills={name: seek(i, yields) for i, name in enumerate(names)},
        game=game,
        grants={"inventories": lambda seat: True},
    )
