"""What lifting bars allows is what a house without them has."""

from __future__ import annotations

import pytest
from msgspec import structs

from otherminds.household.house import House
from otherminds.household.proofs.lifting import BarredRoom, barred_rooms, walks
from otherminds.household.task import Binding
from otherminds.household.tasks.load import playable, shipped_tasks


def without(house: House, lifted: BarredRoom) -> House:
    """The house of the task without a bar."""
    kept: list[Binding] = []
    for one in house.task.mechanic_bindings:
        if one.mechanic_type != "room_restriction":
            kept.append(one)
            continue
        for agent in one.for_agents:
            rooms = tuple(r for r in one.restricted_rooms if (agent, r) != (lifted.agent, lifted.room))
            if rooms:
                kept.append(structs.replace(one, for_agents=(agent,), restricted_rooms=rooms))
    return House(structs.replace(house.task, mechanic_bindings=tuple(kept)), house.scene)


@pytest.mark.parametrize("name", shipped_tasks())
def test_without_a_bar_agents_may_go_where_a_house_without_it_lets_them(name: str) -> None:
    house = playable(name)
    for one in barred_rooms(house):
        gained = {fact for fact in without(house, one).static - house.static if fact[0] == "may_go"}
        assert walks(house, [one]) == gained, str(one)


@pytest.mark.parametrize("name", shipped_tasks())
def test_without_all_bars_agents_may_go_wherever_doors_lead(name: str) -> None:
    house = playable(name)
    kept = tuple(one for one in house.task.mechanic_bindings if one.mechanic_type != "room_restriction")
    free = House(structs.replace(house.task, mechanic_bindings=kept), house.scene)
    gained = {fact for fact in free.static - house.static if fact[0] == "may_go"}
    assert walks(house, barred_rooms(house)) == gained
