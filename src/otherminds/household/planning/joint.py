"""A task in joint turns as a finite-domain planning task, from the rules of the simulator, and the part of a house that it needs.

In a turn the agents act in the order of seats, each at most once. The end of a turn costs 1; all else is free. There are
no messages, since all secrets are public. Observation is modelled in two respects only: an object that was put down in
this turn can be picked up in the next turn at the earliest, and an object in furniture that was closed can be taken out
in the turn after the furniture was opened. Everything that the simulator allows is allowed here. Hence no plan in the
simulator has fewer turns than the best plan here; conversely, a plan found here must be replayed.

If agents may walk from anywhere to anywhere, an agent that walked acts in the next turn: it could have walked later,
since its position matters only for its own acts. This removes plans that walk earlier, but no shorter plans.

A walk takes one turn, whatever its length. Hence a spot matters only by its room and the furniture in its reach. Left out
is everything that something kept can replace in every plan, turn by turn:

- objects that the goal does not name (all vessels are kept if something must be filled);
- furniture that neither the goal nor a mechanic names, on which no object of the goal rests at the start, and that is
  not a better place for a handover than one that is kept;
- spots that do not reach more furniture than another spot in the same room."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import product

from msgspec import Struct

from otherminds.household.epistemic.fast_downward import PlanningOperator, SasTask, Value
from otherminds.household.epistemic.formula import Literal, Not, atom, physical
from otherminds.household.epistemic.predicates import TURNS
from otherminds.household.goal_check import check_by_facts, witnesses
from otherminds.household.house import House
from otherminds.household.rules import DYNAMIC, HOW, PLACES, Fact, Rule, bound
from otherminds.household.scenes.scene import floor_of

FILLING = ("is_filled", "is_empty")


class PlanNames(Struct, frozen=True):
    """The names that a plan can contain; ``reaches`` gives the kept furniture in reach of each kept spot.

    With ``calls``, agents walk as calls do: an agent does not move if its destination is in reach already.
    """

    objects: tuple[str, ...]
    furniture: tuple[str, ...]
    reaches: Mapping[str, frozenset[str]]
    calls: bool = False


def named_for(house: House, observed: Collection[Literal] = ()) -> set[str]:
    """The names in the physical goal, in ``observed`` and in mechanics, and vessels and faucets if the goal requires filling."""
    literals = [atom(literal) for literal in (*physical(house.goal), *observed)]
    names = {name for literal in literals for name in literal.args}
    for _, binding in house.bound:
        names |= {binding.trigger_object, binding.target_object}
    if any(literal.predicate in FILLING for literal in literals):
        names |= {entity for predicate, entity, *_ in house.static if predicate in ("faucet", "fillable")}
    return names


def by_calls(house: House, part: PlanNames) -> PlanNames:
    """The same things with all spots that are destinations of calls, and walks restricted to calls."""
    ends = {f"stand:{f}" for f in part.furniture} | {f"centre:{room}" for room in house.rooms}
    ends |= {house.spots[spot] for spot in house.start_spot.values()}
    reach = zip(house.spots, house.reaches, strict=True)
    near = {spot: reached.intersection(part.furniture) for spot, reached in reach if spot in ends}
    return PlanNames(part.objects, part.furniture, near, calls=True)


def leads(house: House, here: str, there: str) -> bool:
    """Whether a call leads from a spot to another: an agent does not move if the furniture is in its reach already."""
    kind, _, f = there.partition(":")
    return kind == "centre" or (kind == "stand" and f not in house.reaches[house.spot_index[here]])


def cut_house(house: House, observed: Collection[Literal] = ()) -> PlanNames:
    """The part of ``house`` that is kept for its goal, and for agents to see whether the literals in ``observed`` hold."""
    predicates = {atom(literal).predicate for literal in (*physical(house.goal), *observed)}
    objects, fixed = _list_fixed(house, observed)
    starts = {house.spots[spot] for spot in house.start_spot.values()}
    reach = dict(zip(house.spots, house.reaches, strict=True))
    centres = {f"centre:{room}" for room in house.rooms}
    useful = {spot for spot, near in reach.items() if near & fixed or spot in starts}
    selected = fixed | (_meeting_places(house, useful | centres, reach, fixed) if objects else set[str]())
    if "agent_in_room" in predicates:
        useful |= centres
    spots = _best_spots(house, useful | (centres if objects else set[str]()), reach, selected, starts)
    furniture = tuple(f for f in house.furniture if f in selected)
    return PlanNames(objects, furniture, {spot: frozenset(reach[spot] & selected) for spot in spots})


def direct(house: House, observed: Collection[Literal] = ()) -> PlanNames:
    """The part of ``house`` that is enough if each agent brings things itself, from where they are to where they must be.

    A plan need not exist here if one exists in the house: objects cannot be handed over on other furniture.
    """
    objects, fixed = _list_fixed(house, observed)
    reach = dict(zip(house.spots, house.reaches, strict=True))
    starts = {house.spots[spot] for spot in house.start_spot.values()}
    ends = starts | {f"stand:{f}" for f in fixed} | {f"centre:{room}" for room in house.rooms}
    # A floor has no spot of its own.
    useful = starts | {spot for spot in ends & reach.keys() if reach[spot] & fixed}
    if any(atom(literal).predicate == "agent_in_room" for literal in (*physical(house.goal), *observed)):
        useful |= {f"centre:{room}" for room in house.rooms}
    spots = _best_spots(house, useful, reach, fixed, starts)
    furniture = tuple(f for f in house.furniture if f in fixed)
    return PlanNames(objects, furniture, {spot: frozenset(reach[spot] & fixed) for spot in spots}, calls=True)


def _list_fixed(house: House, observed: Collection[Literal]) -> tuple[tuple[str, ...], set[str]]:
    """The objects that are kept, and the furniture that is kept whatever else may replace it."""
    names = named_for(house, observed)
    if any(atom(literal).predicate == "is_on_floor" for literal in (*physical(house.goal), *observed)):
        names |= {floor_of(room) for room in house.rooms}
    objects = tuple(o for o in house.objects if o in names)
    rests = {house.place_of(o, house.start)[1] for o in objects}
    return objects, {f for f in house.furniture if f in names | rests}


def _meeting_places(
    house: House, spots: Collection[str], reach: Mapping[str, frozenset[str]], fixed: Collection[str]
) -> set[str]:
    """Other furniture for handovers, without pieces whose spots are a subset of those of another such piece."""
    flags = [able for _, able in PLACES.values()]
    room = {spot: house.spot_room[house.spot_index[spot]] for spot in spots}
    floors = {floor_of(name) for name in room.values()}
    bearers = [f for f in house.furniture if any((flag, f) in house.static for flag in flags)]
    spots_by_piece = {f: frozenset(spot for spot in spots if f in reach[spot]) for f in bearers}
    from_ = {f: near for f, near in spots_by_piece.items() if near}
    # Of two with equal spots the first is kept: named furniture, then furniture that is never closed.
    shut = {f for f in from_ if ("surface", f) not in house.static and f not in floors}
    order = sorted(from_, key=lambda f: (f not in fixed, f in shut, -len(from_[f])))
    chosen: list[str] = []
    for f in order:
        if not any(from_[f] <= from_[other] and other not in shut for other in chosen):
            chosen.append(f)
    return set(chosen)


def _best_spots(
    house: House,
    spots: Collection[str],
    reach: Mapping[str, frozenset[str]],
    furniture: Collection[str],
    starts: Collection[str],
) -> list[str]:
    """Spots in the order of the house, without those that another spot in the same room dominates."""
    room = {spot: house.spot_room[house.spot_index[spot]] for spot in spots}
    near = {spot: reach[spot].intersection(furniture) for spot in spots}
    # Calls lead to middles and to furniture: of two equal spots, that of a kept piece comes first.
    order = sorted(
        sorted(spots, key=house.spot_index.__getitem__),
        key=lambda spot: (
            -len(near[spot]),
            spot.startswith("spawn:"),
            spot.partition(":")[2] not in furniture,
        ),
    )
    best: list[str] = []
    for spot in order:
        if not any(room[other] == room[spot] and near[spot] <= near[other] for other in best):
            best.append(spot)
    return [spot for spot in house.spots if spot in best or spot in starts]


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
