"""What happens out of an agent's sight changes no byte of what it hears, until it looks or is told.

Two episodes are played side by side. The agent does the same in both, the others do not. As
long as what it could see (``eyes.py``, reckoned apart from the engine) and the messages to
it have been the same in both, all that it hears must be the same, byte by byte.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from otherminds.household.commands import TOOLS, Command
from otherminds.household.engine import HouseEngine
from otherminds.household.house import House
from otherminds.household.scenes.load import load_scene, shipped_scenes
from otherminds.household.scenes.scene import Spawn
from otherminds.household.tasks.load import load_task, shipped_tasks
from otherminds.household.world import HouseholdWorld
from tests.cases import depth, for_each, thinned
from tests.household import drawn_tasks as drawn
from tests.household import eyes
from tests.household import small_house as small
from tests.household.choosing import Chooser
from tests.household.hidden_bindings import bandwidth

TURNS = 60
TRIES = 8
WAIT = "Wait[]"
TOLD = {"agent_0": ("cup_1 must end on table_5.",), "agent_2": ("bowl_0 is on counter_0.",)}


@dataclass
class Count:
    """Moments compared, and those of them in which something hidden differed."""

    same: int = 0
    hidden: int = 0


class Heard(AssertionError):  # noqa: N818 - what it says
    """A seat heard of something that it could not see."""


def twins(house: House, i: int, seed: int, count: Count, busy: bool = True) -> None:
    """Plays a pair of episodes. In the second one the others wait, unless they are ``busy``, too.

    A turn in which agent ``i`` may notice a difference is taken back and another is tried, so
    that what is hidden grows for as long as possible.
    """
    worlds = [HouseholdWorld(house, TURNS) for _ in range(2)]
    seat = house.agents[i]
    mine = Chooser(worlds[0].engine, seed)
    others = [Chooser(world.engine, seed + 1 + k) for k, world in enumerate(worlds)]
    compare(seat, [world.reset() for world in worlds])
    for turn in range(TURNS - 1):
        for _ in range(TRIES):
            same = str(mine.choose(i))
            room = same[len("Explore[") : -1] if same.startswith("Explore[") else ""
            before = [(small.saved(world.engine), walked_through(world.engine, room)) for world in worlds]
            calls = [dict.fromkeys(house.agents, WAIT) | {seat: same} for _ in worlds]
            for chooser, call in zip(others if busy else others[:1], calls, strict=False):
                call |= {other: str(chooser.choose(j)) for j, other in enumerate(house.agents) if j != i}
            heard = [play(world, call) for world, call in zip(worlds, calls, strict=True)]
            seen = [
                (could_notice(world.engine, i), walked_through(world.engine, room), walked)
                for world, (_, walked) in zip(worlds, before, strict=True)
            ]
            if seen[0] == seen[1]:
                compare(seat, heard)
                count.same += 1
                count.hidden += small.facts(worlds[0].engine) != small.facts(worlds[1].engine)
                break
            for world, (state, _) in zip(worlds, before, strict=True):
                small.restore(world.engine, state)
                world.turn = turn
        else:
            return


def many_twins(house: House, seeds: int, count: Count) -> None:
    for seed, i, busy in product(range(seeds), range(len(house.agents)), (True, False)):
        twins(house, i, 1000 * seed, count, busy)


def play(world: HouseholdWorld, calls: dict[str, str]) -> tuple[Any, Any]:
    observations, _, _, _, infos = world.step(calls)
    return observations, infos


def could_notice(engine: HouseEngine, i: int) -> Sequence[object]:
    return eyes.in_sight(engine, i), eyes.witnessed(engine, i), tuple(engine.mail[i])


def walked_through(engine: HouseEngine, room: str) -> Sequence[object]:
    """What there is to see for who explores ``room``, and what was done in it."""
    return (eyes.in_room(engine, room), eyes.done_in(engine, room)) if room in engine.house.rooms else ()


def compare(seat: str, heard: Sequence[tuple[Any, Any]]) -> None:
    one, two = (msgspec.json.encode((observations[seat], infos[seat])) for observations, infos in heard)
    if one != two:
        at = next(k for k, (a, b) in enumerate(zip(one, two, strict=False)) if a != b)
        raise Heard(f"{seat}: {one[max(at - 60, 0) : at + 60]!r} against {two[max(at - 60, 0) : at + 60]!r}")


@pytest.mark.parametrize("seeds", depth(2, 12))
def test_random_play_in_the_small_house_tells_nothing_of_what_is_out_of_sight(seeds: int) -> None:
    house = small.house(*small.ALL_SIX, initial_states=small.many_states())
    count = Count()
    many_twins(house, seeds, count)
    assert count.hidden > 80 * seeds


@pytest.mark.parametrize("statements", [1, 2])
@pytest.mark.parametrize("seeds", depth(2, 12))
def test_limited_statements_tell_nothing_of_what_is_out_of_sight(seeds: int, statements: int) -> None:
    """What is refused, cut and reworded depends on what the sender knows, and on nothing else."""
    house = small.house(
        *small.ALL_SIX, bandwidth(statements), initial_states=small.many_states(), agent_secrets=TOLD
    )
    count = Count()
    many_twins(house, seeds, count)
    assert count.hidden > 80 * seeds


@pytest.mark.parametrize("name", thinned(shipped_tasks(), 4))
def test_the_shipped_tasks_tell_nothing_of_what_is_out_of_sight(name: str) -> None:
    task = load_task(name)
    house = House(task, load_scene(task.scene_id))
    count = Count()
    many_twins(house, 1, count)
    assert count.hidden > 50


@settings(max_examples=10, suppress_health_check=[HealthCheck.too_slow])
@given(scene=st.sampled_from(shipped_scenes()), seed=st.integers(0, 10_000), i=st.integers(0, 2))
def test_drawn_tasks_tell_nothing_of_what_is_out_of_sight(scene: str, seed: int, i: int) -> None:
    twins(drawn.house(load_scene(scene), seed), i, seed, Count())


LEAKS = {
    "all furniture is seen from everywhere": lambda house: setattr(
        house.sight_tables, "views", (~0,) * len(house.spots)
    ),
    "whoever is anywhere is met": lambda house: setattr(house, "meets", (~0,) * len(house.spots)),
    "closed furniture is seen into": lambda house: setattr(
        house.sight_tables,
        "views",
        tuple(v | sum(house.sight_tables.inside.values()) for v in house.sight_tables.views),
    ),
}


@for_each("leak", LEAKS)
def test_the_comparison_finds_leaks(leak: str) -> None:
    house = small.house(*small.ALL_SIX)
    LEAKS[leak](house)
    with pytest.raises(Heard):
        many_twins(house, 60, Count())


@pytest.mark.parametrize("name", thinned(shipped_tasks(), 4))
def test_what_others_were_told_and_want_changes_nothing_that_a_seat_hears(name: str) -> None:
    task = load_task(name)
    scene = load_scene(task.scene_id)
    for i, seat in enumerate(task.agents):
        others = {other: ("The moon is made of cheese.",) for other in task.agents if other != seat}
        changed = msgspec.structs.replace(
            task,
            agent_secrets={seat: task.agent_secrets.get(seat, ()), **others},
            private_goals={other: f"(agent_in_room {other} {scene.rooms[0]})" for other in others},
            problem_pddl=f"(agent_in_room {seat} {scene.rooms[-1]})",
        )
        worlds = [HouseholdWorld(House(made, scene), TURNS) for made in (task, changed)]
        heard = [world.reset() for world in worlds]
        briefs = [msgspec.structs.replace(world.brief(seat), action_space="") for world in worlds]
        assert msgspec.json.encode(briefs[0]) == msgspec.json.encode(briefs[1])
        chooser = Chooser(worlds[0].engine, i)
        for _ in range(10):
            compare(seat, heard)
            calls = {other: str(chooser.choose(j)) for j, other in enumerate(task.agents)}
            heard = [play(world, calls) for world in worlds]


def every_command(house: House) -> Iterator[Command]:
    """Every tool on every name; messages to everybody."""
    names = (*house.rooms, *house.furniture, *house.objects, *house.agents, "ghost_7")
    for tool, name in product(TOOLS.values(), names):
        if tool.arguments == (1,):
            yield Command(tool.name, (name,))
    for o, how, f in product(house.objects, ("on", "within"), house.furniture):
        yield Command("Place", (o, how, f))
        yield Command("Place", (o, how, f, "next_to", house.objects[0]))
    for agent in (*house.agents, "all", "ghost_7"):
        yield Command("Communicate", (agent, "Hello."))


@pytest.mark.parametrize("spot", thinned([None, *small.scene().tables.spots], 5))
def test_no_result_tells_what_is_out_of_sight(spot: str | None) -> None:
    """From every spot every call gives the same result in two states that the agent cannot tell apart."""
    tables = small.scene().tables
    spawns = {}
    if spot is not None:
        x, z = tables.spots[spot]
        spawns["agent_0"] = Spawn((x, 0.0, z), tables.rooms[spot])
    house = small.house(*small.ALL_SIX[1:], agent_spawns=spawns, initial_states=small.many_states())
    idle = [Command("Wait")] * 3
    tried = 0
    for seed in range(12):
        one, two = HouseEngine(house), HouseEngine(house)
        chooser = Chooser(two, seed)
        for _ in range(8):
            saved = small.saved(two)
            one.step(idle)
            two.step([idle[0], chooser.choose(1), chooser.choose(2)])
            if could_notice(one, 0) != could_notice(two, 0):
                small.restore(two, saved)
        if small.facts(one) == small.facts(two):
            continue
        tried += 1
        before = small.saved(one), small.saved(two)
        for command in every_command(house):
            results = [engine.step([command, *idle[1:]])[0] for engine in (one, two)]
            assert results[0] == results[1], f"{command}"
            small.restore(one, before[0])
            small.restore(two, before[1])
        if tried == 2:
            break
    assert tried
