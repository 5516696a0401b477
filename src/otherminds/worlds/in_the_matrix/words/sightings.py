"""What a seat sees and remembers of an *in the matrix* substrate, a line for each kind of thing.

Cross et al. 2025, appendices D.1 and D.2: "printing each entity type with a list of
all the coordinates" told best; memory adds the step in which something was seen.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from otherminds.core.data import Moment
from otherminds.core.scaffold import Place, Seen, Sighting
from otherminds.worlds.grid.actions import COMPASS
from otherminds.worlds.in_the_matrix.rules import Rules
from otherminds.worlds.in_the_matrix.sight import Sight
from otherminds.worlds.in_the_matrix.words.naming import SeatVocabulary

BOX = "box of "
GONE = "no box"
"""Where a box may grow and none lies: worth remembering, because it outdates a box seen there before."""


def looked(rules: Rules, moment: Moment) -> Sight:
    """What this one moment shows; nothing is remembered."""
    sight = Sight(rules)
    sight.see(moment.observation, moment.step)
    return sight


def open_places(rules: Rules) -> list[Place]:
    """Every place free of walls, row by row."""
    width, height = rules.size
    walls = {*rules.walls}
    return [(x, y) for y in range(height) for x in range(width) if (x, y) not in walls]


def scene(words: SeatVocabulary, sight: Sight) -> str:
    """Where one is, what one holds, and what is in view with its distance in steps (boxes) or its name (players)."""
    rules = words.substrate
    width, height = rules.size
    lines = [
        f"Map: {width} by {height}",
        f"Valid places for move_to: {open_places(rules)}",
        _standing(sight),
        _holding(rules, sight),
    ]
    for kind, name in enumerate(rules.classes):
        near = [(place, _away(sight, place)) for place in boxes(sight, kind)]
        lines.append(f"Boxes of {name} in view: {near}")
    lines.append(f"Other players in view: {[*players(words, sight)]}")
    return "\n".join(lines)


def state(words: SeatVocabulary, sight: Sight) -> str:
    """Where one is and what one holds, in one line."""
    return f"{_standing(sight)}. {_holding(words.substrate, sight)}."


def boxes(sight: Sight, kind: int) -> list[Place]:
    """Where boxes of class number ``kind`` are seen now."""
    places = sight.rules.places
    return [places[n] for n in _places(sight) if sight.there[n] and sight.kind[n] == kind]


def players(words: SeatVocabulary, sight: Sight) -> Iterator[tuple[str, Place]]:
    """Who is seen now, and where."""
    for other in sorted(sight.others):
        yield (f"player {other.player}" if words.substrate.distinct else "the other player"), other.cell


def sightings(words: SeatVocabulary, sight: Sight) -> tuple[Sighting, ...]:
    """Boxes, places where boxes grow and none lies now, and other players."""
    found = [
        Sighting(f"{BOX}{name}", place)
        for kind, name in enumerate(words.substrate.classes)
        for place in boxes(sight, kind)
    ]
    gone = [sight.rules.places[n] for n in _places(sight) if not sight.there[n]]
    found += [Sighting(GONE, place) for place in gone]
    found += [Sighting(name, place, moves=True) for name, place in players(words, sight)]
    return tuple(found)


def recall(words: SeatVocabulary, seen: Sequence[Seen], sight: Sight, distances: bool = False) -> str:
    """Of each place and each player what was seen last, unless the place is in view, or the player is.

    With ``distances`` from where one is; off the map there are none.
    """

    def far(place: Place) -> tuple[int, ...]:
        return (_away(sight, place),) if distances and sight.pose is not None else ()

    rules = words.substrate
    now = {*_in_view(sight)}
    present = {name for name, _ in players(words, sight)}
    lying: dict[Place, Seen] = {}
    met: dict[str, Seen] = {}
    for one in sorted(seen, key=lambda one: one.step):
        if one.sighting.thing == GONE or one.sighting.thing.startswith(BOX):
            lying[one.sighting.place] = one
        else:
            met[one.sighting.thing] = one
    lines: list[str] = []
    for name in rules.classes:
        left = [
            (place, one.step, *far(place))
            for place, one in sorted(lying.items(), key=lambda item: (item[0][1], item[0][0]))
            if one.sighting.thing == f"{BOX}{name}" and place not in now
        ]
        lines.append(f"Boxes of {name} seen earlier: {left}")
    others = [
        (name, one.sighting.place, one.step, *far(one.sighting.place))
        for name, one in sorted(met.items())
        if name not in present and one.sighting.place not in now
    ]
    lines.append(f"Other players seen earlier: {others}")
    return "\n".join(lines)


def _places(sight: Sight) -> list[int]:
    """The numbers of the places where boxes grow that are in view."""
    return [n for n, step in enumerate(sight.seen) if sight.pose is not None and step == sight.step]


def _in_view(sight: Sight) -> Iterator[Place]:
    ys, xs = (sight.looked == sight.step).nonzero()
    if sight.pose is not None:
        yield from zip(xs.tolist(), ys.tolist(), strict=True)


def _standing(sight: Sight) -> str:
    if sight.pose is None:
        return "You are at: nowhere, off the map until you come back at a random place"
    x, y, facing = sight.pose
    return f"You are at: ({x}, {y}), facing {COMPASS[facing]}"


def _holding(rules: Rules, sight: Sight) -> str:
    held: dict[str, Any] = dict(zip(rules.classes, sight.inventory, strict=True))
    return f"You hold: {held}"


def _away(sight: Sight, place: Place) -> int:
    """How far a place is from the own one, in steps east or west and north or south."""
    assert sight.pose is not None
    return abs(place[0] - sight.pose[0]) + abs(place[1] - sight.pose[1])
