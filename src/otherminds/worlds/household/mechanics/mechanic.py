"""What a mechanic may change, and where mechanics become known.

A mechanic changes rules in one of four ways: it reverses a thing, makes things follow
one another, bars rooms, or limits messages. Nothing else is shown to anyone because of
it: an agent sees the thing that changed where it sees that thing, and learns of a
mechanic from secrets, messages and failures.
"""

from __future__ import annotations

from collections.abc import Mapping

from otherminds.core.registry import Registry
from otherminds.epistemic.words import Statement
from otherminds.worlds.household.rules.rule import Fact
from otherminds.worlds.household.task import Binding

Value = str
"""``is_open``, ``is_closed``, ``is_powered_on`` or ``is_powered_off``."""

STATES: Mapping[str, Value] = {
    "open": "is_open",
    "is_open": "is_open",
    "closed": "is_closed",
    "is_closed": "is_closed",
    "on": "is_powered_on",
    "powered_on": "is_powered_on",
    "is_powered_on": "is_powered_on",
    "off": "is_powered_off",
    "powered_off": "is_powered_off",
    "is_powered_off": "is_powered_off",
}
"""How ``target_state`` may name a value."""


class Mechanic:
    """A mechanic that changes nothing; each of the six writes what it changes.

    ``fields`` are those of a binding that must be filled, ``optional`` those that may be.
    """

    fields: tuple[str, ...] = ()
    optional: tuple[str, ...] = ()

    def faults(self, binding: Binding) -> list[str]:
        """What is wrong with a binding beside missing fields and unknown names."""
        return []

    def reversed(self, binding: Binding) -> tuple[str, ...]:
        """The things whose affordances are exchanged."""
        return ()

    def follows(self, binding: Binding, thing: str, value: Value) -> tuple[tuple[str, Value], ...]:
        """What else takes which value when ``thing`` takes ``value``."""
        return ()

    def triggers(self, binding: Binding) -> tuple[str, ...]:
        """The things that set others, and need no state of their own for it."""
        return ()

    def barred(self, binding: Binding) -> Mapping[str, frozenset[str]]:
        """The rooms that an agent may neither enter nor cross."""
        return {}

    def limits(self, binding: Binding) -> Mapping[str, int]:
        """The messages that an agent may send."""
        return {}

    def edges(self, binding: Binding) -> Mapping[str, tuple[str, ...]]:
        """Whom an agent may write to, where that is restricted."""
        return {}

    def facts(self, binding: Binding) -> tuple[Fact, ...]:
        """The mechanic in the vocabulary of appendix H."""
        return ()

    def secrets(self, binding: Binding) -> tuple[Statement, ...]:
        """How a secret may tell it."""
        return ()


mechanics: Registry[type[Mechanic]] = Registry(
    "mechanic", "otherminds.worlds.household.mechanics", "mechanics"
)


def mechanic(name: str) -> Mechanic:
    """The mechanic called ``name``.

    Raises:
        StudyError: there is none; the text names what comes near.
    """
    return mechanics.get(name)()
