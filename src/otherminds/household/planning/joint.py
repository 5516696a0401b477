"""A task in joint turns as a finite-domain planning task, from the rules of the simulator.

In a turn the agents act in the order of seats, each at most once. The end of a turn costs 1; all else is free. There are
no messages, since all secrets are public. Observation is modelled in two respects only: an object that was put down in
this turn can be picked up in the next turn at the earliest, and an object in furniture that was closed can be taken out
in the turn after the furniture was opened. Everything that the simulator allows is allowed here. Hence no plan in the
simulator has fewer turns than the best plan here; conversely, a plan found here must be replayed.

If agents may walk from anywhere to anywhere, an agent that walked acts in the next turn: it could have walked later,
since its position matters only for its own acts. This removes plans that walk earlier, but no shorter plans.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import product

from msgspec import Struct

from otherminds.household.epistemic.fast_downward import PlanningOperator, SasTask, Value
from otherminds.household.epistemic.formula import Literal, Not, atom, physical
from otherminds.household.epistemic.predicates import TURNS
from otherminds.household.goal_check import check_by_facts, witnesses
from otherminds.household.house import House
from otherminds.household.planning.cut import PlanNames, leads
from otherminds.household.rules.actions import HOW
from otherminds.household.rules.rule import DYNAMIC, Fact, Rule, bound

TURN = 0
"""The variable for the agent to move: an agent's number, then the end of the turn, then the end of the plan."""
ENDED = "end of turn"
TALK, WALK = "Communicate", "Navigate"
IGNORED = ("agent_in_room", "left")
"""Facts that follow from others, or that only messages change."""


class GroundStep(Struct, frozen=True):
    """The act of an agent in a turn: a rule with the values of its parameters, in order."""

    agent: int
    rule: str
    values: tuple[str, ...]


class JointProblem(Struct, frozen=True):
    """The planning task, and the acts of its operators; ``steps`` has no entry for an operator that is not an act."""

    task: SasTask
    steps: Mapping[str, GroundStep]

    def turns(self, names: Iterable[str]) -> list[dict[int, GroundStep]]:
        """The turns of a plan; each maps agent numbers to acts."""
        turns: list[dict[int, GroundStep]] = [{}]
        for name in names:
            if name == ENDED:
                turns.append({})
            elif name in self.steps:
                turns[-1][self.steps[name].agent] = self.steps[name]
        return turns


def joint(house: House, part: PlanNames) -> JointProblem:
    """The planning task of that ``part`` of ``house``.

    Raises:
        TaskError: the goal has ``is_next_to``, which depends on boxes and not on facts.
    """
    return _Writer(house, part).joint()


