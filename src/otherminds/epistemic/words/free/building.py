"""What rules make of the values of their symbols: phrases, parts of statements, and events."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from otherminds.epistemic.words.free.meaning import (
    ONE,
    SELF,
    Event,
    Events,
    Known,
    Parts,
    Phrase,
    Spoken,
    Stated,
    StatementPart,
    acted,
)

ME, YOU, WE, IT, THEY = (Phrase(word=word) for word in ("I", "you", "we", "it", "they"))


def named(name: str) -> Phrase:
    """A thing, room or agent by its name."""
    return Phrase((name,))


def typed(word: str) -> Phrase:
    """The only thing of a type that was mentioned."""
    return Phrase(type=word)


def described(state: str) -> Callable[[str], Phrase]:
    """A name with an adjective before it."""
    return lambda name: Phrase((name,), state=state)


def in_room(phrase: Phrase, room: Phrase) -> Phrase:
    """A thing with the room that is mentioned for it in passing."""
    return Phrase(phrase.names, state=phrase.state, room=room.names[0])


def listed(one: Phrase, other: Phrase) -> Phrase:
    """Several things."""
    return Phrase((*one.names, *other.names))


def part(predicate: str, other: Phrase | None = None) -> Parts:
    """One part of a statement."""
    return (StatementPart(predicate, other),)


def at(predicate: str) -> Callable[[Phrase], Parts]:
    """A part whose other argument is the value of a symbol."""
    return lambda place: part(predicate, place)


def denied(some: Parts) -> Parts:
    """The negation of each part."""
    return tuple(StatementPart(one.predicate, one.other, not one.denied) for one in some)


def joined(some: tuple[Any, ...], more: tuple[Any, ...]) -> tuple[Any, ...]:
    """Parts or events, one after the other."""
    return (*some, *more)


def of(subject: Phrase, some: Parts, more: Parts = ()) -> Events:
    """Parts stated of a subject, in one place or in two."""
    return (Stated(subject, (*some, *more)),)


def there(some: Parts, subject: Phrase) -> Events:
    """Parts stated before their subject."""
    return of(subject, some)


def says(predicate: str) -> Callable[[Phrase], Events]:
    """A predicate stated of a thing."""
    return lambda thing: of(thing, part(predicate))


def relates(predicate: str) -> Callable[[Phrase, Phrase], Events]:
    """A predicate stated of one thing and another."""
    return lambda one, other: of(one, part(predicate, other))


def not_in(who: Phrase, room: Phrase) -> Events:
    """An agent is not in a room."""
    return of(who, denied(part("agent_in_room", room)))


def contains(furniture: Phrase, things: Phrase) -> Events:
    """Things are inside furniture."""
    return of(things, part("is_inside", furniture))


def holds(who: Phrase, thing: Phrase) -> Events:
    """An agent holds a thing."""
    return of(thing, part("is_held_by", who))


def i_hold(thing: Phrase) -> Events:
    """The writer holds a thing."""
    return holds(ME, thing)


def i_am_in(room: Phrase) -> Events:
    """The writer is in a room."""
    return of(ME, part("agent_in_room", room))


def picked(thing: Phrase) -> Events:
    """A thing is held by the agent who acts."""
    return holds(SELF, thing)


def went(room: Phrase) -> Events:
    """The agent who acts is in a room."""
    return of(SELF, part("agent_in_room", room))


def neither(one: Phrase, other: Phrase, some: Parts) -> Events:
    """Parts denied of two things."""
    return (*of(one, denied(some)), *of(other, denied(some)))


def knows(who: Phrase, told: Events) -> Events:
    """An agent knows what the clause states."""
    return (Known(who, told),)


def spoken(thing: Phrase, some: Parts = ()) -> Events:
    """A thing is mentioned, perhaps with a former state; nothing is stated about it now."""
    return (Spoken(thing),)


def spoken_until(thing: Phrase, some: Parts, told: Events) -> Events:
    """A thing had a state until something was done."""
    return (Spoken(thing), *told)


def not_done(who: Phrase, told: Events) -> Events:
    """The things of an attempt that failed are mentioned."""
    return tuple(Spoken(event.about) for event in told if isinstance(event, Stated))


def which(some: Events, more: Parts) -> Events:
    """Events, and what a relative clause states of the thing named last."""
    return (*some, *of(ONE, more))


def i_did(told: Events, more: Events = ()) -> Events:
    """What the writer did, and what else is stated."""
    return (*acted(ME, told), *more)


def nothing() -> tuple[Event, ...]:
    """An act that leaves nothing behind."""
    return ()
