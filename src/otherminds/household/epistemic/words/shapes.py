"""The elements of the language: names, the agents behind "I" and "you", and the shapes of sentences.

A sentence is understood by its *shape*: ``bowl_0 is on table_1.`` has the shape ``<thing> is on <thing>.`` and the names
``bowl_0``, ``table_1``. Shapes are compared as a whole, in linear time.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal, TypeAlias

from otherminds.household.epistemic.formula import FormulaError, shown
from otherminds.household.epistemic.predicates import AGENT, NAME

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
