"""What minds thought, for pages and text: hypotheses with their values, predictions, what came; from the record alone."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from otherminds.core.data import Answer, Seat
from otherminds.core.record import Record
from otherminds.core.thinking import Thinking, Thought
from otherminds.measures.courses import Noted, thoughts

RIGHT, WRONG = "✓", "✗"


def trains(record: Record) -> dict[tuple[Seat, Seat], list[Noted]]:
    """What each seat thought of each other one, in the order of the notes."""
    found: dict[tuple[Seat, Seat], list[Noted]] = {}
    for seat in record.seats:
        for noted in thoughts(record, seat):
            found.setdefault((seat, noted.thinking.partner), []).append(noted)
    return found


def minds(record: Record) -> list[dict[str, Any]]:
    """The same as JSON for a page: an object for each pair of seats.

    ``seat`` and ``partner`` (names), ``mind`` (its title), ``scale``, and ``notes``: objects
    with ``step``, ``encounter``, ``came``, ``used``, ``validated``, ``target``, ``threshold``
    and ``thoughts``, lists of id, text, value, prediction and whether the last one was right.
    Predictions and targets are in words.
    """
    return [
        {
            "seat": seat,
            "partner": partner,
            "mind": record.spec.seats[seat].title,
            "scale": stream[-1].thinking.scale,
            "notes": [_note(noted) for noted in stream],
        }
        for (seat, partner), stream in trains(record).items()
    ]


def told(record: Record) -> Iterator[str]:
    """The same in words: a line for each note, and an indented one for each hypothesis, the best first."""
    for (seat, partner), stream in trains(record).items():
        yield f"{seat} about {partner}"
        for noted in stream:
            yield f"  before step {noted.step + 1}, {situation(noted.thinking)}"
            yield from (f"    {line}" for line in held(noted.thinking))


def held(thinking: Thinking) -> list[str]:
    """Its hypotheses in words, the best first."""
    return [_thought(thinking, one) for one in sorted(thinking.thoughts, key=lambda one: -one.value)]


def situation(thinking: Thinking) -> str:
    """After which encounter, what came there and what is wanted next, in words."""
    met = f"{thinking.encounter} encounter{'' if thinking.encounter == 1 else 's'}"
    parts = [f"after {met}" if thinking.encounter else "at the start"]
    if thinking.encounter:
        parts.append(f"came: {'not known' if thinking.came is None else thinking.came}")
    if thinking.target is not None:
        parts.append(f"wants: {words(thinking.target)}")
    return "; ".join(parts)


def _thought(thinking: Thinking, thought: Thought) -> str:
    marks = [] if thought.hit is None else [RIGHT if thought.hit else WRONG]
    marks += [f"→ {words(thought.predicts)}"] if thought.predicts is not None else []
    marks += ["used"] if thought.id == thinking.used else []
    marks += ["validated"] if thought.id == thinking.validated else []
    return f"[{thought.value:+.2f}] {thought.text}" + (f" ({', '.join(marks)})" if marks else "")


def _note(noted: Noted) -> dict[str, Any]:
    thinking = noted.thinking
    return {
        "step": noted.step,
        "encounter": thinking.encounter,
        "came": thinking.came,
        "used": thinking.used,
        "validated": thinking.validated,
        "target": words(thinking.target),
        "threshold": thinking.threshold,
        "thoughts": [
            [one.id, one.text, round(one.value, 4), words(one.predicts), one.hit] for one in thinking.thoughts
        ],
    }


def words(value: object) -> str | None:
    """A written value in words; ``None`` stays what it is."""
    return value if value is None or isinstance(value, str) else json.dumps(value, default=str)


def answered(answer: Answer) -> str:
    """A structured answer as one reads it.

    >>> answered({"predicate": "is_open", "holds": False, "args": ["cabinet_3"]})
    'not is_open cabinet_3'
    >>> answered({"predicate": "unknown", "holds": None, "args": []})
    'unknown'
    """
    if not isinstance(answer, dict) or "predicate" not in answer:
        return json.dumps(answer)
    if answer.get("holds") is None:
        return str(answer["predicate"])
    return " ".join([*([] if answer["holds"] else ["not"]), answer["predicate"], *answer.get("args", ())])
