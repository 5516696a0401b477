"""Foils: for each literal probe, questions of the same form whose true answers may differ from the probe's.

The foils depend on the task alone, so that the choice of questions reveals nothing. When true answers are known, the
foil that counts is one whose true answer differs from the probe's. Several kinds are asked, so that one is likely to:

- ``agent``: what each agent would say that each other one reports about the same fact. What came true is the same for
  all of them, and who saw it or was told is not: this separates "the goal came true" from "they know that it did", and
  what oneself knows from what others know.
- ``contrary``: the opposite state, or, for a place, the place of the object at the start.
- ``shared``: a fact that all agents whose report is asked for see at the start.
- ``alone``: a fact that the asked agent sees at the start, and the others do not.
- ``present``: a fact about another thing that holds at the start; at depth 1, where there is no opposite state.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import permutations
from typing import NamedTuple

from otherminds.household.engine import HouseEngine
from otherminds.household.epistemic.formula import Atom, KnowledgeChain, Not, atom, names
from otherminds.household.epistemic.household_facts import FoilKind
from otherminds.household.epistemic.predicates import opposite
from otherminds.household.goal_check import holds, visible
from otherminds.household.house import House


class Foil(NamedTuple):
    """A foil of a probe: its kind, and the chain that it asks about."""

    kind: FoilKind
    chain: KnowledgeChain


def foils(house: House, chain: KnowledgeChain) -> tuple[Foil, ...]:
    """The foils of a probe, in the order above; fewer if the house has none of a kind."""
    denied = isinstance(chain.fact, Not)
    pairs = (KnowledgeChain(agents, chain.fact) for agents in permutations(house.agents, 2))
    return (
        *(Foil("agent", other) for other in pairs if other != chain),
        *(
            Foil(kind, KnowledgeChain(chain.agents, Not(fact) if denied else fact))
            for kind, fact in _other_facts(house, chain)
        ),
    )


def _other_facts(house: House, chain: KnowledgeChain) -> list[tuple[FoilKind, Atom]]:
    """Facts about which the chain's own agents are asked, in positive form."""
    engine = HouseEngine(house)
    fact = atom(chain.fact)
    knower, *others = (house.agents.index(agent) for agent in chain.agents)
    excluded = set(names(house.goal))
    for binding in house.task.mechanic_bindings:
        excluded |= {binding.trigger_object, binding.target_object}
    free = [candidate for candidate in _pool(house, engine, fact) if candidate.args[0] not in excluded]

    def sees(by: int, candidate: Atom) -> bool:
        return visible(engine, by, candidate)

    def is_shared(candidate: Atom) -> bool:
        return all(sees(i, candidate) and all(engine.current.meets(i, j) for j in others) for i in others)

    def is_alone(candidate: Atom) -> bool:
        return sees(knower, candidate) and not any(sees(i, candidate) for i in others)

    kinds: dict[Atom, FoilKind] = dict.fromkeys(_contrary(house, engine, fact), "contrary")
    if others:
        common = [candidate for candidate in free if candidate not in kinds and is_shared(candidate)]
        kinds |= dict.fromkeys(_first(common, lambda candidate: not sees(knower, candidate)), "shared")
        kinds |= dict.fromkeys(
            _first([candidate for candidate in free if candidate not in kinds and is_alone(candidate)]),
            "alone",
        )
    elif opposite(fact) is None:
        present = [candidate for candidate in free if candidate not in kinds and holds(engine, candidate)]
        kinds |= dict.fromkeys(_first(present), "present")
    return [(kind, candidate) for candidate, kind in kinds.items() if candidate != fact]


def _first(fit: list[Atom], better: Callable[[Atom], bool] = lambda candidate: True) -> list[Atom]:
    """The first atom that is better, or else the first of all; empty if there is none."""
    return [*filter(better, fit), *fit][:1]


def _contrary(house: House, engine: HouseEngine, fact: Atom) -> list[Atom]:
    """The opposite state, or the place of the thing at the start, or else another place of the same kind."""
    other = opposite(fact)
    if other is not None or len(fact.args) == 1:
        return [other] if other else []
    places = [place for place in _pool(house, engine, fact) if place.args[0] == fact.args[0]]
    return _first(places, lambda place: holds(engine, place))


def _pool(house: House, engine: HouseEngine, fact: Atom) -> list[Atom]:
    """Facts with the same predicate about other things, or with another place; those of the same types first.

    Facts about other objects hold at the start, so that they are as likely as the fact itself.
    """
    candidates = [candidate for candidate in dict.fromkeys(_facts(house, engine, fact)) if candidate != fact]
    like = [_type(name) for name in fact.args]
    return sorted(candidates, key=lambda candidate: [_type(name) for name in candidate.args] != like)


def _facts(house: House, engine: HouseEngine, fact: Atom) -> Iterator[Atom]:
    name = fact.predicate
    if opposite(fact) is not None:
        yield from (
            Atom(name, (entity,)) for entity in sorted(house.turned) if house.facts.get((name, entity))
        )
    elif name == "agent_in_room":
        rooms = ((agent, house.spot_room[house.start_spot[agent]]) for agent in house.agents)
        yield from (Atom(name, pair) for pair in (*rooms, *((fact.args[0], room) for room in house.rooms)))
    else:
        for o in sorted(house.objects):
            yield from _there(house, engine, name, o)
        yield from _elsewhere(house, fact)


def _there(house: House, engine: HouseEngine, name: str, o: str) -> Iterator[Atom]:
    """The place of an object at the start, in terms of a predicate."""
    how, where = engine.current.place_of(o)
    if name == "is_next_to":
        yield from (Atom(name, (o, p)) for p in sorted(house.objects) if engine.layout.next_to(o, p))
    elif name == "is_in_room":
        yield Atom(name, (o, house.room_of[where]))
    elif name == "is_on_floor" and how == "lies_on":
        yield Atom(name, (o,))
    elif name == how:
        yield Atom(name, (o, where))


def _elsewhere(house: House, fact: Atom) -> Iterator[Atom]:
    """Other places for the same object, those of the same type first."""
    name, o, *place = fact.predicate, *fact.args
    if name in ("is_on_top", "is_inside"):
        fit = [f for f in house.furniture if house.facts.get((name, o, f))]
        yield from (Atom(name, (o, f)) for f in sorted(fit, key=lambda f: (_type(f) != _type(place[0]), f)))
    else:
        others = {"is_in_room": house.rooms, "is_held_by": house.agents, "is_next_to": sorted(house.objects)}
        yield from (Atom(name, (o, other)) for other in others.get(name, ()) if other != o)


def _type(name: str) -> str:
    return name.rpartition("_")[0]
