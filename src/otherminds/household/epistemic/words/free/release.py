"""What rules of ``release.txt`` and ``release_goals.txt`` make of secrets of the public release: statements, and what only the task can complete.

The release words its secrets as constraints, targets and hints (Juneja et al. 2026, appendix F): "You can message agent_1",
"cabinet_3 controls fridge_5", "a teammate knows that cabinet_3 is open". Such a sentence has no statement of its own: whom
else one can message, what the trigger does, and which teammate is meant are in the file of the task. This reader knows the
six mechanics of the release by name, as it has prose about no others.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, TypeAlias

from msgspec import Struct

from otherminds.household.epistemic import words
from otherminds.household.epistemic.formula import Atom, KnowledgeChain, Literal, Not
from otherminds.household.epistemic.predicates import State
from otherminds.household.epistemic.words.free.grammar import language_of
from otherminds.household.epistemic.words.free.messages import (
    KINDS,
    PLAIN,
    WITH_WORDS,
    At,
    Formulas,
    Names,
    add_house_rules,
    add_rules,
    state_facts,
)
from otherminds.household.epistemic.words.free.parser import Build, Grammar, WordToken
from otherminds.household.epistemic.words.shapes import BY, OPPOSITE, Change
from otherminds.household.mechanics.inverse_state import Inverse
from otherminds.household.mechanics.limited_bandwidth import MessageBudget
from otherminds.household.mechanics.mechanic import house_rules
from otherminds.household.mechanics.restricted_communication import Reaches
from otherminds.household.mechanics.room_restriction import Barred

ANYONE = "?"
"""An agent that is not named: a teammate of the one who is spoken of before."""

ANYWHERE = "?"
"""A place that is not named."""


EVERYONE = "all"
"""Every agent of the task, as the agent of a bar or of a limit."""


class Confined(Struct, frozen=True, tag="confined"):
    """The only rooms that an agent may enter."""

    agent: str
    rooms: tuple[str, ...]


class Admitted(Struct, frozen=True, tag="admitted"):
    """Rooms that an agent may enter; others are not spoken of."""

    agent: str
    rooms: tuple[str, ...]


class Linked(Struct, frozen=True, tag="linked"):
    """Agents that an agent can message; others are not spoken of."""

    agent: str
    targets: tuple[str, ...]


class Unreached(Struct, frozen=True, tag="unreached"):
    """Agents that an agent cannot message; others are not spoken of."""

    agent: str
    targets: tuple[str, ...]


class Coupled(Struct, frozen=True, tag="coupled"):
    """Two things of which one acts on the other: a remote control, or a mirror.

    ``state`` is the target's when the trigger is opened; ``None`` if that is not said.
    """

    trigger: str
    target: str
    state: State | None = None


class Target(Struct, frozen=True, tag="target"):
    """A thing that a goal is about; the sentence does not say how it must end."""

    thing: str


class KnowledgeGoal(Struct, frozen=True, tag="knowledge_goal"):
    """A goal of knowledge with an agent that is not named (:data:`ANYONE`), or of whether ``fact`` holds.

    ``agents`` are in the order of nesting, the outermost first.
    """

    agents: tuple[str, ...]
    fact: Literal
    whether: bool = False


Hint: TypeAlias = Admitted | Confined | Linked | Unreached | Coupled | Target | KnowledgeGoal
"""What a sentence says that only the task can complete."""
Worded: TypeAlias = words.Secret | Hint
Told: TypeAlias = tuple[Worded, ...]
Chains: TypeAlias = tuple[KnowledgeGoal, ...]


FILES = ("secrets.txt", "release.txt", "release_goals.txt")
"""The files with the rules for secrets of the release."""


@cache
def release_grammar() -> Grammar:
    """The rules of :data:`FILES`; the value of ``Worded`` is a tuple of statements and hints."""
    grammar, rules = Grammar(), house_rules()
    of_rules = {action.__name__[1:]: action for rule in rules for action in rule.actions}
    actions = {**PLAIN, **of_rules, **RELEASE}
    function_words = language_of("release.txt").lists["FUNCTION"]
    for kind in KINDS:
        grammar.kind(kind, lambda token, kind=kind: token.kind == kind)
    grammar.kind("NOUN", lambda token: _is_noun(token, function_words))
    for file in FILES:
        add_rules(grammar, language_of(file).rules, actions, WITH_WORDS)
    add_house_rules(grammar, rules)
    return grammar


def _is_noun(token: WordToken, function_words: frozenset[str]) -> bool:
    return not token.kind and token.text.isalpha() and token.text not in function_words


# Rooms and messages


def _two_agents_barred(agent: str, other_agent: str, rooms: tuple[str, ...]) -> Told:
    return Barred(agent, rooms), Barred(other_agent, rooms)


def _confined(agent: str, rooms: tuple[str, ...]) -> Told:
    return (Confined(agent, rooms),)


def _reachable(agent: str, targets: tuple[str, ...]) -> Told:
    return (Linked(agent, targets),) if agent not in targets else ()


def _reachable_times(agent: str, targets: tuple[str, ...], count: int) -> Told:
    linked = _reachable(agent, targets)
    return (*linked, MessageBudget(agent, count)) if linked else ()


def _reaches_times(agent: str, targets: tuple[str, ...], count: int) -> Told:
    apart = agent not in targets
    return (Reaches(agent, targets), MessageBudget(agent, count)) if apart else ()


def _reachable_but(agent: str, targets: tuple[str, ...], others: tuple[str, ...]) -> Told:
    apart = agent not in (*targets, *others) and not set(targets) & set(others)
    return (Linked(agent, targets), Unreached(agent, others)) if apart else ()


def _unreached(agent: str, targets: tuple[str, ...]) -> Told:
    return (Unreached(agent, targets),) if agent not in targets else ()


def _budget_to(agent: str, count: int | str, targets: tuple[str, ...]) -> Told:
    apart = agent not in targets
    return (MessageBudget(agent, int(count)), Reaches(agent, targets)) if apart else ()


# Facts and targets


def _target(name: str) -> Told:
    return (Target(name),)


def _holds_in(names: Names, at: At, room: str) -> Formulas:
    """Things at furniture that stands in a room."""
    placed = state_facts(names, at)
    return (*placed, Atom("is_in_room", (at.other, room))) if placed and at.other else ()


def _holds_which(names: Names, at: At, state: At) -> Formulas:
    """Things at furniture that is in a state."""
    placed = state_facts(names, at)
    return (*placed, *state_facts(at.other, state)) if placed and at.other else ()


def _contains(container: str, name: str) -> Formulas:
    return state_facts(name, At("is_inside", container))


def _lacks(container: str, name: str) -> Formulas:
    return tuple(Not(fact) for fact in _contains(container, name) if isinstance(fact, Atom))


def _bears(furniture: str, name: str) -> Formulas:
    return state_facts(name, At("is_on_top", furniture))


def _saw(*parts: Any) -> Formulas:
    """A thing at a place; the agents before them saw it, or put it there."""
    *_, name, at = parts
    return state_facts(name, at)


def _brought(name: str, room: str) -> Formulas:
    return state_facts(name, At("is_in_room", room))


def _holds_shut(name: str) -> Formulas:
    return state_facts(name, At("is_closed"))


def _joined(formulas: Formulas, more_formulas: Formulas) -> Formulas:
    return (*formulas, *more_formulas) if formulas and more_formulas else ()


def _targeted_in(name: str, at: At, room: str) -> Told:
    return aims(words.Must, _holds_in(name, at, room))


def aims(kind: type[words.Must] | type[words.Private], formulas: Formulas) -> Told:
    """Goals of one kind; the room in which furniture stands, said with a goal, is a fact."""
    pieces = {
        fact.args[1]
        for fact in formulas
        if isinstance(fact, Atom) and fact.predicate in ("is_on_top", "is_inside")
    }
    return tuple(
        words.Fact(fact)
        if isinstance(fact, Atom) and fact.predicate == "is_in_room" and fact.args[0] in pieces
        else kind(fact)
        for fact in formulas
    )


def _goals(formulas: Formulas) -> Told:
    return aims(words.Must, formulas)


def _private(formulas: Formulas) -> Told:
    return aims(words.Private, formulas)


# Knowledge


def _anyone() -> str:
    return ANYONE


def _everyone() -> str:
    return EVERYONE


def _chain(formulas: Formulas) -> Chains:
    return tuple(KnowledgeGoal((), fact) for fact in formulas if isinstance(fact, Atom | Not))


def _knower(agent: str, chains: Chains) -> Chains:
    return tuple(KnowledgeGoal((agent, *chain.agents), chain.fact, chain.whether) for chain in chains)


def _knower_whether(agent: str, formulas: Formulas) -> Chains:
    return tuple(KnowledgeGoal((agent,), chain.fact, whether=True) for chain in _chain(formulas))


def _knower_where(agent: str, name: str) -> Chains:
    return _knower_whether(agent, (Atom("is_on_top", (name, ANYWHERE)),))


def _knower_of_state(agent: str, name: str, at: At) -> Chains:
    return _knower(agent, _chain(state_facts(name, at)))


def _knower_of_any_state(agent: str, name: str) -> Chains:
    return _knower_whether(agent, state_facts(name, At("is_open")))


def _learned(chains: Chains) -> Told:
    """Goals of knowledge: statements, if all agents are named and the fact is said."""
    return tuple(
        chain
        if chain.whether or ANYONE in chain.agents
        else words.Must(KnowledgeChain(chain.agents, chain.fact).formula)
        for chain in chains
    )


# Mechanics


def _coupled(trigger: str, target: str) -> Told:
    return (Coupled(trigger, target),) if trigger != target else ()


def _coupled_pair(pair: tuple[str, str]) -> Told:
    """Two things that are linked; which of them sets the other is not said."""
    return _coupled(*pair)


def _coupled_twice(trigger: str, target: str, again: str) -> Told:
    return _coupled(trigger, target) if target == again else ()


def _half_link(cause: Change, result: Change) -> Told:
    """One act and its effect: a thing that works in reverse, or a trigger; the other half is left to the task."""
    if cause.state not in OPPOSITE or result.state not in OPPOSITE:
        return ()
    opposed = result.state != cause.state
    if cause.thing == result.thing:
        return (Inverse(cause.thing),) if opposed else ()
    return (
        Coupled(cause.thing, result.thing, result.state if cause.state in BY else OPPOSITE[result.state]),
    )


_ACTIONS: tuple[Callable[..., Any], ...] = (
    *(
        _confined,
        _reachable,
        _reachable_but,
        _reachable_times,
        _reaches_times,
        _two_agents_barred,
        _unreached,
    ),
    *(_bears, _brought, _budget_to, _contains, _holds_in, _holds_shut, _holds_which, _joined, _lacks, _saw),
    *(_anyone, _chain, _everyone, _knower, _knower_of_any_state, _knower_of_state, _knower_where),
    *(_goals, _knower_whether, _learned, _private, _target, _targeted_in),
    *(_coupled, _coupled_pair, _coupled_twice, _half_link),
)
RELEASE: Mapping[str, Build] = {action.__name__[1:]: action for action in _ACTIONS}
