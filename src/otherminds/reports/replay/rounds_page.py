"""Rounds beside what minds thought of them: one HTML page for worlds without a map."""

from __future__ import annotations

import json
from typing import Any

from otherminds.core.data import Encounter, Seat
from otherminds.core.errors import StudyError
from otherminds.core.record import Record
from otherminds.measures.courses import Noted
from otherminds.measures.seats import ego
from otherminds.reports.replay.minds import minds, trains, words
from otherminds.reports.replay.standalone import Kind, ended, standalone

SPEED = 1.4
"""Rounds a second."""
ROUNDS = Kind("rounds", ("rounds.js",))


def as_rounds_page(record: Record) -> str:
    """The page of an episode.

    Raises:
        StudyError: no mind noted hypotheses in it.
    """
    story = _story(record)
    if not story["minds"]:
        raise StudyError(
            f"a page is for worlds with a map, and {record.spec.scenario!r} has none; "
            "nor did a mind note hypotheses, so it replays as text"
        )
    spec = record.spec
    who = ", ".join(f"{seat}: {sitter.title}" for seat, sitter in spec.seats.items())
    about = f"{who}; {len(record.actions)} rounds, {ended(record)}; episode {spec.hash}{_shown(record)}"
    return standalone(ROUNDS, record, about, {}, {"story": json.dumps(story).encode()})


def _shown(record: Record) -> str:
    """What options were called in the episode, where chance decided that."""
    names = record.drawn.get("names")
    if record.game is None or not names:
        return ""
    pairs = dict.fromkeys(
        pair for i in (0, 1) for pair in zip(record.game.behaviours[i], names[i], strict=False)
    )
    return "; told as " + ", ".join(f"{name} {label}" for name, label in pairs)


def _story(record: Record) -> dict[str, Any]:
    """The rounds as the mind under test knows them, and what minds thought, as JSON."""
    mine, streams = ego(record), trains(record)
    rounds: list[dict[str, Any]] = []
    total = 0.0
    for encounter in record.met[mine]:
        total += encounter.reward
        rounds.append(
            {
                "step": encounter.step,
                "did": [" or ".join(encounter.did.get(seat, ())) for seat in record.seats],
                "reward": encounter.reward,
                "total": total,
                "said": [_said(stream, partner, encounter) for (_, partner), stream in streams.items()],
            }
        )
    return {
        "first": 0,
        "last": len(record.actions),
        "speed": SPEED,
        "seats": list(record.seats),
        "rounds": rounds,
        "minds": minds(record),
    }


def _said(stream: list[Noted], partner: Seat, encounter: Encounter) -> tuple[str | None, bool | None, bool]:
    """What the hypothesis that was gone by predicted for an encounter, whether it was right, whether it was valid."""
    before = [noted.thinking for noted in stream if noted.step <= encounter.step]
    if not before:
        return None, None, False
    thinking = before[-1]
    used = next((one for one in thinking.thoughts if one.id == thinking.used), None)
    if used is None or used.predicts is None:
        return None, None, False
    did = encounter.did.get(partner, ())
    right = used.predicts == did[0] if len(did) == 1 else None
    return words(used.predicts), right, thinking.validated == thinking.used
