"""What an episode leaves behind: what was played, and its record and clock.

The loop writes down what happens; truths are read here, when all is over.
"""

from __future__ import annotations

from otherminds.core.data import Action, Answer, Invalid
from otherminds.core.record import CAUTION, Asked, Call, Choice, Clock, Note, Outcome, Record
from otherminds.play.prompts import pack
from otherminds.play.table import Table

Put = tuple[int, int, "Answer | Invalid"]
"""A question that was put: the step, its index in ``Table.questions``, the answer."""


class Played:
    """What the loop has written down so far: a row of actions and one of rewards for each step, by seat."""

    def __init__(self) -> None:
        self.actions: list[tuple[Action, ...]] = []
        self.rewards: list[tuple[float, ...]] = []
        self.put: list[Put] = []
        self.choices: list[Choice] = []
        self.outcome = Outcome()


def record(table: Table, played: Played) -> Record:
    """The record of what was played, with truths read now."""
    asked = tuple(
        Asked(step, i, None, _truth(table, played.put, i, step), answer)
        if isinstance(answer, Invalid)
        else Asked(step, i, answer, _truth(table, played.put, i, step))
        for step, i, answer in played.put
    )
    calls: list[Call] = []
    notes: list[Note] = []
    for chair in table.chairs:
        if chair.bench.calls:
            calls += pack(chair.seat, chair.bench.calls, len(calls))
        notes += [Note(chair.seat, step, kind, data) for step, kind, data in chair.bench.notes]
    met = {seat: table.spec.seats[seat] for seat in table.partners}
    caution = table.scenario.caution
    bounds = table.scenario.bounds(met) if table.scenario.bounds else None
    return Record(
        spec=table.spec,
        seats=table.seats,
        drawn=table.drawn,
        game=table.scenario.game,
        partners=table.partners,
        bounds=bounds,
        actions=played.actions,
        rewards=played.rewards,
        met={chair.seat: tuple(chair.met) for chair in table.chairs},
        questions=table.questions,
        asked=asked,
        choices=tuple(played.choices),
        calls=tuple(calls),
        notes=tuple(notes),
        facts=table.world.facts() | ({CAUTION: caution} if caution else {}),
        outcome=played.outcome,
    )


def clock(table: Table, seconds: float) -> Clock:
    """The wall-clock figures of a run that took ``seconds``."""
    made = [call for chair in table.chairs for call in chair.bench.calls]
    usages = [call.completion or call.scores for call in made]
    return Clock(
        seconds=seconds,
        calls=[round(call.seconds, 6) for call in made],
        cached_tokens=sum(reply.usage.cached for reply in usages if reply),
    )


def _truth(table: Table, put: list[Put], i: int, step: int) -> Answer:
    """The world's truth, or another seat's own answer where the question is about that."""
    question = table.questions[i]
    if not question.truth_is:
        return table.world.truth(question, step)
    for at, j, answer in reversed(put):
        if at == step and table.questions[j].id == question.truth_is:
            return None if isinstance(answer, Invalid) else answer
    return None
