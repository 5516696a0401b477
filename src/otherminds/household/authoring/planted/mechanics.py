"""Faults of mechanics: decoration, mechanics that nobody knows of, and limits that are too tight or too wide."""

from __future__ import annotations

from msgspec import structs

from otherminds.household.authoring.planted.edits import (
    HIDDEN,
    LIMITS,
    LINKS,
    NOWHERE,
    add_formulas,
    bar_rooms,
    bars_of,
    free_furniture,
    needed_rooms,
    replace_bindings,
    retell_secrets,
)
from otherminds.household.authoring.planted.registry import planted
from otherminds.household.epistemic.formula import depth
from otherminds.household.epistemic.parse import goal_of
from otherminds.household.house import HousePlan
from otherminds.household.scenes.load import load_scene
from otherminds.household.task import Binding, Task

WIDE, TIGHT = 40, 1
"""More messages than any task needs, and fewer than most do."""


@planted("mechanic_utilization", "needs its barred rooms")
def decorative_bars(task: Task) -> Task | None:
    """The only barred room has nothing that anybody needs."""
    room = _unused_room(task)
    return bar_rooms(task, {"agent_0": (room,)}) if room else None


@planted("mechanic_utilization")
def another_bar(task: Task) -> Task | None:
    """One more room is barred in which there is nothing to do."""
    room = _unused_room(task)
    if room is None:
        return None
    return bar_rooms(
        task, {agent: dict.fromkeys((*several, room)) for agent, several in bars_of(task).items()}
    )


@planted("mechanic_utilization")
def idle_mechanism(task: Task) -> Task | None:
    """A thing that nobody uses works in reverse."""
    free = free_furniture(task)
    if not free:
        return None
    inverse = Binding("inverse_state", trigger_object=free[0])
    briefed = add_formulas(task, "agent_0", f"(is_inverse {free[0]})")
    return replace_bindings(briefed, [*task.mechanic_bindings, inverse])


@planted("mechanic_utilization")
def untold_mechanism(task: Task) -> Task | None:
    """A hidden mechanism that the goal needs is told to nobody."""
    knows = {
        agent: [text for text in texts if not text.startswith(HIDDEN)]
        for agent, texts in task.agent_knows.items()
    }
    changed = {agent: texts for agent, texts in knows.items() if len(texts) < len(task.agent_knows[agent])}
    return retell_secrets(task, changed) if changed else None


@planted("mechanic_utilization")
def wide_limit(task: Task) -> Task | None:
    """The number of messages is limited to more than anybody needs."""
    return _limit_messages(task, WIDE)


@planted("pddl_solvability", "solvable")
def tight_limit(task: Task) -> Task | None:
    """The number of messages is too small for the task."""
    deep = depth(goal_of(task.problem_pddl)) > 1
    return _limit_messages(task, TIGHT) if deep else None


@planted("mechanic_utilization")
def idle_links(task: Task) -> Task | None:
    """Links are given that forbid nothing: each agent can message all others."""
    if any(binding.mechanic_type == LINKS for binding in task.mechanic_bindings):
        return None
    targets = {agent: tuple(other for other in task.agents if other != agent) for agent in task.agents}
    links = Binding(LINKS, allowed_targets=targets)
    knows = {
        agent: (
            *(f"(can_communicate {agent} {other})" for other in targets[agent]),
            *task.agent_knows.get(agent, ()),
        )
        for agent in task.agents
    }
    return retell_secrets(replace_bindings(task, [*task.mechanic_bindings, links]), knows)


@planted("mechanic_utilization", "mechanic_bindings")
def unknown_mechanic(task: Task) -> Task | None:
    """A mechanic is bound to a thing that is not in the scene."""
    inverse = Binding("inverse_state", trigger_object=NOWHERE)
    return replace_bindings(task, [*task.mechanic_bindings, inverse])


def _limit_messages(task: Task, messages: int) -> Task | None:
    """The task with this number of messages for each agent that has a limit."""
    if not any(binding.mechanic_type == LIMITS for binding in task.mechanic_bindings):
        return None
    bindings = [
        structs.replace(binding, message_limits=dict.fromkeys(binding.message_limits, messages))
        for binding in task.mechanic_bindings
    ]
    limited = {agent for binding in task.mechanic_bindings for agent in binding.message_limits}
    knows = {
        agent: [
            f"(message_limit {text.split()[1]} {messages})"
            if text.startswith("(message_limit ") and text.split()[1] in limited
            else text
            for text in texts
        ]
        for agent, texts in task.agent_knows.items()
    }
    return retell_secrets(replace_bindings(task, bindings), knows)


def _unused_room(task: Task) -> str | None:
    """A room without anything that the task names, where nobody starts and through which nobody must go."""
    plan, bars = HousePlan(task, load_scene(task.scene_id)), bars_of(task)
    rooms_in_use = needed_rooms(task) | {spawn.room for spawn in task.agent_spawns.values()}
    rooms_in_use |= {room for several in bars.values() for room in several}
    walks = [("agent_0", ()), *bars.items()]
    for room in plan.rooms:
        ends = (
            plan.walkable(agent, (*shut, room)) == plan.walkable(agent, shut) - {room}
            for agent, shut in walks
        )
        if room not in rooms_in_use and all(ends):
            return room
    return None
