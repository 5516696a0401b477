"""Whether literals of a goal hold and who sees it: by the state and, for ``is_next_to``, by the boxes of objects."""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass
from typing import TypeAlias

from otherminds.epistemic.formula import Atom, Literal, Not, atom
from otherminds.epistemic.predicates import RESTS
from otherminds.worlds.household.engine import HouseEngine
from otherminds.worlds.household.house import House
from otherminds.worlds.household.layout import HouseLayout
from otherminds.worlds.household.rules.actions import AXIOMS
from otherminds.worlds.household.rules.rule import Fact, bound


@dataclass(frozen=True, slots=True)
class Look:
    """A snapshot of an engine after a step, as far as this module needs it.

    ``sights[i]`` is the mask of what agent ``i`` sees, ``meets[i]`` that of the agents that it sees.
    """

    house: House
    state: int
    layout: HouseLayout
    passed: tuple[int, ...]
    glimpsed: tuple[int, ...]
    sights: tuple[int, ...]
    meets: tuple[int, ...]

    @classmethod
    def of(cls, engine: HouseEngine, spatial: bool) -> Look:
        """A snapshot of the engine now; ``spatial`` copies the layout, which ``is_next_to`` needs."""
        numbers = range(len(engine.agents))
        layout = engine.layout
        if spatial:
            layout = copy(layout)
            layout.at = dict(layout.at)
        sights = tuple(map(engine.seen, numbers))
        meets = tuple(sum(1 << j for j in numbers if engine.meets(i, j)) for i in numbers)
        passed, glimpsed = tuple(engine.passed), tuple(engine.glimpsed)
        return cls(engine.house, engine.state, layout, passed, glimpsed, sights, meets)

    def seen(self, i: int) -> int:
        """The mask of the facts that agent ``i`` saw, whether or not they held."""
        return self.sights[i]

    def together(self, i: int, j: int) -> bool:
        """Whether two agents saw each other."""
        return bool(self.meets[i] >> j & 1 and self.meets[j] >> i & 1)


View: TypeAlias = HouseEngine | Look
"""An engine now, or a snapshot of it."""


def witnesses(house: House, fact: Fact) -> int:
    """The mask of the stored facts any of which makes ``fact`` hold: itself, or the body of an axiom."""
    if known := house.witnessed.get(fact):
        return known
    mask = house.facts.get(fact)
    if fact[0] == "is_on_top":
        # A floor stores what is on it as ``lies_on``.
        mask |= house.facts.get(("lies_on", *fact[1:]))
    for axiom in AXIOMS:
        if axiom.head[0] != fact[0] or len(axiom.head) != len(fact):
            continue
        values = dict(zip(axiom.head[1:], fact[1:], strict=True))
        for f in house.furniture:
            stored, *others = (bound(part, values | {"?f": f}) for part in axiom.body)
            if all(other in house.static for other in others):
                mask |= house.facts.get(stored)
    house.witnessed[fact] = mask
    return mask


def holds(engine: View, literal: Literal) -> bool:
    """Whether ``literal`` holds in the state of ``engine``."""
    if isinstance(literal, Not):
        return not holds(engine, literal.inside)
    if literal.predicate == "is_next_to":
        return engine.layout.next_to(*literal.args)
    return bool(engine.state & witnesses(engine.house, _fact(literal)))


def lapsed(engine: View, literal: Literal) -> bool:
    """Whether ``literal`` does not hold, or did not hold at some time during the last step.

    ``is_next_to`` is checked at the end of the step only: an object that was put down in a step is not picked up in the
    same step, since no other agent has seen it there.
    """
    if not holds(engine, literal):
        return True
    fact = atom(literal)
    if fact.predicate == "is_next_to":
        return False
    mask = witnesses(engine.house, _fact(fact))
    return any(bool(state & mask) == isinstance(literal, Not) for state in engine.passed)


def about(house: House, fact: Atom) -> int:
    """The mask of the facts any of which settles ``fact``: the place of its object, or the state of its thing."""
    thing = fact.args[0]
    if fact.predicate == "agent_in_room":
        return house.rooms_mask.get(thing, 0)
    if fact.predicate in RESTS:
        return house.rests.get(thing, 0)
    return house.turned.get(thing, 0)


def visible(engine: View, i: int, literal: Literal) -> bool:
    """Whether agent ``i`` sees now what settles ``literal``."""
    fact, seen = atom(literal), engine.seen(i) & engine.state
    if _settled(engine.house, fact, seen):
        return True
    # An agent that sees an object sees its states; ``seen`` has only the states that may have changed.
    return fact.predicate != "is_next_to" and bool(seen & engine.house.rests.get(fact.args[0], 0))


def missed(engine: View, i: int, literal: Literal) -> bool:
    """Whether agent ``i`` sees that a negated ``literal`` holds: it sees all of the place where the object is not."""
    if not isinstance(literal, Not) or literal.inside.predicate == "is_next_to":
        return False
    mask = witnesses(engine.house, _fact(literal.inside))
    return bool(mask) and not mask & ~engine.seen(i)


def glimpsed(engine: View, i: int, literal: Literal) -> bool:
    """Whether agent ``i``, while walking in the last step, saw what settles ``literal`` and has not changed since."""
    seen = engine.glimpsed[i]
    if not seen:
        return False
    for state in engine.passed[i:]:
        seen &= state
    return _settled(engine.house, atom(literal), seen)


def _settled(house: House, fact: Atom, seen: int) -> bool:
    if fact.predicate == "is_next_to":
        return all(seen & house.rests.get(o, 0) for o in fact.args)
    return bool(seen & about(house, fact))


def _fact(fact: Atom) -> Fact:
    return (fact.predicate, *fact.args)


def implies(house: House, told: Literal, fact: Literal) -> bool:
    """Whether ``told`` implies ``fact``, both in positive form.

    An object is at one place and an agent in one room; furniture does not move.
    """
    if told == fact:
        return True
    if isinstance(told, Not):
        return False
    if isinstance(fact, Not):
        return _excludes(house, told, fact.inside)
    lies = told.predicate in ("is_on_top", "is_inside") and fact.predicate == "is_in_room"
    return lies and told.args[0] == fact.args[0] and house.room_of.get(told.args[1]) == fact.args[1]


def _excludes(house: House, told: Atom, other: Atom) -> bool:
    """Whether an object or agent at the place of ``told`` cannot be at the place of ``other``."""
    if told.args[:1] != other.args[:1] or told == other:
        return False
    if told.predicate == other.predicate == "agent_in_room":
        return True
    spots = ("is_on_top", "is_inside", "is_held_by", "is_on_floor")
    if told.predicate in spots and other.predicate in spots:
        # A floor can also be the argument of is_on_top.
        places = [one for one in (told, other) if one.predicate == "is_on_top"]
        floors = any(place.args[-1].startswith("floor_") for place in places)
        return "is_on_floor" not in (told.predicate, other.predicate) or not floors
    if other.predicate == "is_in_room":
        room = told.args[1] if told.predicate == "is_in_room" else house.room_of.get(told.args[-1])
        return told.predicate in (*spots[:2], "is_in_room") and room not in (None, other.args[1])
    if told.predicate == "is_in_room" and other.predicate in spots[:2]:
        return house.room_of.get(other.args[1]) != told.args[1]
    return told.predicate == "is_in_room" and other.predicate == "is_held_by"
