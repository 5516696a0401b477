"""Healthy things, each a base of what is broken in the zoo: a world behind a curtain."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

import numpy as np
from gymnasium.spaces import Discrete, MultiDiscrete, Space

from otherminds.core.data import Action, Answer, Brief, Encounter, Question, ReceivedMessage, Seat
from otherminds.core.errors import WorldError
from otherminds.core.scenario import World
from otherminds.testing import Variant, WorldConformance

EGO, PARTNER = SEATS = ("ego", "partner_0")
MOVES = ("left", "right")
CURTAIN = 2


def other(seat: Seat) -> Seat:
    return PARTNER if seat == EGO else EGO


class ToyWorld(World):
    """Two seats, each with a colour that only it sees; for two rounds a curtain hides what the other does.

    A seat earns 1 for the move that fits its colour, and 0 or 1 by chance.
    ``colours`` fixes colours; the moves of seats in ``contrary`` are turned round.
    """

    metadata: dict[str, Any] = {"name": "toy_v1", "render_modes": []}  # noqa: RUF012 - Gymnasium's form
    rounds = 5

    def __init__(self, colours: dict[Seat, int] | None = None, contrary: tuple[Seat, ...] = ()) -> None:
        self.render_mode = None
        self.possible_agents = list(SEATS)
        self.agents: list[Seat] = []
        self.fixed = colours or {}
        self.contrary = contrary
        self.actions = {seat: Discrete(len(MOVES)) for seat in SEATS}
        self.observations = {seat: MultiDiscrete([3, 3, 3]) for seat in SEATS}

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[dict, dict]:
        self.agents = list(SEATS)
        self.rng = Random(seed)
        self.colours = {**{seat: self.rng.randrange(3) for seat in SEATS}, **self.fixed}
        self.history: list[dict[Seat, int]] = []
        self.granted = (options or {}).get("grants", {})
        return {seat: self.observe(seat) for seat in SEATS}, {seat: {} for seat in SEATS}

    def step(self, actions: dict[Seat, Action]) -> tuple[dict, dict, dict, dict, dict]:
        self.check(actions)
        luck = {seat: self.rng.randrange(2) for seat in SEATS}
        self.history.append({seat: int(actions[seat]) ^ (seat in self.contrary) for seat in SEATS})
        rewards = {seat: self.reward(seat, luck[seat]) for seat in SEATS}
        over = len(self.history) == self.rounds
        self.agents = [] if over else list(SEATS)
        infos = {
            seat: {"encounters": self.encounters(seat, rewards[seat]), "told": self.told(seat)}
            for seat in SEATS
        }
        ended, cut = self.ends(over)
        return {seat: self.observe(seat) for seat in SEATS}, rewards, ended, cut, infos

    def check(self, actions: dict[Seat, Action]) -> None:
        for seat, action in actions.items():
            if not self.actions[seat].contains(action):
                raise WorldError(f"action {action!r} of {seat!r} is neither 0 nor 1")

    def hidden(self) -> bool:
        """Whether the round that was played last is behind the curtain."""
        return len(self.history) <= CURTAIN

    def observe(self, seat: Seat) -> Any:
        last = self.history[-1] if self.history else {}
        theirs = 0 if self.hidden() else last[other(seat)] + 1
        return np.array([self.colours[seat], last.get(seat, -1) + 1, theirs])

    def reward(self, seat: Seat, luck: int) -> float:
        return float((self.history[-1][seat] == self.colours[seat] % 2) + luck)

    def encounters(self, seat: Seat, reward: float) -> tuple[Encounter, ...]:
        last = self.history[-1]
        theirs = MOVES if self.hidden() else (MOVES[last[other(seat)]],)
        did = {seat: (MOVES[last[seat]],), other(seat): theirs}
        return (Encounter(len(self.history) - 1, did, reward),)

    def told(self, seat: Seat) -> tuple[ReceivedMessage, ...]:
        return (ReceivedMessage(other(seat), "the curtain rises"),) if len(self.history) == CURTAIN else ()

    def ends(self, over: bool) -> tuple[dict[Seat, bool], dict[Seat, bool]]:
        return dict.fromkeys(SEATS, over), dict.fromkeys(SEATS, False)

    def observation_space(self, agent: Seat) -> Space[Any]:
        return self.observations[agent]

    def action_space(self, agent: Seat) -> Space[Any]:
        return self.actions[agent]

    def grants(self, seat: Seat) -> dict[str, Any]:
        return self.granted.get(seat, {})

    def brief(self, seat: Seat) -> Brief:
        grants = self.grants(seat)
        return Brief(
            seat=seat,
            others=(other(seat),),
            action_space=self.actions[seat],
            behaviours=dict.fromkeys(SEATS, MOVES),
            reward_range=(0.0, 2.0),
            horizon=self.rounds,
            game=grants.get("game"),
            partners=grants.get("partners", ()),
            secrets=grants.get("secrets", ()),
        )

    def fallback(self, seat: Seat) -> Action | None:
        return 0

    def truth(self, question: Question, step: int) -> Answer | None:
        return MOVES[self.history[step][question.about]] if step < len(self.history) else None

    def facts(self) -> dict[str, Any]:
        return {"colours": self.colours, "history": self.history}


class HealthyWorld(WorldConformance):
    """The checks on ``Toy``, which specimens replace."""

    Toy: type[ToyWorld] = ToyWorld
    has_chance = True

    def make_world(self) -> ToyWorld:
        return self.Toy()

    def private_variants(self) -> Iterator[Variant]:
        rounds = self.Toy.rounds
        for seat in SEATS:
            blue, red = ({other(seat): colour} for colour in (0, 1))
            yield Variant("the other's colour", seat, self.Toy(blue), self.Toy(red), rounds)
            contrary = self.Toy(contrary=(other(seat),))
            yield Variant("what the other does behind the curtain", seat, self.Toy(), contrary, CURTAIN)

    def questions(self) -> list[Question]:
        return [Question("next", EGO, "after", "What does the other do?", MOVES, 0.5, about=PARTNER)]