class _Writer:
    def __init__(self, house: House, part: PlanNames) -> None:
        self.house, self.kept = house, part
        self.values: dict[Fact, Value] = {}
        self.sizes: list[int] = [len(house.agents) + 2]
        self.operators: list[PlanningOperator] = []
        self.steps: dict[str, GroundStep] = {}
        self.room = dict(zip(house.spots, house.spot_room, strict=True))
        self.spots: dict[str, list[str]] = {}
        for agent in house.agents:
            start = house.spots[house.start_spot[agent]]
            allowed = {start, *(spot for spot in part.reaches if ("may_go", agent, spot) in house.static)}
            self.spots[agent] = [spot for spot in part.reaches if spot in allowed]
            self._variable(("at", agent, spot) for spot in self.spots[agent])
        for agent in () if part.calls else house.agents:
            self._variable([("free", agent), ("due", agent)])
        for agent in house.agents if part.objects else ():
            self._variable([("hand_empty", agent), ("hand_full", agent)])
        for o in part.objects:
            self._variable(self._places(o))
        for entity in (*part.furniture, *part.objects):
            facts = {fact[0] for fact in house.facts.shown(house.turned.get(entity, 0))}
            for states in (*TURNS.values(), ("is_clean", "is_dirty"), ("is_filled", "is_empty")):
                if states[0] in facts:
                    self._variable((state, entity) for state in states)
        for o in part.objects:
            self._variable([("settled", o), ("moved", o)])
        self.hidden = [o for o in part.objects if self._shut_away(o)]
        for o in self.hidden:
            self._variable([("unseen", o), ("seen", o)])

    def joint(self) -> JointProblem:
        agents = self.house.agents
        for rule in self.house.rules:
            for k, agent in enumerate(agents if rule.tool != TALK else ()):
                for values in (
                    self._ground_rule(rule, agent) if self.house.task.allows(agent, rule.tool) else ()
                ):
                    self._act(rule, k, values)
        last = len(agents)
        for k, agent in enumerate(agents):
            free_values = [self.values["free", agent]] if ("free", agent) in self.values else []
            self.operators.append(PlanningOperator(f"skip {k}", ((TURN, k), *free_values), ((TURN, k + 1),)))
        settles = tuple(self.values["settled", o] for o in self.kept.objects)
        self.operators.append(PlanningOperator(ENDED, ((TURN, last),), ((TURN, 0), *settles), 1))
        for o in self.hidden:
            self._looks(o)
        goal = self._goal(last)
        start = self._start()
        return JointProblem(SasTask(tuple(self.sizes), start, goal, tuple(self.operators)), self.steps)

    def _variable(self, facts: Iterable[Fact]) -> int:
        number, variable_facts = len(self.sizes), list(facts)
        self.values |= {fact: (number, k) for k, fact in enumerate(variable_facts)}
        self.sizes.append(len(variable_facts))
        return number

    def _places(self, o: str) -> list[Fact]:
        """The possible places of an object: on or in kept furniture, and in a hand."""
        facts = self.house.facts.shown(self.house.rests[o])
        return [fact for fact in facts if fact[0] == "is_held_by" or fact[2] in self.kept.furniture]

    def _shut_away(self, o: str) -> bool:
        """Whether ``o`` is in closed furniture at the start, where no agent has seen it."""
        house = self.house
        predicate, f = house.place_of(o, house.start)
        return predicate == "is_inside" and bool(house.start & house.facts.get(("is_closed", f)))

    def _ground_rule(self, rule: Rule, agent: str) -> Iterator[dict[str, str]]:
        """All values of a rule's parameters for ``agent`` that the static preconditions allow."""
        house = self.house
        free = {"furniture": self.kept.furniture, "object": self.kept.objects, "spot": self.spots[agent]}
        names = [pair for pair in rule.parameters if pair[0] != "?a" and pair[1] != "room"]
        statics = [need.pattern for need in rule.preconditions if need.pattern[0] not in DYNAMIC]
        for chosen in product(*(free[kind] for _, kind in names)):
            values = {"?a": agent, **dict(zip((name for name, _ in names), chosen, strict=True))}
            for spot, room in (("?s", "?r"), ("?t", "?q")):
                if spot in values:
                    values[room] = self.room[values[spot]]
            if self._walks(values) and all(bound(pattern, values) in house.static for pattern in statics):
                yield values

    def _walks(self, values: Mapping[str, str]) -> bool:
        """Whether the walk is possible; true for a rule that is not a walk."""
        here, there = values["?s"], values.get("?t")
        return here != there if there is None or not self.kept.calls else leads(self.house, here, there)

    def _act(self, rule: Rule, k: int, values: Mapping[str, str]) -> None:
        """The operator of a rule for agent ``k``, if all its preconditions are among the variables."""
        preconditions: dict[int, int] = {TURN: k}
        effects: dict[int, int] = {TURN: k + 1}
        for need in rule.preconditions:
            fact = bound(need.pattern, values)
            if fact[0] not in DYNAMIC or fact[0] in IGNORED:
                continue
            if fact not in self.values:
                return
            preconditions |= [self.values[fact]]
            if fact[0] in HOW:
                preconditions |= [self.values["settled", fact[1]]]
            if fact[0] == "is_inside" and fact[1] in self.hidden:
                preconditions |= [self.values["seen", fact[1]]]
        agent = values["?a"]
        if ("hand_empty", "?a") in rule.del_effects:
            effects |= [self.values["hand_full", agent]]
        for fact in (bound(effect, values) for effect in rule.add_effects):
            if fact[0] in IGNORED:
                continue
            if fact not in self.values:
                return
            effects |= [self.values[fact]]
            if fact[0] in HOW:
                effects |= [self.values["moved", fact[1]]]
        if ("due", agent) in self.values:
            walks = rule.tool == WALK
            preconditions |= [self.values["free", agent]] if walks else []
            effects |= [self.values["due" if walks else "free", agent]]
        arguments = tuple(values[name] for name, _ in rule.parameters)
        name = " ".join((rule.name, *arguments))
        self.steps[name] = GroundStep(k, rule.name, arguments)
        self.operators.append(PlanningOperator(name, tuple(preconditions.items()), tuple(effects.items())))

    def _looks(self, o: str) -> None:
        """Operators that make ``o`` seen if it is in open furniture at the start of a turn."""
        for fact in self._places(o):
            opened = ("is_open", fact[2])
            if fact[0] == "is_inside" and opened in self.values:
                needs = ((TURN, 0), self.values[fact], self.values[opened], self.values["unseen", o])
                effects = (self.values["seen", o],)
                self.operators.append(PlanningOperator(f"look {o} {fact[2]}", needs, effects))

    def _start(self) -> tuple[int, ...]:
        start_facts = set(self.house.facts.shown(self.house.start))
        start = [0] * len(self.sizes)
        for fact, (variable, value) in self.values.items():
            if fact in start_facts:
                start[variable] = value
        return tuple(start)

    def _goal(self, last: int) -> tuple[Value, ...]:
        """The goal; for a literal that can hold in several ways, operators at the end of the plan check for one of them."""
        every = [self._ways(literal) for literal in physical(self.house.goal)]
        goal = [way for ways in every if len(ways) == 1 for way in ways]
        several = [ways for ways in every if len(ways) != 1]
        if several:
            self.operators.append(PlanningOperator("end of plan", ((TURN, last),), ((TURN, last + 1),)))
            goal.append((TURN, last + 1))
        for number, ways in enumerate(several):
            so = (self._variable([("not", str(number)), ("so", str(number))]), 1)
            goal.append(so)
            self.operators += [
                PlanningOperator(f"so {number} {way}", ((TURN, last + 1), way), (so,)) for way in ways
            ]
        return tuple(goal)

    def _ways(self, literal: Literal) -> list[Value]:
        """The values that make ``literal`` hold, all of one variable."""
        fact = atom(literal)
        check_by_facts(self.house, literal)
        if fact.predicate == "agent_in_room":
            agent, room = fact.args
            ways = {self.values["at", agent, spot] for spot in self.spots[agent] if self.room[spot] == room}
        else:
            every = self.house.facts.shown(witnesses(self.house, (fact.predicate, *fact.args)))
            ways = {self.values[witness] for witness in every if witness in self.values}
        if isinstance(literal, Not):
            variable = self._variable_of(fact.args[0], ways)
            return [(variable, k) for k in range(self.sizes[variable]) if (variable, k) not in ways]
        return sorted(ways)

    def _variable_of(self, entity: str, ways: set[Value]) -> int:
        if ways:
            return next(iter(ways))[0]
        spots = self.spots.get(entity)
        return self.values[("at", entity, spots[0]) if spots else self._places(entity)[0]][0]
