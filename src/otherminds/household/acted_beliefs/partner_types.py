"""The types of partners: each a function from what the partner has seen and heard to the place where it goes.

A type is of the order of the belief that its acts follow from: 1 if it acts on where it thinks that the thing is, 2 if on
where it thinks that ego thinks so, and so on. A type of order 0 needs no theory of mind to be predicted. With probability
``slip`` a partner goes to a place at random."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any, TypeAlias

from msgspec import Struct

from otherminds.core.errors import StudyError
from otherminds.core.record import SeatSpec
from otherminds.core.wording import name_value
from otherminds.household.acted_beliefs.contexts import PartnerView

Destination: TypeAlias = Callable[[PartnerView, int, int], int]
"""The place of a partner, from its view, where the thing is, and the number of places."""


class PartnerType(Struct, frozen=True):
    """A type of partner. ``goes`` gives its place without a slip, ``about`` says the same in words."""

    name: str
    order: int
    goes: Destination
    about: str


def habit(place: int) -> PartnerType:
    """Goes to the same place every time."""
    return PartnerType(
        f"habit({place=})",
        0,
        lambda view, now, size: place,
        f"goes to place {place + 1} of the list every time",
    )


REALITY = PartnerType("reality", 0, lambda view, now, size: now, "goes where the thing is")
BELIEF = PartnerType(
    *("belief", 1, lambda view, now, size: view.thinks[0]),
    "goes where it last saw the thing, or was told since that it is",
)
DISTRUSTFUL = PartnerType(
    *("distrustful", 1, lambda view, now, size: view.sighting),
    "goes where it last saw the thing, whatever it is told",
)
CREDULOUS = PartnerType(
    *("credulous", 1, lambda view, now, size: view.sighting if view.message is None else view.message),
    "goes where it was last told that the thing is, whatever it sees",
)
SECOND_ORDER = PartnerType(
    *("second_order", 2, lambda view, now, size: view.thinks[1]),
    "goes where it thinks that you think the thing is",
)
THIRD_ORDER = PartnerType(
    *("third_order", 3, lambda view, now, size: view.thinks[2]),
    "goes where it thinks that you think that it thinks the thing is",
)


def search(view: PartnerView, now: int, size: int) -> int:
    """Where a searcher ends: it has time for two places, its belief and the next one in the order of their numbers."""
    believed = view.thinks[0]
    return believed if believed == now else (believed + 1) % size


SEARCHER = PartnerType(
    *("searcher", 1, search),
    "goes where it believes the thing to be, and one place further, in the order of the list, if it is not there",
)
FIXED = (REALITY, BELIEF, DISTRUSTFUL, CREDULOUS, SECOND_ORDER, THIRD_ORDER, SEARCHER)
TYPES: dict[str, PartnerType] = {kind.name: kind for kind in FIXED}
"""The types without a parameter, by name."""
HABIT = "habit"

POPULATIONS: dict[str, tuple[str, ...]] = {
    "first": ("reality", "belief", HABIT),
    "second": ("reality", "belief", "second_order", HABIT),
    "messages": ("belief", "distrustful", "credulous", HABIT),
    "all": (
        "reality",
        "belief",
        "distrustful",
        "credulous",
        "second_order",
        "third_order",
        "searcher",
        HABIT,
    ),
    "held_out": ("third_order", "searcher", HABIT),
}
"""The types of each population, equally likely. ``held_out`` has those that no other population but ``all`` has."""
DESIGN_OF: dict[str, str] = {"held_out": "all"}
"""The design of contexts of a population, where it is not that of its own name."""


def find_type(spec: SeatSpec) -> PartnerType:
    """The type that a member of a population has.

    Raises:
        StudyError: there is no such type, or it does not take these parameters.
    """
    if spec.mind == HABIT and [*spec.params] == ["place"] and isinstance(spec.params["place"], int):
        return habit(spec.params["place"])
    if spec.mind in TYPES and not spec.params:
        return TYPES[spec.mind]
    names = ", ".join((*TYPES, HABIT))
    given = ", ".join(f"{name}={name_value(value)}" for name, value in spec.params.items())
    raise StudyError(
        f"there is no partner {spec.mind}({given}); there are {names}, and {HABIT} takes a place"
    )


def list_members(population: str, size: int) -> tuple[tuple[Fraction, SeatSpec], ...]:
    """The members of a population with their weights: types share equally, and a habit is of each place equally often."""
    share = Fraction(1, len(POPULATIONS[population]))
    members: list[tuple[Fraction, SeatSpec]] = []
    for name in POPULATIONS[population]:
        params: list[dict[str, Any]] = [{"place": place} for place in range(size)] if name == HABIT else [{}]
        members += [(share / len(params), SeatSpec(name, entry)) for entry in params]
    return tuple(members)
