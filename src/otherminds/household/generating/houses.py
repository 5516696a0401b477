"""Rooms for a draft: who has which room to itself, where agents start, and furniture of one kind."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Sequence
from functools import cache
from typing import Literal, TypeAlias

from otherminds.household.generating.draft import Draft, walkable
from otherminds.household.scenes.load import load_scene, shipped_scenes
from otherminds.household.scenes.scene import kind_of

Use: TypeAlias = Literal["articulated", "top", "interior"]
USES: tuple[Use, ...] = ("articulated", "top", "interior")
TRIES = 20
"""Divisions of a house into rooms that are tried."""


@cache
def usable(scene_id: str, room: str, use: Use) -> tuple[str, ...]:
    """The furniture of a room with a use (a flag of :class:`~.scene.Piece`)."""
    scene = load_scene(scene_id)
    return tuple(
        f for f in scene.furniture_in_rooms.get(room, ()) if getattr(scene.geometry.furniture[f], use)
    )


@cache
def classes(scene_id: str, room: str, use: Use) -> tuple[tuple[str, ...], ...]:
    """The furniture that is :func:`usable`, by kind; kinds with one piece are left out."""
    pieces_by_kind: dict[str, list[str]] = defaultdict(list)
    for f in usable(scene_id, room, use):
        pieces_by_kind[kind_of(f)].append(f)
    return tuple(tuple(pieces) for pieces in pieces_by_kind.values() if len(pieces) > 1)


@cache
def useful(scene_id: str) -> tuple[str, ...]:
    """The rooms with furniture of one kind to open or to put things on."""
    scene = load_scene(scene_id)
    return tuple(room for room in scene.rooms if any(classes(scene_id, room, use) for use in USES))


def house(draw: random.Random, agents: int, locks: bool = False) -> Draft | None:
    """A house in which each agent has a useful room to itself, and which all can walk; ``None`` if none was found.

    With ``locks``, nobody may enter one room with furniture that opens.
    """
    scene = load_scene(draw.choice(shipped_scenes()))
    seats = tuple(f"agent_{k}" for k in range(agents))
    for _ in range(TRIES):
        rooms = draw.sample(useful(scene.scene_id), min(agents, len(useful(scene.scene_id))))
        if len(rooms) < agents:
            return None
        free_rooms = [
            room for room in scene.rooms if room not in rooms and usable(scene.scene_id, room, "articulated")
        ]
        if locks and not free_rooms:
            continue
        draft = Draft(draw, scene, seats, dict(zip(seats, rooms, strict=True)))
        draft.locked = draw.choice(free_rooms) if locks else ""
        if draft.common and _walks(draft):
            return draft
    return None


def _walks(draft: Draft) -> bool:
    """Gives each agent a start from which it can reach its own room and a common area that all reach."""
    start = draft.draw.choice(draft.common)
    area = walkable(draft.scene, start, draft.common)
    for agent in draft.agents:
        near = walkable(draft.scene, start, draft.rooms(agent))
        if draft.own[agent] not in near:
            return False
        at: Sequence[str] = sorted(area) if draft.draw.random() < 0.5 else (draft.own[agent],)
        draft.homes[agent] = draft.draw.choice(at)
    return True
