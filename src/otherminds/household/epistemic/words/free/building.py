"""The actions of rules in ``grammar.txt``: what they make of the values of their symbols (phrases, parts, events)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from otherminds.household.epistemic.words.free import meaning
from otherminds.household.epistemic.words.free.meaning import (
    Events,
    Parts,
    Phrase,
    Spoken,
    Stated,
    StatementPart,
)
from otherminds.household.epistemic.words.free.parser import Build

WRITER, YOU = Phrase(word="I"), Phrase(word="you")


def builder(action: str) -> Build:
    """The function of an action: its name, and its words if it has any.

    >>> builder("states is_held_by 1 I")(Phrase(("bowl_0",)))[0].parts[0].other.word
    'I'
    """
    name, *words = action.split()
    return WITH_WORDS[name](*words) if words else PLAIN[name]


def _refer(word: str) -> Build:
    return lambda *_: Phrase(word=word)


def _described(state: str) -> Callable[[str], Phrase]:
    """A name with an adjective before it."""
    return lambda name: Phrase((name,), state=state)


def _part(predicate: str, other: str = "") -> Callable[..., Parts]:
    """One part of a statement; the other argument is the number of a value, or a word that refers to something."""
    return lambda *values: (StatementPart(predicate, _slot(other, values) if other else None),)


def _states(predicate: str, subject: str, other: str = "") -> Callable[..., Events]:
    """A predicate stated of a thing; both arguments are as in :func:`_part`."""
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


def _listed(one: Phrase, other: Phrase) -> Phrase:
    return Phrase((*one.names, *other.names))


def _denied(some: Parts) -> Parts:
    return tuple(StatementPart(one.predicate, one.other, not one.denied) for one in some)


def _joined(some: tuple[Any, ...], more: tuple[Any, ...]) -> tuple[Any, ...]:
    return (*some, *more)


def _of(subject: Phrase, some: Parts, more: Parts = ()) -> Events:
    """Parts stated of a subject, in one place or in two."""
    return (Stated(subject, (*some, *more)),)


def _there(some: Parts, subject: Phrase) -> Events:
    """Parts stated before their subject."""
    return _of(subject, some)


def _neither(one: Phrase, other: Phrase, some: Parts) -> Events:
    return (*_of(one, _denied(some)), *_of(other, _denied(some)))


def _knows(who: Phrase, told: Events) -> Events:
    return (meaning.Known(who, told),)


def _spoken(thing: Phrase, some: Parts = ()) -> Events:
    """A thing is mentioned, perhaps with a former state; nothing is stated about it now."""
    return (Spoken(thing),)


def _spoken_until(thing: Phrase, some: Parts, told: Events) -> Events:
    """A thing had a state until something was done."""
    return (Spoken(thing), *told)


def _not_done(who: Phrase, told: Events) -> Events:
    """The things of an attempt that failed are mentioned."""
    return tuple(Spoken(event.about) for event in told if isinstance(event, Stated))


def _and_planned(told: Events) -> Events:
    return (*told, meaning.Planned())


def _mixed(told: Events, bid: meaning.Bid) -> tuple[Events, meaning.Bid]:
    """What a sentence states, and what it asks for behind that."""
    return told, bid


def _which(some: Events, more: Parts) -> Events:
    """Events, and what a relative clause states of the thing named last."""
    return (*some, *_of(meaning.ONE, more))


def _i_did(told: Events, more: Events = ()) -> Events:
    """What the writer did, and what else is stated."""
    return (*meaning.acted(Phrase(word="I"), told), *more)


def _wishes(wanted: Events) -> meaning.Bid:
    """What the writer wants for itself."""
    return meaning.Bid("wishes", meaning.NOBODY, wanted)


def _nothing() -> Events:
    """An act that leaves nothing behind."""
    return ()


def _asks_you(wanted: Events) -> meaning.Bid:
    return _asks(YOU, wanted)


def _asks(agent: Phrase, wanted: Events) -> meaning.Bid:
    return meaning.Bid("asks", agent, meaning.acted(agent, wanted))


def _promises(wanted: Events) -> meaning.Bid:
    return meaning.Bid("promises", WRITER, meaning.acted(WRITER, wanted))


def _wants(wanted: Events) -> meaning.Bid:
    """A duty of the team, which no agent in particular is to do."""
    return meaning.Bid("wants", meaning.NOBODY, wanted)


_ACTIONS: tuple[Callable[..., Any], ...] = (
    *(_denied, _i_did, _in_room, _joined, _knows, _listed, _named, _neither, _not_done, _nothing, _of),
    *(_spoken, _spoken_until, _there, _typed, _which),
    *(_and_planned, _asks, _asks_you, _mixed, _promises, _wants, _wishes),
)
PLAIN: Mapping[str, Build] = {"acted": meaning.acted} | {made.__name__[1:]: made for made in _ACTIONS}
WITH_WORDS: dict[str, Callable[..., Build]] = {
    made.__name__[1:]: made for made in (_refer, _described, _part, _states, _states_not)
}
