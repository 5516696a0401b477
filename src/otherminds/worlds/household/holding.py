"""What holds: literals of a goal, by the state and, for ``is_next_to``, by the boxes of objects."""

from __future__ import annotations

from otherminds.epistemic.formula import Atom, Literal, Not
from otherminds.worlds.household.engine import Engine
from otherminds.worlds.household.house import House
from otherminds.worlds.household.rules.actions import AXIOMS
from otherminds.worlds.household.rules.rule import Fact, bound


def witnesses(house: House, fact: Fact) -> int:
    """The mask of the stored facts any of which makes ``fact`` hold: itself, or what an axiom names."""
    known = house.witnessed.get(fact)
    if known:
        return known
    mask = house.facts.get(fact)
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


def holds(engine: Engine, literal: Literal) -> bool:
    """Whether ``literal`` holds in the state of ``engine``."""
    if isinstance(literal, Not):
        return not holds(engine, literal.inside)
    if literal.predicate == "is_next_to":
        return engine.layout.next_to(*literal.args)
    return bool(engine.state & witnesses(engine.house, _fact(literal)))


def about(house: House, atom: Atom) -> int:
    """The mask of the facts any of which settles ``atom``: where its object is, or how its thing is turned."""
    thing = atom.args[0]
    if atom.predicate == "agent_in_room":
        return house.rooms_mask.get(thing, 0)
    if atom.predicate in ("is_on_top", "is_inside", "is_in_room", "is_on_floor", "is_held_by"):
        return house.rests.get(thing, 0)
    return house.turned.get(thing, 0)


def visible(engine: Engine, i: int, literal: Literal) -> bool:
    """Whether agent ``i`` sees now what settles ``literal``."""
    atom = literal.inside if isinstance(literal, Not) else literal
    seen = engine.seen(i) & engine.state
    if atom.predicate == "is_next_to":
        return all(seen & engine.house.rests.get(o, 0) for o in atom.args)
    # Who sees an object sees how it is turned; ``seen`` names only states that may have changed.
    return bool(seen & (about(engine.house, atom) | engine.house.rests.get(atom.args[0], 0)))


def _fact(atom: Atom) -> Fact:
    return (atom.predicate, *atom.args)
