"""Furniture that works in reverse (Juneja et al. 2026, section 3.4 and appendix J: a valve that turns the other way)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar

from otherminds.household.epistemic.words import Heads, HouseRule, Names, Refusal, Shapes
from otherminds.household.epistemic.words.shapes import (
    Consequence,
    Pair,
    Voice,
    filled,
    join_opposites,
    of_names,
    thing,
)
from otherminds.household.mechanics.mechanic import Binding, Mechanic, mechanics
from otherminds.household.rules import Fact

REVERSE = "{} works in reverse: opening closes it, and closing opens it"
WORDINGS = (
    "The handle of {one} works the wrong way round: pulling it open shuts it, and pushing it shut opens it.",
    "If somebody opens {one}, it closes, and if somebody closes it, it opens.",
    "{one} does the opposite of what is asked of it: it closes when it is opened and opens when it is closed.",
    "{one} is built backwards, so that opening it closes it and closing it opens it.",
    "To open {one}, one has to close it, and to close it, one has to open it.",
)
GRAMMAR = """
_works -> works | operates | moves | behaves | reacts | opens and closes
_made -> is built | is wired | is mounted | is put together
_reverse -> in reverse | backwards | the wrong way round | the wrong way around | the other way round
    | the other way around | the opposite way | the wrong way
_handle -> | the handle of | the handle on | the door of | the mechanism of | the switch of
Reversed -> _handle THING _works _reverse | THING has a reversed handle | _handle THING is reversed
    | THING has a handle that _works _reverse
_asked -> one does to it | is done to it | one asks of it | is asked of it | one wants | _you would expect | one would expect
Reversed -> THING does the opposite of what _asked | THING always does the opposite of what _asked
Told -> Reversed => inverse
Told -> Reversed _colon Links | Odd _colon Links => inverse_linked
Odd -> _handle THING _made _reverse
Told -> Links => inverse_alone
Told -> Wired _colon Links | Wired_back _colon Links => inverse_wired
"""


def _inverse(name: str) -> tuple[Inverse, ...]:
    return (Inverse(name),)


def _inverse_wired(between: Pair, links: tuple[Consequence, Consequence]) -> tuple[Inverse, ...]:
    link = join_opposites(between, links)
    reverse = (
        link is not None and link.trigger == link.target and link.by == "open" and link.state == "closed"
    )
    return _inverse(link.trigger) if link and reverse else ()


def _inverse_alone(links: tuple[Consequence, Consequence]) -> tuple[Inverse, ...]:
    return _inverse_wired((), links)


def _inverse_linked(name: str, links: tuple[Consequence, Consequence]) -> tuple[Inverse, ...]:
    return _inverse_wired((name, name), links)


class Inverse(HouseRule, frozen=True, tag="inverse"):
    """A thing that works in reverse: opening closes it, and closing opens it.

    ``cabinet_3 works in reverse: opening closes it, and closing opens it.`` ``(is_inverse cabinet_3)``.
    """

    thing: str

    shapes: ClassVar[Shapes] = {REVERSE.format("<thing>"): lambda names: Inverse(*names)}
    grammar = GRAMMAR
    actions = (_inverse, _inverse_alone, _inverse_linked, _inverse_wired)
    heads: ClassVar[Heads] = {"is_inverse": 1}

    def sentence(self, voice: Voice) -> str:
        return REVERSE.format(thing(self.thing))

    def wordings(self, you: str) -> Iterator[str]:
        return filled(WORDINGS, [of_names(self.thing)])

    def forms(self, agents: Sequence[str]) -> Names:
        return (f"(is_inverse {self.thing})",)

    @classmethod
    def of_forms(cls, forms: Sequence[Sequence[str]]) -> Inverse:
        return Inverse(forms[0][1])

    @property
    def things(self) -> Names:
        return (self.thing,)

    def reversed(self) -> Names:
        return (self.thing,)

    @classmethod
    def revealed(cls, refusal: Refusal) -> Inverse | None:
        return Inverse(refusal.thing) if refusal.opposite and "is still" in refusal.text else None


@mechanics.register("inverse_state")
class InverseState(Mechanic):
    """An action on ``trigger_object`` has the opposite effect; values set by other mechanics are not reversed.

    The paper's example is a valve that turns the other way. Both states stay reachable: Close opens the thing if it is
    closed, Open closes it if it is open, and otherwise they do nothing. (In the published code, a thing that starts
    closed can never be opened.)
    """

    says = Inverse
    fields = ("trigger_object",)

    def facts(self, binding: Binding) -> tuple[Fact, ...]:
        return (("is_inverse", binding.trigger_object),)

    def secrets(self, binding: Binding) -> tuple[Inverse, ...]:
        return (Inverse(binding.trigger_object),)
