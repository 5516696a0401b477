"""Literals and knowledge as clauses, in three moods; the table for reading is made by writing.

====== =============================== ======================================
mood   a literal                       knowledge
====== =============================== ======================================
now    ``cabinet_3 is open``           ``agent_1 knows that <now>``
must   ``cabinet_3 must end open``     ``By the end, agent_1 must know that <now>``
ends   ``cabinet_3 ends open``         ``agent_1 comes to know that <now>``
====== =============================== ======================================

Denials: ``is not open``, ``must not end open``, ``does not end open``.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Literal as OneOf
from typing import TypeAlias

from otherminds.epistemic.formula import (
    DEEPEST,
    And,
    Atom,
    Formula,
    FormulaError,
    Know,
    Literal,
    Not,
    atom,
    shown,
)
from otherminds.epistemic.predicates import PREDICATES, Predicate, goal_predicates
from otherminds.epistemic.words.shapes import Person, Shaped, Voice, shaped, thing, voices

Mood: TypeAlias = OneOf["now", "must", "ends"]

END = "By the end, "
KNOWLEDGE: dict[Mood, str] = {"now": "knows that ", "must": "must know that ", "ends": "comes to know that "}


@dataclass(frozen=True)
class Pattern:
    """What a shape says: a literal whose arguments are the names at ``slots``; None stands for I or you."""

    predicate: str
    denied: bool
    slots: tuple[int | None, ...]
    person: Person


def written(formula: Formula, mood: Mood, voice: Voice) -> str:
    """A literal, or knowledge of one, as a clause without its full stop.

    Raises:
        FormulaError: it has no words: an ``and``, a predicate that goals do not
            have, a name that is none, or more than :data:`DEEPEST` agents.
    """
    leads: list[str] = []
    while isinstance(formula, Know):
        leads.append(_lead(formula.agent, mood, voice))
        formula, mood = formula.inside, "now"
    if isinstance(formula, And):
        raise FormulaError("an `and` is no single statement; make one of each of conjuncts(formula)")
    if len(leads) > DEEPEST:
        raise FormulaError(f"more than {DEEPEST} agents know of one another; say less at once")
    return "".join(leads) + _literal(formula, mood, voice)


def understood(text: Shaped, mood: Mood, voice: Voice) -> Formula | None:
    """The formula of a clause by its shape; None if it is no clause of that mood."""
    knowers: list[str] = []
    while (found := text.subject(_leads(mood), voice)) and len(knowers) < DEEPEST:
        knower, text = found
        knowers.append(knower)
        mood = "now"
    formula: Formula | None = _read_literal(text, mood, voice)
    if formula is not None:
        for agent in reversed(knowers):
            formula = Know(agent, formula)
    return formula


def _lead(agent: str, mood: Mood, voice: Voice) -> str:
    """That the agent knows: all before what it knows."""
    return (END if mood == "must" else "") + voice.clause(agent, KNOWLEDGE[mood])


@cache
def _leads(mood: Mood) -> dict[str, Person]:
    return {
        lead.shape: person
        for person, voice in voices("agent_0").items()
        if (lead := shaped(_lead("agent_0", mood, voice)))
    }


def _literal(literal: Literal, mood: Mood, voice: Voice) -> str:
    fact = atom(literal)
    found = PREDICATES.get(fact.predicate)
    if found is None or found.use != "goal" or len(found.kinds) != len(fact.args):
        raise FormulaError(f"({shown(fact.predicate)} ...) has no words; say what a goal can say")
    return _conjugated(found, fact.args, mood, isinstance(literal, Not), voice)


def _conjugated(found: Predicate, args: tuple[str, ...], mood: Mood, denied: bool, voice: Voice) -> str:
    """The predicate's own words in a mood: they are a subject, a verb and the rest."""
    slot, verb, rest = found.words.split(" ", 2)
    by_agent = found.kinds[int(slot[1:-1])] == "agent"
    names = [name if kind == "agent" else thing(name) for kind, name in zip(found.kinds, args, strict=True)]
    subject, rest = slot.format(*names), rest.format(*names)
    state = rest if verb == "is" else f"{verb.removesuffix('s')}ing {rest}"
    match mood, denied:
        case "now", False:
            words = f"{verb} {rest}"
        case "now", True:
            words = f"is not {rest}" if verb == "is" else f"does not {verb.removesuffix('s')} {rest}"
        case "must", _:
            words = f"must {'not ' if denied else ''}end {state}"
        case _:
            words = f"does not end {state}" if denied else f"ends {state}"
    return voice.clause(subject, words) if by_agent else f"{subject} {words}"


def _read_literal(text: Shaped, mood: Mood, voice: Voice) -> Literal | None:
    found = _table(mood).get(text.shape)
    if found is None:
        return None
    args = tuple(voice.agent(found.person, ()) if slot is None else text.names[slot] for slot in found.slots)
    if not all(args):
        return None
    fact = Atom(found.predicate, args)
    return Not(fact) if found.denied else fact


@cache
def _table(mood: Mood) -> dict[str, Pattern]:
    """Every shape of a literal in one mood: each is written once with names of its own, and looked at."""
    table: dict[str, Pattern] = {}
    for name in goal_predicates():
        kinds = PREDICATES[name].kinds
        args = tuple(f"{'agent' if kind == 'agent' else 'thing'}_{slot}" for slot, kind in enumerate(kinds))
        agent = next((arg for arg, kind in zip(args, kinds, strict=True) if kind == "agent"), "")
        for person, voice in voices(agent).items():
            for literal in (Atom(name, args), Not(Atom(name, args))):
                text = shaped(_literal(literal, mood, voice))
                if text is not None:
                    slots = tuple(text.names.index(arg) if arg in text.names else None for arg in args)
                    table[text.shape] = Pattern(name, isinstance(literal, Not), slots, person)
    return table
