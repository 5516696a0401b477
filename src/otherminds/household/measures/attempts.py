"""One run of a task by a team: passes, costs, and failure patterns."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from msgspec import Struct, field

from otherminds.core.record import Asked, Record
from otherminds.household.epistemic.household_facts import Trial
from otherminds.household.measures.messages import Traffic, traffic
from otherminds.household.measures.patterns.found import patterns
from otherminds.household.measures.questions import INVALID, Item, asked_tests, items
from otherminds.household.measures.trace import Trace, on_trace, trace
from otherminds.measures.literal import right
from otherminds.measures.registry import Unknown, details, measures, rate
from otherminds.measures.seats import ego

NO_PRIVATE = "no agent has a private goal in this task"


class Attempt(Struct, frozen=True):
    """One run, scored or not; a run that was not scored has passed nothing (section 5).

    ``literal`` (the paper's) is ``None`` without probes; ``unknowing`` says whether a team that knows nothing passes it.
    ``items`` are the questions that count for L, and ``left_out`` counts the others by reason. ``gain`` is F: 1 for success, 0 for the silent team's result; ``None`` where the silent team
    succeeds or the task has no plan. ``private`` counts the achieved private goals, and all of them. ``patterns`` counts
    each failure pattern; it is empty if the run was not scored. ``pattern`` is the functional pattern of a generated task,
    and ``split`` the shipped split that it is part of; empty if it has none. ``model``: the mind is a language model.
    """

    scenario: str
    mind: str
    category: str
    depth: int
    seed: int
    scored: bool
    functional: bool
    literal: bool | None
    unknowing: bool
    items: tuple[Item, ...]
    left_out: dict[str, int]
    gain: float | None
    private: tuple[int, int]
    turns: int
    traffic: Traffic
    patterns: dict[str, int] = field(default_factory=dict[str, int])
    pattern: str = ""
    split: str = ""
    model: bool = False

    @property
    def unread(self) -> int:
        """The questions that count and whose answers were not valid."""
        return sum(item.answer == INVALID for item in self.items)


@details.register("household")
def attempt(record: Record) -> Attempt | None:
    """The attempt in a record of the household; ``None`` in any other world."""
    episode = trace(record)
    if isinstance(episode, Unknown):
        return None
    scored = record.outcome.status == "scored"
    passed = literal_pass(record)
    literal = None if isinstance(passed, Unknown) else bool(passed)
    blind, questions = literal_pass_unknowing(record), items(record)
    put_questions = [] if isinstance(questions, Unknown) else questions
    return Attempt(
        scenario=record.spec.title,
        mind=record.spec.seats[ego(record)].title,
        category=episode.task.category,
        depth=episode.task.depth,
        seed=record.spec.seed,
        scored=scored,
        functional=scored and episode.solved,
        literal=literal if scored or not episode.task.depth else False,
        unknowing=not isinstance(blind, Unknown) and bool(blind),
        items=tuple(question for question in put_questions if isinstance(question, Item)),
        left_out=dict(Counter(question.why for question in put_questions if not isinstance(question, Item))),
        gain=_gain(record, episode),
        private=(sum(episode.private.values()), len(episode.private)),
        turns=len(record.actions),
        traffic=traffic(episode),
        patterns={name: len(patterns.get(name)(record)) for name in patterns} if scored else {},
        pattern=episode.task.pattern,
        split=episode.task.split,
        model=bool(record.spec.seats[ego(record)].model),
    )


def _gain(record: Record, episode: Trace) -> float | None:
    """F of a run, where the two references differ."""
    bounds = record.bounds
    if bounds is None or bounds.best is None or bounds.blind is None or bounds.best <= bounds.blind:
        return None
    return (float(episode.solved) - bounds.blind) / (bounds.best - bounds.blind)


@rate("functional_pass")
@on_trace
def functional_pass(episode: Trace) -> float:
    """1 if all physical predicates of the goal hold at the end, else 0; ``K`` does not count (section 5)."""
    return float(episode.solved)


@rate("literal_pass")
def literal_pass(record: Record) -> float | Unknown:
    """1 if all literal probes of the goal are answered correctly by the paper's truth, else 0 (section 5, appendix H).

    The truth of a probe of depth 1 comes from the world; that of a deeper probe is the actual report of the next agent.
    If that agent gave no valid report, the probe does not pass.
    """
    tested = asked_tests(record)
    if isinstance(tested, Unknown):
        return tested
    _, answers, tests = tested
    return float(all(_agrees(answers, test) for test in tests.values()))


@rate("literal_pass_unknowing")
def literal_pass_unknowing(record: Record) -> float | Unknown:
    """1 if a team whose agents answer "unknown" to every question passes the probes of this task by the paper's truth.

    Two agents that know nothing agree; only the world contradicts them. The mean over tasks is the baseline of the
    paper's column.
    """
    tested = asked_tests(record)
    return tested if isinstance(tested, Unknown) else float(all(test.helper for test in tested[2].values()))


@measures.register("private_rate")
@on_trace
def private_rate(episode: Trace) -> float | Unknown:
    """The share of private goals (0 to 1) that hold at the end; not part of success (section 4.1)."""
    return sum(episode.private.values()) / len(episode.private) if episode.private else Unknown(NO_PRIVATE)


@measures.register("functional_with_private")
@on_trace
def functional_with_private(episode: Trace) -> float | Unknown:
    """1 if the shared goal and all private goals hold at the end, else 0; unknown without private goals."""
    return float(episode.solved and all(episode.private.values())) if episode.private else Unknown(NO_PRIVATE)


@measures.register("turns_used")
def turns_used(record: Record) -> float | Unknown:
    """The number of turns of the episode."""
    episode = trace(record)
    return episode if isinstance(episode, Unknown) else float(len(record.actions))


def _agrees(answers: Mapping[str, Asked], test: Trial) -> bool:
    """Whether a probe is correct by the paper's truth: the world, or the report of the next agent."""
    answer = answers[test.probe]
    if not test.helper:
        return right(answer)
    reported = answers.get(test.helper)
    valid = reported is not None and reported.invalid is None and answer.invalid is None
    return valid and reported is not None and answer.answer == reported.answer
