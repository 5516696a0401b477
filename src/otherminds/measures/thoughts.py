"""What minds noted about their own thinking, as a record holds it (:mod:`otherminds.core.thinking`)."""

from __future__ import annotations

import msgspec
from msgspec import Struct

from otherminds.core.data import Seat
from otherminds.core.record import Note, Record
from otherminds.core.thinking import THINKING, Thinking

NOT_NOTED = "this mind noted no hypotheses"
NOT_VALIDATED = "this mind noted no hypotheses that could be validated"


class Noted(Struct, frozen=True):
    """What a mind thought, and the ``step`` in which it noted that: before it acted there."""

    step: int
    thinking: Thinking


def thinking_of(note: Note) -> Thinking | None:
    """What a note says that a mind thinks; ``None`` if it is of another kind or shape."""
    if note.kind != THINKING:
        return None
    try:
        return msgspec.convert(note.data, Thinking)
    except msgspec.ValidationError:
        return None


def thoughts(record: Record, seat: Seat) -> tuple[Noted, ...]:
    """What the mind in ``seat`` thought, in the order of its notes."""
    mine = [(note.step, thinking_of(note)) for note in record.notes if note.seat == seat]
    return tuple(Noted(step, thinking) for step, thinking in mine if thinking is not None)
