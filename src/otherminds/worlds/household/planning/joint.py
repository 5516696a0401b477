"""A task in joint turns as a finite-domain planning task, from the rules by which the simulator steps.

In a turn the agents act in the order of seats, each once or not at all; the end of a turn costs 1, and nothing
else costs anything. Messages have no part: all secrets are public. Two things are taken from
what agents see, and no more than that: an object that was put down in this turn is taken up in no
other's hand before the next, and what lies in furniture that was shut is taken out in the turn after it was
opened at the earliest. Whatever the simulator allows is allowed here, so that no plan there takes fewer turns
than the best here; the other way round, a plan has to be replayed.

Where one may walk from anywhere to anywhere, who walked acts in the next turn: it could have walked
later, since its place matters for its own acts alone. Plans that walk earlier are left out so, and no
shorter ones.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import product

from msgspec import Struct

from otherminds.core.errors import TaskError
from otherminds.epistemic.fast_downward import PlanningOperator, SasTask, Value
from otherminds.epistemic.formula import Literal, Not, atom, physical
from otherminds.epistemic.predicates import TURNS
from otherminds.worlds.household.goal_check import witnesses
from otherminds.worlds.household.house import House
from otherminds.worlds.household.planning.cut import Cut
from otherminds.worlds.household.rules.actions import HOW
from otherminds.worlds.household.rules.rule import DYNAMIC, Fact, Rule, bound

TURN = 0
"""The variable that says whose move it is: an agent's number, then the end of the turn, then the end of the plan."""
ENDED = "end of turn"
TALK, WALK = "Communicate", "Navigate"
IGNORED = ("agent_in_room", "left")
"""Facts that follow from others, or that only messages change."""


class Step(Struct, frozen=True):
    """What an agent does in a turn: a rule with the values of its parameters, in their order."""

    agent: int
    rule: str
    values: tuple[str, ...]


class Joint(Struct, frozen=True):
    """The planning task, and what its operators do; an operator that is no agent's act is not among ``steps``."""

    task: SasTask
    steps: Mapping[str, Step]

    def turns(self, names: Iterable[str]) -> list[dict[int, Step]]:
        """A plan of operators as turns, each by the number of the agent."""
        found: list[dict[int, Step]] = [{}]
        for name in names:
            if name == ENDED:
                found.append({})
            elif name in self.steps:
                found[-1][self.steps[name].agent] = self.steps[name]
        return found


def joint(house: House, kept: Cut) -> Joint:
    """The task of ``house`` with what is ``kept`` of it.

    With ``kept.calls`` one walks only as calls lead (see :func:`~.cut.by_calls`).

    Raises:
        TaskError: the goal asks for ``is_next_to``, which is a matter of boxes and not of facts.
    """
    return _Writer(house, kept).joint()


