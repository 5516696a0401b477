"""Plans on a map with boxes and other players: collect boxes, explore, seek a duel."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Collection
from dataclasses import dataclass
from random import Random
from typing import TypeAlias

from otherminds.models.competent.parsing import Prompt

Place: TypeAlias = tuple[int, int]

LEAD = 5
"""The lead of the target kind at which a duel is sought."""
FRESH = 60
"""Steps for which an earlier sighting of a player is used."""
NEAR = 3
"""The distance in moves within which a place counts as seen."""
STRIDE = 8
"""The distance in moves of the next place to explore: beyond the view."""
STEP = re.compile(r"It is step (\d+)")


@dataclass(frozen=True)
class BoxScene:
    """A scene with boxes; ``here`` is ``None`` off the map."""

    here: Place | None
    held: dict[str, int]
    ground: frozenset[Place]
    boxes: dict[str, tuple[Place, ...]]
    """Places of boxes in view or seen earlier, by kind."""
    sighted: frozenset[Place]
    """Every place in the prompt."""
    players: dict[str, Place]
    """Others in view."""
    remembered: dict[str, tuple[Place, int]]
    """Others seen earlier, with the step."""
    step: int


def scene(prompt: Prompt) -> BoxScene | None:
    """The scene in ``prompt``; ``None`` if it is of another kind."""
    inventory = prompt.value("You hold")
    ground = prompt.value("Valid places for move_to")
    if not isinstance(inventory, dict) or not isinstance(ground, list):
        return None
    boxes: dict[str, list[Place]] = {}
    for when in (" in view", " seen earlier"):
        for kind, sightings in prompt.each("Boxes of ", when).items():
            boxes.setdefault(kind, []).extend(sighting[0] for sighting in sightings)
    players = dict(prompt.value("Other players in view", []))
    remembered = {
        sighting[0]: (sighting[1], sighting[2]) for sighting in prompt.value("Other players seen earlier", [])
    }
    step = STEP.search(prompt.user)
    sighted = {place for places in boxes.values() for place in places}
    sighted |= {*players.values(), *(place for place, _ in remembered.values())}
    return BoxScene(
        position(prompt.told.get("You are at", "")),
        inventory,
        frozenset(ground),
        {kind: tuple(places) for kind, places in boxes.items()},
        frozenset(sighted),
        players,
        remembered,
        int(step[1]) if step else 0,
    )


def plan(at: BoxScene, kind: str, opponents: Collection[str], rng: Random) -> tuple[list[str], str]:
    """Calls towards a duel with mostly ``kind``, with one of ``opponents`` if not empty, and why."""
    if at.here is None:
        return [f"move_to({middle(at)}, {middle(at)})"], "I am off the map and go to its middle later."
    missing = (
        LEAD
        - at.held.get(kind, 0)
        + max(count for other_kind, count in at.held.items() if other_kind != kind)
    )
    return _collecting(at, kind, missing, rng) if missing > 0 else _seeking(at, opponents, rng)


def _collecting(at: BoxScene, target: str, missing: int, rng: Random) -> tuple[list[str], str]:
    here = at.here or middle(at)
    uncollected = {place for place in at.boxes.get(target, ()) if place != here}
    calls: list[str] = []
    while uncollected and len(calls) < missing:
        ways = distances(at.ground, here)
        nearest = min(uncollected, key=lambda place: (ways.get(place, len(at.ground)), place))
        calls.append(f"move_to({here}, {nearest})")
        uncollected.remove(nearest)
        here = nearest
    if calls:
        return (
            calls,
            f"I need {missing} more of {target} and collect those that I know of, the nearest first.",
        )
    goal = unexplored_place(at, rng)
    return [f"move_to({here}, {goal})"], f"I know of no {target}, so I look elsewhere."


def _seeking(at: BoxScene, sought: Collection[str], rng: Random) -> tuple[list[str], str]:
    here = at.here or middle(at)
    ways = distances(at.ground, here)
    in_view = [place for name, place in at.players.items() if not sought or name in sought]
    if in_view:
        nearest = min(in_view, key=lambda place: ways.get(place, 0))
        return [f"fire_at({_open(at, nearest)})"], "I see my target."
    lately = [
        (step, place)
        for name, (place, step) in at.remembered.items()
        if (not sought or name in sought)
        and at.step - step <= FRESH
        and ways.get(place, len(at.ground)) > NEAR
    ]
    if lately:
        return [f"fire_at({_open(at, max(lately)[1])})"], "I go where I saw my target last."
    centre = middle(at)
    if ways.get(centre, 0) > NEAR:
        return [f"fire_at({centre})"], "I wait for a duel in the middle of the map."
    goal = rng.choice(sorted(place for place, way in ways.items() if way >= STRIDE) or [centre])
    return [f"move_to({here}, {goal})"], "Nobody is here, so I look elsewhere."


def unexplored_place(at: BoxScene, rng: Random) -> Place:
    """A distant place, far from everything seen."""
    here = at.here or middle(at)
    ways = distances(at.ground, here)
    new = [place for place, way in ways.items() if way >= STRIDE] or [*ways]
    sighted = [*at.sighted, here]

    def spread(place: Place) -> int:
        return min(*(abs(place[0] - x) + abs(place[1] - y) for x, y in sighted), STRIDE)

    most = max(map(spread, new))
    return rng.choice(sorted(place for place in new if spread(place) >= most - 1))


def middle(at: BoxScene) -> Place:
    """The valid place nearest to the middle of the map."""
    xs, ys = zip(*at.ground, strict=True)
    return _open(at, ((min(xs) + max(xs)) // 2, (min(ys) + max(ys)) // 2))


def _open(at: BoxScene, place: Place) -> Place:
    return min(at.ground, key=lambda cell: (abs(cell[0] - place[0]) + abs(cell[1] - place[1]), cell))


def distances(ground: Collection[Place], start: Place) -> dict[Place, int]:
    """Moves from ``start`` to every place that can be reached, itself included."""
    moves = {start: 0}
    queue = deque([start])
    while queue:
        x, y = queue.popleft()
        for place in ((x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1)):
            if place in ground and place not in moves:
                moves[place] = moves[x, y] + 1
                queue.append(place)
    return moves


def position(text: str) -> Place | None:
    """The place in ``(3, 4), facing N``; ``None`` where there is none."""
    match = re.match(r"\((\d+), (\d+)\)", text)
    return (int(match[1]), int(match[2])) if match else None
