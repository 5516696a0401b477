"""Measures of the notes of minds: validation of hypotheses and its worth, unusable replies and fallbacks.

Cross et al. 2025, section 3.2 and figure 3. "Validated" is what a mind calls so in its notes
(:mod:`otherminds.core.thinking`): a value above its threshold, or a probability. An encounter is
matched with the last note up to its step, since minds reason before they act.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable
from itertools import groupby
from typing import TypeVar

import msgspec
from msgspec import Struct

from otherminds.core.data import Invalid, Seat
from otherminds.core.record import Note, Record
from otherminds.core.thinking import FALLBACK, THINKING, UNUSABLE, Fallback, Thinking
from otherminds.measures.registry import Inapplicable, Unknown, measures, ratios
from otherminds.measures.seats import ego, under_test

T = TypeVar("T", bound=Struct)
NOT_NOTED = "this mind noted no hypotheses"
NOT_VALIDATED = "this mind noted no hypotheses that could be validated"
NO_CALLS = "no model was called"
PLANNING = frozenset({"plan", "reflect"})
"""Purposes of calls that carry a choice out; their number does not depend on hypotheses."""


class HypothesisTrack(Struct, frozen=True):
    """The encounters with ``partner`` in their order, with their ``rewards``.

    ``validated`` says for each whether a hypothesis about the partner was validated before it.
    ``first`` is the number of encounters before the first validation, ``None`` without any.
    """

    partner: Seat
    rewards: tuple[float, ...]
    validated: tuple[bool, ...]
    first: int | None

    @property
    def before(self) -> tuple[float, ...]:
        """The rewards of the encounters before the first validation; all without any validation."""
        return self.rewards[: self.first]

    @property
    def after(self) -> tuple[float, ...]:
        """The rewards of the encounters after the first validation, whether it was kept or not."""
        return () if self.first is None else self.rewards[self.first :]


def hypothesis_tracks(record: Record) -> tuple[HypothesisTrack, ...]:
    """A track for each partner about which the mind under test noted hypotheses; none if it never validates any."""
    mine = ego(record)
    streams: dict[Seat, list[HypothesisNote]] = {}
    for noted in thoughts(record, mine):
        streams.setdefault(noted.thinking.partner, []).append(noted)
    thinking = [noted.thinking for stream in streams.values() for noted in stream]
    if all(thought.threshold is None and thought.validated is None for thought in thinking):
        return ()
    return tuple(_track(record, mine, partner, stream) for partner, stream in streams.items())


def _track(record: Record, mine: Seat, partner: Seat, stream: list[HypothesisNote]) -> HypothesisTrack:
    met = [encounter for encounter in record.met.get(mine, ()) if partner in encounter.did]
    steps = [noted.step for noted in stream]
    notes_before = [bisect_right(steps, encounter.step) for encounter in met]
    validated = [n > 0 and stream[n - 1].thinking.validated is not None for n in notes_before]
    since = next((noted.step for noted in stream if noted.thinking.validated is not None), None)
    first = None if since is None else sum(encounter.step < since for encounter in met)
    return HypothesisTrack(partner, tuple(encounter.reward for encounter in met), tuple(validated), first)


class HypothesisNote(Struct, frozen=True):
    """A note of hypotheses, and the ``step`` before whose action it was written."""

    step: int
    thinking: Thinking


def read_note(note: Note, kind: str, form: type[T]) -> T | None:
    """What a note says; ``None`` if it is of another kind or form."""
    if note.kind != kind:
        return None
    try:
        return msgspec.convert(note.data, form)
    except msgspec.ValidationError:
        return None


def thinking_of(note: Note) -> Thinking | None:
    """The hypotheses in a note; ``None`` if it is of another kind or form."""
    return read_note(note, THINKING, Thinking)


def thoughts(record: Record, seat: Seat) -> tuple[HypothesisNote, ...]:
    """The notes of hypotheses of the mind in ``seat``, in their order."""
    mine = [(note.step, thinking_of(note)) for note in record.notes if note.seat == seat]
    return tuple(HypothesisNote(step, thinking) for step, thinking in mine if thinking is not None)


@ratios.register("validated_share")
def validated_share(record: Record) -> tuple[float, float] | Unknown:
    """Share of encounters (0 to 1) with a validated hypothesis about the partner."""
    return _sum_over_partners(record, lambda track: (sum(track.validated), len(track.validated)))


@measures.register("ever_validated")
def ever_validated(record: Record) -> float | Unknown:
    """Share of partners (0 to 1) about which a hypothesis was ever validated."""
    tracks = hypothesis_tracks(record)
    if not tracks:
        return Inapplicable(NOT_VALIDATED)
    return sum(track.first is not None for track in tracks) / len(tracks)


@measures.register("encounters_until_validation")
def encounters_until_validation(record: Record) -> float | Unknown:
    """Encounters with a partner before the first validation; all of them if there was none."""
    tracks = hypothesis_tracks(record)
    return sum(len(track.before) for track in tracks) / len(tracks) if tracks else Inapplicable(NOT_VALIDATED)


@ratios.register("reward_before_validation")
def reward_before_validation(record: Record) -> tuple[float, float] | Unknown:
    """Mean reward of the encounters before the first validation."""
    return _sum_over_partners(record, lambda track: (sum(track.before), len(track.before)))


@ratios.register("reward_after_validation")
def reward_after_validation(record: Record) -> tuple[float, float] | Unknown:
    """Mean reward of the encounters after the first validation."""
    return _sum_over_partners(record, lambda track: (sum(track.after), len(track.after)))


@ratios.register("calls_while_not_validated")
def calls_while_not_validated(record: Record) -> tuple[float, float] | Unknown:
    """Model calls per encounter without plans, while no hypothesis is validated: 3 + top_k as published (D.3)."""
    return _calls(record, validated=False)


@ratios.register("calls_while_validated")
def calls_while_validated(record: Record) -> tuple[float, float] | Unknown:
    """Model calls per encounter without plans, while a hypothesis is validated: 2 as published (D.3)."""
    return _calls(record, validated=True)


def _sum_over_partners(
    record: Record, part: Callable[[HypothesisTrack], tuple[float, float]]
) -> tuple[float, float] | Unknown:
    """Numerator and denominator of a ratio, summed over partners."""
    parts = [part(track) for track in hypothesis_tracks(record)]
    if not parts:
        return Inapplicable(NOT_VALIDATED)
    return float(sum(over for over, _ in parts)), float(sum(under for _, under in parts))


def _calls(record: Record, *, validated: bool) -> tuple[float, float] | Unknown:
    """The number of calls between the notes of successive encounters, and of encounters with notes.

    Calls at the start belong to no encounter. If a step has notes about several partners, its calls
    are attributed to the last one.
    """
    mine = ego(record)
    noted = thoughts(record, mine)
    call_steps = [call.step for call in record.calls if call.seat == mine and call.purpose not in PLANNING]
    if not noted:
        return Inapplicable(NOT_NOTED)
    if not call_steps:
        return Inapplicable(NO_CALLS)
    spans = [(step, list(group)) for step, group in groupby(noted, key=lambda note: note.step)]
    ends = [*(step for step, _ in spans[1:]), len(record.rewards) + 1]
    calls = encounters = 0
    for (start, group), end in zip(spans, ends, strict=True):
        last = group[-1].thinking
        if last.encounter and (last.validated is not None) == validated:
            encounters += sum(note.thinking.encounter > 0 for note in group)
            calls += sum(start <= step < end for step in call_steps)
    return float(calls), float(encounters)


MOST = 0.2
"""Episodes with a larger share of fallbacks are marked in all tables."""
PLAN = "plan"
"""The purpose of the requests by which a mind carries a choice out."""


@ratios.register("unusable_replies")
def unusable_replies(record: Record) -> tuple[float, float] | Unknown:
    """Share of model calls (0 to 1) whose reply could not be read.

    Minds that reason in steps note each such reply. For others, each re-ask counts as one unusable
    reply, and so does each invalid decision or answer.
    """
    team = under_test(record)
    calls = [call for call in record.calls if call.seat in team]
    if not calls:
        return Inapplicable(NO_CALLS)
    kinds = [note.kind for note in record.notes if note.seat in team]
    if {THINKING, UNUSABLE, FALLBACK} & set(kinds):
        return float(kinds.count(UNUSABLE)), float(len(calls))
    own_questions = [question.seat in team and not question.supposed for question in record.questions]
    invalid = sum(choice.seat in team and isinstance(choice.made, Invalid) for choice in record.choices)
    invalid += sum(own_questions[answer.question] and answer.invalid is not None for answer in record.asked)
    return float(min(len(calls), sum(call.attempt > 0 for call in calls) + invalid)), float(len(calls))


@ratios.register("fallbacks_an_encounter")
def fallbacks_an_encounter(record: Record) -> tuple[float, float] | Unknown:
    """Declared fallbacks per encounter, taken where no reply was usable."""
    mine, team = ego(record), under_test(record)
    if not any(call.seat in team for call in record.calls):
        return Inapplicable(NO_CALLS)
    fallbacks = sum(note.seat in team and note.kind == FALLBACK for note in record.notes)
    return float(fallbacks), float(len(record.met.get(mine, ())))


@measures.register("fallback_share")
def fallback_share(record: Record) -> float | Unknown:
    """Share (0 to 1) of requests to the model that ended in a declared fallback.

    A request has one step and one purpose, and includes its re-asks; it ends in a usable reply or in a
    fallback. The value is the larger one of two shares, of all requests of the seats under test and
    of their requests for a plan, so that many usable predictions do not hide unusable plans. Minds
    that declare no fallbacks have a share of 0.
    """
    team = under_test(record)
    requests = {(call.seat, call.step, call.purpose) for call in record.calls if call.seat in team}
    if not requests:
        return Inapplicable(NO_CALLS)
    fallbacks = ((note, read_note(note, FALLBACK, Fallback)) for note in record.notes)
    fallen = {(note.seat, note.step, fallback.purpose) for note, fallback in fallbacks if fallback} & requests
    plans = {request for request in requests if request[2].partition(":")[0] == PLAN}
    return max(len(fallen & group) / len(group) for group in (requests, plans) if group)


def has_many_fallbacks(record: Record) -> bool:
    """Whether the share of fallbacks exceeds :data:`MOST`, so that rewards say little about the model."""
    share = fallback_share(record)
    return isinstance(share, float) and share > MOST
