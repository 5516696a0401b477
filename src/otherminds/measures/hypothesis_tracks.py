"""What minds noted of their hypotheses, when one was validated, and what that was worth.

Cross et al. 2025, section 3.2 and figure 3. "Validated" is what the mind itself calls so in its
notes (:mod:`otherminds.core.thinking`): a value above its threshold, or a probability. Notes and
encounters are matched by their steps: an encounter was entered with what was noted last before it,
in its own step at the latest, since minds think before they act.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable
from itertools import groupby

import msgspec
from msgspec import Struct

from otherminds.core.data import Seat
from otherminds.core.record import Note, Record
from otherminds.core.thinking import THINKING, Thinking
from otherminds.measures.registry import Inapplicable, Unknown, measures, ratios
from otherminds.measures.seats import ego

NOT_NOTED = "this mind noted no hypotheses"
NOT_VALIDATED = "this mind noted no hypotheses that could be validated"
NO_CALLS = "no model was called"
PLANNING = frozenset({"plan", "reflect"})
"""Purposes of calls that carry a choice out; how many there are depends on the way, not on the hypotheses."""


class HypothesisTrack(Struct, frozen=True):
    """The encounters with ``partner`` in their order, as many as ``rewards``.

    ``validated`` says of each whether a hypothesis about the partner counted as validated
    when it was gone into. ``first`` is how many encounters came before the first validation
    (``None``: there was none); it is the number of all where the last one brought it.
    """

    partner: Seat
    rewards: tuple[float, ...]
    validated: tuple[bool, ...]
    first: int | None

    @property
    def before(self) -> tuple[float, ...]:
        """The rewards of the encounters before the first validation; all where there was none."""
        return self.rewards[: self.first]

    @property
    def after(self) -> tuple[float, ...]:
        """The rewards of the encounters from the first validation on, whether it held or not."""
        return () if self.first is None else self.rewards[self.first :]


def hypothesis_tracks(record: Record) -> tuple[HypothesisTrack, ...]:
    """A course for each partner about whom the mind under test noted hypotheses, if any of them can be validated.

    Where no note has a threshold or a validated hypothesis, there is no such thing to that mind.
    """
    mine = ego(record)
    streams: dict[Seat, list[Noted]] = {}
    for noted in thoughts(record, mine):
        streams.setdefault(noted.thinking.partner, []).append(noted)
    if not any(_validates(noted) for stream in streams.values() for noted in stream):
        return ()
    return tuple(_course(record, mine, partner, stream) for partner, stream in streams.items())


def _validates(noted: Noted) -> bool:
    return noted.thinking.threshold is not None or noted.thinking.validated is not None


def _course(record: Record, mine: Seat, partner: Seat, stream: list[Noted]) -> HypothesisTrack:
    met = [encounter for encounter in record.met.get(mine, ()) if partner in encounter.did]
    steps = [noted.step for noted in stream]
    known = [bisect_right(steps, encounter.step) for encounter in met]
    held = [n > 0 and stream[n - 1].thinking.validated is not None for n in known]
    since = next((noted.step for noted in stream if noted.thinking.validated is not None), None)
    first = None if since is None else sum(encounter.step < since for encounter in met)
    return HypothesisTrack(partner, tuple(encounter.reward for encounter in met), tuple(held), first)


class Noted(Struct, frozen=True):
    """What a mind thought, and the ``step`` in which it noted that: before it acted there."""

    step: int
    thinking: Thinking


def thinking_of(note: Note) -> Thinking | None:
    """What a note says that a mind thinks; ``None`` if it is of another kind or shape."""
    if note.kind != THINKING:
        return None
    try:
        return msgspec.convert(note.data, Thinking)
    except msgspec.ValidationError:
        return None


def thoughts(record: Record, seat: Seat) -> tuple[Noted, ...]:
    """What the mind in ``seat`` thought, in the order of its notes."""
    mine = [(note.step, thinking_of(note)) for note in record.notes if note.seat == seat]
    return tuple(Noted(step, thinking) for step, thinking in mine if thinking is not None)


@ratios.register("validated_share")
def validated_share(record: Record) -> tuple[float, float] | Unknown:
    """Share of encounters (0 to 1) that were gone into with a validated hypothesis about the partner."""
    return _summed(record, lambda course: (sum(course.validated), len(course.validated)))


@measures.register("ever_validated")
def ever_validated(record: Record) -> float | Unknown:
    """Share of partners (0 to 1) about whom a hypothesis was validated at some time."""
    found = hypothesis_tracks(record)
    if not found:
        return Inapplicable(NOT_VALIDATED)
    return sum(course.first is not None for course in found) / len(found)


@measures.register("encounters_until_validation")
def encounters_until_validation(record: Record) -> float | Unknown:
    """Encounters with a partner before the first validation; all there were, where it never came.

    So it is never unknown, and at most what the episode had room for.
    """
    found = hypothesis_tracks(record)
    return sum(len(course.before) for course in found) / len(found) if found else Inapplicable(NOT_VALIDATED)


@ratios.register("reward_before_validation")
def reward_before_validation(record: Record) -> tuple[float, float] | Unknown:
    """Mean reward of the encounters before the first validation."""
    return _summed(record, lambda course: (sum(course.before), len(course.before)))


@ratios.register("reward_after_validation")
def reward_after_validation(record: Record) -> tuple[float, float] | Unknown:
    """Mean reward of the encounters from the first validation on."""
    return _summed(record, lambda course: (sum(course.after), len(course.after)))


@ratios.register("calls_while_not_validated")
def calls_while_not_validated(record: Record) -> tuple[float, float] | Unknown:
    """Model calls an encounter, plans apart, while no hypothesis is validated: 3 + top_k as published (D.3)."""
    return _calls(record, validated=False)


@ratios.register("calls_while_validated")
def calls_while_validated(record: Record) -> tuple[float, float] | Unknown:
    """Model calls an encounter, plans apart, while a hypothesis is validated: 2 as published (D.3)."""
    return _calls(record, validated=True)


def _summed(
    record: Record, part: Callable[[HypothesisTrack], tuple[float, float]]
) -> tuple[float, float] | Unknown:
    """Both parts of a ratio, summed over partners."""
    found = [part(course) for course in hypothesis_tracks(record)]
    if not found:
        return Inapplicable(NOT_VALIDATED)
    return float(sum(over for over, _ in found)), float(sum(under for _, under in found))


def _calls(record: Record, *, validated: bool) -> tuple[float, float] | Unknown:
    """Calls from each encounter's notes to the next one's, and how many encounters' notes there were.

    Calls at the start belong to no encounter. Where encounters with several partners are
    noted in one step, its calls go with the partner noted last.
    """
    mine = ego(record)
    noted = thoughts(record, mine)
    made = [call.step for call in record.calls if call.seat == mine and call.purpose not in PLANNING]
    if not noted:
        return Inapplicable(NOT_NOTED)
    if not made:
        return Inapplicable(NO_CALLS)
    spans = [(step, list(group)) for step, group in groupby(noted, key=lambda one: one.step)]
    ends = [*(step for step, _ in spans[1:]), len(record.rewards) + 1]
    calls = encounters = 0
    for (start, group), end in zip(spans, ends, strict=True):
        last = group[-1].thinking
        if last.encounter and (last.validated is not None) == validated:
            encounters += sum(one.thinking.encounter > 0 for one in group)
            calls += sum(start <= step < end for step in made)
    return float(calls), float(encounters)
