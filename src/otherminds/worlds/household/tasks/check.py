"""What is wrong with a task: every fault at once, each with its place and what to mend."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import structs

from otherminds.core.errors import TaskError
from otherminds.epistemic.formula import physical
from otherminds.worlds.household.commands import TOOLS
from otherminds.worlds.household.engine import Engine
from otherminds.worlds.household.holding import holds
from otherminds.worlds.household.house import House
from otherminds.worlds.household.scenes.scene import Scene
from otherminds.worlds.household.task import Task
from otherminds.worlds.household.tasks.account import Account, Fault, near, quoted
from otherminds.worlds.household.tasks.bindings import binding_faults
from otherminds.worlds.household.tasks.goals import formula_of, goal_faults
from otherminds.worlds.household.tasks.knows import knows_faults
from otherminds.worlds.household.tasks.named import wrong
from otherminds.worlds.household.tasks.secrets import secret_faults
from otherminds.worlds.household.tasks.start import start_faults
from otherminds.worlds.household.tasks.states import spawn_faults, state_faults
from otherminds.worlds.household.tasks.things import Things, of_scene

ANY_GOAL = "(is_open any_1)"


def faults(task: Task, scene: Scene | None) -> list[Fault]:
    """Every fault of ``task`` in ``scene``; without a scene those that can be seen without one."""
    return list(checked(task, of_scene(scene) if scene else None).faults)


def checked(task: Task, things: Things | None) -> Account:
    """Every fault of a task that could be read, and what could not be looked at for want of the scene.

    What is a cause comes before what can follow from it: the goal before the secrets that tell of it.
    What secrets say of the start is looked at once the start itself has no fault; that the goal
    does not hold then already, only where there is no other fault.
    """
    house = [*spawn_faults(task, things), *state_faults(task, things), *binding_faults(task, things)]
    found = [
        *_general(task),
        *house,
        *goal_faults(task, things),
        *secret_faults(task, things),
        *knows_faults(task, things),
        *_tools(task),
    ]
    if not house and things and things.scene:
        found += _start(task, things, whole=not found)
    return Account(tuple(found), tuple(_missing(task, things)))


def _general(task: Task) -> Iterator[Fault]:
    for name in ("task_id", "task", "scene_id"):
        if not getattr(task, name).strip():
            yield Fault(name, "it is empty; write it")
    given = task.calibration
    if given and not (len(given.plan) == given.turns and 1 <= given.least <= given.turns):
        text = f"a plan of {len(given.plan)} turns that is said to have {given.turns}, and {given.least} at least"
        yield Fault(
            "calibration",
            f"{text}; a plan has at least 1 turn, and not fewer than the bound; calibrate again",
        )


def _tools(task: Task) -> Iterator[Fault]:
    for agent, tools in task.agent_actions.items():
        place = f"agent_actions.{agent}"
        yield from wrong(place, "agent", agent, task, None)
        for k, tool in enumerate(tools):
            if tool not in TOOLS:
                hint = near(tool, TOOLS) or f"; they are {', '.join(TOOLS)}"
                yield Fault(f"{place}[{k}]", f"no tool is called {quoted(tool)}{hint}")


def _start(task: Task, things: Things, *, whole: bool) -> list[Fault]:
    """What is seen only in the house itself; of the goal only if the ``whole`` task is without fault so far."""
    assert things.scene is not None, "a start is looked at in a scene"
    try:
        # The goal may be faulty still, and has no part in how the house starts.
        house = House(structs.replace(task, problem_pddl=ANY_GOAL, private_goals={}), things.scene)
    except TaskError as error:
        return [Fault("task", str(error))]
    engine = Engine(house)
    found = list(start_faults(task, things, engine))
    goal = formula_of(task.problem_pddl) if whole and not found else None
    if goal and all(holds(engine, literal) for literal in physical(goal)):
        text = "all that it asks for holds at the start; ask for something to be done"
        found.append(Fault("problem_pddl", text))
    return found


def _missing(task: Task, things: Things | None) -> Iterator[str]:
    if things is None:
        yield (
            f"scene {quoted(task.scene_id)} is missing, neither shipped nor beside the task: names of rooms, "
            "furniture and objects, spawns, what can be done with things, the start and what secrets say of it, "
            "and whether its plan reaches the goal"
        )
    elif things.scene is None:
        yield (
            f"{things.called} has names and no geometry: spawns, what furniture and objects can hold or be, "
            "the start and what secrets say of it, and whether its plan reaches the goal"
        )
    if task.category == "mixed" and not task.private_goals:
        yield "private_goals: none, though the task is mixed; nothing private can be scored"
