"""Encounters in a house as a PettingZoo environment: ego and one partner, and a context before each encounter."""

from __future__ import annotations

from random import Random
from typing import Any

import msgspec
import numpy as np
from gymnasium.spaces import Discrete, MultiDiscrete, Space

from otherminds.core.data import Action, Answer, Brief, Encounter, Question, Seat
from otherminds.core.errors import WorldError
from otherminds.core.scenario import World, worlds
from otherminds.household.acted_beliefs.contexts import (
    COURSES,
    EGO,
    PARTNER,
    Context,
    list_arrangements,
    list_movers,
)
from otherminds.household.acted_beliefs.played import THING
from otherminds.household.acted_beliefs.rules import FACT, EncounterRules
from otherminds.household.acted_beliefs.stage_games import Plan

GOES = f"next:{PARTNER}"
"""The question where the partner goes unless ego changes what it knows."""
THINKS, THINKS_OF_EGO = "belief:agent_1", "belief:agent_1:agent_0"
"""The questions where the partner thinks that the thing is, and where it thinks that ego thinks so."""
NOTHING = "nothing"
"""The behaviour of the choice after the last place: a closed door, or nobody to meet."""
SPOKEN = ("silent", "tell")


@worlds.register("acted_beliefs")
class EncounterWorld(World):
    """``encounters`` encounters of a stage game; ``rules`` says which, without contexts, which are drawn by the seed.

    An action is the number of a choice: a place, or in ``tell`` 0 (say nothing) or 1 (tell), and in ``screen`` the number after the last place for the closed door
    and for nobody to meet. ``tell`` and ``screen`` have two steps an encounter, the others one. The partner goes to its place
    in the last one; its action in the first of two is where it would go if ego changed nothing. A step without a choice ignores the action. Ego is paid in
    each step; the partner receives the same or, in ``hide``, the negative. The end of each encounter is told to both.
    """

    metadata: dict[str, Any] = {  # noqa: RUF012 - Gymnasium's form
        "name": "acted_beliefs_v1",
        "render_modes": ["ansi"],
        "observations": "six whole numbers: the course of events (index into COURSES), the arrangement of its places (index into "
        "list_arrangements), who moved the thing (index into list_movers), the target, whether the encounter is in the first half, "
        "and the first choice of the encounter plus 1 (0: not yet made); in the last observation all are 0",
    }

    def __init__(self, rules: EncounterRules, encounters: int, render_mode: str | None = None) -> None:
        self._rules, self._encounters = rules, encounters
        self.render_mode = render_mode
        self.possible_agents = [EGO, PARTNER]
        self.agents: list[Seat] = []
        self._grants: dict[Seat, dict[str, Any]] = {}
        game, size = rules.stage, len(rules.names)
        self._steps = game.steps
        choices = max(game.choices(step, size) for step in range(game.steps))
        self._actions = {EGO: Discrete(choices), PARTNER: Discrete(size)}
        sizes = [len(COURSES), len(list_arrangements(size)), 2, size, 2, choices + 1]
        self._observed: Space[Any] = MultiDiscrete(sizes)

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[Seat, Any], dict[Seat, dict[str, Any]]]:
        self.agents = list(self.possible_agents)
        self._contexts = self._rules.tables.draw(Random(seed), self._encounters)
        self._grants = (options or {}).get("grants", {})
        self._places: list[int] = []
        self._intended: list[int] = []
        self._actions_so_far: tuple[int, ...] = ()
        self._rewards = 0.0
        self._step = 0
        return self._observe(), {seat: {} for seat in self.agents}

    def step(
        self, actions: dict[Seat, Action]
    ) -> tuple[
        dict[Seat, Any], dict[Seat, float], dict[Seat, bool], dict[Seat, bool], dict[Seat, dict[str, Any]]
    ]:
        if not self.agents:
            raise WorldError("no episode is going on: call reset before step")
        for seat in self.possible_agents:
            if not self._actions[seat].contains(actions[seat]):
                raise WorldError(
                    f"action {actions[seat]!r} of seat {seat!r} is not a whole number below {self._actions[seat].n}"
                )
        game, context = self._rules.stage, self._contexts[len(self._places)]
        before = self._actions_so_far
        taken = (*before, int(actions[EGO]))
        plan = self._rules.settle((*taken, *[0] * (self._steps - len(taken))))
        reward = 0.0 if before else -game.cost(context, plan)
        if not before:
            self._intended.append(int(actions[PARTNER]))
        infos: dict[Seat, dict[str, Any]] = {seat: {} for seat in self.possible_agents}
        self._step += 1
        if len(taken) == self._steps:
            place = int(actions[PARTNER])
            reward += game.payoff(context, plan, place)
            self._places.append(place)
            self._actions_so_far = ()
            did = {EGO: tuple(self._name_choices(plan)), PARTNER: (self._rules.names[place],)}
            total = self._rewards + reward
            for seat, gain in ((EGO, total), (PARTNER, -total if game.zero_sum else total)):
                infos[seat]["encounters"] = (Encounter(self._step - 1, did, gain),)
            self._rewards = 0.0
        else:
            self._actions_so_far = taken
            self._rewards = reward
        ended = len(self._places) == self._encounters
        rewards = {EGO: reward, PARTNER: -reward if game.zero_sum else reward}
        if ended:
            self.agents = []
        ends = dict.fromkeys(self.possible_agents, ended)
        return self._observe(), rewards, ends, dict.fromkeys(self.possible_agents, False), infos

    def observation_space(self, agent: Seat) -> Space[Any]:
        return self._observed

    def action_space(self, agent: Seat) -> Space[Any]:
        return self._actions[agent]

    def brief(self, seat: Seat) -> Brief:
        game, names = self._rules.stage, self._rules.names
        own = SPOKEN if game.name == "tell" else (*names, NOTHING)[: self._actions[EGO].n]
        least, most = (
            (-game.most, -game.least) if seat == PARTNER and game.zero_sum else (game.least, game.most)
        )
        return Brief(
            seat=seat,
            others=tuple(other for other in self.possible_agents if other != seat),
            action_space=self._actions[seat],
            behaviours={EGO: tuple(own), PARTNER: names},
            reward_range=(least, most),
            horizon=self._encounters * self._steps,
            secrets=tuple(self._grants.get(seat, {}).get("secrets", ())),
            rounds=self._encounters,
        )

    def fallback(self, seat: Seat) -> Action | None:
        return None

    def truth(self, question: Question, step: int) -> Answer | None:
        """Where the partner went, or would have gone if ego had changed nothing; or what it thinks."""
        number = step // self._steps
        if number >= len(self._intended):
            return None
        names = self._rules.names
        if question.id == GOES:
            return names[self._intended[number]]
        order = (THINKS, THINKS_OF_EGO).index(question.id)
        return names[self._contexts[number].view.thinks[order]]

    def belief(self, seat: Seat) -> str | None:
        """Where the partner thinks that the thing is."""
        if seat != PARTNER or not self.agents:
            return None
        place = self._rules.names[self._contexts[len(self._places)].view.thinks[0]]
        return f"{PARTNER} thinks that {THING} is on {place}."

    @property
    def midway(self) -> int:
        return self._encounters // 2 * self._steps

    def facts(self) -> dict[str, Any]:
        """The rules with the contexts, as JSON."""
        rules = msgspec.structs.replace(self._rules, contexts=self._contexts)
        return {FACT: msgspec.to_builtins(rules)}

    def render(self) -> str:
        """The finished encounters, a line each."""
        names = self._rules.names
        return "\n".join(
            f"{number}: {context.course}, thing on {names[context.now]}, {PARTNER} on {names[place]}"
            for number, (context, place) in enumerate(zip(self._contexts, self._places, strict=False), 1)
        )

    def _observe(self) -> dict[Seat, Any]:
        numbers = [0] * 6
        if len(self._places) < self._encounters:
            chosen = self._actions_so_far[0] + 1 if self._actions_so_far else 0
            numbers = write_observation(self._contexts[len(self._places)], chosen)
        return {seat: np.array(numbers, np.int64) for seat in self.possible_agents}

    def _name_choices(self, plan: Plan) -> list[str]:
        if self._rules.stage.name == "tell":
            return [SPOKEN[plan[0]]]
        return [(*self._rules.names, NOTHING)[choice] for choice in plan]


def write_observation(context: Context, chosen: int) -> list[int]:
    """The observation in ``context``; ``chosen`` is the first choice plus 1, or 0 before it."""
    movers = list_movers(COURSES[context.course])
    return [
        list(COURSES).index(context.course),
        list_arrangements(context.size).index(context.places),
        movers.index(context.mover),
        context.target,
        int(context.early),
        chosen,
    ]


def read_observation(observation: Any, size: int) -> tuple[Context, int | None]:
    """The context that an observation is about, and the first choice, ``None`` before it."""
    course, arrangement, mover, target, early, chosen = map(int, observation)
    name = list(COURSES)[course]
    context = Context(
        name,
        list_arrangements(size)[arrangement],
        list_movers(COURSES[name])[mover],
        size,
        target,
        bool(early),
    )
    return context, chosen - 1 if chosen else None
