"""The words that fill the fields of templates: clauses, agents and their verbs, rooms, numbers and acts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product

from otherminds.household.epistemic import words
from otherminds.household.epistemic.formula import And, Formula, FormulaError, Know, Not, atom, shown
from otherminds.household.epistemic.predicates import MEANT, OPPOSITES, PREDICATES, SHOWN, State
from otherminds.household.epistemic.words.sentences import MOST
from otherminds.household.epistemic.words.shapes import agent_named, thing
from otherminds.household.generating import templates
from otherminds.replies.asking import several

Filling = dict[str, str]


def filled(few: Sequence[str], fields: Sequence[Filling]) -> Iterator[str]:
    """Each of a few templates with each set of fields."""
    return (text.format_map(field) for text, field in product(few, fields))


def of_knowledge(formula: Know, you: str) -> list[Filling]:
    """The fields of knowledge: its agent, and each clause of what it knows."""
    told = [text for kind in range(len(templates.KNOWN)) for text in _present(formula.inside, you, kind)]
    return [of_agent(formula.agent, you) | {"fin": text} for text in dict.fromkeys(told)]


def _present(formula: Formula, you: str, kind: int) -> list[str]:
    """The clauses of a formula in the present; knowledge inside knowledge has the next kind of clause."""
    if not isinstance(formula, Know):
        return [field["fin"] for field in of_literal(formula, you)]
    inside = _present(formula.inside, you, (kind + 1) % len(templates.KNOWN))
    return list(
        filled(
            templates.KNOWN[kind : kind + 1],
            [of_agent(formula.agent, you) | {"fin": text} for text in inside],
        )
    )


def of_literal(formula: Formula, you: str) -> list[Filling]:
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
    base = of_names(*(name for name, kind in zip(fact.args, kinds, strict=True) if kind != "agent"))
    for name, kind in zip(fact.args, kinds, strict=True):
        base |= of_agent(name, you) if kind == "agent" else {}
    by_agent = kinds[:1] == ("agent",)
    if by_agent:
        base |= {"two": base["one"], "one": base["who"]}
    be, has = (base["is_"], base["has"]) if by_agent else ("is", "has")
    complements = (text.format_map(base) for text in templates.COMPLEMENTS[fact.predicate])
    denied = isinstance(formula, Not)
    return [base | {"comp": comp} | _forms(base["one"], be, has, comp, denied) for comp in complements]


def _forms(subject: str, be: str, has: str, comp: str, denied: bool) -> Filling:
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


def of_names(*names: str) -> Filling:
    """Up to two names of things or rooms.

    Raises:
        FormulaError: a name is invalid.
    """
    return dict(zip(("one", "two"), map(thing, names), strict=False))


def of_agent(agent: str, you: str) -> Filling:
    """The words for an agent, and its verbs.

    Raises:
        FormulaError: the name is not that of an agent.
    """
    is_you = agent_named(agent) == you
    verbs = {verb: verb if is_you else f"{verb}s" for verb in ("know", "need", "start", "hold")}
    return {f"{verb}s": form for verb, form in verbs.items()} | {
        "who": "you" if is_you else agent,
        "whose": "your" if is_you else f"{agent}'s",
        "is_": "are" if is_you else "is",
        "has": "have" if is_you else "has",
    }


def of_rooms(rooms: Sequence[str]) -> Filling:
    """Rooms in a row, with "or" and with "and"; nothing if there are none."""
    names = list(map(thing, rooms))
    if not names:
        return {}
    return {
        "rooms_or": several(names, "or"),
        "rooms_and": several(names, "and"),
        "rooms_are": "is" if len(names) == 1 else "are",
    }


def of_targets(targets: Sequence[str], you: str) -> Filling:
    """Agents in a row, with "or" and with "and"; nothing if there are none."""
    names = [of_agent(target, you)["who"] for target in targets]
    if not names:
        return {}
    return {
        "targets_or": several(names, "or"),
        "targets_and": several(names, "and"),
        "targets_are": "is" if len(names) == 1 else "are",
        "the_only": "the only agent" if len(names) == 1 else "the only agents",
    }


def of_messages(messages: int) -> list[Filling]:
    """A number of messages in digits and, if it is small, in words.

    Raises:
        FormulaError: the number is out of range.
    """
    if not 0 <= messages <= MOST:
        raise FormulaError(f"{messages} messages cannot be said; name a number from 0 to {MOST}")
    noun, be = ("message", "is") if messages == 1 else ("messages", "are")
    numbers = [str(messages), *templates.NUMBERS[messages : messages + 1]]
    return [{"count": f"{number} {noun}", "count_is": be} for number in numbers]


def of_effect(state: State, by: words.By) -> Filling:
    """The act on a trigger and its opposite, and what each does to the target.

    Raises:
        FormulaError: there are no words for the act or the state.
    """
    if by not in templates.ACTS or state not in templates.EFFECTS:
        raise FormulaError(f"{shown(by)} to {shown(state)} cannot be said; see State and By")
    other = SHOWN[OPPOSITES[MEANT[state]]]
    (sets, takes), (unsets, loses) = templates.EFFECTS[state], templates.EFFECTS[other]
    return {**templates.ACTS[by], "sets": sets, "takes": takes, "unsets": unsets, "loses": loses}
