"""Plans with skills, on a map with boxes and other players and in a kitchen.

It does every task if necessary, so that nothing waits for an absent teammate; with an active
teammate it does first what is nearer to itself."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Collection, Sequence
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


def plan_on_map(at: BoxScene, kind: str, opponents: Collection[str], rng: Random) -> tuple[list[str], str]:
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


TOMATOES, DISHES, DELIVERY = "tomato dispenser", "dish dispenser", "place of delivery"
POTS, COUNTERS = "pots", "counters"
FULL = 3
"""Tomatoes in a pot that cooks."""
SHARED = "My teammate does its part, so I do first what is nearer to me and leave the rest to it."
ALONE = "My teammate does too little, so I do everything myself: fill the pots, take the soup, deliver it."
SERVES = (
    "My teammate brings tomatoes, so I serve soup, and bring tomatoes only while there is nothing to serve."
)
FILLS = "My teammate serves the soup, so I bring tomatoes, and serve only what it leaves too long."
STANDS = "I stand still and do nothing."
HELPFUL = ("put a tomato into a pot", "picked up soup", "delivered soup")
"""A teammate's acts that contribute to a soup."""
IDLE = "stood around"
KITCHEN_ACTS = (
    "picked up a tomato",
    "put a tomato into a pot",
    "picked up a dish",
    "put down a dish",
    "picked up soup",
    "delivered soup",
    IDLE,
)
"""What a teammate may be seen to do."""
RESTING, FILLING, SERVING = (
    re.compile(words, re.IGNORECASE)
    for words in (
        r"\b(?:st(?:and|ood|ands) (?:around|still|idle)|nothing|idles?|too little)\b",
        r"\btomato(?:es)?\b|\bfill",
        r"\bdish(?:es)?\b|\bsoups?\b|\bserv|\bdeliver",
    )
)
"""Words of a sentence about a teammate who rests, brings tomatoes, or serves."""
LATELY = 3
"""Encounters over which a teammate is judged."""


@dataclass(frozen=True)
class KnownPot:
    """A pot; ``seen``: it is in view now."""

    place: Place
    tomatoes: int = 0
    bar: int = 0
    done: bool = False
    seen: bool = False


@dataclass(frozen=True)
class KitchenScene:
    """A scene of the own side of a kitchen."""

    here: Place
    held: str
    side: dict[str, tuple[Place, ...]]
    floor: tuple[Place, ...]
    pots: tuple[KnownPot, ...]
    lying: dict[Place, str]
    served: bool
    """A teammate in view holds a dish or soup."""


def cooks(prompt: Prompt) -> bool:
    """Whether ``prompt`` is about a kitchen."""
    return "tomato soup" in prompt.system


def kitchen(prompt: Prompt) -> KitchenScene | None:
    """The scene in ``prompt``; ``None`` if it is of another kind."""
    here, side = position(prompt.told.get("You are at", "")), prompt.value("On your side")
    if here is None or not isinstance(side, dict):
        return None
    pots = {place: (about, True) for place, about in prompt.value("Pots in view", {}).items()}
    for place, (about, _) in prompt.value("Pots seen earlier", {}).items():
        pots.setdefault(place, (about, False))

    def pot(place: Place) -> KnownPot:
        about, in_view = pots.get(place, ({}, False))
        return KnownPot(
            place, int(about.get("tomatoes", 0)), int(about.get("bar", 0)), bool(about.get("done")), in_view
        )

    earlier = prompt.value("On counters seen earlier", {})
    lying = {place: item for place, (item, _) in earlier.items()} | prompt.value("On counters in view", {})
    mate = prompt.value("Your teammate")
    return KitchenScene(
        here,
        str(prompt.value("You hold")),
        {name: tuple(places) for name, places in side.items()},
        tuple(prompt.value("Places to stand", [])),
        tuple(map(pot, side.get(POTS, ()))),
        lying,
        isinstance(mate, tuple) and mate[1] in ("dish", "soup"),
    )


def answer_teammate(hypothesis: str, prediction: str) -> str:
    """The own strategy beside a teammate of whom a sentence and an act are supposed; empty if neither says what it does.

    Where the two name different jobs, the teammate is expected to do both.

    >>> answer_teammate("They always play delivered soup.", "delivered soup") == FILLS
    True
    >>> answer_teammate("They always play delivered soup.", "stood around") == ALONE
    True
    """
    supposed = f"{hypothesis}\n{prediction}"
    if RESTING.search(supposed):
        return ALONE
    fills, serves = FILLING.search(supposed), SERVING.search(supposed)
    if fills and serves:
        return SHARED
    return SERVES if fills else FILLS if serves else ""


