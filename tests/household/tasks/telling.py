"""Which abilities of agents their own secrets do not tell."""

from __future__ import annotations

from otherminds.household.task import Task


def untold_abilities(task: Task) -> list[str]:
    """The rooms that agents cannot enter, whom they cannot message, and their limits, if they are not told these themselves."""
    found: list[str] = []
    for agent in task.agents:
        told = {" ".join(one.split()) for one in task.agent_knows.get(agent, ())}
        found += [text for text in _abilities(task, agent) if text not in told]
    return found


def _abilities(task: Task, agent: str) -> list[str]:
    found: list[str] = []
    for one in task.mechanic_bindings:
        if one.mechanic_type == "room_restriction" and agent in one.for_agents:
            found += [f"(is_restricted {agent} {room})" for room in one.restricted_rooms]
        if one.mechanic_type == "restricted_communication" and agent in one.allowed_targets:
            others = set(task.agents) - {agent, *one.allowed_targets[agent]}
            found += [f"(not (can_communicate {agent} {other}))" for other in sorted(others)]
        if one.mechanic_type == "limited_bandwidth" and agent in one.message_limits:
            found.append(f"(message_limit {agent} {one.message_limits[agent]})")
    return found
