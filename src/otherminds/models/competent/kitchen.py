"""Plans in a kitchen: whether to fill or serve first, and the calls for the item held.

It does every task if necessary, so that nothing waits for an absent teammate; with an active
teammate it does first what is nearer to itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from otherminds.models.competent.parsing import Prompt
from otherminds.models.competent.planning import Place, position

TOMATOES, DISHES, DELIVERY = "tomato dispenser", "dish dispenser", "place of delivery"
POTS, COUNTERS = "pots", "counters"
FULL = 3
"""Tomatoes in a pot that cooks."""
SHARED = "My teammate does its part, so I do first what is nearer to me and leave the rest to it."
ALONE = "My teammate does too little, so I do everything myself: fill the pots, take the soup, deliver it."
HELPFUL = ("put a tomato into a pot", "picked up soup", "delivered soup")
"""A teammate's acts that contribute to a soup."""
IDLE = "stood around"
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


def plan(at: KitchenScene, strategy: str) -> tuple[list[str], str]:
    """The next calls, and why; ``strategy`` is the one in the prompt."""
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
    fills_first = strategy.strip() != SHARED or _gap(at, TOMATOES) <= _gap(at, DELIVERY)
    if serving is not None and (filling is None or (serving.done and not fills_first)) and not at.served:
        calls = [_use(at, DISHES), *(_serve(at, serving) if serving.seen else ())]
        return calls, "A pot is full: I take a dish for its soup."
    if filling is None:
        return [_use(at, TOMATOES)], "My teammate serves: I take a tomato for the pot that is empty next."
    return [_use(at, TOMATOES), f"interact({filling.place})"], "A pot needs tomatoes: I bring one."


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
