"""What the minds of an episode said, chose and wrote, as lines of a log; from the record alone."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Protocol

from otherminds.core.data import Do
from otherminds.core.record import Asked, Call, Choice, Note, Record
from otherminds.measures.courses import thinking_of
from otherminds.reports.replay.again import Reel
from otherminds.reports.replay.minds import held, situation
from otherminds.reports.replay.scenes import Happening

LONGEST = 4000
"""Characters of a reply or note that are shown; the record holds the rest."""


@dataclass(frozen=True)
class Line:
    """One line of the log: what happened at frame ``step`` to ``seats`` (by number).

    ``kind`` is that of a happening, or ``question``, ``choice``, ``reply`` or
    ``note``. ``more`` is shown on request. ``right`` says whether an answer was;
    ``None`` where that cannot be said.
    """

    step: int
    kind: str
    seats: tuple[int, ...]
    text: str
    more: str = ""
    right: bool | None = None


class Shown(Protocol):
    """An episode as it is shown: its record, and what happened from its frame ``first`` to its frame ``last``."""

    @property
    def record(self) -> Record: ...

    @property
    def happenings(self) -> tuple[Happening, ...]: ...

    @property
    def first(self) -> int: ...

    @property
    def last(self) -> int: ...


def story(reel: Shown) -> list[Line]:
    """All lines of the episode's frames that ``reel`` has, in their order."""
    record = reel.record
    lines = [_happening(happening) for happening in reel.happenings]
    lines += [_asked(record, asked) for asked in record.asked]
    lines += [_choice(record, choice) for choice in record.choices]
    lines += [_call(record, call) for call in record.calls]
    lines += [_note(record, note) for note in record.notes]
    within = (line for line in lines if reel.first <= line.step <= reel.last)
    return sorted(within, key=lambda line: line.step)


def log(reel: Shown) -> list[list[Any]]:
    """The same as JSON for a page: step, kind, seats, text, more and right, for each line."""
    return [[line.step, line.kind, line.seats, line.text, line.more, line.right] for line in story(reel)]


def skills(reel: Reel) -> Iterator[tuple[int, int, int, str]]:
    """Each choice of a skill: its seat's number, the frames from which to which it held, and its words."""
    record = reel.record
    for i, seat in enumerate(record.seats):
        chosen = [choice for choice in record.choices if choice.seat == seat and isinstance(choice.made, Do)]
        ends = [*(choice.step for choice in chosen), len(record.actions)][1:]
        for choice, end in zip(chosen, ends, strict=False):
            if end > reel.first and choice.step < reel.last:
                yield i, choice.step, end, _made(choice)


def _happening(happening: Happening) -> Line:
    return Line(happening.step, happening.kind, happening.seats, happening.text)


def _asked(record: Record, asked: Asked) -> Line:
    question = record.questions[asked.question]
    seat = (record.seats.index(question.seat),)
    put = f"{question.about}: {question.text}" if question.about else question.text
    if asked.invalid is not None:
        text = f"{put} → invalid: {asked.invalid.reason}"
        return Line(asked.step, "question", seat, text, _cut(asked.invalid.raw), right=False)
    truth = "" if asked.truth is None else f", true: {_words(asked.truth)}"
    right = None if asked.truth is None else asked.answer == asked.truth
    return Line(asked.step, "question", seat, f"{put} → {_words(asked.answer)}{truth}", right=right)


def _choice(record: Record, choice: Choice) -> Line:
    return Line(choice.step, "choice", (record.seats.index(choice.seat),), _made(choice))


def _made(choice: Choice) -> str:
    made = choice.made
    if isinstance(made, Do):
        return f"{made.name}({', '.join(map(_words, made.args))})"
    return f"invalid: {made.reason}"


def _call(record: Record, call: Call) -> Line:
    best = max(zip(call.scores, call.continuations, strict=False), default=None)
    said = call.reply or (best[1] if best else "")
    thought = f"{call.reasoning}\n\n" if call.reasoning else ""
    again = f", try {call.attempt + 1}" if call.attempt else ""
    return Line(
        call.step,
        "reply",
        (record.seats.index(call.seat),),
        f"{call.purpose}{again}",
        _cut(thought + said),
    )


def _note(record: Record, note: Note) -> Line:
    seat = (record.seats.index(note.seat),)
    thinking = thinking_of(note)
    if thinking is None:
        return Line(note.step, "note", seat, note.kind, _cut(_words(note.data)))
    text = f"{note.kind} of {thinking.partner}: {situation(thinking)}"
    return Line(note.step, "note", seat, text, _cut("\n".join(held(thinking))))


def _words(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, default=str)


def _cut(text: str) -> str:
    left = len(text) - LONGEST
    return text if left <= 0 else f"{text[:LONGEST]} … ({left} more characters in the record)"
