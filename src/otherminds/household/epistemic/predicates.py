"""The vocabulary of goals as data: arguments, words and use of each predicate; and the check of a goal.

Source: the signatures of Juneja et al. 2026, appendix H. ``is_powered_off`` is
ours, the opposite of ``is_powered_on``.
"""

from __future__ import annotations

import re
import typing
from collections.abc import Iterator, Mapping
from difflib import get_close_matches

from msgspec import Struct

from otherminds.household.epistemic.formula import (
    And,
    Atom,
    Formula,
    FormulaError,
    Know,
    KnowledgeChain,
    Literal,
    Not,
    atom,
    claims,
    shown,
)

Kind: typing.TypeAlias = typing.Literal["object", "furniture", "room", "agent", "item"]
State: typing.TypeAlias = typing.Literal["open", "closed", "switched on", "switched off"]
Use: typing.TypeAlias = typing.Literal["goal", "mechanic", "refused"]

AGENT = re.compile(r"agent_[0-9]+", re.ASCII)
NAME = re.compile(r"[a-z][a-z0-9_]*_[0-9]+", re.ASCII)
"""``type_N``: rooms, furniture, objects and agents alike."""
NAMED = re.compile(rf"(?<!\w){NAME.pattern}(?!\w)", re.ASCII)
"""A name as a whole word of a text."""

MECHANIC = "it says how the house works: write it in mechanic_bindings, and in the goal how things must end"
ITEMS = (
    "nobody carries items in this household: write (is_held_by object agent) or (is_inside object furniture)"
)
LOCKS = "nothing is locked and no use is final in this household: write is_open or is_closed of the furniture"


class Predicate(Struct, frozen=True):
    """One predicate of the vocabulary.

    ``kinds`` are the kinds of its arguments; ``words`` is its English text, with ``{0}`` for the first argument. If it is
    not allowed in goals (``use`` is not ``goal``), ``why`` says what to write instead.
    """

    name: str
    kinds: tuple[Kind, ...]
    words: str
    use: Use = "goal"
    why: str = ""

    @property
    def signature(self) -> str:
        """How it is written, with kinds in the place of names: ``(is_open furniture)``."""
        return f"({' '.join((self.name, *self.kinds))})"


def _mechanic(name: str, kinds: tuple[Kind, ...], words: str) -> Predicate:
    return Predicate(name, kinds, words, "mechanic", MECHANIC)


PREDICATES: dict[str, Predicate] = {
    predicate.name: predicate
    for predicate in (
        Predicate("is_on_top", ("object", "furniture"), "{0} is on {1}"),
        Predicate("is_inside", ("object", "furniture"), "{0} is inside {1}"),
        Predicate("is_in_room", ("object", "room"), "{0} is in {1}"),
        Predicate("is_on_floor", ("object",), "{0} is on the floor"),
        Predicate("is_next_to", ("object", "object"), "{0} is next to {1}"),
        Predicate("is_open", ("furniture",), "{0} is open"),
        Predicate("is_closed", ("furniture",), "{0} is closed"),
        Predicate("is_clean", ("object",), "{0} is clean"),
        Predicate("is_dirty", ("object",), "{0} is dirty"),
        Predicate("is_filled", ("object",), "{0} is filled"),
        Predicate("is_empty", ("object",), "{0} is empty"),
        Predicate("is_powered_on", ("object",), "{0} is switched on"),
        Predicate("is_powered_off", ("object",), "{0} is switched off"),
        Predicate("is_held_by", ("object", "agent"), "{1} holds {0}"),
        Predicate("agent_in_room", ("agent", "room"), "{0} is in {1}"),
        _mechanic("is_inverse", ("furniture",), "{0} works in reverse"),
        _mechanic("mirrors", ("furniture", "furniture"), "{0} is as {1} is"),
        _mechanic("mirrors_closed", ("furniture", "furniture"), "{0} opens and closes with {1}"),
        _mechanic("controls", ("furniture", "furniture"), "{0} sets the state of {1}"),
        _mechanic("controls_closed", ("furniture", "furniture"), "{0} opens and closes {1}"),
        _mechanic("is_restricted", ("agent", "room"), "{0} cannot enter {1}"),
        _mechanic("can_communicate", ("agent", "agent"), "{0} can message {1}"),
        Predicate("has_item", ("agent", "item"), "{0} has {1}", "refused", ITEMS),
        Predicate("has_at_least", ("agent", "item"), "{0} has enough of {1}", "refused", ITEMS),
        Predicate("has_most", ("agent", "item"), "{0} has the most of {1}", "refused", ITEMS),
        Predicate("item_in_container", ("item", "furniture"), "{0} is hidden in {1}", "refused", ITEMS),
        Predicate("is_locked", ("furniture",), "{0} is locked", "refused", LOCKS),
        Predicate("is_locked_permanent", ("furniture",), "{0} is locked for good", "refused", LOCKS),
        Predicate("requires_item", ("furniture", "item"), "{0} opens with {1} only", "refused", LOCKS),
        Predicate("unlocks", ("object", "furniture"), "{0} unlocks {1}", "refused", LOCKS),
        Predicate("controls_unlocked", ("furniture", "furniture"), "{0} unlocks {1}", "refused", LOCKS),
        Predicate("controls_locks", ("furniture", "furniture"), "{0} locks {1}", "refused", LOCKS),
        Predicate("irreversible_enabled", ("object",), "{0} can be used once", "refused", LOCKS),
        Predicate("interaction_locked", ("object",), "{0} has been used up", "refused", LOCKS),
    )
}

