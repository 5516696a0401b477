"""What holds: literals of a goal, by the state and, for ``is_next_to``, by the boxes of objects."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from otherminds.epistemic.formula import Atom, Literal, Not, atom
from otherminds.worlds.household.house import House
from otherminds.worlds.household.layout import HouseLayout
from otherminds.worlds.household.rules.actions import AXIOMS
from otherminds.worlds.household.rules.rule import Fact, bound


class Glance(Protocol):
    """What is asked of an engine here: its state, who sees what, and both in the course of the last step."""

    @property
    def house(self) -> House: ...
    @property
    def state(self) -> int: ...
    @property
    def passed(self) -> Sequence[int]: ...
    @property
    def glimpsed(self) -> Sequence[int]: ...
    @property
    def layout(self) -> HouseLayout: ...
    def seen(self, i: int) -> int: ...


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


def holds(engine: Glance, literal: Literal) -> bool:
    """Whether ``literal`` holds in the state of ``engine``."""
    if isinstance(literal, Not):
        return not holds(engine, literal.inside)
    if literal.predicate == "is_next_to":
        return engine.layout.next_to(*literal.args)
    return bool(engine.state & witnesses(engine.house, _fact(literal)))


def lapsed(engine: Glance, literal: Literal) -> bool:
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
    if fact.predicate in ("is_on_top", "is_inside", "is_in_room", "is_on_floor", "is_held_by"):
        return house.rests.get(thing, 0)
    return house.turned.get(thing, 0)


def visible(engine: Glance, i: int, literal: Literal) -> bool:
    """Whether agent ``i`` sees now what settles ``literal``."""
    fact, seen = atom(literal), engine.seen(i) & engine.state
    if _settled(engine.house, fact, seen):
        return True
    # Who sees an object sees how it is turned; ``seen`` names only states that may have changed.
    return fact.predicate != "is_next_to" and bool(seen & engine.house.rests.get(fact.args[0], 0))


def missed(engine: Glance, i: int, literal: Literal) -> bool:
    """Whether agent ``i`` sees that an object is not where ``literal`` denies it to be: it sees all of that place."""
    if not isinstance(literal, Not) or literal.inside.predicate == "is_next_to":
        return False
    mask = witnesses(engine.house, _fact(literal.inside))
    return bool(mask) and not mask & ~engine.seen(i)


def glimpsed(engine: Glance, i: int, literal: Literal) -> bool:
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
