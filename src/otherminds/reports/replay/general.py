"""The form of worlds that register none: a table of steps or of calls in a terminal, and a page of rounds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from rich.table import Table

from otherminds.core.data import Seat, SkillChoice
from otherminds.core.record import Asked, Record
from otherminds.core.world import World
from otherminds.measures.seats import in_words
from otherminds.reports.replay.again import scenario_of
from otherminds.reports.replay.minds import answered
from otherminds.reports.replay.replays import Playback, Replay, find_replay
from otherminds.reports.replay.rounds_page import as_rounds_page
from otherminds.reports.sheets import grouped_by

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
    Chosen skills have a column in worlds with skills.
    """
    did = _behaviours(record)
    chosen = _choices(record)
    said = grouped_by(record.asked, lambda asked: asked.step)
    paid = {step for step, rewards in enumerate(record.rewards) if any(rewards)}
    choosing = ["chosen"] if chosen else []
    if len(record.seats) > BESIDE:
        table = Table("step", "did and earned", *choosing, "said")
    else:
        table = Table("step", *record.seats, *choosing, "rewards", "said", "true")
    for step in sorted({*did, *chosen, *said, *paid}):
        if step >= len(record.rewards):
            continue
        asked = said.get(step, [])
        now, rewards = did.get(step, {}), dict(zip(record.seats, record.rewards[step], strict=True))
        choice = [chosen.get(step, "")] if chosen else []
        if len(record.seats) > BESIDE:
            deeds = [f"{seat} {now[seat]} {rewards[seat]:+.4g}" for seat in record.seats if seat in now]
            words = [f"{record.questions[one.question].about} {_answer(one)} ({one.truth})" for one in asked]
            cells = ["\n".join(deeds), *choice, "\n".join(words)]
        else:
            earned = " ".join(f"{x:+g}" for x in rewards.values())
            answers, truths = ("\n".join(map(_answer, asked)), "\n".join(str(one.truth) for one in asked))
            cells = [*(now.get(seat, "") for seat in record.seats), *choice, earned, answers, truths]
        right = all(one.answer == one.truth for one in asked)
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
    for asked in record.asked:
        question, right = record.questions[asked.question], asked.answer == asked.truth
        said = f"invalid: {asked.invalid.reason}" if asked.invalid else answered(asked.answer)
        true = "" if right or asked.truth is None else f"; true: {answered(asked.truth)}"
        words = ("asked", question.seat, question.text, said + true)
        table.add_row(*words, style=None if right else "dim")
    return table


def _answer(asked: Asked) -> str:
    return f"invalid: {asked.invalid.reason}" if asked.invalid else str(asked.answer)


def _behaviours(record: Record) -> dict[int, dict[Seat, str]]:
    """What each seat did, by step."""
    found: dict[int, dict[Seat, str]] = {}
    first = record.seats[0]
    for seat, met in record.met.items():
        for encounter in met:
            row = found.setdefault(encounter.step, {})
            for other, behaviours in encounter.did.items():
                if seat == first or (other == seat and other not in row):
                    row[other] = " or ".join(behaviours)
    return found


def _choices(record: Record) -> dict[int, str]:
    """The skills that were chosen, by step."""
    found: dict[int, list[str]] = {}
    for choice in record.choices:
        made = choice.made
        if isinstance(made, SkillChoice):
            words = f"{made.name}({', '.join(map(str, made.args))})"
            found.setdefault(choice.step, []).append(f"{choice.seat} {words}")
    return {step: "; ".join(words) for step, words in found.items()}
