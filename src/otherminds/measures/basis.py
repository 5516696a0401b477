"""The scores of a cell, the quantities of one episode that they are computed from, and the parts of regret.

``F = (Σ w_p R̄(p) − B) / (I − B)``: B is the mean return over the population of the best
plan that is fixed in advance, I that of best responses.

``L = (A − b) / (u − b)``: A is the accuracy of the predictions, b that of the best predictor that knows the population and
the mind's own actions but never observes the partner, u that of a predictor that knows the partner's policy
(:mod:`otherminds.measures.literal`). It is over all rounds; a verdict has an L of its own
(:mod:`otherminds.measures.evidence`).

``functional`` (F), ``literal`` (L), ``gap`` and the parts of regret are means over the reference population,
weighted by member. They are undefined for a cell in which a member was never played.

Regret has five parts, exactly.

With Q and V of the Bayes-optimal play under the reference population (:mod:`otherminds.games.belief`), y the
mind's prediction, y* the posterior's likeliest move and BR the best stage responses (ties averaged)::

    regret =  unknowable  I_p − V(h_0)
            + foresight   Σ [V(h_t) − Q(h_t, BR(y*_t))]
            + mistaken    Σ [Q(h_t, BR(y*_t)) − Q(h_t, BR(y_t))]
            + unused      Σ [Q(h_t, BR(y_t)) − Q(h_t, a_t)]
            − luck        Σ [r_t + V(h_{t+1}) − Q(h_t, a_t)]

The sum telescopes to the regret whatever Q is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
from msgspec import Struct

from otherminds.core.errors import WorldError
from otherminds.core.record import Record
from otherminds.games.belief import Worths, best_replies, dominant, valuation
from otherminds.games.best_response import best_response
from otherminds.measures.intervals import Estimate, Numbers, Strata, list_names
from otherminds.measures.literal import NOT_ASKED, member, rounds_played, setting
from otherminds.measures.registry import (
    NOT_APPLYING,
    Accuracy,
    Inapplicable,
    Unknown,
    all_known,
    ego,
    literals,
    planned_rounds,
)

TERMS = ("unknowable", "foresight", "mistaken", "unused", "luck")
DOMINANT = (
    "one behaviour is the best stage response to every prediction, so that no prediction matters in one "
    "round: see the gap, and foresight"
)
STRANGE = "the partner often did what no member of the population does"
TOLERATED = 0.1
"""The share of encounters in which the partner may do what no member would: bots miss what they aim at."""


class Decomposition(Struct, frozen=True, tag="parts"):
    """Regret and its parts in payoff per round: ``regret`` = the first four terms − ``luck``.

    ``exact``: Q is that of the exact Bayes-optimal play, not a posterior mean of the
    members' own. ``dominant``: no prediction matters in one round of this game.
    """

    regret: float
    unknowable: float
    foresight: float
    mistaken: float
    unused: float
    luck: float
    exact: bool
    dominant: bool


def decomposition(record: Record) -> Decomposition | Unknown:
    """The parts of one episode's regret; unknown where a policy or the predictions are missing.

    In worlds with encounters a behaviour's payoff is the game's table. An invalid prediction
    is charged the mean over all possible ones.
    """
    matchup = setting(record)
    if isinstance(matchup, Unknown):
        return matchup
    rounds = rounds_played(record)
    if not rounds or not all(played.asked for played in rounds):
        return Unknown(NOT_ASKED)
    try:
        valued = valuation(matchup.game, matchup.family, len(rounds))
        informed = best_response(matchup.game, matchup.met, len(rounds)).value
    except WorldError as error:
        return Unknown(str(error))
    replies, belief = best_replies(matchup.game), valued.start
    total = foresight = mistaken = unused = luck = 0.0
    strange = 0
    for t, played in enumerate(rounds):
        worths = valued.worths(t, belief)
        best, done = max(worths), worths[played.own]
        by_mode = _mean(worths, replies[valued.likeliest(belief)])
        by_word = (
            _mean(worths, replies[played.said])
            if played.said is not None
            else sum([_mean(worths, reply) for reply in replies]) / len(replies)
        )
        reward = matchup.game.payoffs[played.own][played.other][0]
        after = valued.after(belief, played.own, played.other)
        strange += not after
        belief = after or belief
        total += reward
        foresight += best - by_mode
        mistaken += by_mode - by_word
        unused += by_word - done
        luck += reward + valued.value(t + 1, belief) - done
    if strange > TOLERATED * len(rounds):
        return Unknown(STRANGE)
    n = len(rounds)
    unknowable = informed - valued.value(0, valued.start)
    return Decomposition(
        (informed - total) / n,
        unknowable / n,
        foresight / n,
        mistaken / n,
        unused / n,
        luck / n,
        valued.exact,
        dominant(matchup.game),
    )


def _mean(worths: Worths, behaviours: tuple[int, ...]) -> float:
    """The mean worth of behaviours that tie as stage responses."""
    return sum([worths[a] for a in behaviours]) / len(behaviours)


LEAST_TO_KNOW = 0.05
"""L is null where knowing the partner improves predictions by less than this share."""
NOTHING_TO_KNOW = "one who knows the partner predicts no better, or hardly, than one who does not look"
LEAST_TO_WIN = 0.02
"""F is null where adapting can win less than this share of an episode's payoff range."""
NO_BOUNDS = "the references of F are not known for this partner"
NOTHING_TO_WIN = (
    "the best blind plan does as well as the best response, or nearly: "
    "this scenario cannot show functional theory of mind"
)
NONE_SCORED = "no episode was scored"
NOT_SCORED = "the episode was not scored"
COMPARED = ("functional", "literal", "unused")
"""The scores in which two minds are compared."""
SCORES = ("functional", "literal", "gap", *TERMS)


