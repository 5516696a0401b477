"""The form of worlds that register none: a table of steps or of calls in a terminal, and a page of rounds."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from msgspec.structs import replace
from rich.table import Table

from otherminds.core.data import Encounter, Seat, SkillChoice
from otherminds.core.record import Asked, Record
from otherminds.core.scenario import World
from otherminds.measures.interventions import notices_shown
from otherminds.measures.notes import HypothesisNote
from otherminds.measures.registry import ego, in_words
from otherminds.reports.markup import PageKind, standalone
from otherminds.reports.replay.replays import (
    Playback,
    Replay,
    answered,
    ended,
    find_replay,
    minds,
    scenario_of,
    trains,
    used_thought,
    words,
)
from otherminds.reports.sheets import grouped_by

SPEED = 1.4
"""Rounds a second."""
ROUNDS = PageKind("replay/rounds.html", ("rounds.js",))


def as_rounds_page(record: Record) -> str:
    """The page of an episode: its rounds, and what minds thought and were asked."""
    spec = record.spec
    who = ", ".join(f"{seat}: {sitter.title}" for seat, sitter in spec.seats.items())
    about = f"{who}; {len(record.actions)} rounds, {ended(record)}; episode {spec.hash}"
    return standalone(ROUNDS, record, about, {}, {"story": _rounds_story(record)})


SPEEDS = (0.5, 1, 2, 5, 10)
"""Rounds, or turns, a second that one may choose."""


def as_numbered_page(
    kind: PageKind,
    record: Record,
    numbers: Sequence[int],
    stops: Sequence[int],
    parts: Mapping[str, object],
    *,
    unit: str,
    stop: str,
    speed: float,
    thinking: Record | None = None,
) -> str:
    """The page of an episode whose rounds, or turns, are all in it, and are shown one after another by their ``numbers``; 0 is the start.

    ``unit`` is what they are called, and ``stop`` what happened in those of ``stops``, between which readers jump. It plays
    ``speed`` of them a second. ``thinking`` is the record with a number in place of each step, for what minds thought.
    """
    count = sum(number > 0 for number in numbers)
    about = (
        f"{list_seats(record)}; {count} {unit}s, {ended(record)}; episode {record.spec.hash}, body "
        f"{record.hash[:16]}"
    )
    moving = {
        "first": numbers[0] if numbers else 0,
        "last": numbers[-1] if numbers else 0,
        "speed": speed,
        "unit": unit,
        "seats": list(record.seats),
        "stops": list(stops),
        "minds": minds(thinking or record),
    }
    shown = {**parts, "unit": unit, "stop": stop, "speed": speed, "speeds": sorted({*SPEEDS, speed})}
    return standalone(kind, record, about, shown, {"story": moving})


def renumber_steps(record: Record, find: Callable[[int], int]) -> Record:
    """``record`` with ``find(step)`` in place of the step of each answer, choice, call and note, for pages that count otherwise."""
    names = ("asked", "choices", "calls", "notes")
    moved = {
        name: tuple(replace(entry, step=find(entry.step)) for entry in getattr(record, name))
        for name in names
    }
    return replace(record, **moved)


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


BESIDE = 4
"""With more seats than this, what each did is listed line by line, with the truth in brackets."""


class CallResult(NamedTuple):
    """What came of a call: a text, and whether it succeeded."""

    text: str
    ok: bool


class GeneralReplay:
    """Any episode: its steps, or its calls where actions are texts, and its rounds as a page."""

    def shows(self, record: Record, world: World | None) -> bool:
        return True

    def text(self, record: Record) -> Iterator[str | Table]:
        yield f"{list_seats(record)}; drawn: {record.drawn}"
        yield tabulate_calls(record, {}) if in_words(record) else tabulate_steps(record)

    def play(self, record: Record) -> Playback:
        return Playback(lambda speed: as_rounds_page(record))


GENERAL = GeneralReplay()


def choose_text(record: Record) -> Replay:
    """The replay whose text ``record`` is shown as; its world is not made for it."""
    return find_replay(record) or GENERAL


def choose_page(record: Record) -> Replay:
    """The replay whose page ``record`` is shown as.

    Raises:
        StudyError: the record does not tell, and there is no such scenario as it names.
    """
    return find_replay(record) or find_replay(record, scenario_of(record).world()) or GENERAL


def list_seats(record: Record) -> str:
    """Who played in which seat."""
    return ", ".join(f"{seat}: {sitter.called}" for seat, sitter in record.spec.seats.items())


def tabulate_steps(record: Record) -> Table:
    """A row for each step with a behaviour, a reward or a question.

    Behaviours are those that the first seat knows; of encounters without it, each seat's own.
    Chosen skills have a column in worlds with skills, and what an intervention showed where there is one.
    """
    did = _behaviours(record)
    chosen = _choices(record)
    shown = {step: notice.behaviour or notice.text for step, notice in notices_shown(record)}
    by_step = grouped_by(record.asked, lambda answer: answer.step)
    paid = {step for step, rewards in enumerate(record.rewards) if any(rewards)}
    choosing = [*(["shown"] if shown else []), *(["chosen"] if chosen else [])]
    if len(record.seats) > BESIDE:
        table = Table("step", "did and earned", *choosing, "said")
    else:
        table = Table("step", *record.seats, *choosing, "rewards", "said", "true")
    for step in sorted({*did, *chosen, *shown, *by_step, *paid}):
        if step >= len(record.rewards):
            continue
        answered_now = by_step.get(step, [])
        now, rewards = did.get(step, {}), dict(zip(record.seats, record.rewards[step], strict=True))
        choice = [column.get(step, "") for column in (shown, chosen) if column]
        if len(record.seats) > BESIDE:
            deeds = [f"{seat} {now[seat]} {rewards[seat]:+.4g}" for seat in record.seats if seat in now]
            words = [
                f"{record.questions[answer.question].about} {_answer(answer)} ({answer.truth})"
                for answer in answered_now
            ]
            cells = ["\n".join(deeds), *choice, "\n".join(words)]
        else:
            earned = " ".join(f"{x:+g}" for x in rewards.values())
            answers, truths = (
                "\n".join(map(_answer, answered_now)),
                "\n".join(str(answer.truth) for answer in answered_now),
            )
            cells = [*(now.get(seat, "") for seat in record.seats), *choice, earned, answers, truths]
        right = all(answer.answer == answer.truth for answer in answered_now)
        table.add_row(str(step + 1), *cells, style=None if right else "dim")
    return table


def tabulate_calls(record: Record, results: Mapping[tuple[int, Seat], CallResult]) -> Table:
    """A row for each action of each seat, where actions are texts, with its result; then the questions.

    ``results`` are by step and seat. Where there are any, an action without one was none, and has no row.
    """
    table = Table("turn", "seat", "call", "what came of it")
    for step, row in enumerate(record.actions):
        for seat, action in zip(record.seats, row, strict=True):
            if (step, seat) in results or not results:
                result = results.get((step, seat), CallResult("", True))
                words = (str(step + 1), seat, str(action), result.text)
                table.add_row(*words, style=None if result.ok else "dim")
        table.add_section()
    for answer in record.asked:
        question, right = record.questions[answer.question], answer.answer == answer.truth
        reply = f"invalid: {answer.invalid.reason}" if answer.invalid else answered(answer.answer)
        true = "" if right or answer.truth is None else f"; true: {answered(answer.truth)}"
        words = ("asked", question.seat, question.text, reply + true)
        table.add_row(*words, style=None if right else "dim")
    return table


def _answer(answer: Asked) -> str:
    return f"invalid: {answer.invalid.reason}" if answer.invalid else str(answer.answer)


def _behaviours(record: Record) -> dict[int, dict[Seat, str]]:
    """What each seat did, by step."""
    by_step: dict[int, dict[Seat, str]] = {}
    first = record.seats[0]
    for seat, met in record.met.items():
        for encounter in met:
            row = by_step.setdefault(encounter.step, {})
            for other, behaviours in encounter.did.items():
                if seat == first or (other == seat and other not in row):
                    row[other] = " or ".join(behaviours)
    return by_step


def _choices(record: Record) -> dict[int, str]:
    """The skills that were chosen, by step."""
    by_step: dict[int, list[str]] = {}
    for choice in record.choices:
        decision = choice.made
        if isinstance(decision, SkillChoice):
            words = f"{decision.name}({', '.join(map(str, decision.args))})"
            by_step.setdefault(choice.step, []).append(f"{choice.seat} {words}")
    return {step: "; ".join(words) for step, words in by_step.items()}
