"""The measurements of one record: everything that cells, curves and costs need of it."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable
from numbers import Real
from typing import TypeAlias, TypeVar, cast

import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray

from otherminds.core.data import Invalid, Seat
from otherminds.core.errors import StudyError, TaskError
from otherminds.core.model import Usage
from otherminds.core.record import Outcome, Record, Timing
from otherminds.core.registry import Registry, guarded
from otherminds.games.best_response import optimal_rewards
from otherminds.measures.basis import ScoreInputs, read_score_inputs
from otherminds.measures.evidence import EpisodeEvidence, episode_evidence
from otherminds.measures.literal import answers, right
from otherminds.measures.notes import (
    About,
    HypothesisTrack,
    ReplyCounts,
    about,
    hypothesis_tracks,
    reply_counts,
)
from otherminds.measures.registry import (
    Inapplicable,
    Unknown,
    details,
    ego,
    measures,
    partner_met,
    ratios,
    rounds,
    under_test,
)
from otherminds.measures.regret import Profile, profile
from otherminds.play.interventions import NONE

INTERVENED = "it was played under an intervention, which the chapter on interventions reports"
"""Why an episode in an arm with an intervention has no evidence for a verdict."""
Rounds = NDArray[np.float64]
V = TypeVar("V")


class Prediction(Struct, frozen=True):
    """A prediction: the own behaviour before it, the true behaviour, and whether it was right."""

    last: str
    truth: str
    right: bool


class Episode(Struct, frozen=True, eq=False):
    """The measurements of one record.

    ``values``, ``ratios``, ``hypothesis_tracks`` and ``predictions`` are empty unless the episode is scored.
    ``kind`` is the registered name of the mind, ``cluster`` the partner and the seed. ``replies`` is the
    number of invalid decisions and answers of the seats under test, and of all of theirs; ``tries`` the
    numbers of model calls and of requests (seat, step and purpose); ``usage`` their tokens. ``timing`` is zero where it is unknown.
    ``basis`` is what the scores are computed from, ``evidence`` what verdicts are. ``regrets`` and ``hits`` (1 right, 0 wrong) are
    float64[rounds]. ``informed`` is the return of the best response, ``length`` the number of rounds,
    ``payoffs`` the least and the largest payoff of a round, where regret is known. ``details`` has the
    :data:`~otherminds.measures.registry.details` of its world by name. ``by_model`` is ``usage`` by model;
    cached tokens are divided in proportion to prompt tokens. ``predictions`` are those about encounters.
    ``read`` counts replies to a question or a choice: those that the strict reader read, those that only the
    lenient one read, and those that neither read. ``said`` counts the replies that say nothing, by model.
    """

    scenario: str
    mind: str
    kind: str
    cluster: tuple[str, int]
    outcome: Outcome
    about: About
    reward: float
    replies: tuple[int, int]
    tries: tuple[int, int]
    usage: Usage
    timing: Timing
    values: dict[str, float | Unknown]
    basis: ScoreInputs
    evidence: EpisodeEvidence | Unknown
    profile: Profile | Unknown
    regrets: Rounds | Unknown
    hits: Rounds | Unknown
    informed: float | None
    length: int
    payoffs: tuple[float, float] | None
    ratios: dict[str, tuple[float, float] | Unknown] = {}
    hypothesis_tracks: tuple[HypothesisTrack, ...] = ()
    details: dict[str, Struct] = {}
    by_model: dict[str, Usage] = {}
    predictions: tuple[Prediction, ...] = ()
    read: tuple[int, int, int] = (0, 0, 0)
    said: dict[str, ReplyCounts] = {}

    @property
    def stratum(self) -> str:
        """The partner, if there is one only; several partners together are one stratum."""
        return self.basis.partner


Key: TypeAlias = tuple[str, str]
"""A scenario and a mind, as reports name them."""


def group_by_cell(planned: Iterable[Key], episodes: Iterable[Episode]) -> dict[Key, list[Episode]]:
    """The episodes of each planned cell, in an order that does not depend on that of ``episodes``.

    Raises:
        StudyError: an episode is in none.
    """
    by_cell: dict[Key, list[Episode]] = {key: [] for key in planned}
    for episode in episodes:
        key = (episode.scenario, episode.mind)
        if key not in by_cell:
            raise StudyError(
                f"a record of {key[0]!r} with mind {key[1]!r} is in no cell of the plan; "
                "report records with the study that they were played for"
            )
        by_cell[key].append(episode)
    for played in by_cell.values():
        played.sort(key=lambda episode: (episode.cluster, episode.reward))
    return by_cell


def summarise(record: Record, timing: Timing | None = None) -> Episode:
    """Measures one record; ``timing`` has its wall-clock figures."""
    mine = ego(record)
    timing = timing or Timing()
    scored = record.outcome.status == "scored"
    not_scored = Unknown("the episode was not scored")
    regret = record.bounds is None or record.bounds.informed is not None
    pays = [cell[0] for row in record.game.payoffs for cell in row] if record.game and regret else []
    return Episode(
        scenario=record.spec.title,
        mind=record.spec.seats[mine].title,
        kind=record.spec.seats[mine].mind,
        cluster=(", ".join(record.partners[seat].name for seat in sorted(record.partners)), record.spec.seed),
        outcome=record.outcome,
        about=about(record),
        reward=record.total(mine),
        replies=_replies(record),
        tries=(len(record.calls), len({(call.seat, call.step, call.purpose) for call in record.calls})),
        usage=record.used(timing.cached_tokens),
        timing=timing,
        values=_applying_values(measures, record, _is_number) if scored else {},
        basis=read_score_inputs(record),
        evidence=episode_evidence(record) if record.spec.arm in ("", NONE) else Unknown(INTERVENED),
        profile=profile(record) if scored else not_scored,
        regrets=regrets(record) if scored else not_scored,
        hits=hits(record) if scored else not_scored,
        informed=record.bounds.informed if record.bounds else None,
        length=len(record.rewards),
        payoffs=(min(pays), max(pays)) if pays else None,
        ratios=_applying_values(ratios, record, _is_pair) if scored else {},
        hypothesis_tracks=hypothesis_tracks(record) if scored else (),
        details=_measure_details(record),
        by_model=_by_model(record, timing.cached_tokens),
        predictions=_read_predictions(record) if scored else (),
        read=_count_readers(record),
        said=reply_counts(record),
    )


def regrets(record: Record) -> Rounds | Unknown:
    """Regret of each round: the expected reward of the optimal plan − the reward, float64[rounds].

    Single rounds can be below 0 (defecting early against tit-for-tat); the mean is ``Δ_Functional/T``.
    """
    met = partner_met(record)
    if isinstance(met, Unknown):
        return met
    game, partner = met
    behaviours = rounds(record, game)
    if isinstance(behaviours, Unknown):
        return behaviours
    optimal = optimal_rewards(game, partner, len(behaviours))
    i = record.seats.index(ego(record))
    return np.array(optimal) - np.array([row[i] for row in record.rewards])


def hits(record: Record) -> Rounds | Unknown:
    """Whether ego's answer in each round was right, where each round has one question."""
    questions = answers(record)
    if not questions or [question.step for question in questions] != list(range(len(record.actions))):
        return Unknown("not every round has one question")
    return np.array([float(right(question)) for question in questions])


