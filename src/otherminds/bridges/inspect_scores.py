"""Inspect scorers: the measures of an episode, its outcome, and access to its record."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec
import numpy as np
from inspect_ai.event import Event
from inspect_ai.log import EvalLog, resolve_sample_attachments, transcript
from inspect_ai.scorer import Metric, SampleScore, Score, Scorer, Target, Value, frequency, metric, scorer
from inspect_ai.solver import TaskState
from inspect_ai.util import store_from_events

from otherminds.core.errors import StudyError
from otherminds.core.record import OUTCOMES, Outcome, Record
from otherminds.core.segments import read_line
from otherminds.measures.basis import Basis
from otherminds.measures.basis import scores as scores_of
from otherminds.measures.episode import summarise
from otherminds.measures.intervals import Estimate, Strata
from otherminds.measures.registry import Unknown

RECORD = "otherminds_record"
"""The key of the record in a sample's store: one line, as in the folder of a study."""
COMMON = ("unused", "gap", "functional", "literal")
"""Shown first, and with intervals."""
REASONS = {"invalid": "invalid_response_format", "cut": "cut_at_its_budget", "refused": "refused"}
"""Reasons of outcomes without a score; any other one is an episode that was not played to its end."""
NOT_PLAYED = Outcome("failed", "", "the episode did not come to its end")


def records(log: EvalLog) -> Iterator[Record]:
    """The record of every sample that has one.

    Raises:
        StudyError: the log was read without its samples, or a record is damaged.
    """
    if log.samples is None:
        raise StudyError(f"{log.location}: read without its samples; leave out header_only")
    for sample in log.samples:
        line = sample.store.get(RECORD) or _rebuild_line(resolve_sample_attachments(sample).events)
        if line is not None:
            yield _record(line, f"{log.location}: sample {sample.id!r}")


@metric(scores="unreduced")
def cell() -> Metric:
    """The numbers of a report's cell over all scored episodes; each epoch is a separate episode.

    Means of the measures; ``functional`` (F), ``literal`` (L), ``gap`` and the parts of regret,
    over the reference population; the 95 % intervals of the first ones (``_low``, ``_high``). What is undefined is
    left out. As :func:`otherminds.measures.cells.tabulate` has them, but for the ratios
    that are summed over episodes (replies, encounters), which reports have.
    """

    def compute(scores: list[SampleScore]) -> Value:
        episodes = {"episodes": float(len(scores))}
        if not scores:
            return episodes
        bases = [msgspec.convert((sample.score.metadata or {})["basis"], Basis) for sample in scores]
        estimates = scores_of(bases) | _means(bases, [sample.score for sample in scores])
        means = {name: estimate.mean for name, estimate in estimates.items()}
        ends = {
            f"{name}_{end}": getattr(estimates[name], end)
            for end in ("low", "high")
            for name in COMMON
            if estimates[name].mean is not None
        }
        ordered = {name: means[name] for name in COMMON} | episodes | means | ends
        return {name: value for name, value in ordered.items() if value is not None}

    return compute


@scorer(metrics=[cell()])
def theory_of_mind() -> Scorer:
    """Every measure of a scored episode, by name.

    A measure that the record does not hold is missing; ``unknown`` in the
    metadata says why. Any other episode has no value, and counts in no mean.
    """

    async def score(state: TaskState, target: Target) -> Score:
        record = _read_played(state)
        ended = record.outcome if record else NOT_PLAYED
        if record is None or ended.status != "scored":
            return Score.unscored(reason=_reason(ended), explanation=_explain_outcome(ended))
        episode = summarise(record)
        measured = episode.values.items()
        value = {name: number for name, number in measured if not isinstance(number, Unknown)}
        unknown = {name: number.reason for name, number in measured if isinstance(number, Unknown)}
        about = {"scenario": episode.scenario, "mind": episode.mind}
        basis = msgspec.to_builtins(episode.basis)
        return Score(value=value, metadata={**about, "basis": basis, "unknown": unknown})

    return score


@scorer(metrics=[frequency(OUTCOMES)])
def outcome() -> Scorer:
    """How the episode ended, as :class:`~otherminds.core.record.Outcome` names it."""

    async def score(state: TaskState, target: Target) -> Score:
        record = _read_played(state)
        ended = record.outcome if record else NOT_PLAYED
        if ended.status == "scored":
            return Score(value=ended.status)
        return Score(value=ended.status, reason=_reason(ended), explanation=_explain_outcome(ended))

    return score


def _read_played(state: TaskState) -> Record | None:
    """The record that the solver stored; ``None`` if a limit stopped it."""
    line = state.store.get(RECORD) or _rebuild_line(transcript().events)
    return None if line is None else _record(line, f"sample {state.sample_id!r}")


def _rebuild_line(events: Sequence[Event]) -> object:
    """The stored line, rebuilt from events: a sample that Inspect saves from a killed run has an empty store."""
    return store_from_events(list(events)).get(RECORD)


def _record(line: object, place: str) -> Record:
    if not isinstance(line, str):
        raise StudyError(f"{place}: its record is no text")
    return read_line(line.encode("utf-8", "surrogatepass"), place).record()


def _reason(ended: Outcome) -> str:
    return REASONS.get(ended.status, "not_played_to_its_end")


def _explain_outcome(ended: Outcome) -> str:
    return f"{ended.status} at step {ended.step}: {ended.reason}" if ended.step >= 0 else ended.reason


def _means(bases: Sequence[Basis], scores: list[Score]) -> dict[str, Estimate]:
    """The mean of every measure that each episode has a value of."""
    strata = Strata([basis.partner for basis in bases])
    values = [score.as_dict() for score in scores]
    shared = [name for name in values[0] if all(name in value for value in values)]
    columns = {name: np.array([value[name] for value in values], dtype=np.float64) for name in shared}
    return {name: strata.estimate(column) for name, column in columns.items()}
