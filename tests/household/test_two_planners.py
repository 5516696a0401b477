"""Tasks by both routes to the planner: the same verdicts, and plans that the checker and the simulator accept."""

from __future__ import annotations

import pytest
from msgspec import structs

from otherminds.household.epistemic.fast_downward import program
from otherminds.household.house import House
from otherminds.household.proofs.exported import exported
from otherminds.household.proofs.replayed import replay_plan
from otherminds.household.proofs.searching import ANY, reduce_problem
from otherminds.household.scenes.load import load_scene
from otherminds.household.task import Binding
from otherminds.household.tasks.load import load_task, shipped_tasks
from tests.cases import for_each
from tests.household import small_house as small
from tests.household.epistemic.planned_twice import by_pddl, by_sas
from tests.household.hidden_bindings import bandwidth

pytestmark = pytest.mark.skipif(
    program() is None, reason="needs Fast Downward: pip install 'otherminds[verify]'"
)
OPEN = "(is_open cabinet_2)"
KNOWN = f"(and {OPEN} (K agent_2 (K agent_0 {OPEN})))"
MUTE = Binding("limited_bandwidth", message_limits=dict.fromkeys(("agent_0", "agent_1", "agent_2"), 0))
BARRED = Binding("room_restriction", restricted_rooms=("kitchen_1",), for_agents=("agent_2",))


def agreed(house: House) -> str:
    """The verdict of both routes on the whole goal."""
    whole = exported(house)
    problem = reduce_problem(house, whole)
    found = [route(problem, whole.goal, ANY, 20, whole) for route in (by_sas, by_pddl)]
    for one in found:
        assert not one.refusal
        assert one.verdict != "plan" or replay_plan(house, one.steps, whole.goal).reached
    assert found[0].verdict == found[1].verdict
    return found[0].verdict


@for_each("name", ["nested_confirmation", "remote_lights"])
def test_shipped_tasks(name: str) -> None:
    task = load_task(name)
    verdict = agreed(House(task, load_scene(task.scene_id)))
    assert verdict == ("unsolvable" if name == "remote_lights" else "plan")


def test_messages_carry_what_an_agent_cannot_see() -> None:
    assert agreed(small.house(BARRED, goal=KNOWN)) == "plan"
    assert agreed(small.house(BARRED, MUTE, goal=KNOWN)) == "unsolvable"


@pytest.mark.parametrize("statements", [1, 2])
def test_plans_need_no_more_than_one_statement_a_message(statements: int) -> None:
    """The plans are replayed in the simulator, which refuses or cuts what is more."""
    assert agreed(small.house(BARRED, bandwidth(statements), goal=KNOWN)) == "plan"
    task = load_task("nested_confirmation")
    limited = structs.replace(task, mechanic_bindings=(*task.mechanic_bindings, bandwidth(statements)))
    assert agreed(House(limited, load_scene(task.scene_id))) == "plan"


@pytest.mark.slow
@for_each("name", shipped_tasks())
def test_all_shipped_tasks_with_one_statement_a_message(name: str) -> None:
    task = load_task(name)
    limits = {f"agent_{i}": 1000 for i in range(task.num_agents)}
    one = Binding("limited_bandwidth", message_limits=limits, statements=1)
    house = House(
        structs.replace(task, mechanic_bindings=(*task.mechanic_bindings, one)), load_scene(task.scene_id)
    )
    free = House(task, load_scene(task.scene_id))
    verdicts: dict[House, list[str]] = {free: [], house: []}
    for made in (free, house):
        physical = tuple(part for part in exported(made).goal if not part[0])
        whole = structs.replace(exported(made), goal=physical)
        for route in (by_sas, by_pddl):
            found = route(reduce_problem(made, whole), physical, ANY, 20, whole)
            assert found.refusal == ""
            assert found.verdict != "plan" or replay_plan(made, found.steps, physical).reached
            verdicts[made].append(found.verdict)
    assert verdicts[free] == verdicts[house]


@pytest.mark.slow
@for_each("name", shipped_tasks())
def test_all_shipped_tasks_with_their_physical_goal(name: str) -> None:
    task = load_task(name)
    house = House(task, load_scene(task.scene_id))
    physical = tuple(part for part in exported(house).goal if not part[0])
    whole = structs.replace(exported(house), goal=physical)
    found = [route(reduce_problem(house, whole), physical, ANY, 20, whole) for route in (by_sas, by_pddl)]
    assert [one.verdict for one in found] == ["plan", "plan"]
    assert [one.refusal for one in found] == ["", ""]
