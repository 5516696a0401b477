"""Whether literals of a goal hold and who sees it: by the state and, for ``is_next_to``, by the boxes of objects."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias
from weakref import WeakKeyDictionary

from msgspec import Struct

from otherminds.core.errors import TaskError
from otherminds.household.engine import HouseEngine
from otherminds.household.epistemic.formula import Atom, Literal, Not, atom, show
from otherminds.household.epistemic.predicates import OPPOSITES, RESTS
from otherminds.household.house import House
from otherminds.household.layout import HouseLayout
from otherminds.household.rules import AXIOMS, Fact, bound


class Look(Struct, frozen=True):
    """A snapshot of an engine after a step, as far as this module needs it.

    ``sights[i]`` is the mask of what agent ``i`` sees, ``company[i]`` that of the agents that it sees.
    """

    house: House
    state: int
    layout: HouseLayout
    passed: Sequence[int]
    glimpsed: Sequence[int]
    sights: tuple[int, ...]
    company: tuple[int, ...]

    @classmethod
    def of(cls, engine: HouseEngine, spatial: bool) -> Look:
        """A snapshot of the engine after all have observed; ``spatial`` copies the layout, which ``is_next_to`` needs."""
        layout = engine.layout.fresh() if spatial else engine.layout
        passed, glimpsed, sight = engine.passed, engine.glimpsed, engine.sight
        return cls(engine.house, engine.state, layout, passed, glimpsed, sight.sights, sight.company)

    def facts_in_view(self, i: int) -> int:
        """The mask of the facts that agent ``i`` saw, whether or not they held."""
        return self.sights[i]


View: TypeAlias = HouseEngine | Look
"""An engine now, or a snapshot of it."""


class CompiledLiteral:
    """A literal compiled for a house, to be checked in many states.

    ``mask`` contains all facts that make a difference. ``pair`` are the two things of ``is_next_to``, which holds or not by
    their boxes, and is empty for all other literals.
    """

    __slots__ = ("_about", "_denied", "_fixed", "_parts", "_shown", "_witnesses", "mask", "pair")

    def __init__(self, house: House, literal: Literal) -> None:
        fact = atom(literal)
        args = fact.args
        self._denied = isinstance(literal, Not)
        self.pair = args if fact.predicate == "is_next_to" else ()
        # Furniture does not move: whether it is in a room never changes.
        self._fixed = fact.predicate == "is_in_room" and house.room_of.get(args[0]) == args[1]
        self._parts = tuple(house.rests.get(entity, 0) for entity in self.pair)
        self._witnesses = 0 if self.pair else witnesses(house, _fact(fact))
        self._about = about(house, fact) if args else 0
        # An agent that sees an object sees its states; a sight has only the states that may have changed.
        self._shown = self._about | house.rests.get(args[0], 0) if args else 0
        self.mask = self._witnesses | self._shown
        for part in self._parts:
            self.mask |= part

    def holds(self, view: View) -> bool:
        """Whether the literal holds."""
        fact_holds = (
            view.layout.next_to(*self.pair)
            if self.pair
            else self._fixed or bool(view.state & self._witnesses)
        )
        return fact_holds != self._denied

    def failed(self, view: View) -> bool:
        """Whether the literal, which holds now, did not hold at some time during the last step.

        ``is_next_to`` is checked at the end of the step only: an object that was put down in a step is not picked up in
        the same step, since no other agent has seen it there.
        """
        if self.pair or self._fixed:
            return False
        now, mask, denied = view.state, self._witnesses, self._denied
        return any(state is not now and bool(state & mask) == denied for state in view.passed)

    def seers(self, look: Look) -> int:
        """The mask of the agents that see that the literal holds, which it does.

        Of a negated one they see what settles it, or all of the place where the object is not.
        """
        agents, place = 0, self._witnesses if self._denied else 0
        for i, sight in enumerate(look.sights):
            if self._settles(sight & look.state, self._shown) or (place and not place & ~sight):
                agents |= 1 << i
        return agents

    def alone(self, look: Look) -> int:
        """The mask of the agents that saw what settles the literal while they walked."""
        agents = 0
        for i, facts in enumerate(look.glimpsed):
            if facts and self.glimpsed(look, i):
                agents |= 1 << i
        return agents

    def visible(self, view: View, i: int) -> bool:
        """Whether agent ``i`` sees now what settles the literal."""
        return self._settles(view.facts_in_view(i) & view.state, self._shown)

    def glimpsed(self, view: View, i: int) -> bool:
        """See :func:`glimpsed`."""
        facts = view.glimpsed[i] & self.mask
        if not facts:
            return False
        for state in view.passed[i:]:
            facts &= state
        return self._settles(facts, self._about)

    def _settles(self, facts: int, mask: int) -> bool:
        return all(facts & part for part in self._parts) if self.pair else bool(facts & mask)


_compiled: WeakKeyDictionary[House, dict[Literal, CompiledLiteral]] = WeakKeyDictionary()


def watch(house: House, literal: Literal) -> CompiledLiteral:
    """The literal compiled, once for a house."""
    watched = _compiled.setdefault(house, {})
    compiled = watched.get(literal)
    if compiled is None:
        compiled = watched[literal] = CompiledLiteral(house, literal)
    return compiled


def check_by_facts(house: House, literal: Literal) -> None:
    """Checks that facts settle a literal of the goal, which planners and proofs need.

    Raises:
        TaskError: it has ``is_next_to``, which depends on boxes.
    """
    if atom(literal).predicate == "is_next_to":
        raise TaskError(
            f"task {house.task.task_id!r}: the goal has {show(literal)}, which depends on the boxes of objects: planners "
            "and proofs have facts only; ask for a place, such as is_on_top"
        )


def witnesses(house: House, fact: Fact) -> int:
    """The mask of the stored facts any of which makes ``fact`` hold: itself, or the body of an axiom."""
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
    return mask


def holds(view: View, literal: Literal) -> bool:
    """Whether ``literal`` holds in the state of ``view``."""
    return watch(view.house, literal).holds(view)


def about(house: House, fact: Atom) -> int:
    """The mask of the facts any of which settles ``fact``: the place of its object, or the state of its thing."""
    entity = fact.args[0]
    if fact.predicate == "agent_in_room":
        return house.rooms_mask.get(entity, 0)
    if fact.predicate in RESTS:
        return house.rests.get(entity, 0)
    # The other states of a thing settle nothing: a kettle that is seen empty may be on.
    pair = (fact.predicate, OPPOSITES.get(fact.predicate, fact.predicate))
    return sum({house.facts.get((predicate, *fact.args)) for predicate in pair})


def visible(view: View, i: int, literal: Literal) -> bool:
    """Whether agent ``i`` sees now what settles ``literal``."""
    return watch(view.house, literal).visible(view, i)


def glimpsed(view: View, i: int, literal: Literal) -> bool:
    """Whether agent ``i``, while walking in the last step, saw what settles ``literal`` and has not changed since."""
    return watch(view.house, literal).glimpsed(view, i)


def _fact(fact: Atom) -> Fact:
    return (fact.predicate, *fact.args)


def implies(house: House, claim: Literal, fact: Literal) -> bool:
    """Whether ``claim`` implies ``fact``, both in positive form.

    An object is at one place and an agent in one room; furniture does not move.
    """
    if claim == fact:
        return True
    if isinstance(claim, Not):
        return False
    if isinstance(fact, Not):
        return _excludes(house, claim, fact.inside)
    lies = claim.predicate in ("is_on_top", "is_inside") and fact.predicate == "is_in_room"
    return lies and claim.args[0] == fact.args[0] and house.room_of.get(claim.args[1]) == fact.args[1]


def _excludes(house: House, claim: Atom, other: Atom) -> bool:
    """Whether an object or agent at the place of ``claim`` cannot be at the place of ``other``."""
    if claim.args[:1] != other.args[:1] or claim == other:
        return False
    if claim.predicate == other.predicate == "agent_in_room":
        return True
    spots = ("is_on_top", "is_inside", "is_held_by", "is_on_floor")
    if claim.predicate in spots and other.predicate in spots:
        # A floor can also be the argument of is_on_top.
        places = [spot for spot in (claim, other) if spot.predicate == "is_on_top"]
        floors = any(place.args[-1].startswith("floor_") for place in places)
        return "is_on_floor" not in (claim.predicate, other.predicate) or not floors
    if other.predicate == "is_in_room":
        room = claim.args[1] if claim.predicate == "is_in_room" else house.room_of.get(claim.args[-1])
        return claim.predicate in (*spots[:2], "is_in_room") and room not in (None, other.args[1])
    if claim.predicate == "is_in_room" and other.predicate in spots[:2]:
        return house.room_of.get(other.args[1]) != claim.args[1]
    return claim.predicate == "is_in_room" and other.predicate == "is_held_by"
