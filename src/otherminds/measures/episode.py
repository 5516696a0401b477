"""One record, measured: all that cells, curves and costs need of it, without its trace."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable
from typing import TypeAlias, TypeVar

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from otherminds.core.data import Invalid, Seat
from otherminds.core.errors import StudyError
from otherminds.core.model import Usage
from otherminds.core.record import Outcome, Record, Timing
from otherminds.core.registry import Registry
from otherminds.games.best_response import optimal_rewards
from otherminds.measures.about import About, about
from otherminds.measures.basis import Basis, basis
from otherminds.measures.exploitation import Profile, profile
from otherminds.measures.hypothesis_tracks import HypothesisTrack, hypothesis_tracks
from otherminds.measures.literal import answers, right
from otherminds.measures.registry import Inapplicable, Unknown, details, measures, ratios
from otherminds.measures.seats import ego, partner_met, rounds, under_test

Rounds = NDArray[np.float64]
V = TypeVar("V")


class Foretold(Struct, frozen=True):
    """A prediction: the own behaviour before it, what came true, whether it was right."""

    last: str
    truth: str
    right: bool


class Episode(Struct, frozen=True, eq=False):
    """One record, measured. ``values``, ``ratios`` and ``courses`` are empty unless the outcome is ``scored``.

    ``kind`` is the registered name of the mind, ``cluster`` the partner and the seed. ``replies`` counts invalid
    decisions and answers of the seats under test among all of theirs, ``tries`` the model calls and the
    requests they were made for, ``usage`` their tokens; ``clock`` is zero
    where nobody looked at it. ``basis`` is what the scores are computed from. ``regrets`` and ``hits`` (1 right, 0 not) go round by round.
    ``informed`` is the best response's return, ``length`` the rounds played,
    ``payoffs`` the least and the most that a round can bring, where regret is known.
    ``details`` are those of :data:`~otherminds.measures.registry.details` that its world has, by name, scored or not.
    ``by_model`` is ``usage`` by model; cached tokens are divided among models in proportion to prompt tokens.
    ``told`` are the predictions about encounters.
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
    basis: Basis
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
    told: tuple[Foretold, ...] = ()

    @property
    def stratum(self) -> str:
        """The partner met, where it is alone; partners that are met several at once are one stratum."""
        return self.basis.partner


Key: TypeAlias = tuple[str, str]
"""A scenario and a mind, as reports name them."""


def grouped(planned: Iterable[Key], episodes: Iterable[Episode]) -> dict[Key, list[Episode]]:
    """The episodes of each planned cell, in an order that is not that of their coming.

    Raises:
        StudyError: an episode is in none.
    """
    found: dict[Key, list[Episode]] = {key: [] for key in planned}
    for episode in episodes:
        key = (episode.scenario, episode.mind)
        if key not in found:
            raise StudyError(
                f"a record of {key[0]!r} with mind {key[1]!r} is in no cell of the plan; "
                "report records with the study that they were played for"
            )
        found[key].append(episode)
    for played in found.values():
        played.sort(key=lambda episode: (episode.cluster, episode.reward))
    return found


def summarise(record: Record, timing: Timing | None = None) -> Episode:
    """Measures one record; ``clock`` holds its wall-clock figures, which are no part of it."""
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
        tries=_tries(record),
        usage=record.used(timing.cached_tokens),
        timing=timing,
        values=_applied(measures, record) if scored else {},
        basis=basis(record),
        profile=profile(record) if scored else not_scored,
        regrets=regrets(record) if scored else not_scored,
        hits=hits(record) if scored else not_scored,
        informed=record.bounds.informed if record.bounds else None,
        length=len(record.rewards),
        payoffs=(min(pays), max(pays)) if pays else None,
        ratios=_applied(ratios, record) if scored else {},
        hypothesis_tracks=hypothesis_tracks(record) if scored else (),
        details={name: one for name in details if (one := details.get(name)(record)) is not None},
        by_model=_by_model(record, timing.cached_tokens),
        told=_told(record) if scored else (),
    )


def regrets(record: Record) -> Rounds | Unknown:
    """Regret of each round: what the optimal plan expects in it − what was got.

    Single rounds can be below 0 (defecting early against tit-for-tat); their
    mean is ``Δ_Functional/T``.
    """
    met = partner_met(record)
    if isinstance(met, Unknown):
        return met
    game, partner = met
    shown = rounds(record, game)
    if isinstance(shown, Unknown):
        return shown
    optimal = optimal_rewards(game, partner, len(shown))
    i = record.seats.index(ego(record))
    return np.array(optimal) - np.array([row[i] for row in record.rewards])


def hits(record: Record) -> Rounds | Unknown:
    """Whether ego's answer in each round was right, where each round has one question."""
    put = answers(record)
    if not put or [asked.step for asked in put] != list(range(len(record.actions))):
        return Unknown("not every round has one question")
    return np.array([float(right(asked)) for asked in put])


def _applied(registry: Registry[Callable[[Record], V]], record: Record) -> dict[str, V]:
    """What the measures of ``registry`` that apply to ``record`` make of it, by name."""
    found = ((name, registry.get(name)(record)) for name in registry)
    return {name: value for name, value in found if not isinstance(value, Inapplicable)}


def _told(record: Record) -> tuple[Foretold, ...]:
    """The predictions about what others show, each with ego's own behaviour in the encounter before."""
    mine = ego(record)
    met = record.met.get(mine, ())
    steps = [encounter.step for encounter in met]
    told: list[Foretold] = []
    for asked in answers(record):
        question = record.questions[asked.question]
        if question.when == "end" or not isinstance(asked.truth, str):
            continue
        n = bisect_left(steps, asked.step)
        told.append(Foretold(met[n - 1].did[mine][0] if n else "", asked.truth, right(asked)))
    return tuple(told)


def _replies(record: Record) -> tuple[int, int]:
    """Invalid decisions and answers of the seats under test, among all of theirs."""
    found = [_replies_of(record, seat) for seat in under_test(record)]
    return sum(invalid for invalid, _ in found), sum(made for _, made in found)


def _replies_of(record: Record, mine: Seat) -> tuple[int, int]:
    put = [question.seat == mine for question in record.questions]
    asked = [a for a in record.asked if put[a.question]]
    chosen = [choice for choice in record.choices if choice.seat == mine]
    invalid = [choice for choice in chosen if isinstance(choice.made, Invalid)]
    if len(chosen) > len(invalid):
        decisions = len(chosen)
    else:
        decisions = max([len(record.actions), *(choice.step + 1 for choice in invalid)])
    return len(invalid) + sum(a.invalid is not None for a in asked), decisions + len(asked)


def _tries(record: Record) -> tuple[int, int]:
    """The model calls, and the requests (seat, step and purpose) that they were made for."""
    return len(record.calls), len({(call.seat, call.step, call.purpose) for call in record.calls})


def _by_model(record: Record, cached: int) -> dict[str, Usage]:
    """The tokens of each model; the clock knows of cached ones of all calls together alone."""
    read: dict[str, tuple[int, int]] = {}
    for call in record.calls:
        model = record.spec.seats[call.seat].model
        prompt, written = read.get(model, (0, 0))
        read[model] = (prompt + call.prompt_tokens, written + call.completion_tokens)
    whole = sum(prompt for prompt, _ in read.values()) or 1
    return {
        model: Usage(prompt, written, round(cached * prompt / whole))
        for model, (prompt, written) in read.items()
    }
