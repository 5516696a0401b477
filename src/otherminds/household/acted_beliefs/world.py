"""Encounters in a house as a PettingZoo environment: ego and one partner, and a context before each encounter."""

from __future__ import annotations

from random import Random
from typing import Any

import msgspec
import numpy as np
from gymnasium.spaces import Discrete, MultiDiscrete

from otherminds.core.data import Action, Answer, Brief, Encounter, Question, Seat
from otherminds.core.discrete_world import DiscreteWorld, Started, Stepped
from otherminds.core.scenario import worlds
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
class EncounterWorld(DiscreteWorld):
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
        game, size = rules.stage, len(rules.names)
        self._steps = game.steps
        choices = max(game.choices(step, size) for step in range(game.steps))
        sizes = [len(COURSES), len(list_arrangements(size)), 2, size, 2, choices + 1]
        super().__init__({EGO: Discrete(choices), PARTNER: Discrete(size)}, MultiDiscrete(sizes), render_mode)

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> Started:
        self._contexts = self._rules.tables.draw(Random(seed), self._encounters)
        self._places: list[int] = []
        self._intended: list[int] = []
        self._actions_so_far: tuple[int, ...] = ()
        self._rewards = 0.0
        self._step = 0
        return self.start(options)

    def step(self, actions: dict[Seat, Action]) -> Stepped:
        self.check(actions)
        game, context = self._rules.stage, self._contexts[len(self._places)]
        before = self._actions_so_far
        taken = (*before, int(actions[EGO]))
        plan = self._rules.settle((*taken, *[0] * (self._steps - len(taken))))
        reward = 0.0 if before else -game.cost(context, plan)
        if not before:
            self._intended.append(int(actions[PARTNER]))
        met: dict[Seat, Encounter] = {}
        self._step += 1
        if len(taken) == self._steps:
            place = int(actions[PARTNER])
            reward += game.payoff(context, plan, place)
            self._places.append(place)
            self._actions_so_far = ()
            did = {EGO: tuple(self._name_choices(plan)), PARTNER: (self._rules.names[place],)}
            total = self._rewards + reward
            for seat, gain in ((EGO, total), (PARTNER, -total if game.zero_sum else total)):
                met[seat] = Encounter(self._step - 1, did, gain)
            self._rewards = 0.0
        else:
            self._actions_so_far = taken
            self._rewards = reward
        rewards = {EGO: reward, PARTNER: -reward if game.zero_sum else reward}
        return self.finish(rewards, met, ended=len(self._places) == self._encounters)

    def brief(self, seat: Seat) -> Brief:
        game, names = self._rules.stage, self._rules.names
        own = SPOKEN if game.name == "tell" else (*names, NOTHING)[: self.action_space(EGO).n]
        least, most = (
            (-game.most, -game.least) if seat == PARTNER and game.zero_sum else (game.least, game.most)
        )
        behaviours, horizon = {EGO: tuple(own), PARTNER: names}, self._encounters * self._steps
        return self.describe_seat(seat, behaviours, (least, most), horizon, self._encounters)

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

    def observe(self) -> dict[Seat, Any]:
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
