"""Silent codes: whether an agent can notice anything that another one does."""

from __future__ import annotations

import pytest
from msgspec import structs

from otherminds.household.epistemic.fast_downward import program
from otherminds.household.house import House
from otherminds.household.proofs.exported import BarredRoom, HouseAccess, barred_rooms, walks
from otherminds.household.proofs.verdicts import verified
from otherminds.household.task import Binding
from otherminds.household.tasks.load import playable, shipped_tasks
from otherminds.household.world import HouseholdWorld
from tests.cases import for_each, thinned
from tests.household.choosing import Chooser
from tests.household.proofs.tasks import bars, told_house

APART = bars(agent_0="study_1 hallway_1", agent_1="kitchen_1 hallway_1")
MIRROR = Binding("state_mirroring", trigger_object="oven_17", target_object="window_16")
OPENED = "(is_open cabinet_6)"
TURNS = 40


def apart(*bindings: Binding) -> House:
    """Agent 0 stays in the kitchen, agent 1 in the study; agent 0 alone knows that a cabinet of the study must be open."""
    return told_house(*APART, *bindings, goal=OPENED, knows={"agent_0": [f"(goal {OPENED})"]})


def heard(house: House, seed: int) -> list[str]:
    """What agent 0 observes; it does the same for all seeds, and agent 1 does not."""
    world = HouseholdWorld(house, TURNS)
    texts = [str(world.reset()[0]["agent_0"])]
    mine, others = Chooser(world.engine, 0), Chooser(world.engine, seed)
    for _ in range(TURNS - 1):
        mute = others.choose(1)
        calls = {
            "agent_0": str(mine.choose(0)),
            "agent_1": "Wait[]" if mute.tool == "Communicate" else str(mute),
        }
        texts.append(str(world.step(calls)[0]["agent_0"]))
    return texts


def test_agents_that_meet_or_see_the_same_things_can_signal() -> None:
    met = told_house(goal=OPENED, knows={})
    assert HouseAccess(met).sources("agent_0") == {"agent_0", "agent_1"}
    assert HouseAccess(apart(MIRROR)).sources("agent_0") == {"agent_0", "agent_1"}, (
        "by an oven and a window that mirror each other"
    )


def test_agents_apart_cannot_signal() -> None:
    house = apart()
    assert HouseAccess(house).sources("agent_0") == {"agent_0"}
    assert HouseAccess(house).sources("agent_1") == {"agent_1"}


@for_each("seed", range(1, 9))
def test_what_cannot_signal_changes_no_observation(seed: int) -> None:
    assert heard(apart(), seed) == heard(apart(), 0)


def test_what_can_signal_does() -> None:
    assert any(heard(apart(MIRROR), seed) != heard(apart(MIRROR), 0) for seed in range(1, 9))


@pytest.mark.skipif(program() is None, reason="needs Fast Downward: pip install 'otherminds[verify]'")
def test_the_verdict_says_whether_a_silent_code_is_excluded() -> None:
    """In both houses no message means no plan; only where nothing can be noticed is a code excluded."""
    for house, says in ((apart(), "is excluded"), (apart(MIRROR), "is not excluded")):
        every = {one.name: one for one in verified(house).verdicts}
        assert every["needs messages"].status == "proved and checked"
        assert every["needs messages"].says.endswith(says)


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


@pytest.mark.parametrize("name", thinned(shipped_tasks(), 3))
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
