"""Initial states in the shapes that the paper's words allow, and goals with typed names, turned into ours."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from otherminds.epistemic.errors import FormulaError
from otherminds.epistemic.formula import Atom, conjuncts
from otherminds.epistemic.formula import Not as Denied
from otherminds.epistemic.parse import parse
from otherminds.epistemic.predicates import goal_predicates

Note = Callable[[str], None]
States = dict[str, dict[str, Any]]

TYPED = re.compile(r"(?<=[\w]) +- +(?:agent|object|furniture|room|item|receptacle)(?=[\s)])")
GOAL = ":goal"


def untyped(text: str) -> str:
    """A goal without the types behind its names; the other sections of a problem are left as they are.

    >>> untyped("(K agent_0 - agent (is_open cabinet_3 - furniture))")
    '(K agent_0 (is_open cabinet_3))'
    """
    before, goal, after = text.rpartition(GOAL)
    return f"{before}{goal}{TYPED.sub('', after)}"


def by_thing(given: object, note: Note) -> object:
    """Initial states as {thing: {predicate: value}}: from literals, by predicate, or with one word a thing."""
    if isinstance(given, list) and all(isinstance(one, str) for one in given):
        note("initial_states: literals, now by thing")
        return _of_literals(given)
    if not isinstance(given, dict):
        return given
    made: States = {}
    unread: dict[str, Any] = {}
    for name, value in given.items():
        things = value if isinstance(value, dict) else dict.fromkeys(_words(value), True)
        if _predicate(name) and things:
            note(f"initial_states.{name}: by predicate, now by thing")
            for thing, inner in things.items():
                made.setdefault(thing, {})[_predicate(name)] = inner
        elif isinstance(value, dict) or things:
            made.setdefault(name, {}).update(_states(name, value, note))
        else:
            unread[name] = value
    return made | unread


def _words(value: object) -> list[str]:
    """A word or a list of words as a list; of anything else an empty one."""
    words = value if isinstance(value, list) else [value]
    found = [word for word in words if isinstance(word, str)]
    return found if len(found) == len(words) else []


def _states(thing: str, value: object, note: Note) -> dict[str, Any]:
    """The states of one thing, given as {predicate: value} or as words."""
    if not isinstance(value, dict):
        note(f"initial_states.{thing}: words, now predicates")
        return {_predicate(word) or word: True for word in _words(value)}
    renamed = {name: _predicate(name) or name for name in value}
    for name, ours in renamed.items():
        if name != ours:
            note(f"initial_states.{thing}.{name}: called {ours} here")
    return {renamed[name]: inner for name, inner in value.items()}


def _predicate(word: str) -> str:
    """The predicate that a word stands for: ``open`` is ``is_open``; empty if none."""
    return next(
        (name for name in (word, f"is_{word}", f"is_powered_{word}") if name in goal_predicates()), ""
    )


def _of_literals(texts: list[str]) -> object:
    made: States = {}
    for text in texts:
        try:
            literals = conjuncts(parse(text))
        except FormulaError:
            return texts
        for literal in literals:
            fact = literal.inside if isinstance(literal, Denied) else literal
            if not isinstance(fact, Atom):
                return texts
            thing, *where = fact.args
            holds = not isinstance(literal, Denied)
            made.setdefault(thing, {})[fact.predicate] = where[0] if where and holds else holds
    return made
