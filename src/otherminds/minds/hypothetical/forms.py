"""The dictionaries that steps ask for: an example of each, and how a reply is read.

One object shows the form and reads the answer, so that the two agree. All values come from
a world's scaffold; nothing a model wrote is evaluated.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any, cast

from msgspec import Struct, structs

from otherminds.core.contracts import PlanningScaffold, Scaffold
from otherminds.core.data import Brief, Invalid, Seat
from otherminds.minds.language.requests import one_line
from otherminds.replies.blocks import dictionaries

OUTCOMES = {"positive": 1.0, "neutral": 0.0, "negative": -1.0}
"""The outcome of a counterfactual encounter, in units of c (appendix F)."""
LONGEST_PLAN = 20
"""Skills that one plan may have: published ones have three to six (appendix D.4)."""
LONGEST_CALL = 200
"""Characters that one call of a plan may have."""
WRITTEN = " as written"
"""Suffix of an entry's name: its value as prompts repeat it."""
STRATEGY = "First I find out what they do, then I answer it."
WRAPPERS = frozenset(("answer", "final_answer", "my_answer", "output", "reply", "response", "result"))
"""What a dictionary that holds nothing but the one asked for may call it."""
FEEDBACK = "The plan did what it should; go on like that."


class Field(Struct, frozen=True):
    """One entry: its name, its key in the dictionary, an example of its value, and a parser of values.

    ``retold`` gives a value as later prompts repeat it; it is kept under the name with :data:`WRITTEN`.
    """

    name: str
    key: str
    example: Any
    read: Callable[[Any], Any]
    retold: Callable[[Any], Any] | None = None


class Form(Struct, frozen=True):
    """A dictionary with these entries."""

    fields: tuple[Field, ...]

    def __str__(self) -> str:
        """The example as a Python literal."""
        return repr({field.key: field.example for field in self.fields})

    def read(self, reply: str) -> dict[str, Any] | Invalid:
        """The values in the last dictionary of ``reply`` that has all the keys (:func:`find_entries`).

        ``Invalid`` where a later one has a key and cannot be read: it may have been the answer.
        """
        keys = [field.key for field in self.fields]
        for block in reversed(dictionaries(reply)):
            if not isinstance(block, str):
                entries = find_entries(block, keys)
                if entries is not None:
                    return self._values(entries)
            elif any(key.lower() in block.lower() for key in keys):
                return Invalid("a dictionary that cannot be read; look at its quotes, commas and brackets")
        return Invalid(f"no dictionary with {' and '.join(repr(field.key) for field in self.fields)}")

    def _values(self, block: dict[str, Any]) -> dict[str, Any] | Invalid:
        values: dict[str, Any] = {}
        for field in self.fields:
            value = field.read(block[field.key])
            if isinstance(value, Invalid):
                return Invalid(f"{field.key!r}: {value.reason}")
            values[field.name] = value
            if field.retold is not None:
                values[field.name + WRITTEN] = field.retold(block[field.key])
        return values


def find_entries(block: dict[str, Any], keys: Sequence[str]) -> dict[str, Any] | None:
    """The entries of ``block`` under ``keys``; ``None`` unless there is exactly one for each.

    A key may be in any case, with spaces or hyphens for underscores, and all entries within the only entry of ``block`` if
    that is called an answer (:data:`WRAPPERS`).

    >>> find_entries({"Answer": {"I_PLAY": "rock"}}, ["i_play"])
    {'i_play': 'rock'}
    >>> find_entries({"i_play": "rock", "I_Play": "paper"}, ["i_play"])
    {'i_play': 'rock'}
    >>> find_entries({"I_PLAY": "rock", "I_Play": "paper"}, ["i_play"]) is None
    True
    """
    if block.keys() >= set(keys):
        return {key: block[key] for key in keys}
    written = [_simplify(key) for key in block]
    if all(written.count(_simplify(key)) == 1 for key in keys):
        values = list(block.values())
        return {key: values[written.index(_simplify(key))] for key in keys}
    if len(block) == 1 and written[0] in WRAPPERS:
        (inner,) = block.values()
        return find_entries(cast("dict[str, Any]", inner), keys) if isinstance(inner, dict) else None
    return None


def _simplify(key: str) -> str:
    return re.sub(r"[\s-]+", "_", key.strip().lower())