def plan_in_kitchen(at: KitchenScene, strategy: str) -> tuple[list[str], str]:
    """The next calls, and why; ``strategy`` is the one in the prompt: it decides what is done first, or that nothing is."""
    strategy = strategy.strip()
    if strategy == STANDS:
        return [f"move_to({at.here}, {at.here})"], "I stay where I am."
    if at.held == "soup":
        return [_use(at, DELIVERY)], "I hold soup and deliver it."
    filling, serving = _to_fill(at), _to_serve(at)
    if at.held == "tomato":
        if filling is not None:
            return [f"interact({filling.place})"], "I put my tomato into the pot that needs it most."
        if serving is not None and serving.done and not at.served:
            return _put_down(at), "Soup is done and nobody takes it, so I free my hands."
        return _look(at), "All pots are full; I keep my tomato and look again."
    if at.held == "dish":
        if serving is None:
            return _put_down(at), "No soup is on its way, so I free my hands."
        return _serve(at, serving), "I take soup and deliver it."
    if serving is not None and not at.served and _is_serving_first(at, strategy, serving, filling):
        calls = [_use(at, DISHES), *(_serve(at, serving) if serving.seen else ())]
        return calls, "A pot is full: I take a dish for its soup."
    if filling is None:
        return [_use(at, TOMATOES)], "My teammate serves: I take a tomato for the pot that is empty next."
    return [_use(at, TOMATOES), f"interact({filling.place})"], "A pot needs tomatoes: I bring one."


def _is_serving_first(at: KitchenScene, strategy: str, serving: KnownPot, filling: KnownPot | None) -> bool:
    """Whether soup from ``serving``, a full pot, comes before tomatoes for ``filling``."""
    if strategy == SERVES:
        return filling is None or serving.done
    if strategy == FILLS:
        return all(pot.done for pot in at.pots)
    if strategy == SHARED:
        return filling is None or (serving.done and _gap(at, TOMATOES) > _gap(at, DELIVERY))
    return filling is None


def acts(names: Sequence[str]) -> tuple[str, ...]:
    """The acts seen; standing around beside other acts means that nothing is known."""
    return () if IDLE in names and len(names) > 1 else tuple(names)


def judge_strategy(theirs: Sequence[Sequence[str]]) -> str:
    """The own strategy, from a teammate's acts before each of the last deliveries; ``ALONE`` if unknown."""
    last = [acts(names) for names in theirs[-LATELY:]]
    helped = sum(any(act in HELPFUL for act in acts) for acts in last)
    return SHARED if last and helped * 2 > len(last) else ALONE


def _to_fill(at: KitchenScene) -> KnownPot | None:
    """The fullest pot that is not full, the nearest on ties."""
    room = [pot for pot in at.pots if pot.tomatoes < FULL]
    return min(room, key=lambda pot: (-pot.tomatoes, _far(at, pot.place)), default=None)


def _to_serve(at: KitchenScene) -> KnownPot | None:
    """The full pot whose soup will be done first."""

    def order(pot: KnownPot) -> tuple[float, ...]:
        return not pot.done, not pot.seen, -pot.bar, _far(at, pot.place)

    return min((pot for pot in at.pots if pot.tomatoes >= FULL), key=order, default=None)


def _look(at: KitchenScene) -> list[str]:
    """A move away from the pots, or back to them."""
    near = _nearest(at.floor, *([pot.place for pot in at.pots] or [at.here]))
    goal = _nearest([place for place in at.floor if place != at.here] or [at.here], near)
    return [f"move_to({at.here}, {goal})"]


def _serve(at: KitchenScene, pot: KnownPot) -> list[str]:
    away = [f"interact({pot.place})", _use(at, DELIVERY)]
    if pot.done:
        return away
    if not pot.seen and _far(at, pot.place) > 1:
        # Earlier sightings may be out of date, so look first.
        return [f"move_to({at.here}, {_nearest(at.floor, pot.place)})"]
    return [f"wait({pot.place})", *away]


def _gap(at: KitchenScene, source: str) -> int:
    """How far ``source`` is from the pots."""
    return min(
        (_between(place, pot.place) for place in at.side.get(source, ()) for pot in at.pots), default=0
    )


def _use(at: KitchenScene, source: str) -> str:
    """A call for the nearest such thing, from a dispenser or a counter."""
    item = source.partition(" dispenser")[0]
    mine = [place for place in at.side.get(COUNTERS, ()) if at.lying.get(place) == item]
    places = [*at.side.get(source, ()), *mine] or [*at.side.get(COUNTERS, ()), at.here]
    return f"interact({_nearest(places, at.here)})"


def _put_down(at: KitchenScene) -> list[str]:
    free = [place for place in at.side.get(COUNTERS, ()) if place not in at.lying]
    return [f"interact({_nearest(free, at.here)})"] if free else _look(at)


def _nearest(places: Sequence[Place], *to: Place) -> Place:
    """The one of ``places`` that is nearest to one of ``to``."""
    return min(places, key=lambda place: (min(_between(place, other) for other in to), place))


def _far(at: KitchenScene, place: Place) -> int:
    return _between(at.here, place)


def _between(place: Place, other: Place) -> int:
    return abs(place[0] - other[0]) + abs(place[1] - other[1])
