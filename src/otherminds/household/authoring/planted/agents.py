"""Faults of the team: agents that are not needed, and knowledge that is not divided."""

from __future__ import annotations

from functools import reduce
from itertools import zip_longest

from msgspec import structs

from otherminds.household.authoring.planted.edits import (
    HIDDEN,
    LIMITS,
    LINKS,
    add_formulas,
    bar_rooms,
    bars_of,
    find_told,
    replace_bindings,
    retell_secrets,
)
from otherminds.household.authoring.planted.registry import planted
from otherminds.household.task import Task


@planted("agent_necessity", "needs agent_")
def redundant_agent(task: Task) -> Task | None:
    """One more agent, which is told nothing and can do nothing that others cannot."""
    new = f"agent_{task.num_agents}"
    spawns = {**task.agent_spawns, new: task.agent_spawns["agent_0"]}
    several = structs.replace(task, num_agents=task.num_agents + 1, agent_spawns=spawns)
    several = retell_secrets(
        several, {agent: _add_barred_links(texts, new) for agent, texts in task.agent_knows.items()}
    )
    return bar_rooms(several, {**bars_of(task), new: bars_of(task)["agent_0"]})


@planted("agent_necessity", "needs messages")
def soloist(task: Task) -> Task | None:
    """One agent is told all parts of the goal and may go everywhere."""
    briefed = add_formulas(task, "agent_0", *find_told(task, "(goal (is_", *HIDDEN))
    return bar_rooms(briefed, {**bars_of(task), "agent_0": ()})


@planted("task_naturalness", "needs messages")
def everybody_told(task: Task) -> Task | None:
    """All agents are told all parts of the goal, so that there is nothing to say."""
    formulas = find_told(task, "(goal ", *HIDDEN)
    return reduce(lambda briefed, agent: add_formulas(briefed, agent, *formulas), task.agent_knows, task)


@planted("task_interdependence", "needs messages")
def side_by_side(task: Task) -> Task | None:
    """Agents may go everywhere and are told all parts of the goal: each can do what is left."""
    shared = everybody_told(task)
    return bar_rooms(shared, {}) if shared and task.category == "cooperative" else None


@planted("pddl_solvability", "solvable")
def silenced_agents(task: Task) -> Task | None:
    """No agent can send a message."""
    other_bindings = [
        binding for binding in task.mechanic_bindings if binding.mechanic_type not in (LINKS, LIMITS)
    ]
    limits = [binding for binding in task.mechanic_bindings if binding.mechanic_type == LIMITS][:1]
    if not limits:
        return None
    none = structs.replace(limits[0], message_limits=dict.fromkeys(task.agents, 0))
    links = [binding for binding in task.mechanic_bindings if binding.mechanic_type == LINKS]
    knows = {
        agent: [
            *(text for text in texts if not text.startswith("(message_limit ")),
            f"(message_limit {agent} 0)",
        ]
        for agent, texts in task.agent_knows.items()
    }
    return retell_secrets(replace_bindings(task, [*other_bindings, *links, none]), knows)


def _add_barred_links(texts: tuple[str, ...], new: str) -> list[str]:
    """``texts`` in which every agent whose addressees are told cannot message ``new`` either."""
    extended: list[str] = []
    for text, after in zip_longest(texts, texts[1:], fillvalue=""):
        extended.append(text)
        sender = _sender(text)
        if sender and sender != _sender(after):
            extended.append(f"(not (can_communicate {sender} {new}))")
    return extended


def _sender(text: str) -> str:
    """The agent whose addressees a form is about; empty for other forms."""
    return text.partition("(can_communicate ")[2].partition(" ")[0]
