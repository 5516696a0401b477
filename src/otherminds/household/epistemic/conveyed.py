"""What a message conveyed, as text in a record: the forms of secrets (:mod:`.told`), with two more for messages.

``(request agent φ)`` says that the agent is asked to see to φ, ``(promise agent φ)`` that it says it will.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from otherminds.household.epistemic.formula import FormulaError, show, shown
from otherminds.household.epistemic.parse import parse
from otherminds.household.epistemic.predicates import AGENT
from otherminds.household.epistemic.told import forms, private, secrets
from otherminds.household.epistemic.words import Asks, Doing, Must, Private, Secret

HEADS: dict[str, type[Asks | Doing]] = {"request": Asks, "promise": Doing}
DUTIES = tuple(f"({head} " for head in HEADS)


def write_forms(statement: Secret, agents: Sequence[str]) -> tuple[str, ...]:
    """The forms of a statement in a task of these ``agents``.

    >>> from otherminds.household.epistemic.formula import Atom
    >>> write_forms(Asks("agent_1", Must(Atom("is_open", ("cabinet_3",)))), ("agent_0", "agent_1"))
    ('(request agent_1 (is_open cabinet_3))',)
    """
    match statement:
        case Asks(agent, Must(formula)):
            return (f"(request {agent} {show(formula)})",)
        case Doing(agent, Must(formula)):
            return (f"(promise {agent} {show(formula)})",)
        case Private(formula):
            return private(formula)
        case _:
            return forms(statement, agents)


def read_forms(texts: Iterable[str]) -> tuple[Secret, ...]:
    """The statements of forms, in order; adjacent forms about the rooms or addressees of one agent are one statement.

    Raises:
        FormulaError: a text is not a form.

    >>> read_forms(["(is_open cabinet_3)", "(promise agent_0 (is_clean bowl_0))"])[1].agent
    'agent_0'
    """
    statements: list[Secret] = []
    plain: list[str] = []
    for text in texts:
        if text.startswith(DUTIES):
            statements += [*secrets(plain), _read_duty(text)]
            plain = []
        else:
            plain.append(text)
    return (*statements, *secrets(plain))


def _read_duty(text: str) -> Asks | Doing:
    head, _, arguments = text.strip()[1:-1].partition(" ")
    agent, _, formula = arguments.partition(" ")
    if not AGENT.fullmatch(agent):
        raise FormulaError(f"({head} agent formula): {shown(agent)} is no agent")
    return HEADS[head](agent, Must(parse(formula)))