class _Writer:
    """Numbers the variables and their values, then grounds the rules over them."""

    def __init__(self, house: House, kept: Cut) -> None:
        self.house, self.kept = house, kept
        self.values: dict[Fact, Value] = {}
        self.sizes: list[int] = [len(house.agents) + 2]
        self.operators: list[PlanningOperator] = []
        self.steps: dict[str, Step] = {}
        self.spots = {
            agent: [
                spot
                for spot in kept.reaches
                if ("may_go", agent, spot) in house.static
                or house.spot_index[spot] == house.start_spot[agent]
            ]
            for agent in house.agents
        }
        for agent, spots in self.spots.items():
            self._variable(("at", agent, spot) for spot in spots)
        for agent in () if kept.calls else house.agents:
            self._variable([("free", agent), ("due", agent)])
        for agent in house.agents if kept.objects else ():
            self._variable([("hand_empty", agent), ("hand_full", agent)])
        for o in kept.objects:
            self._variable(self._places(o))
        for thing in (*kept.furniture, *kept.objects):
            for states in self._states(thing):
                self._variable((state, thing) for state in states)
        for o in kept.objects:
            self._variable([("settled", o), ("moved", o)])
        self.hidden = [o for o in kept.objects if self._shut_away(o)]
        for o in self.hidden:
            self._variable([("unseen", o), ("seen", o)])

    def joint(self) -> Joint:
        house = self.house
        for rule in house.rules:
            if rule.tool == TALK:
                continue
            for k, agent in enumerate(house.agents):
                for values in self._grounded(rule, agent):
                    self._act(rule, k, values)
        last = len(house.agents)
        for k, agent in enumerate(house.agents):
            due = [self.values["free", agent]] if ("free", agent) in self.values else []
            self.operators.append(PlanningOperator(f"skip {k}", ((TURN, k), *due), ((TURN, k + 1),)))
        settles = tuple(self.values["settled", o] for o in self.kept.objects)
        self.operators.append(PlanningOperator(ENDED, ((TURN, last),), ((TURN, 0), *settles), 1))
        for o in self.hidden:
            self._looks(o)
        goal = self._goal(last)
        start = self._start()
        return Joint(SasTask(tuple(self.sizes), start, goal, tuple(self.operators)), self.steps)

    def _variable(self, facts: Iterable[Fact]) -> int:
        number, found = len(self.sizes), list(facts)
        self.values |= {fact: (number, k) for k, fact in enumerate(found)}
        self.sizes.append(len(found))
        return number

    def _places(self, o: str) -> list[Fact]:
        """Where an object can be: on, in or at what is kept, and in a hand."""
        facts = self.house.facts.shown(self.house.rests[o])
        return [fact for fact in facts if fact[0] == "is_held_by" or fact[2] in self.kept.furniture]

    def _states(self, thing: str) -> list[tuple[str, str]]:
        """The pairs of opposite predicates that ``thing`` can have."""
        facts = {fact[0] for fact in self.house.facts.shown(self.house.turned.get(thing, 0))}
        pairs = (*TURNS.values(), ("is_clean", "is_dirty"), ("is_filled", "is_empty"))
        return [pair for pair in pairs if pair[0] in facts]

    def _shut_away(self, o: str) -> bool:
        """Whether ``o`` lies in something shut at the start, where nobody has seen it."""
        house = self.house
        predicate, f = house.place_of(o, house.start)
        return predicate == "is_inside" and bool(house.start & house.facts.get(("is_closed", f)))

    def _grounded(self, rule: Rule, agent: str) -> Iterator[dict[str, str]]:
        """All values of a rule's parameters for ``agent`` that the static preconditions allow."""
        house = self.house
        free = {
            "furniture": self.kept.furniture,
            "object": self.kept.objects,
            "spot": tuple(self.spots[agent]),
        }
        names = [pair for pair in rule.parameters if pair[0] != "?a" and pair[1] != "room"]
        statics = [need.pattern for need in rule.preconditions if need.pattern[0] not in DYNAMIC]
        for chosen in product(*(free[kind] for _, kind in names)):
            values = {"?a": agent, **dict(zip((name for name, _ in names), chosen, strict=True))}
            for spot, room in (("?s", "?r"), ("?t", "?q")):
                if spot in values:
                    values[room] = house.spot_room[house.spot_index[values[spot]]]
            if self._walks(values) and all(bound(one, values) in house.static for one in statics):
                yield values

    def _walks(self, values: Mapping[str, str]) -> bool:
        """Whether one can walk so; a rule without a way to go is no walk."""
        here, there = values["?s"], values.get("?t")
        kind, _, f = (there or "").partition(":")
        if there is None or not self.kept.calls:
            return here != there
        return kind == "centre" or (
            kind == "stand" and f not in self.house.reaches[self.house.spot_index[here]]
        )

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
        for fact in (bound(one, values) for one in rule.del_effects):
            if fact[0] == "hand_empty":
                effects |= [self.values["hand_full", fact[1]]]
        for fact in (bound(one, values) for one in rule.add_effects):
            if fact[0] in IGNORED:
                continue
            if fact not in self.values:
                return
            effects |= [self.values[fact]]
            if fact[0] in HOW:
                effects |= [self.values["moved", fact[1]]]
        agent = values["?a"]
        if ("due", agent) in self.values:
            walks = rule.tool == WALK
            preconditions |= [self.values["free", agent]] if walks else []
            effects |= [self.values["due" if walks else "free", agent]]
        given = tuple(values[name] for name, _ in rule.parameters)
        name = " ".join((rule.name, *given))
        self.steps[name] = Step(k, rule.name, given)
        self.operators.append(PlanningOperator(name, tuple(preconditions.items()), tuple(effects.items())))

    def _looks(self, o: str) -> None:
        """Where ``o`` lies in something open as a turn begins, it is seen."""
        for fact in self._places(o):
            opened = ("is_open", fact[2])
            if fact[0] == "is_inside" and opened in self.values:
                preconditions = ((TURN, 0), self.values[fact], self.values[opened], self.values["unseen", o])
                self.operators.append(
                    PlanningOperator(f"look {o} {fact[2]}", preconditions, (self.values["seen", o],))
                )

    def _start(self) -> tuple[int, ...]:
        shown = set(self.house.facts.shown(self.house.start))
        start = [0] * len(self.sizes)
        for fact, (variable, value) in self.values.items():
            if fact in shown:
                start[variable] = value
        return tuple(start)

    def _goal(self, last: int) -> tuple[Value, ...]:
        """The goal; where a literal can hold in several ways, the plan's end looks for one of them."""
        goal: list[Value] = []
        several: list[list[Value]] = []
        for literal in physical(self.house.goal):
            ways = self._ways(literal)
            if len(ways) == 1:
                goal += ways
            else:
                several.append(ways)
        if several:
            self.operators.append(PlanningOperator("end of plan", ((TURN, last),), ((TURN, last + 1),)))
            goal.append((TURN, last + 1))
        for number, ways in enumerate(several):
            reached = self._variable([("not", str(number)), ("so", str(number))])
            goal.append((reached, 1))
            self.operators += [
                PlanningOperator(f"so {number} {way}", ((TURN, last + 1), way), ((reached, 1),))
                for way in ways
            ]
        return tuple(goal)

    def _ways(self, literal: Literal) -> list[Value]:
        """The values any of which makes ``literal`` hold; all belong to one variable."""
        fact = atom(literal)
        if fact.predicate == "is_next_to":
            raise TaskError(
                f"task {self.house.task.task_id!r}: the goal has is_next_to, which is a matter of boxes: "
                "no planner is asked"
            )
        if fact.predicate == "agent_in_room":
            agent, room = fact.args
            every = {("at", agent, spot): spot for spot in self.spots[agent]}
            ways = {self.values[at] for at, spot in every.items() if self._room(spot) == room}
        else:
            every = self.house.facts.shown(witnesses(self.house, (fact.predicate, *fact.args)))
            ways = {self.values[one] for one in every if one in self.values}
        if isinstance(literal, Not):
            variable = self._variable_of(fact.args[0], fact.predicate, ways)
            return [(variable, k) for k in range(self.sizes[variable]) if (variable, k) not in ways]
        return sorted(ways)

    def _room(self, spot: str) -> str:
        return self.house.spot_room[self.house.spot_index[spot]]

    def _variable_of(self, thing: str, predicate: str, ways: set[Value]) -> int:
        """The variable that a denied fact is about."""
        if ways:
            return next(iter(ways))[0]
        first = (
            ("at", thing, self.spots[thing][0]) if predicate == "agent_in_room" else self._places(thing)[0]
        )
        return self.values[first][0]
