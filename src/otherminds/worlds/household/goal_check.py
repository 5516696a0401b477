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
    """A step of an engine as far as this module needs it.

    ``sights`` are the masks of what each agent sees, ``meets`` those of the agents that it sees.
    """

    house: House
    state: int
    passed: tuple[int, ...]
    glimpsed: tuple[int, ...]
    sights: tuple[int, ...]
    meets: tuple[int, ...]
    layout: HouseLayout

    @classmethod
    def of(cls, engine: HouseEngine, spatial: bool) -> Look:
        """The engine as it is now; ``spatial`` keeps where objects lie, for ``is_next_to``."""
        numbers = range(len(engine.agents))
        layout = engine.layout
        if spatial:
            layout = copy(layout)
            layout.at = dict(layout.at)
        return cls(
            engine.house,
            engine.state,
            tuple(engine.passed),
            tuple(engine.glimpsed),
            tuple(engine.seen(i) for i in numbers),
            tuple(sum(1 << j for j in numbers if engine.meets(i, j)) for i in numbers),
            layout,
        )

    def seen(self, i: int) -> int:
        """The mask of the facts that agent ``i`` saw, whether or not they held."""
        return self.sights[i]

    def together(self, i: int, j: int) -> bool:
        """Whether two agents saw each other."""
        return bool(self.meets[i] >> j & 1 and self.meets[j] >> i & 1)


View: TypeAlias = HouseEngine | Look
"""What the functions below read: an engine now, or a step kept for later."""


def witnesses(house: House, fact: Fact) -> int:
    """The mask of the stored facts any of which makes ``fact`` hold: itself, or what an axiom names."""
    known = house.witnessed.get(fact)
    if known:
        return known
    mask = house.facts.get(fact)
    if fact[0] == "is_on_top":
        # What is on a floor lies there.
        mask |= house.facts.get(("lies_on", *fact[1:]))
    for axiom in AXIOMS:
        if axiom.head[0] != fact[0] or len(axiom.head) != len(fact):
            continue
        values = dict(zip(axiom.head[1:], fact[1:], strict=True))
        (free, _), *_ = axiom.parameters
        for f in house.furniture:
            stored, *others = (bound(part, values | {free: f}) for part in axiom.body)
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
    """Whether ``literal`` does not hold, or did not for a moment of the last step.

    ``is_next_to`` is asked at the end alone: nobody takes up what was put down in the same step,
    since nobody has seen it there.
    """
    if not holds(engine, literal):
        return True
    fact = atom(literal)
    if fact.predicate == "is_next_to":
        return False
    mask = witnesses(engine.house, _fact(fact))
    return any(bool(state & mask) == isinstance(literal, Not) for state in engine.passed)


def about(house: House, fact: Atom) -> int:
    """The mask of the facts any of which settles ``fact``: where its object is, or how its thing is turned."""
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
    # Who sees an object sees how it is turned; ``seen`` names only states that may have changed.
    return fact.predicate != "is_next_to" and bool(seen & engine.house.rests.get(fact.args[0], 0))


def missed(engine: View, i: int, literal: Literal) -> bool:
    """Whether agent ``i`` sees that an object is not where ``literal`` denies it to be: it sees all of that place."""
    if not isinstance(literal, Not) or literal.inside.predicate == "is_next_to":
        return False
    mask = witnesses(engine.house, _fact(literal.inside))
    return bool(mask) and not mask & ~engine.seen(i)


def glimpsed(engine: View, i: int, literal: Literal) -> bool:
    """Whether agent ``i`` saw on its way in the last step what settles ``literal``, as it has been since."""
    seen = engine.glimpsed[i]
    if not seen:
        return False
    for state in engine.passed[i:]:
        seen &= state
    return _settled(engine.house, atom(literal), seen)


def _settled(house: House, fact: Atom, seen: int) -> bool:
    """Whether facts that are ``seen`` settle ``fact``."""
    if fact.predicate == "is_next_to":
        return all(seen & house.rests.get(o, 0) for o in fact.args)
    return bool(seen & about(house, fact))


def _fact(fact: Atom) -> Fact:
    return (fact.predicate, *fact.args)


def implies(house: House, told: Literal, fact: Literal) -> bool:
    """Whether ``fact`` holds wherever ``told`` does, both in their positive form.

    An object is at one place, and an agent in one room; furniture is where the plan of the house has it.
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
    """Whether an object or an agent that is where ``told`` says cannot be where ``other`` says."""
    if told.args[:1] != other.args[:1] or told == other:
        return False
    if told.predicate == other.predicate == "agent_in_room":
        return True
    spots = ("is_on_top", "is_inside", "is_held_by", "is_on_floor")
    if told.predicate in spots and other.predicate in spots:
        # A floor is something that one can be on, too.
        return "is_on_floor" not in (told.predicate, other.predicate) or not _floors(told, other)
    if other.predicate == "is_in_room":
        room = told.args[1] if told.predicate == "is_in_room" else house.room_of.get(told.args[-1])
        return told.predicate in (*spots[:2], "is_in_room") and room not in (None, other.args[1])
    if told.predicate == "is_in_room" and other.predicate in spots[:2]:
        return house.room_of.get(other.args[1]) != told.args[1]
    return told.predicate == "is_in_room" and other.predicate == "is_held_by"


def _floors(one: Atom, other: Atom) -> bool:
    """Whether one of two places is a floor by its name."""
    return any(
        place.args[-1].startswith("floor_") for place in (one, other) if place.predicate == "is_on_top"
    )
