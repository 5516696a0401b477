"""What a clause tells, before it is known of which things, and then as formulas.

A clause tells *events* in their order. Their phrases name things, or point back: ``it`` is the one
thing spoken of last that can be meant; where two can, nothing is understood.
"""

from __future__ import annotations

from collections.abc import Iterable
from copy import copy
from typing import TypeAlias

from msgspec import Struct

from otherminds.epistemic.formula import Atom, Formula, Know, Literal, Not, atom
from otherminds.epistemic.predicates import OPPOSITES, PAIRS, PREDICATES, positive
from otherminds.epistemic.words.shapes import Voice

AXES = {name: pair[0] for pair in PAIRS for name in pair}
PLACED = frozenset({"is_on_top", "is_inside", "is_in_room", "is_on_floor", "is_held_by"})
EITHER = frozenset({"is_powered_on", "is_powered_off"})
"""States that furniture has as well as objects."""


class Phrase(Struct, frozen=True):
    """Things or agents by their names, or by a word that points at them: ``it``, ``they``, ``I``, ``you``, ``we``, ``self``, ``one``.

    ``self`` is whoever acts in the clause, ``one`` what was named last before it.
    """

    names: tuple[str, ...] = ()
    word: str = ""


class Told(Struct, frozen=True):
    """That a predicate holds of each of ``about`` (and of ``place`` or ``who``), or does not."""

    predicate: str
    about: Phrase
    other: Phrase | None = None
    denied: bool = False


class Known(Struct, frozen=True):
    """That somebody knows what is told."""

    by: Phrase
    told: tuple[Event, ...]


Event: TypeAlias = Told | Known
Events: TypeAlias = tuple[Event, ...]

SELF, ONE = Phrase(word="self"), Phrase(word="one")


class NotUnderstood(Exception):
    """What is told cannot be put as formulas for certain."""


def acted(who: Phrase, events: Events) -> Events:
    """The events with ``who`` in the place of whoever acts."""

    def put(phrase: Phrase | None) -> Phrase | None:
        return who if phrase == SELF else phrase

    return tuple(
        Known(put(e.by) or who, acted(who, e.told))
        if isinstance(e, Known)
        else Told(e.predicate, put(e.about) or who, put(e.other), e.denied)
        for e in events
    )


class Discourse:
    """What was spoken of in a text so far, and what was told of it."""

    def __init__(self, voice: Voice) -> None:
        self._voice = voice
        self._spoken: list[dict[str, str]] = []
        self._told: list[tuple[int, Formula]] = []
        self._clause = 0

    def forget(self) -> None:
        """A sentence was not understood: nothing points back behind it."""
        self._spoken = []

    def after(self, events: Events) -> Discourse | None:
        """The discourse after a sentence that tells ``events``; ``None`` where of what it tells is not certain."""
        later = copy(self)
        later._spoken, later._told = list(self._spoken), list(self._told)
        try:
            for event in events:
                later._clause += 1
                later._spoken.append({})
                for formula in later._formulas(event):
                    later._add(formula)
        except NotUnderstood:
            return None
        return later

    def state(self, formula: Formula) -> None:
        """Takes in one formula that is written in the controlled language."""
        self._clause += 1
        bare = formula
        while isinstance(bare, Know):
            bare = bare.inside
        if isinstance(bare, Atom | Not):
            fact = atom(bare)
            kinds = PREDICATES[fact.predicate].kinds
            self._spoken.append(
                {
                    name: "" if fact.predicate in EITHER else kind
                    for kind, name in zip(kinds, fact.args, strict=True)
                    if kind in ("object", "furniture")
                }
            )
        known_to_all = isinstance(formula, Know) and formula.agent == self._voice.me
        self._add(formula.inside if known_to_all else formula)

    def formulas(self) -> tuple[Formula, ...]:
        """What was told and not overtaken by what was told later, each once."""
        return tuple(dict.fromkeys(formula for _, formula in self._told))

    def _add(self, formula: Formula) -> None:
        """One more formula, in the place of what it overtakes: opened, and then closed."""
        key = _about(formula)
        if key:
            self._told = [
                (clause, old) for clause, old in self._told if clause == self._clause or _about(old) != key
            ]
        self._told.append((self._clause, formula))

    def _formulas(self, event: Event) -> Iterable[Formula]:
        if isinstance(event, Known):
            (knower,) = self._agents(event.by)
            for inner in event.told:
                for formula in self._formulas(inner):
                    yield formula if knower == self._voice.me else Know(knower, formula)
            return
        kinds = PREDICATES[event.predicate].kinds
        about = self._agents(event.about) if kinds[0] == "agent" else self._things(event.about, event, 0)
        if event.other is None:
            others: tuple[tuple[str, ...], ...] = ((),)
        elif kinds[1] == "agent":
            others = tuple((name,) for name in self._agents(event.other))
        else:
            others = tuple((name,) for name in self._things(event.other, event, 1))
        if len(others) != 1 or len(others[0]) != len(kinds) - 1:
            raise NotUnderstood
        if event.denied and len(about) > 1:
            raise NotUnderstood  # not both of them, or neither?
        for name in about:
            if name in others[0]:
                raise NotUnderstood
            fact: Literal = Atom(event.predicate, (name, *others[0]))
            yield positive(Not(fact)) if event.denied else fact

    def _agents(self, phrase: Phrase) -> tuple[str, ...]:
        if phrase.names:
            return phrase.names
        found = {"I": self._voice.me, "you": self._voice.you}.get(phrase.word, "")
        if not found:
            raise NotUnderstood
        return (found,)

    def _things(self, phrase: Phrase, event: Told, slot: int) -> tuple[str, ...]:
        """The things that a phrase means, in a slot of a predicate."""
        kind = PREDICATES[event.predicate].kinds[slot]
        role = "" if event.predicate in EITHER else kind
        names = phrase.names or self._pointed(phrase.word, role)
        for name in names:
            known = next((spoken[name] for spoken in reversed(self._spoken) if name in spoken), "")
            self._spoken[-1][name] = role or known
        return names

    def _pointed(self, word: str, role: str) -> tuple[str, ...]:
        """What ``it``, ``they`` or a relative clause points back at."""
        for spoken in reversed(self._spoken):
            fitting = tuple(name for name, known in spoken.items() if not known or not role or known == role)
            if word == "one":
                fitting = tuple(spoken)[-1:]
            if not fitting or (not role and len(fitting) != len(spoken)):
                continue
            if (word == "they") != (len(fitting) > 1):
                raise NotUnderstood
            return fitting
        raise NotUnderstood


def _about(formula: Formula) -> tuple[str, ...]:
    """What a formula settles, so that a later one of the same overtakes it; empty where nothing is settled."""
    fact = formula.inside if isinstance(formula, Not) else formula
    if not isinstance(fact, Atom):
        return ()
    if fact.predicate in OPPOSITES:
        return (AXES[fact.predicate], *fact.args)
    if fact.predicate in PLACED and isinstance(formula, Atom):
        return ("place", fact.args[0])
    return ("room", fact.args[0]) if fact.predicate == "agent_in_room" else ()
