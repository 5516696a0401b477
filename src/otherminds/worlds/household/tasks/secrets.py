"""What is wrong with what agents are told: unknown names, statements that the rest of the file denies, untold goals.

Only what is written in the controlled language (:mod:`otherminds.epistemic.words`) is
compared with the rest of the file; of freer sentences only the names are looked at.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from otherminds.epistemic.formula import Chain, Formula, atom, chains, physical
from otherminds.epistemic.predicates import NAME, positive
from otherminds.epistemic.show import show
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
    unread,
)
from otherminds.worlds.household.mechanics.allowances import barred, budget, reached
from otherminds.worlds.household.task import Task
from otherminds.worlds.household.tasks.account import Fault, near, quoted
from otherminds.worlds.household.tasks.bindings import BY
from otherminds.worlds.household.tasks.bound import bound
from otherminds.worlds.household.tasks.goals import formula_of
from otherminds.worlds.household.tasks.things import Things

NAMED = re.compile(rf"(?<!\w){NAME.pattern}(?!\w)", re.ASCII)


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
                yield from denied(f"{place}[{k}]", statement, agent, task)
    yield from _untold(task)


def denied(place: str, statement: Statement, agent: str, task: Task) -> Iterator[Fault]:
    """The fault of a statement that ``agent`` is told and the rest of the file denies, if it does."""
    why = _denied(statement, agent, task)
    if why:
        goals = ("problem_pddl", f"private_goals.{agent}")
        yield Fault(place, why, goals if isinstance(statement, Must) else BY)


def _untold(task: Task) -> Iterator[Fault]:
    """Private goals that no secret tells their owners, who cannot know them otherwise.

    A part of one is told by a secret in the controlled language that says just that, or
    by one in free words that names all that the part is about.
    """
    for agent, text in task.private_goals.items():
        goal = formula_of(text)
        if goal is None or agent not in task.agents:
            continue
        secrets = task.agent_secrets.get(agent, ())
        musts = [
            chain
            for secret in secrets
            for statement in read(secret, you=agent)
            if isinstance(statement, Must)
            for chain in _chains(statement.formula)
        ]
        free = [set(NAMED.findall(" ".join(unread(secret, you=agent)))) for secret in secrets]
        for chain in _chains(goal):
            wanted = {*atom(chain.fact).args, *chain.agents} - {agent}
            if chain not in musts and not any(wanted <= named for named in free):
                about = f"{show(chain.formula)}; say so, naming {', '.join(sorted(wanted))}"
                place = f"agent_secrets.{agent}"
                text = f"no secret tells {agent} its private goal {about}"
                yield Fault(place, text, (place, f"private_goals.{agent}"))


def _names(place: str, text: str, task: Task, things: Things | None) -> Iterator[Fault]:
    """Names of the form ``type_N`` that are names of nothing."""
    for name in dict.fromkeys(NAMED.findall(text)):
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
        case Must(goal) if (asked := _asked(task, agent)) is not None and any(
            chain not in asked for chain in _chains(goal)
        ):
            return (
                f"neither the goal nor a private goal of {agent} asks for that; add it there, or take it out"
            )
        case Inverse() | Mirrors() | Controls() if _plain(statement) not in _told(task):
            return "no binding makes it so; bind it, or take it out"
        case _:
            return ""


def _asked(task: Task, agent: str) -> list[Chain] | None:
    """All that the goal and the private goal of ``agent`` ask for; ``None`` if one of them cannot be read."""
    texts = [task.problem_pddl, *(text for owner, text in task.private_goals.items() if owner == agent)]
    goals = [formula_of(text) for text in texts]
    return None if None in goals else [chain for goal in goals if goal for chain in _chains(goal)]


def _chains(formula: Formula) -> list[Chain]:
    """The conjuncts, with ``is_closed`` for ``not is_open``."""
    every = (*(Chain((), fact) for fact in physical(formula)), *chains(formula))
    return [Chain(chain.agents, positive(chain.fact)) for chain in every]


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
