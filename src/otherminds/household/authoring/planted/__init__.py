"""Faults planted into sound tasks, to measure what judges and checks catch: ``otherminds tasks judge --planted N``.

A fault is a function that takes a sound task and returns the faulty one. It stands in a module of this package, or in another
distribution, which names it by the entry point ``otherminds.planted_faults``. Faults are made of the edits of tasks below,
after which agents are told the same in words and in formulas."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Mapping
from inspect import getdoc
from typing import TypeAlias

from msgspec import Struct, structs

from otherminds.core.registry import Registry
from otherminds.household.authoring.results import Criterion
from otherminds.household.epistemic import words
from otherminds.household.epistemic.forms import secrets
from otherminds.household.epistemic.formula import Literal, atom, conjuncts, physical, show
from otherminds.household.epistemic.parse import goal_of
from otherminds.household.epistemic.predicates import opposed, positive
from otherminds.household.epistemic.words.sentences import tell
from otherminds.household.generating.wording import wordings
from otherminds.household.scenes.load import load_scene
from otherminds.household.task import Binding, Task

Planting: TypeAlias = Callable[[Task], Task | None]
"""The task with the fault, or ``None`` if it cannot be planted in this task."""


class PlantedFault(Struct, frozen=True):
    """A fault: the ``criterion`` that it harms, and what it is ``about``, a sentence.

    ``seen`` is the beginning of the fault, finding or verdict that a check without a model has against it; empty if no check
    sees it, so that only a judge can.
    """

    name: str
    criterion: Criterion
    seen: str
    about: str
    planting: Planting

    def plant_in(self, task: Task) -> Task | None:
        """``task`` with this fault and without a calibration; ``None`` if it cannot be planted in it.

        A fault is planted only where secrets have formulas, so that checks can see it.
        """
        faulty = self.planting(task) if task.verified else None
        return None if faulty is None or faulty == task else structs.replace(faulty, calibration=None)


planted_faults: Registry[PlantedFault] = Registry(
    "planted_fault",
    "otherminds.household.authoring.planted",
    accepts=lambda entry: isinstance(entry, PlantedFault),
)


def planted(criterion: Criterion, seen: str = "") -> Callable[[Planting], Planting]:
    """A decorator that registers a function as a fault under its name; its docstring says what the fault is."""

    def register(planting: Planting) -> Planting:
        name = planting.__name__
        planted_faults.add(name, PlantedFault(name, criterion, seen, getdoc(planting) or "", planting))
        return planting

    return register


def plant(task: Task, draw: random.Random) -> Task | None:
    """``task`` with one of the faults that can be planted in it, drawn at random; ``None`` if there is none."""
    names = list(planted_faults)
    draw.shuffle(names)
    return next((faulty for name in names if (faulty := planted_faults.get(name).plant_in(task))), None)


BARS, LINKS, LIMITS = "room_restriction", "restricted_communication", "limited_bandwidth"
HIDDEN = ("(is_inverse ", "(controls ", "(mirrors ")
"""How the formulas of hidden mechanisms begin."""
NOWHERE = "cabinet_9999"
"""A thing that no scene has."""


def facts_of(task: Task) -> tuple[Literal, ...]:
    """The physical facts of the shared goal, in positive form."""
    return tuple(map(positive, physical(goal_of(task.problem_pddl))))


def open_goals(task: Task) -> tuple[str, ...]:
    """The furniture that must end open."""
    return tuple(atom(fact).args[0] for fact in facts_of(task) if atom(fact).predicate == "is_open")


def teller(task: Task, form: str) -> str | None:
    """The first agent that is told ``form``."""
    return next((agent for agent, texts in task.agent_knows.items() if form in texts), None)


def other(task: Task, agent: str) -> str:
    """The next agent after ``agent``."""
    return task.agents[(task.agents.index(agent) + 1) % task.num_agents]


def retell_secrets(task: Task, knows: Mapping[str, Iterable[str]]) -> Task:
    """The task whose agents are told ``knows``, in words too; what is not mentioned stays."""
    formulas = {agent: tuple(texts) for agent, texts in knows.items()}
    sentences = {agent: tuple(_word_formulas(texts, agent)) for agent, texts in formulas.items()}
    return structs.replace(
        task, agent_knows={**task.agent_knows, **formulas}, agent_secrets={**task.agent_secrets, **sentences}
    )


def find_told(task: Task, *beginnings: str) -> list[str]:
    """The formulas that agents are told and that begin in one of these ways."""
    return [text for texts in task.agent_knows.values() for text in texts if text.startswith(beginnings)]


def add_formulas(task: Task, agent: str, *formulas: str) -> Task:
    """The task whose ``agent`` is told these formulas too, in words as well."""
    return retell_secrets(task, {agent: dict.fromkeys((*task.agent_knows.get(agent, ()), *formulas))})


def reword_secrets(task: Task, agent: str, sentences: Iterable[str]) -> Task:
    """The task whose ``agent`` has these secrets in words; its formulas stay."""
    return structs.replace(task, agent_secrets={**task.agent_secrets, agent: tuple(sentences)})


def also_said(task: Task, agent: str, sentence: str) -> Task:
    """The task with one more secret in words."""
    return reword_secrets(task, agent, (*task.agent_secrets.get(agent, ()), sentence))


def with_goal(task: Task, parts: Iterable[str]) -> Task:
    """The task with the conjunction of ``parts`` as its shared goal."""
    return structs.replace(task, problem_pddl=f"(and {' '.join(parts)})")


def goal_parts(task: Task) -> list[str]:
    """The conjuncts of the shared goal, as text."""
    return [show(part) for part in conjuncts(goal_of(task.problem_pddl))]


def replace_bindings(task: Task, bindings: Iterable[Binding]) -> Task:
    """The task with these bindings, and the mechanics that they have."""
    new_bindings = tuple(bindings)
    active = tuple(dict.fromkeys(binding.mechanic_type for binding in new_bindings))
    return structs.replace(task, mechanic_bindings=new_bindings, active_mechanics=active, message_targets={})


def bar_rooms(task: Task, bars: Mapping[str, Iterable[str]]) -> Task:
    """The task in which each agent is barred from its ``bars`` alone, and told so."""
    other_bindings = [binding for binding in task.mechanic_bindings if binding.mechanic_type != BARS]
    bar_bindings = [
        Binding(BARS, restricted_rooms=tuple(rooms), for_agents=(agent,))
        for agent, rooms in bars.items()
        if rooms
    ]
    knows = {
        agent: (
            *(f"(is_restricted {agent} {room})" for room in bars.get(agent, ())),
            *(
                text
                for text in task.agent_knows.get(agent, ())
                if not text.startswith(("(is_restricted", "(unrestricted"))
            ),
        )
        for agent in task.agents
    }
    return retell_secrets(replace_bindings(task, [*bar_bindings, *other_bindings]), knows)


def bars_of(task: Task) -> dict[str, tuple[str, ...]]:
    """The rooms that each agent cannot enter."""
    return {
        agent: tuple(
            room
            for binding in task.mechanic_bindings
            if binding.mechanic_type == BARS and agent in binding.for_agents
            for room in binding.restricted_rooms
        )
        for agent in task.agents
    }


def needed_rooms(task: Task) -> set[str]:
    """The rooms of the furniture that goals and secrets name."""
    text = " ".join([task.problem_pddl, *task.private_goals.values()])
    names = set(text.replace("(", " ").replace(")", " ").split())
    rooms = load_scene(task.scene_id).furniture_in_rooms
    return {room for room, inside in rooms.items() if not names.isdisjoint(inside)}


def free_furniture(task: Task) -> tuple[str, ...]:
    """Furniture that can be opened and that the task does not name, in rooms that no agent is barred from."""
    scene = load_scene(task.scene_id)
    closed = {room for rooms in bars_of(task).values() for room in rooms}
    text = f"{task.problem_pddl} {task.private_goals} {task.agent_knows} {task.mechanic_bindings} "
    inside = [
        name for room, names in scene.furniture_in_rooms.items() if room not in closed for name in names
    ]
    return tuple(name for name in inside if name in scene.articulated_furniture and not _names(text, name))


def format_opposite(fact: Literal) -> str:
    """The opposite of a fact, as text.

    >>> from otherminds.household.epistemic.formula import Atom
    >>> format_opposite(Atom("is_open", ("fridge_3",)))
    '(is_closed fridge_3)'
    """
    return show(positive(opposed(fact)))


def _names(text: str, name: str) -> bool:
    return any(f"{name}{end}" in text for end in (")", " ", "'"))


def _word_formulas(texts: Iterable[str], agent: str) -> Iterable[str]:
    for statement in secrets(texts):
        yield (
            wordings(statement, agent)[0] if isinstance(statement, words.Private) else tell(statement, agent)
        )
