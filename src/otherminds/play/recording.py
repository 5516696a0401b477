"""The record of an episode and its wall-clock figures. True answers are read here, after the last step."""

from __future__ import annotations

from collections.abc import Sequence

from otherminds.core.data import Action, Answer, Invalid
from otherminds.core.record import CAUTION, Asked, Call, Choice, Note, Outcome, Record, Timing
from otherminds.core.seat_context import CallMade
from otherminds.play.episode import EpisodeState
from otherminds.play.prompts import pack

Put = tuple[int, int, "Answer | Invalid"]
"""A question that was put: the step, its index in ``EpisodeState.questions``, the answer."""


class Played:
    """What was played so far; ``actions`` and ``rewards`` have a row for each step, in the order of seats."""

    def __init__(self) -> None:
        self.actions: list[tuple[Action, ...]] = []
        self.rewards: list[tuple[float, ...]] = []
        self.put: list[Put] = []
        self.choices: list[Choice] = []
        self.outcome = Outcome()


def record(state: EpisodeState, played: Played) -> Record:
    """The record of what was played."""
    calls: list[Call] = []
    notes: list[Note] = []
    for runtime in state.runtimes:
        if runtime.context.calls:
            calls += pack(runtime.seat, runtime.context.calls, len(calls))
        notes += [Note(runtime.seat, step, kind, data) for step, kind, data in runtime.context.notes]
    met = {seat: state.spec.seats[seat] for seat in state.partners}
    caution = state.scenario.caution
    bounds = state.scenario.bounds(met) if state.scenario.bounds else None
    return Record(
        spec=state.spec,
        seats=state.seats,
        drawn=state.drawn,
        game=state.scenario.game,
        partners=state.partners,
        bounds=bounds,
        actions=played.actions,
        rewards=played.rewards,
        met={runtime.seat: tuple(runtime.met) for runtime in state.runtimes},
        questions=state.questions,
        asked=_asked(state, played.put),
        choices=tuple(played.choices),
        calls=tuple(calls),
        notes=tuple(notes),
        facts=state.world.facts() | ({CAUTION: caution} if caution else {}),
        outcome=played.outcome,
    )


def timing(calls: Sequence[CallMade], seconds: float) -> Timing:
    """The wall-clock figures of ``calls`` that were made within ``seconds``."""
    replies = [call.completion or call.scores for call in calls]
    cached = sum(reply.usage.cached for reply in replies if reply)
    return Timing(seconds, [round(call.seconds, 6) for call in calls], cached)


def _asked(state: EpisodeState, answers: list[Put]) -> tuple[Asked, ...]:
    """The answers with the true ones: by the world, or another seat's own answer where the question is about that."""
    questions, truth = state.questions, state.world.truth
    asked: list[Asked] = []
    for step, i, answer in answers:
        question = questions[i]
        true = (
            _answer_to(question.truth_is, state, answers, step)
            if question.truth_is
            else truth(question, step)
        )
        asked.append(
            Asked(step, i, None, true, answer)
            if answer.__class__ is Invalid
            else Asked(step, i, answer, true)
        )
    return tuple(asked)


def _answer_to(question: str, state: EpisodeState, answers: list[Put], step: int) -> Answer:
    """The answer to the question with this id at ``step``; ``None`` where there is none."""
    for at, j, answer in reversed(answers):
        if at == step and state.questions[j].id == question:
            return None if isinstance(answer, Invalid) else answer
    return None
