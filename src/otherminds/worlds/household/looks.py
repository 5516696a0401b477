"""What was so and was seen after one step, kept for later; and what follows from where a thing is."""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass

from otherminds.epistemic.formula import Atom, Literal, Not
from otherminds.worlds.household.engine import HouseEngine
from otherminds.worlds.household.house import House
from otherminds.worlds.household.layout import HouseLayout


@dataclass(frozen=True, slots=True)
class Look:
    """A step of an engine as far as :mod:`~otherminds.worlds.household.goal_check` asks for it.

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
