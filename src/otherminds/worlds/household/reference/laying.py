"""Where to put a thing, so that all that is wanted of its place holds at once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from otherminds.epistemic.formula import Atom, Literal, atom
from otherminds.worlds.household.reference.knowledge import Knowledge
from otherminds.worlds.household.reference.picture import Value
from otherminds.worlds.household.scenes.scene import floor_of

RESTING = ("is_on_top", "is_inside", "is_in_room", "is_on_floor")
"""The predicates that say where an object rests."""
HOW = {"is_on_top": "on", "is_inside": "within", "lies_on": "on"}
"""The word of a call of ``Place``, by how an object is to rest."""


class Layer:
    """Places for objects, by what one agent knows."""

    def __init__(self, knowledge: Knowledge) -> None:
        self._knowledge = knowledge

    def choose(self, o: str, goal: Literal, wanted: Sequence[Literal]) -> tuple[str, str] | None:
        """Where to put ``o``: with what is to be next to it, if all that is wanted of both can hold; else for itself.

        For ``goal`` alone where the other goals exclude it.
        """
        company = [one for fact in map(atom, wanted) if fact.predicate == "is_next_to" for one in fact.args]
        beside = [one for one in company if one != o] if o in company else []
        return self.place((o, *beside), wanted) or self.place((o,), wanted) or self.place((o,), (goal,))

    def place(self, things: Sequence[str], wanted: Sequence[Literal]) -> tuple[str, str] | None:
        """The relation and furniture of a call that puts any of ``things`` where all of them may lie.

        None where nothing fits that one can come to: goals that exclude one another.
        """
        rooms = self._knowledge.rooms(self._knowledge.me)
        for how, f in self._places(things, wanted):
            if self._knowledge.plan.room_of.get(f) in rooms and self.fits(things, wanted, (how, f)):
                return HOW[how], f
        return None

    def fits(self, things: Sequence[str], wanted: Sequence[Literal], place: Value) -> bool:
        """Whether nothing that is wanted of the place of ``things`` speaks against ``place``."""
        picture = self._knowledge.picture
        return all(picture.would(literal, place) is not False for literal in _of(things, wanted))

    def _places(self, things: Sequence[str], wanted: Sequence[Literal]) -> Iterator[tuple[str, str]]:
        """Where things may be meant to lie, the likeliest first: the furniture named, then floors, then the rest."""
        named = [literal for literal in _of(things, wanted) if isinstance(literal, Atom)]
        yield from ((fact.predicate, fact.args[1]) for fact in named if fact.predicate in HOW)
        knowledge = self._knowledge
        near = knowledge.plan.hops(knowledge.room, knowledge.barred[knowledge.me])
        asked = [fact.args[1] for fact in named if fact.predicate == "is_in_room"]
        rooms = [*asked, *(room for room in near if room not in asked)]
        yield from (("lies_on", floor_of(room)) for room in rooms)
        for how, kind in (("is_on_top", "surface"), ("is_inside", "container")):
            able = knowledge.plan.all_that(kind)
            yield from ((how, f) for room in rooms for f in able if knowledge.plan.room_of[f] == room)


def _of(things: Sequence[str], wanted: Sequence[Literal]) -> list[Literal]:
    """What of ``wanted`` says where one of ``things`` rests."""
    return [
        literal
        for literal in wanted
        if atom(literal).predicate in RESTING and atom(literal).args[0] in things
    ]
