"""The elements of sentences: names, the agents behind "I" and "you", shapes, templates, and acts on furniture with their effects.

A sentence of the controlled language is understood by its *shape*: ``bowl_0 is on table_1.`` has the shape ``<thing> is on
<thing>.`` and the names ``bowl_0``, ``table_1``. Shapes are compared as a whole, in linear time.

Templates write free English. Their fields for names and agents are shared: ``one`` and ``two`` are names; ``who`` is agent_1
or you, ``whose`` is theirs, and the verbs agree with it.

A free sentence about a trigger and its target names two acts, each with its result (rules of ``secrets.txt``). They make a
link only if the acts are opposites, the results are opposites, and the same two things are meant both times."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any, Literal, NamedTuple, TypeAlias

from msgspec import Struct

from otherminds.household.epistemic.formula import FormulaError, shown
from otherminds.household.epistemic.predicates import AGENT, NAME, State

WORD = re.compile(r"\w+", re.ASCII)
NUMBER = re.compile(r"0|[2-9]|[1-9][0-9]{1,8}", re.ASCII)
"""Numbers except 1, which is a separate word: "1 message", "2 messages"."""
MOST = 999_999_999
"""The largest number in a sentence."""
LIST = re.compile(r"(?<!, )<(agent|thing)>(?:, <\1>)* or <\1>")
"""Matches only from the beginning of a list, so that matching is linear."""

Person: TypeAlias = Literal["it", "I", "you"]

IRREGULAR = {"is": ("am", "are"), "does": ("do", "do")}


@dataclass(frozen=True)
class Voice:
    """The names of the writer and the reader; empty if unspecified."""

    me: str = ""
    you: str = ""

    def clause(self, agent: str, words: str) -> str:
        """A clause of an agent and ``words``, whose first word is a verb in the third person.

        Raises:
            FormulaError: the name is not that of an agent.

        >>> Voice(me="agent_0").clause("agent_0", "is in kitchen_1")
        'I am in kitchen_1'
        """
        agent_named(agent)
        if agent not in (self.me, self.you):
            return f"{agent} {words}"
        verb, _, complement = words.partition(" ")
        first, second = IRREGULAR.get(verb, (verb.removesuffix("s"),) * 2)
        return f"I {first} {complement}" if agent == self.me else f"you {second} {complement}"

    def agent(self, person: Person, names: tuple[str, ...]) -> str:
        """The agent of a subject, given the names of its clause; empty if unknown."""
        return {"it": names[0] if names else "", "I": self.me, "you": self.you}[person]


def voices(agent: str) -> dict[Person, Voice]:
    """The voices in which an agent can be mentioned: third, first and second person."""
    return {"it": Voice(), "I": Voice(me=agent), "you": Voice(you=agent)}


@dataclass(frozen=True)
class Shaped:
    """A text with placeholders for its names and numbers, and these in order."""

    shape: str
    names: tuple[str, ...]

    def after(self, lead: str) -> Shaped | None:
        """The rest after the shape ``lead`` and its names; ``None`` if the text does not begin with it."""
        if not self.shape.startswith(lead):
            return None
        return Shaped(self.shape[len(lead) :], self.names[lead.count("<") :])

    def subject(self, leads: dict[str, Person], voice: Voice) -> tuple[str, Shaped] | None:
        """The agent of the first matching lead, and the rest of the text."""
        for lead, person in leads.items():
            remainder = self.after(lead)
            agent = voice.agent(person, self.names) if remainder else ""
            if remainder and agent:
                return agent, remainder
        return None


def agent_named(name: str) -> str:
    """The name of an agent.

    Raises:
        FormulaError: it is not an agent's name.
    """
    if not AGENT.fullmatch(name):
        raise FormulaError(f"{shown(name)} is no agent; name one such as agent_0")
    return name


def thing(name: str) -> str:
    """The name of a thing or a room.

    Raises:
        FormulaError: it is invalid, or an agent's name.
    """
    if AGENT.fullmatch(name) or not NAME.fullmatch(name):
        raise FormulaError(f"{shown(name)} is no thing or room; name one such as bowl_0")
    return name


def list_names(names: list[str]) -> str:
    """``a_1``, ``a_1 or a_2``, ``a_1, a_2 or a_3``."""
    return " or ".join([*([", ".join(names[:-1])] if len(names) > 1 else []), names[-1]])


def find_shape(text: str) -> Shaped | None:
    """The shape of a text; lists joined by "or" become one ``<agents>`` or ``<things>``.

    ``None`` for a text that contains ``<``.
    """
    if "<" in text:
        return None
    names: list[str] = []

    def mark(word: re.Match[str]) -> str:
        placeholder = _mark(word[0])
        names.extend([word[0]] if placeholder else [])
        return placeholder or word[0]

    return Shaped(LIST.sub(r"<\1s>", WORD.sub(mark, text)), tuple(names))


def _mark(word: str) -> str:
    if AGENT.fullmatch(word):
        return "<agent>"
    if NAME.fullmatch(word):
        return "<thing>"
    return "<number>" if NUMBER.fullmatch(word) else ""


Filling = dict[str, str]
COUNTED = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
"""The words for small numbers."""


def filled(few: Sequence[str], fields: Sequence[Filling]) -> Iterator[str]:
    """Each of a few templates with each set of fields."""
    return (text.format_map(field) for text, field in product(few, fields))


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


By: TypeAlias = Literal["opening", "switching on"]
"""An act on a trigger."""
Pair: TypeAlias = tuple[str, str] | tuple[()]

REFERRED = "it"
STATES: Mapping[str, State] = {"open": "open", "closed": "closed", "on": "switched on", "off": "switched off"}
"""The states by the words of actions in ``secrets.txt``."""
OPPOSITE: Mapping[State, State] = {
    **{"open": "closed", "closed": "open", "switched on": "switched off", "switched off": "switched on"}
}
BY: Mapping[State, By] = {"open": "opening", "switched on": "switching on"}


class Change(Struct, frozen=True):
    """An act on a thing, or the state that a thing takes; ``thing`` is a name or "it"."""

    state: State
    thing: str


class Consequence(Struct, frozen=True):
    """A change and the change that it causes; ``None``: the opposite of what the opposite act causes."""

    cause: Change
    result: Change | None


def _it() -> str:
    return REFERRED


def _act(state: str) -> Callable[..., Change]:
    def build(name: str = REFERRED) -> Change:
        return Change(STATES[state], name)

    return build


def _link(cause: Change, result: Change) -> Consequence:
    return Consequence(cause, result)


def _link_undone(cause: Change) -> Consequence:
    return Consequence(cause, None)


def _links(first: Consequence, second: Consequence) -> tuple[Consequence, Consequence]:
    return first, second


def _effects(first_state: str, second_state: str) -> Callable[..., tuple[Consequence, Consequence]]:
    """Two effects on the same thing, each with its cause."""

    def build(name: str, first: Change, second: Change) -> tuple[Consequence, Consequence]:
        return Consequence(first, Change(STATES[first_state], name)), Consequence(
            second, Change(STATES[second_state], name)
        )

    return build


class Link(NamedTuple):
    """What two opposite effects say: ``by`` is the state of the trigger that sets the target to ``state``."""

    trigger: str
    target: str
    state: State
    by: State


def join_opposites(between: Pair, links: tuple[Consequence, Consequence]) -> Link | None:
    """The link that two effects state, if they are opposites; ``between``: the trigger and the target, if they were named."""
    (first_cause, first_result), (second_cause, second_result) = ((link.cause, link.result) for link in links)
    if (
        first_result is None
        or first_cause.state != OPPOSITE[second_cause.state]
        or (second_result and first_result.state != OPPOSITE[second_result.state])
    ):
        return None
    causes = {change.thing for change in (first_cause, second_cause)} - {REFERRED}
    results = {change.thing for change in (first_result, second_result) if change} - {REFERRED}
    trigger, target = between or (_only(causes) or _only(results), _only(results) or _only(causes))
    unclear = (
        not between and trigger != target and second_result is not None and second_result.thing == REFERRED
    )
    if not trigger or not target or not causes <= {trigger} or not results <= {target} or unclear:
        return None
    state = first_result.state if first_cause.state in BY else OPPOSITE[first_result.state]
    return Link(trigger, target, state, first_cause.state if first_cause.state in BY else second_cause.state)


def _only(names: set[str]) -> str:
    return next(iter(names)) if len(names) == 1 else ""


PLAIN: tuple[Callable[..., Any], ...] = (_it, _link, _link_undone, _links)
WITH_WORDS: tuple[Callable[..., Any], ...] = (_act, _effects)
