"""One run of a task by a team: whether it passed, what it took, and which failure patterns it shows."""

from __future__ import annotations

from msgspec import Struct, field

from otherminds.core.record import Asked, Record
from otherminds.epistemic.probing import K_PROBE
from otherminds.measures.household.messages import Traffic, traffic
from otherminds.measures.household.patterns.found import patterns
from otherminds.measures.household.trace import Trace, trace
from otherminds.measures.literal import right
from otherminds.measures.registry import Unknown, measures
from otherminds.measures.seats import ego, under_test

NO_PROBES = "no literal probe was put: the goal has no K, or the study does not ask"
NO_PRIVATE = "no agent has a private goal in this task"


class Attempt(Struct, frozen=True):
    """One run, scored or not; one that was not scored has passed nothing (section 5).

    ``literal`` and ``entitled`` (:func:`literal_entitled`) are ``None`` where no probe was put. ``private`` counts the private goals that
    were met, and those there were. ``patterns`` says how often each failure pattern shows;
    it is empty where the run was not scored.
    """

    scenario: str
    mind: str
    category: str
    depth: int
    seed: int
    scored: bool
    functional: bool
    literal: bool | None
    entitled: float | None
    private: tuple[int, int]
    turns: int
    traffic: Traffic
    patterns: dict[str, int] = field(default_factory=dict[str, int])


def attempt(record: Record) -> Attempt | None:
    """What a record shows of a team in the household; ``None`` in any other world."""
    seen = trace(record)
    if isinstance(seen, Unknown):
        return None
    scored = record.outcome.status == "scored"
    passed = literal_pass(record)
    literal = None if isinstance(passed, Unknown) else bool(passed)
    agreed = literal_entitled(record)
    return Attempt(
        scenario=record.spec.title,
        mind=record.spec.seats[ego(record)].title,
        category=seen.task.category,
        depth=seen.task.depth,
        seed=record.spec.seed,
        scored=scored,
        functional=scored and seen.solved,
        literal=literal if scored or not seen.task.depth else False,
        entitled=None if isinstance(agreed, Unknown) else agreed,
        private=(sum(seen.private.values()), len(seen.private)),
        turns=len(record.actions),
        traffic=traffic(seen),
        patterns={name: len(patterns.get(name)(record)) for name in patterns} if scored else {},
    )


@measures.register("functional_pass")
def functional_pass(record: Record) -> float | Unknown:
    """1 if every physical predicate of the goal holds in the end, else 0; ``K`` never counts (section 5)."""
    seen = trace(record)
    return seen if isinstance(seen, Unknown) else float(seen.solved)


@measures.register("literal_pass")
def literal_pass(record: Record) -> float | Unknown:
    """1 if every literal probe of the goal is answered right, else 0 (section 5, appendix H).

    The truth of a probe of depth 1 is the world's; that of a deeper one what the next agent did
    report. Where that agent gave no valid report there is no truth, and the probe does not pass.
    """
    put = _probes(record)
    if isinstance(put, Unknown):
        return put
    return float(all(asked.truth is not None and right(asked) for asked in put))


@measures.register("literal_entitled")
def literal_entitled(record: Record) -> float | Unknown:
    """The share of probes (0 to 1) whose answer agrees with what the next agent is entitled to know.

    By the simulator's own log of sights and messages, whatever that agent reported: it is right to
    affirm the fact if the log entitles the next agent (at depth 1 the asked one) to know that it
    holds, and only then. The log follows messages in the controlled language alone.
    """
    seen, put = trace(record), _probes(record)
    if isinstance(seen, Unknown):
        return seen
    if isinstance(put, Unknown):
        return put
    return sum(_entitled(record, asked, seen) for asked in put) / len(put)


@measures.register("private_rate")
def private_rate(record: Record) -> float | Unknown:
    """The share of private goals (0 to 1) that hold in the end; no part of success (section 4.1)."""
    seen = trace(record)
    if isinstance(seen, Unknown):
        return seen
    return sum(seen.private.values()) / len(seen.private) if seen.private else Unknown(NO_PRIVATE)


@measures.register("turns_used")
def turns_used(record: Record) -> float | Unknown:
    """Turns until the episode ended."""
    seen = trace(record)
    return seen if isinstance(seen, Unknown) else float(len(record.actions))


def _probes(record: Record) -> list[Asked] | Unknown:
    """The probes that count, as they were answered by the seats under test."""
    seen = trace(record)
    if isinstance(seen, Unknown):
        return seen
    mine = under_test(record)
    counts = [question.seat in mine and question.id.startswith(K_PROBE) for question in record.questions]
    return [asked for asked in record.asked if counts[asked.question]] or Unknown(NO_PROBES)


def _entitled(record: Record, asked: Asked, seen: Trace) -> bool:
    question = record.questions[asked.question]
    known = seen.entitled.get(question.truth_is or question.id) is not None
    return asked.invalid is None and (asked.answer == question.options[0]) == known
