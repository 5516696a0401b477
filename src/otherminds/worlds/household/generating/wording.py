"""Secrets in free words by templates, at least five for each kind of statement and each predicate.

The templates use nothing of :func:`~otherminds.epistemic.words.free.told_freely`, which has its own grammar, so that reading
a wording back tests both.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence
from itertools import product

from otherminds.epistemic import words
from otherminds.epistemic.formula import And, Atom, Formula, FormulaError, Know, Not, atom, shown
from otherminds.epistemic.parse import parse
from otherminds.epistemic.predicates import MEANT, OPPOSITES, PREDICATES, RESTS, SHOWN, State
from otherminds.epistemic.told import private, secrets
from otherminds.epistemic.words.sentences import MOST
from otherminds.epistemic.words.shapes import agent_named, listed, thing
from otherminds.worlds.asking import several
from otherminds.worlds.household.generating import templates
from otherminds.worlds.household.task import Task

NAMED = re.compile(r"[a-z]+(?:_[a-z]+)*_[0-9]", re.ASCII)
Fields = dict[str, str]


def freely(told: words.Secret, you: str, draw: random.Random) -> str:
    """The statement as free text of a secret of agent ``you``, one of :func:`wordings`.

    Raises:
        FormulaError: it has no words; the text says why.

    >>> freely(words.Barred("agent_0", ("kitchen_1",)), "agent_0", random.Random(1))
    'kitchen_1 is off limits to you.'
    """
    return draw.choice(wordings(told, you))


def free_secrets(task: Task, draw: random.Random) -> dict[str, tuple[str, ...]]:
    """The secrets of each agent in free words, in the order of its formulas, private goals included.

    Without formulas, the understood sentences of the prose come first and the private goal last.

    Raises:
        FormulaError: a formula is no secret, or has no words.
    """
    found: dict[str, tuple[str, ...]] = {}
    for agent in task.agents:
        told = told_secrets(task, agent)
        if told:
            found[agent] = tuple(freely(one, agent, draw) for one in told)
    return found


def told_secrets(task: Task, agent: str) -> tuple[words.Secret, ...]:
    """What the secrets of an agent tell it: the statements and its private goal, in order.

    Raises:
        FormulaError: a formula is no secret.
    """
    if task.verified:
        return secrets(task.agent_knows.get(agent, ()))
    wish = task.private_goals.get(agent)
    return (*task.told_to(agent), *(secrets(private(parse(wish))) if wish else ()))


def wordings(told: words.Secret, you: str) -> tuple[str, ...]:
    """All texts of a statement, of at least five templates, each once.

    Raises:
        FormulaError: it has no words; the text says why.
    """
    return tuple(dict.fromkeys(map(_sentence, _texts(told, you))))


def _sentence(text: str) -> str:
    return text if NAMED.match(text) else text[0].upper() + text[1:]


def _texts(told: words.Secret, you: str) -> Iterator[str]:
    match told:
        case words.Fact(formula):
            yield from _facts(formula, you)
        case words.Must(formula):
            yield from _ends(formula, you, templates.GOALS, templates.KNOWLEDGE_GOALS)
        case words.Private(formula):
            yield from _ends(formula, you, templates.PRIVATE_GOALS, templates.PRIVATE_KNOWLEDGE)
        case words.Barred(agent, rooms):
            about = _agent(agent, you)
            yield from _filled(*((templates.BARRED, [about | _rooms(rooms)]) if rooms else (templates.FREE, [about])))
        case words.Reaches(agent, targets):
            about = _agent(agent, you)
            reached = (templates.REACHES, [about | _targets(targets, you)]) if targets else (templates.MUTE, [about])
            yield from _filled(*reached)
        case words.MessageBudget(agent, messages):
            few = templates.BUDGET if messages else templates.SILENT
            yield from _filled(few, [_agent(agent, you) | count for count in _counts(messages)])
        case words.Inverse(name):
            yield from _filled(templates.INVERSE, [_names(name)])
        case words.Mirrors(one, other):
            yield from _filled(templates.MIRRORS, [_names(one, other)])
        case words.Controls(trigger, target, state, by):
            yield from _filled(templates.CONTROLS, [_names(trigger, target) | _effect(state, by)])
        case _:
            raise FormulaError("promises and requests are no secrets; say them in a message")


def _filled(few: Sequence[str], fields: Sequence[Fields]) -> Iterator[str]:
    return (text.format_map(field) for text, field in product(few, fields))


# Clauses


def _facts(formula: Formula, you: str) -> Iterator[str]:
    if isinstance(formula, Know):
        yield from _filled(templates.KNOWLEDGE, _known(formula, you))
        return
    fields = _literal(formula, you)
    yield from _filled(templates.FACTS, fields)
    if isinstance(formula, Atom):
        yield from _filled(FURTHER.get(formula.predicate, templates.STATES), fields)


FURTHER = {
    **dict.fromkeys((*RESTS, "is_next_to"), templates.PLACES),
    **{"is_held_by": templates.HOLDING, "agent_in_room": templates.ROOMS},
}
"""The further templates of a fact by its predicate; those of states for all others."""


def _ends(formula: Formula, you: str, few: Sequence[str], of_knowledge: Sequence[str]) -> Iterator[str]:
    """Goals: a clause and when it must hold."""
    known = isinstance(formula, Know)
    fields = _known(formula, you) if known else _literal(formula, you)
    return _filled(
        of_knowledge if known else few, [field | {"end": end} for end in templates.ENDS for field in fields]
    )


def _known(formula: Know, you: str) -> list[Fields]:
    """The fields of knowledge: its agent, and each clause of what it knows."""
    inside, agent = formula.inside, _agent(formula.agent, you)
    if not isinstance(inside, Know):
        return [agent | {"fin": field["fin"]} for field in _literal(inside, you)]
    return [agent | {"fin": text} for text in _filled(templates.KNOWN, _known(inside, you))]


def _literal(formula: Formula, you: str) -> list[Fields]:
    """The fields of a literal, for each of its complements.

    Raises:
        FormulaError: it is no literal of a goal.
    """
    if isinstance(formula, And | Know):
        raise FormulaError("an `and` is no single statement; make one of each of conjuncts(formula)")
    fact = atom(formula)
    kinds = PREDICATES[fact.predicate].kinds if fact.predicate in PREDICATES else ()
    if fact.predicate not in templates.COMPLEMENTS or len(kinds) != len(fact.args):
        raise FormulaError(f"{shown(fact.predicate)} has no words; say what a goal can say")
    base = _names(*(name for name, kind in zip(fact.args, kinds, strict=True) if kind != "agent"))
    for name, kind in zip(fact.args, kinds, strict=True):
        base |= _agent(name, you) if kind == "agent" else {}
    if kinds[0] == "agent":
        base |= {"two": base["one"], "one": base["who"]}
    be = base["is_"] if kinds[0] == "agent" else "is"
    has = base["has"] if kinds[0] == "agent" else "has"
    complements = (text.format_map(base) for text in templates.COMPLEMENTS[fact.predicate])
    denied = isinstance(formula, Not)
    return [base | {"comp": comp} | _forms(base["one"], be, has, comp, denied) for comp in complements]


def _forms(subject: str, be: str, has: str, comp: str, denied: bool) -> Fields:
    """A clause in the present, after "to", and as a duty."""
    if denied:
        return {
            "fin": f"{subject} {be} not {comp}",
            "inf": f"{subject} not to be {comp}",
            "must": f"{subject} must not be {comp}",
        }
    return {
        "fin": f"{subject} {be} {comp}",
        "inf": f"{subject} to be {comp}",
        "must": f"{subject} {has} to be {comp}",
    }


# Names and numbers


def _names(*names: str) -> Fields:
    return dict(zip(("one", "two"), map(thing, names), strict=False))


def _agent(agent: str, you: str) -> Fields:
    """The words for an agent, and its verbs."""
    is_you = agent_named(agent) == you
    verbs = {verb: verb if is_you else f"{verb}s" for verb in ("know", "need", "start", "hold")}
    return {f"{verb}s": form for verb, form in verbs.items()} | {
        "who": "you" if is_you else agent,
        "whose": "your" if is_you else f"{agent}'s",
        "is_": "are" if is_you else "is",
        "has": "have" if is_you else "has",
    }


def _rooms(rooms: Sequence[str]) -> Fields:
    names = list(map(thing, rooms))
    return {
        "rooms_or": listed(names),
        "rooms_and": several(names, "and"),
        "rooms_are": "is" if len(names) == 1 else "are",
    }


def _targets(targets: Sequence[str], you: str) -> Fields:
    names = [_agent(target, you)["who"] for target in targets]
    return {
        "targets_or": listed(names),
        "targets_and": several(names, "and"),
        "targets_are": "is" if len(names) == 1 else "are",
        "the_only": "the only agent" if len(names) == 1 else "the only agents",
    }


def _counts(messages: int) -> list[Fields]:
    """A number of messages in digits and, if it is small, in words."""
    if not 0 <= messages <= MOST:
        raise FormulaError(f"{messages} messages cannot be said; name a number from 0 to {MOST}")
    noun, be = ("message", "is") if messages == 1 else ("messages", "are")
    numbers = [str(messages), *templates.NUMBERS[messages : messages + 1]]
    return [{"count": f"{number} {noun}", "count_is": be} for number in numbers]


def _effect(state: State, by: words.By) -> Fields:
    if by not in templates.ACTS or state not in templates.EFFECTS:
        raise FormulaError(f"{shown(by)} to {shown(state)} cannot be said; see State and By")
    other = SHOWN[OPPOSITES[MEANT[state]]]
    (sets, takes), (unsets, loses) = templates.EFFECTS[state], templates.EFFECTS[other]
    return {**templates.ACTS[by], "sets": sets, "takes": takes, "unsets": unsets, "loses": loses}
