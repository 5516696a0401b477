"""How many turns the parts of a goal take their actors, by what is in reach of the spots of their rooms.

The parts of different actors are brought about at the same time. Hence the longest ones take as many turns as the shortest
plan of the task (:mod:`..planning`), mostly exactly, and they are known before any plan is searched for.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from functools import cache
from itertools import permutations

from otherminds.household.generating.draft import Draft
from otherminds.household.scenes.load import load_scene

FAR = 4
"""Turns to move an object, if a walk leads to it and another one to its place."""
BROUGHT = 5
"""Turns from when a thing was picked up to when another agent has put it in its place: each of the two walks and puts it
down, and the second one picks it up."""


def shortest(draft: Draft) -> int:
    """About the turns of the shortest plan with all secrets public."""
    alone = [fewest(draft, actor, parts) for actor, parts in draft.stops.items()]
    brought = [fewest(draft, giver, [stops]) + BROUGHT for giver, stops in draft.brings]
    return max((*alone, *brought), default=0)


def fewest(draft: Draft, agent: str, parts: Sequence[Sequence[str]]) -> int:
    """The fewest turns in which an agent carries out parts, one after another, from its start.

    Each part is the furniture that the agent acts on, in order. An act takes a turn, and so does a walk.
    """
    scene = draft.scene
    reached = [near for room in draft.rooms(agent) for near in _reached(scene.scene_id, room)]
    start = scene.tables.reaches[f"centre:{draft.homes[agent]}"]
    orders = ([f for part in order for f in part] for order in permutations(parts))
    return min(len(stops) + _walks(stops, start, reached) for stops in orders)


@cache
def _reached(scene_id: str, room: str) -> tuple[frozenset[str], ...]:
    """What is in reach of each spot of a room."""
    tables = load_scene(scene_id).tables
    return tuple(frozenset(tables.reaches[spot]) for spot in tables.spots if tables.rooms[spot] == room)


def _walks(stops: Iterable[str], start: Collection[str], reached: Sequence[Collection[str]]) -> int:
    """The fewest walks to spots that have the stops in reach, if each walk is put off as long as possible."""
    walks, near = 0, [start]
    for f in stops:
        still = [one for one in near if f in one]
        if not still:
            walks += 1
            still = [one for one in reached if f in one]
        near = still
    return walks
