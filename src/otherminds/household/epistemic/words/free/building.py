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
    return (meaning.Known(who, events),)


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
    return (*events, meaning.Planned())


def _mixed(events: Events, bid: meaning.Bid) -> tuple[Events, meaning.Bid]:
    """What a sentence states, and what it asks for behind that."""
    return events, bid


def _which(events: Events, parts: Parts) -> Events:
    """Events, and what a relative clause states of the thing named last."""
    return (*events, *_of(meaning.ONE, parts))


def _i_did(events: Events, more_events: Events = ()) -> Events:
    """What the writer did, and what else is stated."""
    return (*meaning.set_actor(Phrase(word="I"), events), *more_events)


def _wishes(events: Events) -> meaning.Bid:
    """What the writer wants for itself."""
    return meaning.Bid("wishes", meaning.NOBODY, events)


def _nothing() -> Events:
    """An act that leaves nothing behind."""
    return ()


def _asks_you(events: Events) -> meaning.Bid:
    return _asks(YOU, events)


def _asks(agent: Phrase, events: Events) -> meaning.Bid:
    return meaning.Bid("asks", agent, meaning.set_actor(agent, events))


def _promises(events: Events) -> meaning.Bid:
    return meaning.Bid("promises", WRITER, meaning.set_actor(WRITER, events))


def _wants(events: Events) -> meaning.Bid:
    """A duty of the team, which no agent in particular is to do."""
    return meaning.Bid("wants", meaning.NOBODY, events)


_ACTIONS: tuple[Callable[..., Any], ...] = (
    *(_denied, _i_did, _in_room, _joined, _knows, _listed, _named, _neither, _not_done, _nothing, _of),
    *(_spoken, _spoken_until, _typed, _which),
    *(_and_planned, _asks, _asks_you, _mixed, _promises, _wants, _wishes),
)
PLAIN: Mapping[str, Build] = {"acted": meaning.set_actor} | {
    action.__name__[1:]: action for action in _ACTIONS
}
WITH_WORDS: dict[str, Callable[..., Build]] = {
    action.__name__[1:]: action for action in (_refer, _described, _part, _states, _states_not)
}
