"""The form of a rule: parameters, needs with the text of each failure, effects.

A pattern is a predicate with its arguments, ``("is_closed", "?f")``; those that begin
with ``?`` are parameters, all others are names.
"""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct, structs

Pattern = tuple[str, ...]
Fact = tuple[str, ...]
"""A pattern without parameters."""


class Need(Struct, frozen=True):
    """What must hold, and what is said where it does not; ``{f}`` stands for the value of ``?f``."""

    pattern: Pattern
    text: str = ""


class Rule(Struct, frozen=True):
    """One way in which a tool can work.

    ``parameters`` pair each name with its type: agent, spot, room, furniture (floors
    among them), object or number. Needs are tried in their order; all are positive, because
    opposites (``is_open``, ``is_closed``) are facts of their own. ``removes`` comes
    before ``adds``. ``says`` is the result of a success. With ``shown`` false it looks like a failure: what
    it changes elsewhere it changes all the same.
    """

    name: str
    tool: str
    parameters: tuple[tuple[str, str], ...]
    needs: tuple[Need, ...]
    adds: tuple[Pattern, ...] = ()
    removes: tuple[Pattern, ...] = ()
    says: str = ""
    shown: bool = True

    def given(self, values: Mapping[str, str], name: str) -> Rule:
        """This rule with some parameters fixed for good, under another name."""
        return structs.replace(
            self,
            name=name,
            parameters=tuple(pair for pair in self.parameters if pair[0] not in values),
            needs=tuple(Need(bound(need.pattern, values), worded(need.text, values)) for need in self.needs),
            adds=tuple(bound(pattern, values) for pattern in self.adds),
            removes=tuple(bound(pattern, values) for pattern in self.removes),
            says=worded(self.says, values),
        )


class Axiom(Struct, frozen=True):
    """A fact that follows: ``head`` holds where, for some value of its other parameters, all of ``body`` do."""

    head: Pattern
    parameters: tuple[tuple[str, str], ...]
    body: tuple[Pattern, ...]


def pattern(text: str) -> Pattern:
    """A pattern as it is written.

    >>> pattern("is_on_top ?o ?f")
    ('is_on_top', '?o', '?f')
    """
    return tuple(text.split())


def patterns(*texts: str) -> tuple[Pattern, ...]:
    """Several patterns."""
    return tuple(map(pattern, texts))


def bound(fact: Pattern, values: Mapping[str, str]) -> Fact:
    """A pattern with values in the places of its parameters.

    >>> bound(("is_on_top", "?o", "?f"), {"?o": "bowl_0", "?f": "table_1"})
    ('is_on_top', 'bowl_0', 'table_1')
    """
    return tuple(values.get(part, part) for part in fact)


def worded(text: str, values: Mapping[str, str]) -> str:
    """A text with values in the places of ``{f}`` and the like.

    >>> worded("{f} is closed.", {"?f": "fridge_1"})
    'fridge_1 is closed.'
    """
    for name, value in values.items():
        text = text.replace(f"{{{name[1:]}}}", value)
    return text
