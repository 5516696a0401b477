"""Templates of free English, and the fields for names and agents that all of them share.

``one`` and ``two`` are names; ``who`` is agent_1 or you, ``whose`` is theirs, and the verbs agree with it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product

from otherminds.household.epistemic.words.shapes import agent_named, thing

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