PAIRS = (
    ("is_open", "is_closed"),
    ("is_clean", "is_dirty"),
    ("is_filled", "is_empty"),
    ("is_powered_on", "is_powered_off"),
)
OPPOSITES = dict(PAIRS) | {opposite: name for name, opposite in PAIRS}
"""The opposite of each predicate: exactly one of the two holds."""
AXES = {name: pair[0] for pair in PAIRS for name in pair}
"""The state variable of each predicate, named after the first of the pair."""


RESTS = ("is_on_top", "is_inside", "is_in_room", "is_on_floor", "is_held_by")
"""Predicates that say where an object is."""
TURNS: Mapping[str, tuple[str, str]] = {
    "articulated": ("is_open", "is_closed"),
    "switch": ("is_powered_on", "is_powered_off"),
}
"""The properties of furniture that allow a change of state, each with its states, the active one first."""
ACTIVE = tuple(active for active, _ in TURNS.values())
"""The states of a trigger that set its target; the others set the opposite."""
_TURNED = tuple(state for pair in TURNS.values() for state in pair)
TOOLS: Mapping[str, str] = dict(zip(_TURNED, ("Open", "Close", "PowerOn", "PowerOff"), strict=True))
"""The tool for each state of furniture that no mechanic binds."""
SHOWN: Mapping[str, State] = dict(zip(_TURNED, typing.get_args(State), strict=True))
"""The word for a state, in sentences of the controlled language and in what the world says."""
MEANT: Mapping[State, str] = {word: state for state, word in SHOWN.items()}
"""The state that a word means."""


def predicate(name: str) -> Predicate:
    """The predicate of that name.

    Raises:
        FormulaError: there is none; the message names similar ones.
    """
    if name in PREDICATES:
        return PREDICATES[name]
    near = get_close_matches(name, PREDICATES, 3)
    allowed = ", ".join(goal_predicates())
    mend = f"did you mean {' or '.join(near)}?" if near else f"a goal speaks of {allowed}"
    raise FormulaError(f"there is no predicate {shown(name)}; {mend}")


def goal_predicates() -> tuple[str, ...]:
    """The names of the predicates that are allowed in goals."""
    return tuple(name for name, definition in PREDICATES.items() if definition.use == "goal")


def opposite(fact: Atom) -> Atom | None:
    """The atom that holds if and only if ``fact`` does not, if the vocabulary has one.

    >>> opposite(Atom("is_open", ("cabinet_3",)))
    Atom(predicate='is_closed', args=('cabinet_3',))
    """
    name = OPPOSITES.get(fact.predicate)
    return Atom(name, fact.args) if name else None


