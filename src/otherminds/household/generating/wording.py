"""Secrets in free words by templates, at least five for each kind of statement and each predicate.

The templates use nothing of :func:`~otherminds.household.epistemic.words.free.told_freely`, which has its own grammar, so that reading
a wording back tests both.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence

from otherminds.household.epistemic import words
from otherminds.household.epistemic.formula import Atom, Formula, FormulaError, Know
from otherminds.household.epistemic.parse import parse
from otherminds.household.epistemic.predicates import RESTS
from otherminds.household.epistemic.told import private, secrets
from otherminds.household.epistemic.words.filling import filled, of_agent
from otherminds.household.generating import templates
from otherminds.household.generating.fields import of_knowledge, of_literal
from otherminds.household.task import Task

NAMED = re.compile(r"[a-z]+(?:_[a-z]+)*_[0-9]", re.ASCII)


def freely(statement: words.Secret, you: str, draw: random.Random) -> str:
    """The statement as free text of a secret of agent ``you``, one of :func:`wordings`.

    Raises:
        FormulaError: it has no words; the text says why.

    >>> freely(words.Aware("agent_1", words.Must(parse("(is_open fridge_1)"))), "agent_0", random.Random(1))
    'agent_1 has been told already that fridge_1 has to be open when the day is over.'
    """
    return draw.choice(wordings(statement, you))


def free_secrets(task: Task, draw: random.Random) -> dict[str, tuple[str, ...]]:
    """The secrets of each agent in free words, in the order of its formulas, private goals included.

    Without formulas, the understood sentences of the prose come first and the private goal last.

    Raises:
        FormulaError: a formula is no secret, or has no words.
    """
    texts: dict[str, tuple[str, ...]] = {}
    for agent in task.agents:
        statements = told_secrets(task, agent)
        if statements:
            texts[agent] = tuple(freely(statement, agent, draw) for statement in statements)
    return texts


def told_secrets(task: Task, agent: str) -> tuple[words.Secret, ...]:
    """What the secrets of an agent tell it: the statements and its private goal, in order.

    Raises:
        FormulaError: a formula is no secret.
    """
    if task.verified:
        return secrets(task.agent_knows.get(agent, ()))
    wish = task.private_goals.get(agent)
    return (*task.told_to(agent), *(secrets(private(parse(wish))) if wish else ()))


def wordings(statement: words.Secret, you: str) -> tuple[str, ...]:
    """All texts of a statement, of at least five templates, each once.

    Raises:
        FormulaError: it has no words; the text says why.
    """
    return tuple(dict.fromkeys(map(_sentence, _texts(statement, you))))


def _sentence(text: str) -> str:
    return text if NAMED.match(text) else text[0].upper() + text[1:]


def _texts(statement: words.Secret, you: str) -> Iterator[str]:
    match statement:
        case words.Fact(formula):
            yield from _facts(formula, you)
        case words.Must(formula):
            yield from _ends(formula, you, templates.GOALS, templates.KNOWLEDGE_GOALS)
        case words.Aware(agent, goal):
            fields = [field | of_agent(agent, you) for field in of_literal(goal.formula, you)]
            yield from filled(
                templates.AWARE, [field | {"end": end} for end in templates.ENDS for field in fields]
            )
        case words.Private(formula):
            yield from _ends(formula, you, templates.PRIVATE_GOALS, templates.PRIVATE_KNOWLEDGE)
        case words.HouseRule():
            yield from statement.wordings(you)
        case _:
            raise FormulaError("promises and requests are no secrets; say them in a message")


def _facts(formula: Formula, you: str) -> Iterator[str]:
    if isinstance(formula, Know):
        yield from filled(templates.KNOWLEDGE, of_knowledge(formula, you))
        return
    fields = of_literal(formula, you)
    yield from filled(templates.FACTS, fields)
    if isinstance(formula, Atom):
        yield from filled(FURTHER.get(formula.predicate, templates.STATES), fields)


FURTHER = {
    **dict.fromkeys((*RESTS, "is_next_to"), templates.PLACES),
    **{"is_held_by": templates.HOLDING, "agent_in_room": templates.ROOMS},
}
"""The further templates of a fact by its predicate; those of states for all others."""


def _ends(formula: Formula, you: str, few: Sequence[str], knowing: Sequence[str]) -> Iterator[str]:
    """Goals: a clause, and when it must hold."""
    is_knowledge = isinstance(formula, Know)
    fields = of_knowledge(formula, you) if is_knowledge else of_literal(formula, you)
    ends = [field | {"end": end} for end in templates.ENDS for field in fields]
    return filled(knowing if is_knowledge else few, ends)
