"""The page of worlds that have none of their own: the rounds of an episode beside what minds thought."""

from __future__ import annotations

from typing import Any

from otherminds.core.data import Encounter, Seat
from otherminds.core.record import Asked, Record
from otherminds.measures.hypothesis_tracks import HypothesisNote
from otherminds.measures.seats import ego
from otherminds.reports.replay.minds import ended, minds, trains, used_thought, words
from otherminds.reports.replay.standalone import PageKind, standalone

SPEED = 1.4
"""Rounds a second."""
ROUNDS = PageKind("replay/rounds.html", ("rounds.js",))


def as_rounds_page(record: Record) -> str:
    """The page of an episode: its rounds, and what minds thought and were asked."""
    spec = record.spec
    who = ", ".join(f"{seat}: {sitter.title}" for seat, sitter in spec.seats.items())
    about = f"{who}; {len(record.actions)} rounds, {ended(record)}; episode {spec.hash}"
    return standalone(ROUNDS, record, about, {}, {"story": _rounds_story(record)})


def _rounds_story(record: Record) -> dict[str, Any]:
    """The rounds as the mind under test knows them, what it predicted, and what minds thought, as JSON.

    The predictions are those of noted hypotheses; without notes, the answers to questions about others.
    """
    mine, streams = ego(record), trains(record)
    answers: dict[tuple[Seat, Seat], dict[int, Asked]] = {}
    for answer in () if streams else record.asked:
        question = record.questions[answer.question]
        answers.setdefault((question.seat, question.about), {})[answer.step] = answer
    rounds: list[dict[str, Any]] = []
    total = 0.0
    for encounter in record.met.get(mine) or _steps(record, mine):
        total += encounter.reward
        predictions = [
            _prediction_cell(stream, partner, encounter) for (_, partner), stream in streams.items()
        ]
        predictions += [_answer_cell(by_step.get(encounter.step)) for by_step in answers.values()]
        rounds.append(
            {
                "step": encounter.step,
                "did": [" or ".join(encounter.did.get(seat, ())) for seat in record.seats],
                "reward": encounter.reward,
                "total": total,
                "said": predictions,
            }
        )
    return {
        "first": 0,
        "last": len(record.actions),
        "speed": SPEED,
        "unit": "round",
        "seats": list(record.seats),
        "predicted": [f"{seat} predicted" for seat, _ in streams]
        + [f"{seat} said of {about}" if about else f"{seat} said" for seat, about in answers],
        "rounds": rounds,
        "minds": minds(record),
    }


def _steps(record: Record, mine: Seat) -> list[Encounter]:
    """The steps of a world without encounters, with the actions of every seat."""
    seat = record.seats.index(mine)
    return [
        Encounter(
            step, {name: (str(done),) for name, done in zip(record.seats, row, strict=True)}, paid[seat]
        )
        for step, (row, paid) in enumerate(zip(record.actions, record.rewards, strict=False))
    ]


def _answer_cell(answer: Asked | None) -> tuple[str | None, bool | None, bool]:
    """The answer to a question of a round, and whether it was right."""
    if answer is None:
        return None, None, False
    if answer.invalid is not None:
        return f"invalid: {answer.invalid.reason}", False, False
    return words(answer.answer), None if answer.truth is None else answer.answer == answer.truth, False


def _prediction_cell(
    stream: list[HypothesisNote], partner: Seat, encounter: Encounter
) -> tuple[str | None, bool | None, bool]:
    """The prediction of the hypothesis in use for an encounter, whether it was right, whether it was validated."""
    thought = used_thought(stream, encounter.step)
    if thought is None:
        return None, None, False
    thinking, hypothesis = thought
    did = encounter.did.get(partner, ())
    right = hypothesis.predicts == did[0] if len(did) == 1 else None
    return words(hypothesis.predicts), right, thinking.validated == thinking.used
