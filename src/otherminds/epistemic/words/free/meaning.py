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
from otherminds.epistemic.predicates import AXES, OPPOSITES, PREDICATES, RESTS, positive
from otherminds.epistemic.words.shapes import Voice

EITHER = frozenset({"is_powered_on", "is_powered_off"})
"""States that furniture has as well as objects."""


class Phrase(Struct, frozen=True):
    """Things or agents by their names, or by a word that points at them: ``it``, ``they``, ``I``, ``you``, ``we``, ``self``, ``one``.

    ``self`` is the agent who acts in the clause, ``one`` what was named last before it. A ``type`` points at the
    only thing of that type that was spoken of ("the oven"). ``state`` is what an adjective says of it, ``room``
    where it is said to be by the way.
    """

    names: tuple[str, ...] = ()
    word: str = ""
    type: str = ""
    state: str = ""
    room: str = ""


class StatementPart(Struct, frozen=True):
    """One statement about a thing: a predicate, its other argument, and whether it is denied."""

    predicate: str
    other: Phrase | None = None
    denied: bool = False


Parts: TypeAlias = tuple[StatementPart, ...]


class Stated(Struct, frozen=True):
    """All that one clause tells of each of ``about``."""

    about: Phrase
    parts: Parts


class Known(Struct, frozen=True):
    """That somebody knows what a clause states."""

    by: Phrase
    told: tuple[Event, ...]


class Spoken(Struct, frozen=True):
    """That a thing is spoken of, and nothing told of how it is now."""

    about: Phrase


Event: TypeAlias = Stated | Known | Spoken
Events: TypeAlias = tuple[Event, ...]

SELF, ONE = Phrase(word="self"), Phrase(word="one")


class UnclearError(Exception):
    """What a clause states cannot be put as formulas for certain."""


def acted(who: Phrase, events: Events) -> Events:
    """The events with ``who`` in the place of the agent who acts."""

    def put(phrase: Phrase | None) -> Phrase | None:
        return who if phrase == SELF else phrase

    def one(event: Event) -> Event:
        match event:
            case Known(by, told):
                return Known(put(by) or who, acted(who, told))
            case Stated(about, parts):
                return Stated(
                    put(about) or who,
                    tuple(StatementPart(p.predicate, put(p.other), p.denied) for p in parts),
                )
            case Spoken():
                return event

    return tuple(map(one, events))


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

    @property
    def types(self) -> frozenset[str]:
        """The types of the things that were spoken of."""
        return frozenset(name.rpartition("_")[0] for spoken in self._spoken for name in spoken)

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
        except UnclearError:
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
        self._add(formula)

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
        if isinstance(event, Spoken):
            for name in event.about.names or self._pointed(event.about, ""):
                self._spoken[-1].setdefault(name, "")
            return
        for part in event.parts:
            yield from self._literals(event.about, part)
            for phrase in (event.about, part.other or event.about):
                if phrase.state:
                    yield from (Atom(phrase.state, (name,)) for name in phrase.names)
                if phrase.room:
                    yield from (Atom("is_in_room", (name, phrase.room)) for name in phrase.names)

    def _literals(self, subject: Phrase, part: StatementPart) -> Iterable[Literal]:
        """What one part says of each thing that is meant."""
        kinds = PREDICATES[part.predicate].kinds
        about = self._agents(subject) if kinds[0] == "agent" else self._things(subject, part, 0)
        others: tuple[str, ...] = ()
        if part.other is not None:
            others = self._agents(part.other) if kinds[1] == "agent" else self._things(part.other, part, 1)
        if len(others) != len(kinds) - 1 or (part.denied and len(about) > 1) or {*about} & {*others}:
            raise UnclearError
        for name in about:
            fact: Literal = Atom(part.predicate, (name, *others))
            yield positive(Not(fact)) if part.denied else fact

    def _agents(self, phrase: Phrase) -> tuple[str, ...]:
        if phrase.names:
            return phrase.names
        found = {"I": self._voice.me, "you": self._voice.you}.get(phrase.word, "")
        if not found:
            raise UnclearError
        return (found,)

    def _things(self, phrase: Phrase, part: StatementPart, slot: int) -> tuple[str, ...]:
        """The things that a phrase means, in a slot of a predicate."""
        kind = PREDICATES[part.predicate].kinds[slot]
        role = "" if part.predicate in EITHER else kind
        names = phrase.names or self._pointed(phrase, role)
        for name in names:
            known = next((spoken[name] for spoken in reversed(self._spoken) if name in spoken), "")
            self._spoken[-1][name] = role or known
        return names

    def _pointed(self, phrase: Phrase, role: str) -> tuple[str, ...]:
        """What ``it``, ``they``, a relative clause or "the oven" points back at."""
        if phrase.type:
            known = {name for spoken in self._spoken for name in spoken}
            fitting = tuple(name for name in known if name.rpartition("_")[0] == phrase.type)
            if len(fitting) != 1:
                raise UnclearError
            return fitting
        for spoken in reversed(self._spoken):
            fitting = tuple(name for name, known in spoken.items() if not known or not role or known == role)
            if phrase.word == "one":
                fitting = tuple(spoken)[-1:]
            if not fitting or (not role and phrase.word != "one" and len(fitting) != len(spoken)):
                continue
            if (phrase.word == "they") != (len(fitting) > 1):
                raise UnclearError
            return fitting
        raise UnclearError


def _about(formula: Formula) -> tuple[str, ...]:
    """What a formula settles, so that a later one of the same overtakes it; empty where nothing is settled."""
    fact = formula.inside if isinstance(formula, Not) else formula
    if not isinstance(fact, Atom):
        return ()
    if fact.predicate in OPPOSITES:
        return (AXES[fact.predicate], *fact.args)
    if fact.predicate in RESTS and isinstance(formula, Atom):
        return ("place", fact.args[0])
    return ("room", fact.args[0]) if fact.predicate == "agent_in_room" else ()
