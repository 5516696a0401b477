"""The meaning of clauses: what the rules of ``grammar.txt`` build (phrases, parts, events), and how it is resolved to formulas.

A clause states *events* in order. Their phrases name things or refer back: ``it`` is the last mentioned thing that fits;
if two things fit, the sentence is not understood."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from copy import copy
from typing import Any, TypeAlias
from typing import Literal as OneOf

from msgspec import Struct

from otherminds.household.epistemic.formula import Atom, Formula, Know, Literal, Not, atom
from otherminds.household.epistemic.predicates import AXES, OPPOSITES, PREDICATES, RESTS, positive
from otherminds.household.epistemic.words.free.parser import Build
from otherminds.household.epistemic.words.shapes import Voice

EITHER = frozenset({"is_powered_on", "is_powered_off"})
"""States that furniture has as well as objects."""


class Phrase(Struct, frozen=True):
    """Things or agents by name, or by a word that refers to them: ``it``, ``they``, ``I``, ``you``, ``we``, ``self``, ``one``.

    ``self`` is the acting agent of the clause, ``one`` the last name before it. A ``type`` refers to the only mentioned
    thing of that type ("the oven"). ``state`` is the state of an adjective, ``room`` a room that is mentioned in passing.
    """

    names: tuple[str, ...] = ()
    word: str = ""
    type: str = ""
    state: str = ""
    room: str = ""


class StatementPart(Struct, frozen=True):
    """One statement about a thing: a predicate, its other argument, and whether it is negated."""

    predicate: str
    other: Phrase | None = None
    denied: bool = False


Parts: TypeAlias = tuple[StatementPart, ...]


class Stated(Struct, frozen=True):
    """All that one clause states about each of ``about``."""

    about: Phrase
    parts: Parts


class Known(Struct, frozen=True):
    """An agent knows what a clause states."""

    by: Phrase
    told: tuple[Event, ...]


class Spoken(Struct, frozen=True):
    """A thing is mentioned, without a statement about its present state."""

    about: Phrase


class Planned(Struct, frozen=True):
    """What is planned or asked for at the end of a sentence; nothing is known about it."""


Event: TypeAlias = Stated | Known | Spoken | Planned
Events: TypeAlias = tuple[Event, ...]


class Bid(Struct, frozen=True):
    """Something that is to be so: an agent is asked for it, the writer promises it, the team wants it, or the writer alone."""

    kind: OneOf["asks", "promises", "wants", "wishes"]
    agent: Phrase
    wanted: Events


NOBODY, SELF, ONE = Phrase(), Phrase(word="self"), Phrase(word="one")


class UnclearError(Exception):
    """A clause is ambiguous or has no formula."""


def set_actor(who: Phrase, events: Events) -> Events:
    """The events with ``who`` as the acting agent."""

    def replace_self(phrase: Phrase | None) -> Phrase | None:
        return who if phrase == SELF else phrase

    def act_event(event: Event) -> Event:
        match event:
            case Known(by, inner):
                return Known(replace_self(by) or who, set_actor(who, inner))
            case Stated(about, parts):
                resolved = (
                    StatementPart(part.predicate, replace_self(part.other), part.denied) for part in parts
                )
                return Stated(replace_self(about) or who, tuple(resolved))
            case Spoken() | Planned():
                return event

    return tuple(map(act_event, events))


class Discourse:
    """The things mentioned in a text so far, and the facts stated about them."""

    def __init__(self, voice: Voice) -> None:
        self._voice = voice
        self._spoken: list[dict[str, str]] = []
        self._told: list[tuple[int, Formula]] = []
        self._clause = 0

    def forget(self) -> None:
        """Forgets the mentioned things after a sentence that was not understood."""
        self._spoken = []

    @property
    def types(self) -> frozenset[str]:
        return frozenset(name.rpartition("_")[0] for spoken in self._spoken for name in spoken)

    def after(self, events: Events) -> Discourse | None:
        """The discourse after a sentence with these ``events``; ``None`` if they cannot be resolved."""
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

    def bid_formulas(self, bid: Bid) -> tuple[tuple[str, Formula], ...]:
        """The formulas of a bid, each with the agent that is to achieve it (empty for the team).

        Empty if the bid cannot be resolved, or if it leaves nothing behind.
        """
        try:
            agent = self._agents(bid.agent)[0] if bid.agent != NOBODY else ""
        except UnclearError:
            return ()
        later = self.after(bid.wanted)
        formulas = [] if later is None else [formula for when, formula in later._told if when > self._clause]
        return tuple((agent, formula) for formula in dict.fromkeys(formulas))

    def stated_in(self, first: int, last: int) -> tuple[Formula, ...]:
        """The formulas stated in clauses ``first`` to ``last`` (exclusive) that no later one replaced, each once."""
        return tuple(dict.fromkeys(formula for when, formula in self._told if first < when <= last))

    @property
    def clauses(self) -> int:
        """The number of clauses so far."""
        return self._clause

    def state(self, formula: Formula) -> None:
        """Adds a formula from a sentence of the controlled language."""
        self._clause += 1
        bare = formula
        while isinstance(bare, Know):
            bare = bare.inside
        if isinstance(bare, Atom | Not):
            fact = atom(bare)
            typed_names = zip(PREDICATES[fact.predicate].kinds, fact.args, strict=True)
            either = fact.predicate in EITHER
            referents = ((name, kind) for kind, name in typed_names if kind in ("object", "furniture"))
            self._spoken.append({name: "" if either else kind for name, kind in referents})
        self._add(formula)

    def formulas(self) -> tuple[Formula, ...]:
        """The stated formulas that later ones did not replace, each once."""
        return tuple(dict.fromkeys(formula for _, formula in self._told))

    def _add(self, formula: Formula) -> None:
        """Adds a formula, which replaces an earlier one about the same state: opened, and then closed."""
        key = _about(formula)
        if key:
            now = self._clause
            self._told = [(when, old) for when, old in self._told if when == now or _about(old) != key]
        self._told.append((self._clause, formula))

    def _formulas(self, event: Event) -> Iterable[Formula]:
        if isinstance(event, Known):
            (knower,) = self._agents(event.by)
            for inner in event.told:
                for formula in self._formulas(inner):
                    yield formula if knower == self._voice.me else Know(knower, formula)
            return
        if isinstance(event, Planned):
            return
        if isinstance(event, Spoken):
            for name in event.about.names or self._resolve_reference(event.about, ""):
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
        agent = {"I": self._voice.me, "you": self._voice.you}.get(phrase.word, "")
        if not agent:
            raise UnclearError
        return (agent,)

    def _things(self, phrase: Phrase, part: StatementPart, slot: int) -> tuple[str, ...]:
        """The things that a phrase refers to, in a slot of a predicate."""
        kind = PREDICATES[part.predicate].kinds[slot]
        role = "" if part.predicate in EITHER else kind
        names = phrase.names or self._resolve_reference(phrase, role)
        for name in names:
            earlier = next((spoken[name] for spoken in reversed(self._spoken) if name in spoken), "")
            self._spoken[-1][name] = role or earlier
        return names

    def _resolve_reference(self, phrase: Phrase, role: str) -> tuple[str, ...]:
        """The things that ``it``, ``they``, a relative clause or "the oven" refer back to."""
        if phrase.type:
            names = {name for spoken in self._spoken for name in spoken}
            fitting = tuple(name for name in names if name.rpartition("_")[0] == phrase.type)
            if len(fitting) != 1:
                raise UnclearError
            return fitting
        for spoken in reversed(self._spoken):
            fitting = tuple(name for name, kind in spoken.items() if not kind or not role or kind == role)
            if phrase.word == "one":
                fitting = tuple(spoken)[-1:]
            if not fitting or (not role and phrase.word != "one" and len(fitting) != len(spoken)):
                continue
            if (phrase.word == "they") != (len(fitting) > 1):
                raise UnclearError
            return fitting
        raise UnclearError


def _about(formula: Formula) -> tuple[str, ...]:
    """The state variable of a formula, whose later values replace it; empty if there is none."""
    fact = formula.inside if isinstance(formula, Not) else formula
    if not isinstance(fact, Atom):
        return ()
    if fact.predicate in OPPOSITES:
        return (AXES[fact.predicate], *fact.args)
    if fact.predicate in RESTS and isinstance(formula, Atom):
        return ("place", fact.args[0])
    return ("room", fact.args[0]) if fact.predicate == "agent_in_room" else ()


WRITER, YOU = Phrase(word="I"), Phrase(word="you")


def _refer(word: str) -> Build:
    return lambda *_: Phrase(word=word)


def _described(state: str) -> Callable[[str], Phrase]:
    """A name with an adjective before it."""
    return lambda name: Phrase((name,), state=state)


def _part(predicate: str, other: str = "") -> Callable[..., Parts]:
    """One part of a statement; the other argument is the number of a value, or a word that refers to something."""
    return lambda *values: (StatementPart(predicate, _slot(other, values) if other else None),)


def _states(predicate: str, subject: str, other: str = "") -> Callable[..., Events]:
    """A predicate stated of a thing; both arguments are as in :func:`_part`.

    >>> _states("is_held_by", "1", "I")(Phrase(("bowl_0",)))[0].parts[0].other.word
    'I'
    """
    part = _part(predicate, other)
    return lambda *values: _of(_slot(subject, values), part(*values))


def _states_not(predicate: str, subject: str, other: str) -> Callable[..., Events]:
    part = _part(predicate, other)
    return lambda *values: _of(_slot(subject, values), _denied(part(*values)))


def _slot(slot: str, values: tuple[Phrase, ...]) -> Phrase:
    return values[int(slot) - 1] if slot.isdigit() else Phrase(word=slot)


def _named(name: str) -> Phrase:
    return Phrase((name,))


def _typed(word: str) -> Phrase:
    return Phrase(type=word)


def _in_room(phrase: Phrase, room: Phrase) -> Phrase:
    """A thing with the room that is mentioned for it in passing."""
    return Phrase(phrase.names, state=phrase.state, room=room.names[0])


def _listed(first: Phrase, second: Phrase) -> Phrase:
    return Phrase((*first.names, *second.names))


def _denied(parts: Parts) -> Parts:
    return tuple(StatementPart(part.predicate, part.other, not part.denied) for part in parts)


def _joined(values: tuple[Any, ...], more_values: tuple[Any, ...]) -> tuple[Any, ...]:
    return (*values, *more_values)


def _of(subject: Phrase, parts: Parts, more_parts: Parts = ()) -> Events:
    """Parts stated of a subject, in one place or in two."""
    return (Stated(subject, (*parts, *more_parts)),)


def _neither(first: Phrase, second: Phrase, parts: Parts) -> Events:
    return (*_of(first, _denied(parts)), *_of(second, _denied(parts)))


def _knows(who: Phrase, events: Events) -> Events:
    return (Known(who, events),)


def _spoken(phrase: Phrase, parts: Parts = ()) -> Events:
    """A thing is mentioned, perhaps with a former state; nothing is stated about it now."""
    return (Spoken(phrase),)


def _spoken_until(phrase: Phrase, parts: Parts, events: Events) -> Events:
    """A thing had a state until something was done."""
    return (Spoken(phrase), *events)


def _not_done(who: Phrase, events: Events) -> Events:
    """The things of an attempt that failed are mentioned."""
    return tuple(Spoken(event.about) for event in events if isinstance(event, Stated))


def _and_planned(events: Events) -> Events:
    return (*events, Planned())


def _mixed(events: Events, bid: Bid) -> tuple[Events, Bid]:
    """What a sentence states, and what it asks for behind that."""
    return events, bid


def _which(events: Events, parts: Parts) -> Events:
    """Events, and what a relative clause states of the thing named last."""
    return (*events, *_of(ONE, parts))


def _i_did(events: Events, more_events: Events = ()) -> Events:
    """What the writer did, and what else is stated."""
    return (*set_actor(Phrase(word="I"), events), *more_events)


def _wishes(events: Events) -> Bid:
    """What the writer wants for itself."""
    return Bid("wishes", NOBODY, events)


def _nothing() -> Events:
    """An act that leaves nothing behind."""
    return ()


def _asks_you(events: Events) -> Bid:
    return _asks(YOU, events)


def _asks(agent: Phrase, events: Events) -> Bid:
    return Bid("asks", agent, set_actor(agent, events))


def _promises(events: Events) -> Bid:
    return Bid("promises", WRITER, set_actor(WRITER, events))


def _wants(events: Events) -> Bid:
    """A duty of the team, which no agent in particular is to do."""
    return Bid("wants", NOBODY, events)


_ACTIONS: tuple[Callable[..., Any], ...] = (
    *(_denied, _i_did, _in_room, _joined, _knows, _listed, _named, _neither, _not_done, _nothing, _of),
    *(_spoken, _spoken_until, _typed, _which),
    *(_and_planned, _asks, _asks_you, _mixed, _promises, _wants, _wishes),
)
PLAIN: Mapping[str, Build] = {"acted": set_actor} | {action.__name__[1:]: action for action in _ACTIONS}
WITH_WORDS: dict[str, Callable[..., Build]] = {
    action.__name__[1:]: action for action in (_refer, _described, _part, _states, _states_not)
}