def _applying_values(
    registry: Registry[Callable[[Record], V]], record: Record, fits: Callable[[object], bool]
) -> dict[str, V]:
    """The values of the measures in ``registry`` that apply to ``record``, by name.

    Raises:
        StudyError: one cannot be computed, or its value does not fit.
    """
    values: dict[str, V] = {}
    for name, value in _call_measures(registry, record).items():
        if not isinstance(value, Unknown) and not fits(value):
            raise StudyError(f"{registry.kind} {name!r} returned {type(value).__name__}, which does not fit")
        if not isinstance(value, Inapplicable):
            values[name] = value
    return values


def _is_number(value: object) -> bool:
    return isinstance(value, Real)


def _is_pair(value: object) -> bool:
    pair = cast("tuple[object, ...]", value) if isinstance(value, tuple) else ()
    return len(pair) == 2 and all(map(_is_number, pair))


def _measure_details(record: Record) -> dict[str, Struct]:
    return {name: detail for name, detail in _call_measures(details, record).items() if detail is not None}


def _call_measures(registry: Registry[Callable[[Record], V]], record: Record) -> dict[str, V]:
    """What each component of ``registry`` returns for ``record``, by name.

    Raises:
        StudyError: one raised an error; the text names it and the episode.
    """
    values: dict[str, V] = {}
    name = ""

    def what() -> str:
        return f"{registry.kind} {name!r} of episode {record.spec.hash[:12]}"

    with guarded(what):
        for name in registry:
            try:
                values[name] = registry.get(name)(record)
            except TaskError as error:  # a formula of the record cannot be read
                raise StudyError(f"{what()}: {error}") from error
    return values


def _read_predictions(record: Record) -> tuple[Prediction, ...]:
    """The predictions about others, each with ego's own behaviour in the encounter before."""
    mine = ego(record)
    met = record.met.get(mine, ())
    steps = [encounter.step for encounter in met]
    predictions: list[Prediction] = []
    for answer in answers(record):
        question = record.questions[answer.question]
        if question.when == "end" or not isinstance(answer.truth, str):
            continue
        n = bisect_left(steps, answer.step)
        predictions.append(Prediction(met[n - 1].did[mine][0] if n else "", answer.truth, right(answer)))
    return tuple(predictions)


def _replies(record: Record) -> tuple[int, int]:
    """The number of invalid decisions and answers of the seats under test, and of all of theirs.

    Policy questions are counted by the verdict, which says how many answers to them could not be read.
    """
    counts = [_replies_of(record, seat) for seat in under_test(record)]
    return sum(invalid for invalid, _ in counts), sum(total for _, total in counts)


def _replies_of(record: Record, mine: Seat) -> tuple[int, int]:
    own_questions = [question.seat == mine and not question.supposed for question in record.questions]
    answered = [a for a in record.asked if own_questions[a.question]]
    chosen = [choice for choice in record.choices if choice.seat == mine]
    invalid = [choice for choice in chosen if isinstance(choice.made, Invalid)]
    if len(chosen) > len(invalid):
        decisions = len(chosen)
    else:
        decisions = max([len(record.actions), *(choice.step + 1 for choice in invalid)])
    return len(invalid) + sum(a.invalid is not None for a in answered), decisions + len(answered)


def _count_readers(record: Record) -> tuple[int, int, int]:
    """The numbers of replies by the reader that found an answer in them: strict, lenient only, none."""
    readers = Counter(call.read for call in record.calls)
    return readers["strict"], readers["lenient"], readers["none"] + readers["other"]


def _by_model(record: Record, cached: int) -> dict[str, Usage]:
    """The tokens of each model; cached ones are known for all calls together only."""
    usages: dict[str, Usage] = {}
    for call in record.calls:
        model = record.spec.seats[call.seat].model
        usages[model] = usages.get(model, Usage()) + call.usage
    prompt_tokens = sum(usage.prompt for usage in usages.values()) or 1
    cached = min(max(cached, 0), prompt_tokens)
    return {
        model: replace(usage, cached=round(cached * usage.prompt / prompt_tokens))
        for model, usage in usages.items()
    }
