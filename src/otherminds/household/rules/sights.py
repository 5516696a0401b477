"""What agents see, as data: an agent sees whether a fact holds while other facts hold.

Static facts: ``sees`` (furniture, or a floor, is visible from a spot) and ``meets`` (a spot is visible from a spot).
Explore shows what is seen from all spots of a room; an agent could walk to each of them.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TypeAlias

from otherminds.household.epistemic.certificate import SightRule
from otherminds.household.epistemic.predicates import OPPOSITES
from otherminds.household.rules.rule import Facts, Pattern, pattern, patterns

Needs: TypeAlias = tuple[Pattern, ...]


HERE = patterns("at ?a ?s, sees ?s ?f")
OPENED = (*HERE, pattern("is_open ?f"))
MET = patterns("at ?a ?s, meets ?s ?t, at ?b ?t")

TYPES = {
    "?a": "agent",
    "?b": "agent",
    "?s": "spot",
    "?t": "spot",
    "?f": "furniture",
    "?o": "object",
    "?r": "room",
}
PLACED = {
    pattern("is_on_top ?o ?f"): HERE,
    pattern("lies_on ?o ?f"): HERE,
    pattern("is_inside ?o ?f"): OPENED,
    pattern("is_held_by ?o ?b"): MET,
}
"""When each fact about the place of an object is seen; the states of the object are seen with its place."""


def _make_sight(needs: Needs, shows: Pattern) -> SightRule:
    names = dict.fromkeys(word for part in (*needs, shows) for word in part[1:])
    return SightRule(tuple((name, TYPES[name]) for name in names), needs, shows)


SIGHTS: tuple[SightRule, ...] = (
    *(_make_sight(needs, place) for place, needs in PLACED.items()),
    *(_make_sight(HERE, (state, "?f")) for state in OPPOSITES),
    *(_make_sight((*needs, place), (state, "?o")) for place, needs in PLACED.items() for state in OPPOSITES),
    _make_sight(MET, pattern("agent_in_room ?b ?r")),
    _make_sight(MET, pattern("hand_empty ?b")),
)


def visible(facts: Facts) -> dict[Needs, dict[str, int]]:
    """What is seen: for the needs of each sight, by furniture, by agent for :data:`MET`, or by object, masks of ``facts``.

    A fact that is not shown under the needs of any sight is never seen.
    """
    masks_by_need: dict[Needs, dict[str, int]] = defaultdict(dict)
    places: dict[str, list[tuple[dict[str, int], int]]] = {}
    for sight in SIGHTS:
        by = {HERE: "?f", OPENED: "?f", MET: "?b"}.get(sight.needs, "?o")
        places.setdefault(sight.shows[0], []).append((masks_by_need[sight.needs], sight.shows.index(by)))
    for number, fact in enumerate(facts.named):
        for masks, place in places.get(fact[0], ()):
            name = fact[place]
            masks[name] = masks.get(name, 0) | 1 << number
    return masks_by_need
