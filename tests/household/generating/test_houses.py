"""Houses for drafts: exclusive rooms that their agents reach, and furniture of one kind."""

from __future__ import annotations

import random
from collections.abc import Iterator
from functools import cache

import pytest

from otherminds.household.generating import draft
from otherminds.household.generating.draft import Draft, classes, house, usable, useful, walkable
from otherminds.household.scenes.load import load_scene, shipped_scenes
from otherminds.household.scenes.scene import kind_of
from tests.cases import for_each
from tests.household.generating.drafts import SCENE

EVERY = [(agents, locks) for agents in (2, 3, 4) for locks in (False, True)]


@cache
def drawn(agents: int, locks: bool) -> tuple[Draft, ...]:
    tried = (house(random.Random(seed), agents, locks) for seed in range(60))
    return tuple(made for made in tried if made is not None)


def of_all() -> Iterator[Draft]:
    for agents, locks in EVERY:
        yield from drawn(agents, locks)


@for_each(("agents", "locks"), EVERY)
def test_most_houses_are_found_and_have_the_agents(agents: int, locks: bool) -> None:
    found = drawn(agents, locks)
    assert len(found) > 20
    for made in found:
        assert made.agents == tuple(f"agent_{k}" for k in range(agents))
        assert set(made.own) == set(made.homes) == set(made.agents)
        assert bool(made.locked) == locks


def test_own_rooms_are_different_useful_and_barred_to_all_others() -> None:
    for made in of_all():
        rooms = [*made.own.values(), *filter(None, [made.locked])]
        assert len(set(rooms)) == len(rooms)
        for agent, room in made.own.items():
            assert room in useful(made.scene.scene_id)
            assert room in made.rooms(agent)
            assert all(room in made.bars(other) for other in made.others(agent))
        assert all(made.locked not in made.rooms(agent) for agent in made.agents)


def test_all_can_walk_to_their_own_rooms_and_meet_in_a_common_room() -> None:
    for made in of_all():
        near = [walkable(made.scene, made.homes[agent], made.rooms(agent)) for agent in made.agents]
        for agent, rooms in zip(made.agents, near, strict=True):
            assert made.homes[agent] in made.rooms(agent)
            assert made.own[agent] in rooms
        assert set.intersection(*near) & set(made.common)


def test_agents_start_in_their_own_rooms_and_in_common_ones() -> None:
    own = {made.homes[agent] == made.own[agent] for made in of_all() for agent in made.agents}
    assert own == {True, False}


def test_in_a_locked_room_something_opens() -> None:
    for agents in (2, 3):
        for made in drawn(agents, True):
            inside = made.scene.furniture_in_rooms[made.locked]
            assert any(made.scene.geometry.furniture[f].articulated for f in inside)


def test_no_house_has_a_useful_room_for_each_of_many_agents() -> None:
    assert all(house(random.Random(seed), 12) is None for seed in range(10))


def test_a_house_is_given_up_if_no_division_can_be_walked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(draft, "walkable", lambda scene, start, allowed: {start})
    assert house(random.Random(0), 3) is None


def test_furniture_is_grouped_by_kind_and_use() -> None:
    assert classes(SCENE, "living_room_1", "articulated") == (("stand_20", "stand_23"),)
    assert ("counter_13", "counter_14", "counter_15", "counter_16") in classes(SCENE, "kitchen_1", "top")
    assert classes(SCENE, "hallway_1", "interior") == (("stand_43", "stand_44", "stand_46"),)


@for_each("scene_id", shipped_scenes()[::3])
def test_pieces_of_a_class_are_of_one_kind_with_the_use_and_in_reach(scene_id: str) -> None:
    scene = load_scene(scene_id)
    reached = {f for near in scene.tables.reaches.values() for f in near}
    for room in scene.rooms:
        for use in draft.USES:
            free = usable(scene_id, room, use)
            for pieces in classes(scene_id, room, use):
                assert len(pieces) > 1
                assert len(set(map(kind_of, pieces))) == 1
                assert set(pieces) <= set(free)
            assert set(free) <= reached & set(scene.furniture_in_rooms.get(room, ()))
            assert all(getattr(scene.geometry.furniture[f], use) for f in free)