class ScoreInputs(Struct, frozen=True):
    """What the scores need of one episode.

    ``partner`` is the member met and ``population`` the members' weights by name (empty where they cannot be
    listed). ``share`` is (R − B, I − B). ``extremes`` are the least and the largest possible R − B.
    ``estimated``: an end of F or L comes from reference minds in the same study and is not exact.
    """

    partner: str
    population: dict[str, float]
    reference: str
    scored: bool
    share: tuple[float, float] | Unknown | Inapplicable
    accuracy: Accuracy | Unknown | Inapplicable
    parts: Decomposition | Unknown | Inapplicable
    extremes: tuple[float, float] | None = None
    estimated: bool = False


def read_score_inputs(record: Record) -> ScoreInputs:
    """What the scores of ``record`` are computed from."""
    bounds = record.bounds
    scored = record.outcome.status == "scored"
    lost = Unknown(NOT_SCORED)
    return ScoreInputs(
        partner=member(record),
        population={partner.name: partner.weight for partner in bounds.population} if bounds else {},
        reference=bounds.reference if bounds else "",
        scored=scored,
        share=share(record) if scored else lost,
        accuracy=accuracy(record) if scored else lost,
        parts=decomposition(record) if scored else lost,
        extremes=_extremes(record),
    )


def scores(bases: Sequence[ScoreInputs]) -> dict[str, Estimate]:
    """F, L, the gap and the parts of regret (payoff a round) of one cell, by name."""
    scored = [episode for episode in bases if episode.scored]
    if not scored:
        return {name: Estimate(None, reason=NONE_SCORED) for name in SCORES}
    population = scored[0].population
    partners = [episode.partner for episode in scored]
    absent = sorted(set(population) - set(partners))
    if absent:
        incomplete = _incomplete(bases, scored, absent)
        return incomplete | _parts(scored, Strata(partners))
    strata = Strata(partners, population or None)
    functional, literal = _functional(scored, strata), _literal(scored, strata)
    return {
        "functional": _estimate(strata, functional),
        "literal": _estimate(strata, literal),
        "gap": _estimate(strata, _difference(literal, functional)),
        **_parts(scored, strata),
    }


def differences(ours: Sequence[ScoreInputs], theirs: Sequence[ScoreInputs]) -> dict[str, Estimate]:
    """``ours`` − ``theirs`` in F, L and ``unused``, for two minds that met the same partners with the same seeds.

    The two have scored episodes in the same order. Intervals are those of paired differences: what the partner and the
    seed do to both minds cancels.
    """
    population = ours[0].population
    partners = [episode.partner for episode in ours]
    if absent := sorted(set(population) - set(partners)):
        reason = f"no pair of scored episodes against {list_names(absent)}"
        return {name: Estimate(None, reason=reason) for name in COMPARED}
    strata = Strata(partners, population or None)
    contrasts = {
        "functional": _difference(_functional(ours, strata), _functional(theirs, strata)),
        "literal": _difference(_literal(ours, strata), _literal(theirs, strata)),
        "unused": _difference(_unused_value(ours, strata), _unused_value(theirs, strata)),
    }
    return {name: _estimate(strata, value) for name, value in contrasts.items()}


_Value: TypeAlias = tuple[float, Numbers]
"""A statistic and the influence of each episode on it."""


def _functional(scored: Sequence[ScoreInputs], strata: Strata) -> _Value | Unknown:
    shares = all_known(episode.share for episode in scored)
    return shares if isinstance(shares, Unknown) else strata.ratio(*np.array(shares).T)


def _literal(scored: Sequence[ScoreInputs], strata: Strata) -> _Value | Unknown:
    accuracies = all_known(episode.accuracy for episode in scored)
    if isinstance(accuracies, Unknown):
        return accuracies
    answered, blind, best = (
        np.array([getattr(row, name) for row in accuracies]) for name in Accuracy.__struct_fields__
    )
    if float(strata.mean(best - blind)) < LEAST_TO_KNOW:
        return Unknown(NOTHING_TO_KNOW)
    return strata.ratio(answered - blind, best - blind)


