"""What validated hypotheses are worth: how soon they come, what they bring, what they save.

Cross et al. 2025, section 3.2 and figure 3. "Validated" is what the mind itself calls so
in its notes: a value above its threshold, or a probability.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import groupby

from otherminds.core.record import Record
from otherminds.measures.courses import Course, courses
from otherminds.measures.registry import Inapplicable, Unknown, measures, ratios
from otherminds.measures.seats import ego
from otherminds.measures.thoughts import NOT_NOTED, NOT_VALIDATED, thoughts

NO_CALLS = "no model was called"
PLANNING = frozenset({"plan", "reflect"})
"""Purposes of calls that carry a choice out; how many there are hangs on the way, not on the hypotheses."""


@ratios.register("validated_share")
def validated_share(record: Record) -> tuple[float, float] | Unknown:
    """Share of encounters (0 to 1) that were gone into with a validated hypothesis about the partner."""
    return _summed(record, lambda course: (sum(course.validated), len(course.validated)))


@measures.register("ever_validated")
def ever_validated(record: Record) -> float | Unknown:
    """Share of partners (0 to 1) about whom a hypothesis was validated at some time."""
    found = courses(record)
    if not found:
        return Inapplicable(NOT_VALIDATED)
    return sum(course.first is not None for course in found) / len(found)


@measures.register("encounters_until_validation")
def encounters_until_validation(record: Record) -> float | Unknown:
    """Encounters with a partner before the first validation; all there were, where it never came.

    So it is never unknown, and at most what the episode had room for.
    """
    found = courses(record)
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


def _summed(record: Record, part: Callable[[Course], tuple[float, float]]) -> tuple[float, float] | Unknown:
    """Both parts of a ratio, summed over partners."""
    found = [part(course) for course in courses(record)]
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