class Forms:
    """The forms of every step in one world."""

    def __init__(self, scaffold: Scaffold, brief: Brief) -> None:
        self.scaffold = scaffold
        self.brief = brief
        self.manner = scaffold.manner

    def infer(self, seat: Seat) -> Form:
        return Form((self._behaviour("they_played", seat),))

    def hypothesise(self) -> Form:
        return Form((self._strategy(),))

    def predict(self, seat: Seat) -> Form:
        """What the other does next; with ``joint``, the own choice too."""
        return Form((self._prediction(seat), *([self._own()] if self.manner.joint else [])))

    def opening(self, seat: Seat) -> Form:
        """A prediction and a choice before the first encounter."""
        return Form((self._prediction(seat), self._own()))

    def choose(self) -> Form:
        """The own choice; with several others, whom to seek and what they will do."""
        others = self.brief.others
        if len(others) > 1:
            return Form((self._seek(), self._prediction(others[0]), self._own()))
        return Form((self._own(),))

    def at_once(self, seat: Seat) -> Form:
        inferred = self.infer(seat).fields if self.manner.hidden else ()
        return Form((*inferred, self._strategy(), self._prediction(seat), self._own()))

    def judge(self) -> Form:
        return Form((self._field("match", True, flag),))

    def devise(self) -> Form:
        """An own strategy, and the behaviour it means next."""
        behaviour = self.play().fields if self.manner.choice == "behaviour" else ()
        return Form((self._field("my_strategy", STRATEGY, text), *behaviour))

    def play(self) -> Form:
        return Form((self._behaviour("i_play", self.brief.seat),))

    def counterfactual(self) -> Form:
        return Form((self._field("outcome", "positive", outcome),))

    def plan(self, planning: PlanningScaffold, example: tuple[str, ...] = ()) -> Form:
        """A plan: calls of skills. Its value is read as the pair of calls and skills."""
        calls = example or planning.plans()[0][1]
        return Form((self._field("plan", list(calls), lambda value: _plan(planning, value)),))

    def reflect(self) -> Form:
        return Form((self._field("feedback", FEEDBACK, text),))

    def plays(self) -> tuple[tuple[str, Form], ...]:
        """Three worked examples for a choice without a plan: thoughts, and the form filled in."""
        own = self.scaffold.choices(self.brief.seat)
        field = self.play().fields[0]
        return tuple(
            (
                f"Suppose that what they did so far is best met by {value!r}. Then I play that.",
                Form((structs.replace(field, example=value),)),
            )
            for value in own[:3]
        )

    def _field(self, name: str, example: Any, read: Callable[[Any], Any]) -> Field:
        return Field(name, self.scaffold.key(name), example, read)

    def _behaviour(self, name: str, seat: Seat) -> Field:
        scaffold = self.scaffold
        return Field(
            name,
            scaffold.key(name),
            scaffold.choices(seat)[0],
            lambda value: scaffold.read(value, seat),
            lambda value: scaffold.retold(value, seat),
        )

    def _prediction(self, seat: Seat) -> Field:
        if self.manner.judged:
            return self._field("they_play", str(self.scaffold.choices(seat)[0]), text)
        return self._behaviour("they_play", seat)

    def _own(self) -> Field:
        if self.manner.choice == "strategy":
            return self._field("my_strategy", STRATEGY, text)
        return self._behaviour("i_play", self.brief.seat)

    def _strategy(self) -> Field:
        return self._field("strategy", self.scaffold.strategies()[0], text)

    def _seek(self) -> Field:
        return self._field("seek", [self.scaffold.name(self.brief.others[0])], self._read_opponents)

    def _read_opponents(self, value: Any) -> tuple[Seat, ...] | Invalid:
        names = cast("list[Any]", value) if isinstance(value, list) else []
        seats = [self.scaffold.seat(name) if isinstance(name, str) else None for name in names]
        opponents = tuple(dict.fromkeys(seat for seat in seats if seat in self.brief.others))
        if not seats or None in seats or len(opponents) < len(set(seats)):
            return Invalid("not a list of the names of other players")
        return opponents


def text(value: Any) -> str | Invalid:
    """One tame line of text."""
    line = one_line(value) if isinstance(value, str) else ""
    return line or Invalid("not a text")


def flag(value: Any) -> bool | Invalid:
    """True or false."""
    return value if isinstance(value, bool) else Invalid("neither True nor False")


def outcome(value: Any) -> float | Invalid:
    """A member of :data:`OUTCOMES`, as its value."""
    worth = OUTCOMES.get(value.strip().lower()) if isinstance(value, str) else None
    return Invalid(f"none of {', '.join(OUTCOMES)}") if worth is None else worth


def _plan(planning: PlanningScaffold, value: Any) -> tuple[tuple[str, ...], tuple[Any, ...]] | Invalid:
    calls = cast("list[Any]", value) if isinstance(value, list) else []
    if not calls or not all(isinstance(call, str) for call in calls):
        return Invalid("not a list of calls as strings")
    if len(calls) > LONGEST_PLAN or max(map(len, calls)) > LONGEST_CALL:
        return Invalid(f"a plan has at most {LONGEST_PLAN} calls of {LONGEST_CALL} characters each")
    skills = planning.plan(calls)
    if isinstance(skills, Invalid):
        return skills
    if not skills:
        return Invalid("no skill is called")
    return tuple(map(one_line, calls)), skills