def _unused_value(scored: Sequence[ScoreInputs], strata: Strata) -> _Value | Unknown:
    parts: list[Decomposition] | Unknown = all_known(episode.parts for episode in scored)
    if isinstance(parts, Unknown):
        return parts
    if parts[0].dominant:
        return Unknown(DOMINANT)
    column = np.array([episode.unused for episode in parts])
    return float(strata.mean(column)), column


def _difference(first: _Value | Unknown, second: _Value | Unknown) -> _Value | Unknown:
    if isinstance(second, Unknown):
        return second
    if isinstance(first, Unknown):
        return first
    return first[0] - second[0], first[1] - second[1]


def _estimate(strata: Strata, value: _Value | Unknown) -> Estimate:
    return Estimate(None, reason=value.reason) if isinstance(value, Unknown) else strata.about(*value)


def _parts(scored: Sequence[ScoreInputs], strata: Strata) -> dict[str, Estimate]:
    parts: list[Decomposition] | Unknown = all_known(episode.parts for episode in scored)
    if isinstance(parts, Unknown):
        reason = NOT_APPLYING if isinstance(parts, Inapplicable) else parts.reason
        return {name: Estimate(None, reason=reason) for name in TERMS}
    estimates = {
        name: strata.estimate(np.array([getattr(episode, name) for episode in parts])) for name in TERMS
    }
    if parts[0].dominant:
        estimates["unused"] = Estimate(None, reason=DOMINANT)
    return estimates


def _incomplete(
    bases: Sequence[ScoreInputs], scored: Sequence[ScoreInputs], absent: list[str]
) -> dict[str, Estimate]:
    """F, L and the gap where members of the population have no scored episode: F as bounds if all were played."""
    tried = {episode.partner: episode for episode in bases if not episode.scored}
    names = list_names(absent)
    if not set(absent) <= tried.keys():
        reason = f"F, L and the gap refer to the population {scored[0].reference!r}; no episode here is against {names}"
        return {name: Estimate(None, reason=reason) for name in ("functional", "literal", "gap")}
    reason = f"no episode against {names} was scored; the worst and the best case are shown"
    return {
        "functional": _bound_functional(scored, tried, absent, reason),
        "literal": Estimate(None, reason=reason),
        "gap": Estimate(None, reason=reason),
    }


def _bound_functional(
    scored: Sequence[ScoreInputs], tried: dict[str, ScoreInputs], absent: list[str], reason: str
) -> Estimate:
    """F as bounds: the absent members' episodes with the least and the largest possible return."""
    population = scored[0].population
    won: dict[str, list[float]] = {}
    winnable = 0.0
    for episode in scored:
        if isinstance(episode.share, Unknown):
            return Estimate(None, reason=episode.share.reason)
        won.setdefault(episode.partner, []).append(episode.share[0])
        winnable = episode.share[1]
    sure = sum(population[name] * sum(gained) / len(gained) for name, gained in won.items())
    ends = [tried[name].extremes for name in absent]
    if any(end is None for end in ends):
        return Estimate(None, reason=reason)
    low, high = (
        sum(population[name] * end[i] for name, end in zip(absent, ends, strict=True) if end is not None)
        for i in (0, 1)
    )
    return Estimate(None, (sure + low) / winnable, (sure + high) / winnable, reason)


def accuracy(record: Record) -> Accuracy | Unknown:
    """The first literal score that applies to ``record``."""
    accuracies = (literals.get(name)(record) for name in literals)
    return next(
        (score for score in accuracies if not isinstance(score, Inapplicable)), Inapplicable(NOT_ASKED)
    )


def _extremes(record: Record) -> tuple[float, float] | None:
    """The least and the largest R − B that a whole episode could have."""
    bounds = record.bounds
    if record.game is None or bounds is None or bounds.informed is None or bounds.blind is None:
        return None
    rounds = planned_rounds(record)
    if rounds is None:
        return None
    least = min(cell[0] for row in record.game.payoffs for cell in row)
    return least * rounds - bounds.blind, bounds.informed - bounds.blind


def share(record: Record) -> tuple[float, float] | Unknown:
    """(R − B, I − B) of one episode: the gain over the best blind plan, and the largest possible gain.

    F is the ratio of their means over episodes: 1 for play as if the partner were known, 0 for the
    best plan that ignores it.
    """
    bounds = record.bounds
    if bounds is None or bounds.best is None or bounds.blind is None:
        return Unknown((bounds and bounds.reason) or NO_BOUNDS)
    if record.game is not None:
        pays = [cell[0] for row in record.game.payoffs for cell in row]
        if bounds.best - bounds.blind < LEAST_TO_WIN * (max(pays) - min(pays)) * len(record.rewards):
            return Unknown(NOTHING_TO_WIN)
    elif bounds.best <= bounds.blind:
        return Unknown(NOTHING_TO_WIN)
    return record.total(ego(record)) - bounds.blind, bounds.best - bounds.blind
