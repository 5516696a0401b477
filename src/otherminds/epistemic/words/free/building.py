"""What rules make of the values of their symbols: phrases, parts of statements, and events."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from otherminds.epistemic.words.free.meaning import (
    ONE,
    SELF,
    Event,
    Events,
    Known,
    Phrase,
    Spoken,
    Stated,
    StatementPart,
    acted,
)

Parts: TypeAlias = tuple[StatementPart, ...]

ME, YOU, WE, IT, THEY = (Phrase(word=word) for word in ("I", "you", "we", "it", "they"))


def named(name: str) -> Phrase:
    """What has a name."""
    return Phrase((name,))


def typed(word: str) -> Phrase:
    """The only thing of a type that was spoken of."""
    return Phrase(type=word)


def described(state: str) -> Callable[[str], Phrase]:
    """What has a name, with an adjective before it."""
    return lambda name: Phrase((name,), state=state)


def in_room(phrase: Phrase, room: Phrase) -> Phrase:
    """A thing with the room that it is said to be in by the way."""
    return Phrase(phrase.names, state=phrase.state, room=room.names[0])


def listed(one: Phrase, other: Phrase) -> Phrase:
    """Several things."""
    return Phrase((*one.names, *other.names))


def at(predicate: str) -> Callable[[Phrase], StatementPart]:
    """A part with another argument."""
    return lambda place: StatementPart(predicate, place)


def so(part: StatementPart) -> Callable[[], StatementPart]:
    """A part that words alone say."""
    return lambda: part


def made_so(predicate: str) -> Callable[[], Parts]:
    """The part that a passive says."""
    return lambda: (StatementPart(predicate),)


def single(part: StatementPart) -> Parts:
    """One part."""
    return (part,)


def denied(part: StatementPart) -> Parts:
    """The opposite of one part."""
    return (StatementPart(part.predicate, part.other, not part.denied),)


def first(part: StatementPart, parts: Parts) -> Parts:
    """One part before others."""
    return (part, *parts)


def parts(some: Parts, more: Parts) -> Parts:
    """Some parts before others."""
    return (*some, *more)


def parts_in(room: Phrase) -> Parts:
    """The part that says in which room something is."""
    return (StatementPart("is_in_room", room),)


def of(subject: Phrase, some: Parts) -> Events:
    """Parts told of a subject."""
    return (Stated(subject, some),)


def of_one(subject: Phrase, part: StatementPart) -> Events:
    """One part told of a subject."""
    return of(subject, (part,))


def of_both(subject: Phrase, some: Parts, more: Parts) -> Events:
    """Parts told of a subject in two places."""
    return of(subject, (*some, *more))


def there(some: Parts, subject: Phrase) -> Events:
    """Parts told before their subject."""
    return of(subject, some)


def says(predicate: str) -> Callable[[Phrase], Events]:
    """A predicate told of a thing."""
    return lambda thing: of(thing, (StatementPart(predicate),))


def relates(predicate: str, deny: bool = False) -> Callable[[Phrase, Phrase], Events]:
    """A predicate told of one thing and another."""
    return lambda one, other: of(one, (StatementPart(predicate, other, deny),))


def contains(furniture: Phrase, things: Phrase) -> Events:
    """Things are inside furniture."""
    return of(things, (StatementPart("is_inside", furniture),))


def holds(who: Phrase, thing: Phrase) -> Events:
    """Somebody holds a thing."""
    return of(thing, (StatementPart("is_held_by", who),))


def held_by(thing: Phrase, name: str) -> Events:
    """A thing is held by the agent of that name."""
    return holds(Phrase((name,)), thing)


def i_hold(thing: Phrase) -> Events:
    """The writer holds a thing."""
    return holds(ME, thing)


def i_am_in(room: Phrase) -> Events:
    """The writer is in a room."""
    return of(ME, (StatementPart("agent_in_room", room),))


def neither(one: Phrase, other: Phrase, part: StatementPart) -> Events:
    """A part denied of two things."""
    return (Stated(one, denied(part)), Stated(other, denied(part)))


def picked(thing: Phrase) -> Events:
    """A thing is held by the agent who acts."""
    return holds(SELF, thing)


def went(room: Phrase) -> Events:
    """The agent who acts is in a room."""
    return of(SELF, (StatementPart("agent_in_room", room),))


def knows(who: Phrase, told: Events) -> Events:
    """Somebody knows what the clause states."""
    return (Known(who, told),)


def spoken(thing: Phrase) -> Events:
    """A thing is spoken of."""
    return (Spoken(thing),)


def spoken_so(thing: Phrase, some: Parts | StatementPart) -> Events:
    """A thing was once so: the text states nothing of it now."""
    return (Spoken(thing),)


def spoken_until(thing: Phrase, some: Parts | StatementPart, told: Events) -> Events:
    """A thing was so until something was done."""
    return (Spoken(thing), *told)


def not_done(who: Phrase, told: Events) -> Events:
    """What was tried and not done is spoken of."""
    return tuple(Spoken(event.about) for event in told if isinstance(event, Stated))


def events(some: Events, more: Events) -> Events:
    """Events one after the other."""
    return (*some, *more)


def which(some: Events, more: Parts) -> Events:
    """Events, and what a relative clause tells of what was named last."""
    return (*some, *of(ONE, more))


def i_did(told: Events) -> Events:
    """What the writer did."""
    return acted(ME, told)


def i_did_and(told: Events, more: Events) -> Events:
    """What the writer did, and what else is so."""
    return (*acted(ME, told), *more)


def nothing() -> tuple[Event, ...]:
    """An act that leaves nothing behind."""
    return ()
