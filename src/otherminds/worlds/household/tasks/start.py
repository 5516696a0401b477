"""What secrets say of the start that is not so.

Compared is what is written in the controlled language (:mod:`otherminds.epistemic.words`): that
something is so, and that somebody knows that it is. Whether the one who is said to know it
does is left open: it may have been told.
"""

from __future__ import annotations

from collections.abc import Iterator

from otherminds.epistemic.errors import FormulaError
from otherminds.epistemic.formula import (
    Atom,
    Formula,
    Literal,
    Not,
    atom,
    chains,
    physical,
)
from otherminds.epistemic.predicates import OPPOSITES, PREDICATES, Kind
from otherminds.epistemic.told import statements
from otherminds.epistemic.words import Fact, Statement, read, say
from otherminds.worlds.household.engine import Engine
from otherminds.worlds.household.holding import holds
from otherminds.worlds.household.scenes.scene import floor_of
from otherminds.worlds.household.task import Task
from otherminds.worlds.household.tasks.account import Fault
from otherminds.worlds.household.tasks.named import unknown
from otherminds.worlds.household.tasks.states import ABLE, NEEDED
from otherminds.worlds.household.tasks.things import Things

BY = ("num_agents", "agent_spawns", "initial_states", "mechanic_bindings")
"""What else such a fault was judged by."""
RESTING = ("is_on_top", "is_inside", "is_in_room", "is_on_floor", "is_held_by")
"""Predicates that say where an object is."""
EITHER = ("is_powered_on", "is_powered_off", "is_next_to", "is_in_room")
"""Predicates that the vocabulary has of objects, and that furniture can be in too."""


def start_faults(task: Task, things: Things, engine: Engine) -> Iterator[Fault]:
    """Facts in secrets that do not hold in ``engine``, which stands at the start, with what is so instead."""
    for place, statement in _told(task):
        for literal in facts(statement.formula) if isinstance(statement, Fact) else ():
            text = _untrue(literal, task, things, engine)
            if text:
                yield Fault(place, text, BY)


def _told(task: Task) -> Iterator[tuple[str, Statement]]:
    """What agents are told, each statement with its place: first in words, then as formulas."""
    for agent, secrets in task.agent_secrets.items():
        for k, secret in enumerate(secrets):
            yield from ((f"agent_secrets.{agent}[{k}]", statement) for statement in read(secret, you=agent))
    for agent, forms in task.agent_knows.items():
        for k, form in enumerate(forms):
            yield from ((f"agent_knows.{agent}[{k}]", statement) for statement in _understood(form))


def _understood(form: str) -> tuple[Statement, ...]:
    """The statements of a form; none where it cannot be read, which is a fault of its own."""
    try:
        return statements([form])
    except FormulaError:
        return ()


def facts(formula: Formula) -> tuple[Literal, ...]:
    """The literals of a statement, inside ``K`` and outside: what is known is so."""
    return (*physical(formula), *(chain.fact for chain in chains(formula)))


def _untrue(literal: Literal, task: Task, things: Things, engine: Engine) -> str:
    """Why a literal does not hold at the start, and what to mend; empty if it does, or if it names nothing."""
    fact = atom(literal)
    every = (*task.agents, *things.rooms, *things.furniture, *things.objects)
    if any(name not in every for name in fact.args):
        return ""
    for kind, name in zip(PREDICATES[fact.predicate].kinds, fact.args, strict=True):
        text = _of_kind(kind, name, fact, task, things)
        if text:
            return f"{text}; say otherwise"
    if _so(fact, things, engine) != isinstance(literal, Not):
        return ""
    other = OPPOSITES.get(fact.predicate)
    if other and not holds(engine, fact) and not holds(engine, Atom(other, fact.args)):
        return f"{fact.args[0]} {ABLE[NEEDED[fact.predicate]]}; say otherwise"
    field = "agent_spawns" if fact.predicate == "agent_in_room" else "initial_states"
    return f"{_instead(literal, things, engine)} at the start; say so, or mend {field}"


def _of_kind(kind: Kind, name: str, fact: Atom, task: Task, things: Things) -> str:
    """What is wrong with a name as one of that kind."""
    if kind == "item" or (fact.predicate in EITHER and kind == "object" and name in things.furniture):
        return ""
    return unknown(kind, name, task, things)


def _so(fact: Atom, things: Things, engine: Engine) -> bool:
    """Whether an atom holds; furniture is in its room, and what lies on a floor is on it."""
    first, last = fact.args[0], fact.args[-1]
    if fact.predicate == "is_in_room" and first in things.furniture:
        return things.furniture[first] == last
    if fact.predicate == "is_on_top" and last in map(floor_of, things.rooms):
        return engine.is_at(first) == ("lies_on", last)
    return holds(engine, fact)


def _instead(literal: Literal, things: Things, engine: Engine) -> str:
    """What is so, in a clause."""
    fact = atom(literal)
    first = fact.args[0]
    if isinstance(literal, Not):
        return _said(fact)
    if fact.predicate == "agent_in_room":
        return _said(
            Atom("agent_in_room", (first, engine.house.spot_room[engine.spot[engine.agents.index(first)]]))
        )
    if fact.predicate == "is_in_room" and first in things.furniture:
        return _said(Atom("is_in_room", (first, things.furniture[first])))
    if fact.predicate in RESTING:
        predicate, f = engine.is_at(first)
        where = _said(Atom("is_inside" if predicate == "is_inside" else "is_on_top", (first, f)))
        return f"{where} in {engine.house.room_of[f]}"
    other = OPPOSITES.get(fact.predicate)
    return _said(Atom(other, fact.args) if other else Not(fact))


def _said(literal: Literal) -> str:
    """A literal in words, without the full stop."""
    return say(Fact(literal)).removesuffix(".")
