"""What is wrong with ``agent_knows``, the formulas that agents are told, by themselves and beside the prose.

The formulas are normative. A sentence of the controlled language has to say one of them; a formula that no
sentence says is a fault where the agent has no secret in free words that might. Free words are not compared.
"""

from __future__ import annotations

from collections.abc import Iterator

from otherminds.epistemic.errors import FormulaError
from otherminds.epistemic.predicates import NAME
from otherminds.epistemic.told import canonical, forms, named, private, statements
from otherminds.epistemic.words import read, unread
from otherminds.worlds.household.task import Task
from otherminds.worlds.household.tasks.account import Fault, near, quoted
from otherminds.worlds.household.tasks.goals import formula_of
from otherminds.worlds.household.tasks.secrets import denied
from otherminds.worlds.household.tasks.things import Things

FIELD = "agent_knows"


def free_words(task: Task) -> list[str]:
    """The places of the secrets that hold a sentence outside the controlled language."""
    return [
        f"agent_secrets.{agent}[{k}]"
        for agent, secrets in task.agent_secrets.items()
        for k, secret in enumerate(secrets)
        if unread(secret, you=agent)
    ]


def verified(task: Task) -> str:
    """Whether what agents are told is given as formulas, in words."""
    free = len(free_words(task))
    if not task.verified:
        return f"unverified: no {FIELD}, so that what agents are told is prose alone ({free} secrets in free words)"
    loose = f"; {free} secrets in free words are not compared" if free else ""
    return f"verified: the secrets agree with {FIELD}{loose}"


def knows_faults(task: Task, things: Things | None) -> Iterator[Fault]:
    """Of a task with ``agent_knows``: forms that cannot be read, are not so, or differ from the prose."""
    if not task.verified:
        return
    for agent, texts in task.agent_knows.items():
        place = f"{FIELD}.{agent}"
        if agent not in task.agents:
            yield Fault(
                place,
                f"no agent {quoted(agent)} in this task; they are {task.agents[0]} to {task.agents[-1]}",
            )
            continue
        found: dict[str, str] = {}
        wrong = False
        for k, text in enumerate(texts):
            try:
                found |= dict.fromkeys(canonical(text), f"{place}[{k}]")
            except FormulaError as error:
                wrong = True
                yield Fault(f"{place}[{k}]", str(error))
                continue
            yield from _strange(f"{place}[{k}]", text, task, things)
        if wrong:
            continue
        for statement in statements(found):
            (first, *_) = forms(statement, task.agents)
            yield from denied(found.get(first, place), statement, agent, task)
        yield from _unlike(agent, found, task)
        yield from _wants(agent, found, task)
    for agent in task.agent_secrets:
        if agent in task.agents and task.agent_secrets[agent] and agent not in task.agent_knows:
            yield Fault(
                f"{FIELD}.{agent}", "it has secrets, and no formulas; write them, or take all of them out"
            )


def _strange(place: str, text: str, task: Task, things: Things | None) -> Iterator[Fault]:
    """Names of nothing."""
    scene = () if things is None else (*things.rooms, *things.furniture, *things.objects)
    for name in dict.fromkeys(named(text)):
        if name in task.agents or name in scene:
            continue
        if name.startswith("agent_"):
            yield Fault(place, f"it speaks of {quoted(name)}, who is not in this task")
        elif things is not None or not NAME.fullmatch(name):
            yield Fault(place, f"it speaks of {quoted(name)}, which is not in the scene{near(name, scene)}")


def _unlike(agent: str, known: dict[str, str], task: Task) -> Iterator[Fault]:
    """Where prose and formulas differ."""
    secrets = task.agent_secrets.get(agent, ())
    said: set[str] = set()
    for k, secret in enumerate(secrets):
        for statement in read(secret, you=agent):
            for form in forms(statement, task.agents):
                said.add(form)
                if form not in known:
                    place = f"agent_secrets.{agent}[{k}]"
                    text = f"it says {form}, which {FIELD} does not hold; add it there, or mend the sentence"
                    yield Fault(place, text, (f"{FIELD}.{agent}",))
    if any(unread(secret, you=agent) for secret in secrets):
        return
    for form, place in known.items():
        if form not in said:
            yield Fault(
                place,
                f"no secret of {agent} says {form}; say it, or take it out",
                (f"agent_secrets.{agent}",),
            )


def _wants(agent: str, known: dict[str, str], task: Task) -> Iterator[Fault]:
    """Whether the private goal that an agent knows of is the one that it has."""
    goal = formula_of(task.private_goals.get(agent, ""))
    has = private(goal) if goal else ()
    for form in has:
        if form not in known and form.replace("(private_goal ", "(goal ", 1) not in known:
            text = f"{form} is missing, the private goal that it is scored by; add it"
            yield Fault(f"{FIELD}.{agent}", text, (f"private_goals.{agent}",))
    for form, place in known.items():
        if form.startswith("(private_goal ") and form not in has:
            yield Fault(
                place,
                f"{agent} has no such private goal; add it to private_goals, or take it out",
                (f"private_goals.{agent}",),
            )
