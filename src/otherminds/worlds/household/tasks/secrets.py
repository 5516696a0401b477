"""What is wrong with what agents are told: unknown names, and statements that the rest of the file denies.

Only what is written in the controlled language (:mod:`otherminds.epistemic.words`) is
compared with the rest of the file; of freer sentences only the names are looked at.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from otherminds.epistemic.formula import Formula, conjuncts
from otherminds.epistemic.words import (
    Barred,
    Budget,
    Controls,
    Inverse,
    Mirrors,
    Must,
    Reaches,
    Statement,
    read,
)
from otherminds.worlds.household.mechanics.allowances import barred, budget, reached
from otherminds.worlds.household.task import Task
from otherminds.worlds.household.tasks.account import Fault, near, quoted
from otherminds.worlds.household.tasks.bound import bound
from otherminds.worlds.household.tasks.goals import formula_of
from otherminds.worlds.household.tasks.things import Things

NAME = re.compile(r"(?<!\w)[a-z][a-z0-9_]*_[0-9]+(?!\w)", re.ASCII)


def secret_faults(task: Task, things: Things | None) -> Iterator[Fault]:
    """Of secrets, and of the description that all are given."""
    yield from _names("task", task.task, task, things)
    for agent, secrets in task.agent_secrets.items():
        place = f"agent_secrets.{agent}"
        if agent not in task.agents:
            known = f"{task.agents[0]} to {task.agents[-1]}"
            yield Fault(place, f"no agent {quoted(agent)} in this task; they are {known}")
            continue
        for k, secret in enumerate(secrets):
            yield from _names(f"{place}[{k}]", secret, task, things)
            for statement in read(secret, you=agent):
                denied = _denied(statement, agent, task)
                if denied:
                    yield Fault(f"{place}[{k}]", denied)


def _names(place: str, text: str, task: Task, things: Things | None) -> Iterator[Fault]:
    """Names of the form ``type_N`` that are names of nothing."""
    for name in dict.fromkeys(NAME.findall(text)):
        if name.startswith("agent_"):
            if name not in task.agents:
                yield Fault(place, f"it speaks of {name}, who is not in this task")
        elif things and name not in (names := (*things.rooms, *things.furniture, *things.objects)):
            yield Fault(
                place, f"it speaks of {quoted(name)}, which is not in {things.called}{near(name, names)}"
            )


def _denied(statement: Statement, agent: str, task: Task) -> str:
    """Why a statement is not so, by the rest of the file; empty if it is."""
    match statement:
        case Barred(who, rooms) if free := [room for room in rooms if room not in barred(bound(task), who)]:
            return f"no binding keeps {who} out of {' or '.join(free)}; bind it, or say otherwise"
        case Reaches(who, targets) if set(targets) != set(reached(bound(task), task.agents, who)):
            mine = ", ".join(reached(bound(task), task.agents, who)) or "nobody"
            return f"by the bindings {who} can message {mine}; say so, or mend them"
        case Budget(who, messages) if budget(bound(task), who) != messages:
            most = budget(bound(task), who)
            return f"by the bindings {who} can send {'any number of' if most is None else most} messages"
        case Must(goal) if not _asked(task, agent).issuperset(conjuncts(goal)):
            return (
                f"neither the goal nor a private goal of {agent} asks for that; add it there, or take it out"
            )
        case Inverse() | Mirrors() | Controls() if _plain(statement) not in _told(task):
            return "no binding makes it so; bind it, or take it out"
        case _:
            return ""


def _asked(task: Task, agent: str) -> set[Formula]:
    """Every conjunct of the goal and of the private goal of ``agent``."""
    goals = (formula_of(task.problem_pddl), formula_of(task.private_goals.get(agent, "")))
    return {part for goal in goals if goal for part in conjuncts(goal)}


def _told(task: Task) -> set[Statement]:
    """What the bindings would have a secret tell."""
    return {_plain(statement) for m, b in bound(task) for statement in m.secrets(b)}


def _plain(statement: Statement) -> Statement:
    """The same, however it is put: of things in step either may be named first; a trigger opens or is switched on."""
    match statement:
        case Mirrors(one, other):
            return Mirrors(*sorted((one, other)))
        case Controls(trigger, target, state):
            return Controls(trigger, target, state)
        case _:
            return statement
