"""The part of a house that a plan with the fewest joint turns can need.

A walk takes one turn, whatever its length. Hence a spot matters only by its room and the furniture in its reach. Left out
is everything that something kept can replace in every plan, turn by turn:

- objects that the goal does not name (all vessels are kept if something must be filled);
- furniture that neither the goal nor a mechanic names, on which no object of the goal rests at the start, and that is
  not a better place for a handover than one that is kept;
- spots that do not reach more furniture than another spot in the same room.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from msgspec import Struct

from otherminds.household.epistemic.formula import Literal, atom, physical
from otherminds.household.house import House
from otherminds.household.rules.actions import PLACES
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