def positive(literal: Literal) -> Literal:
    """The same literal without ``not`` if its atom has an opposite: not open is closed."""
    return literal if isinstance(literal, Atom) else opposite(literal.inside) or literal


def opposed(fact: Literal) -> Literal:
    """The positive form of the negation of a literal in positive form."""
    return fact.inside if isinstance(fact, Not) else positive(Not(fact))


def positive_chain(chain: KnowledgeChain) -> KnowledgeChain:
    """The same chain with its fact in positive form."""
    return KnowledgeChain(chain.agents, positive(chain.fact))


def positive_claims(formula: Formula) -> list[KnowledgeChain]:
    """All conjuncts of a formula as chains (:func:`.formula.claims`), with their facts in positive form."""
    return [positive_chain(chain) for chain in claims(formula)]


def check_goal(formula: Formula) -> list[str]:
    """The faults of a formula as a goal, each with its place; empty if it is valid.

    Places count from 1: ``conjunct 3``. Contradictory physical conjuncts are faults. Whether a chain of ``K`` can be
    established, and whether a scene has the named things, is not checked here.

    >>> check_goal(And((Atom("is_open", ("cabinet_3",)), Atom("is_locked", ("cabinet_3",)))))[0][:46]
    'conjunct 2: is_locked is not allowed in a goal'
    """
    faults: list[str] = []
    standing: dict[Literal, str] = {}
    for place, part, within_k in _places(formula, "", within_k=False):
        faults += [f"{place or 'the goal'}: {fault}" for fault in _faults(part)]
        if isinstance(part, Atom | Not) and not within_k:
            fact = positive(part)
            if (against := opposed(fact)) in standing:
                faults.append(f"{place}: it contradicts {standing[against]}; drop one of the two")
            standing.setdefault(fact, place)
    return faults


def _places(formula: Formula, place: str, within_k: bool) -> Iterator[tuple[str, Formula, bool]]:
    """Every part of a goal with its place in words, and whether it is inside ``K``."""
    yield place, formula, within_k
    lead = f"{place}, " if place else ""
    match formula:
        case And(parts):
            for number, part in enumerate(parts, 1):
                yield from _places(part, f"{lead}conjunct {number}", within_k)
        case Know(agent, inside):
            yield from _places(inside, f"{lead}what {agent} knows", within_k=True)
        case _:
            pass


def _faults(part: Formula) -> list[str]:
    match part:
        case And(parts):
            return [] if parts else ["it is empty; say at least one thing that must hold"]
        case Know(agent, _):
            return [] if AGENT.fullmatch(agent) else [_no_agent(agent)]
        case _:
            return _literal_faults(atom(part))


def _literal_faults(fact: Atom) -> list[str]:
    try:
        definition = predicate(fact.predicate)
    except FormulaError as error:
        return [str(error)]
    if len(fact.args) != len(definition.kinds):
        return [describe_miscount(definition, len(fact.args))]
    faults = (
        [] if definition.use == "goal" else [f"{definition.name} is not allowed in a goal: {definition.why}"]
    )
    for kind, name in zip(definition.kinds, fact.args, strict=True):
        if kind == "agent":
            faults += [] if AGENT.fullmatch(name) else [_no_agent(name)]
        elif AGENT.fullmatch(name) or not NAME.fullmatch(name):
            faults.append(
                f"{shown(name)} is no {kind} in {definition.signature}; write a name such as bowl_0"
            )
    return faults


def describe_miscount(definition: Predicate, count: int) -> str:
    """The message for a predicate with a wrong number of arguments."""
    noun = "argument" if len(definition.kinds) == 1 else "arguments"
    means = definition.words.format(*definition.kinds)
    return f"{definition.name} takes {len(definition.kinds)} {noun}, {definition.signature}: {means}; here it has {count}"


def _no_agent(name: str) -> str:
    return f"{shown(name)} is no agent; write one such as agent_0"
