"""A planner that reads the PDDL solves the shipped tasks, and the simulator agrees, call by call."""

from __future__ import annotations

import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
from msgspec import structs

from otherminds.household.commands import Command
from otherminds.household.house import House
from otherminds.household.planning.planned import failure
from otherminds.household.scenes.load import load_scene, shipped_scenes
from otherminds.household.tasks.load import load_task, shipped_tasks
from otherminds.household.world import HouseholdWorld
from tests.household import drawn_tasks as drawn
from tests.household import small_house as small
from tests.household.pddl_writer import command_of, domain, needed, problem

PLANNER = find_spec("up_fast_downward")
SECONDS = 30
pytestmark = pytest.mark.skipif(
    PLANNER is None, reason="needs the planner Fast Downward: pip install 'otherminds[verify]'"
)


def plan(house: House, folder: Path) -> list[list[str]]:
    """The planner's steps, each an action and its arguments. The planner is run as a program of its own."""
    assert PLANNER is not None
    assert PLANNER.origin is not None
    driver = Path(PLANNER.origin).parent / "downward" / "fast-downward.py"
    keep = needed(house)
    (folder / "domain.pddl").write_text(domain(house, keep))
    (folder / "problem.pddl").write_text(problem(house, keep))
    call = [
        sys.executable,
        str(driver),
        "--alias",
        "lama-first",
        "--plan-file",
        "plan",
        "domain.pddl",
        "problem.pddl",
    ]
    done = subprocess.run(call, cwd=folder, capture_output=True, text=True, timeout=SECONDS, check=False)
    assert done.returncode == 0, done.stdout[-2000:]
    lines = (folder / "plan").read_text().splitlines()
    return [line.strip("()").split() for line in lines if line.startswith("(")]


def replay(house: House, steps: list[list[str]]) -> HouseholdWorld:
    """The world after the plan, one step a turn, while all others wait."""
    world = HouseholdWorld(house, turns=len(steps) + 1)
    world.reset()
    assert not world.solved()
    for action, *args in steps:
        call = command_of(house, action, args)
        observations, _ = small.turn(world, {args[0]: str(call)})
        heard = observations[args[0]]
        assert heard["worked"], f"{args[0]}: {call}: {heard['result']}"
        if action == "navigate":
            assert stands_well(world, call, args)
    return world


def stands_well(world: HouseholdWorld, call: Command, args: list[str]) -> bool:
    """Whether who walked is where the planner has it, or at least in the same room with its goal in reach."""
    house = world.house
    spot = world.engine.spot[house.agents.index(args[0])]
    if house.spots[spot] == args[3].replace("--", ":"):
        return True
    return house.spot_room[spot] == args[4] and call.args[0] in house.reaches[spot]


@pytest.mark.parametrize("name", shipped_tasks())
def test_a_plan_for_a_shipped_task_solves_it_in_the_simulator(name: str, tmp_path: Path) -> None:
    task = load_task(name)
    house = House(task, load_scene(task.scene_id))
    assert replay(house, plan(house, tmp_path)).solved()


def test_a_plan_works_through_all_mechanics_and_tools(tmp_path: Path) -> None:
    house = small.house(
        *small.ALL_SIX,
        goal="(and (is_inside cup_0 fridge_3) (is_in_room key_0 kitchen_1) (is_filled cup_1) (is_closed cabinet_2) "
        "(not (is_on_top plate_0 counter_0)) (is_clean plate_0) (is_powered_on tv_7) (agent_in_room agent_2 store_1) "
        "(is_held_by ball_0 agent_1) (is_open cabinet_12) (is_on_floor lamp_0))",
        initial_states={"plate_0": {"is_dirty": True}},
    )
    assert replay(house, plan(house, tmp_path)).solved()


@pytest.mark.parametrize("k", range(4))
def test_a_plan_for_a_drawn_task_solves_it_in_the_simulator(k: int, tmp_path: Path) -> None:
    scenes = shipped_scenes()
    house = drawn.house(load_scene(scenes[k * len(scenes) // 4]), k)
    world = HouseholdWorld(house, 1)
    world.reset()
    assert world.solved() or replay(house, plan(house, tmp_path)).solved()


def test_a_plan_uses_no_tool_that_its_agent_lacks():
    task = load_task("cabinet_confirmation")
    house = House(
        structs.replace(task, agent_actions={"agent_1": ("Navigate", "Pick", "Place")}),
        load_scene(task.scene_id),
    )
    assert failure(house, task.calibration.plan) == "turn 2: agent_1 may not use Open"
    assert failure(House(task, house.scene), task.calibration.plan) == ""
