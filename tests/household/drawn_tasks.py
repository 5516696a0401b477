"""Tasks drawn at random in any scene, with mechanics of every kind."""

from __future__ import annotations

import random

from otherminds.core.errors import TaskError
from otherminds.household.house import House
from otherminds.household.scenes.scene import Scene
from otherminds.household.task import Binding, Task

TRIES = 50


def task(scene: Scene, seed: int, agents: int = 3) -> Task:
    """A task whose goal is some object on some furniture; its mechanics may contradict each other."""
    draw = random.Random(seed)
    seats = [f"agent_{i}" for i in range(agents)]
    pieces = scene.geometry.furniture
    doors = [f for f, piece in pieces.items() if piece.articulated]
    tops = [f for f, piece in pieces.items() if piece.top]
    bound = draw.sample(doors, 5)
    starts = {scene.agent_spawns[seat].room for seat in seats}
    free = [room for room in scene.rooms if room not in starts]
    bindings = [
        Binding("inverse_state", trigger_object=bound[0]),
        Binding(
            "remote_control",
            trigger_object=bound[1],
            target_object=bound[2],
            target_state=draw.choice(("open", "closed")),
        ),
        Binding("state_mirroring", trigger_object=bound[3], target_object=bound[4]),
        Binding("limited_bandwidth", message_limits={seat: draw.randrange(4) for seat in seats}),
        Binding("restricted_communication", allowed_targets={seats[0]: (seats[1],)}),
    ]
    if free:
        bindings.append(
            Binding(
                "room_restriction", restricted_rooms=(draw.choice(free),), for_agents=(draw.choice(seats),)
            )
        )
    states: dict[str, dict[str, bool | str]] = {}
    for o, item in scene.geometry.objects.items():
        dirty = {"is_dirty": True} if item.dirtyable and draw.random() < 0.5 else {}
        filled = {"is_filled": True} if item.fillable and draw.random() < 0.3 else {}
        if dirty or filled:
            states[o] = dirty | filled
    return Task(
        task_id=f"drawn_{seed}",
        task="Tidy up.",
        scene_id=scene.scene_id,
        num_agents=agents,
        mechanic_bindings=tuple(draw.sample(bindings, draw.randint(3, len(bindings)))),
        initial_states=states,
        problem_pddl=f"(is_on_top {draw.choice(scene.objects)} {draw.choice(tops)})",
    )


def house(scene: Scene, seed: int, agents: int = 3) -> House:
    """The first of the tasks from ``seed`` on whose mechanics do not contradict each other, compiled."""
    for k in range(TRIES):
        try:
            return House(task(scene, seed * TRIES + k, agents), scene)
        except TaskError:
            continue
    raise AssertionError(f"no task in {scene.scene_id} from seed {seed} on")
