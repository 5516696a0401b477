"""What one episode says about whether a mind knows its partner, and whether it acts on its right predictions.

Both questions are put to the informative rounds of the settled half: rounds in the second half of an episode at which,
from the history alone, the posterior under the population gives one behaviour at least 90 %, after at least two
encounters. Exploring early is no fault, and the choice of rounds does not depend on what the mind says.
"""

from __future__ import annotations

from functools import lru_cache
from zlib import crc32

from msgspec import Struct

from otherminds.core.encoding import digest
from otherminds.core.errors import WorldError
from otherminds.core.record import Bounds, Record
from otherminds.games.unseeing import LiteralRoom, literal_room
from otherminds.games.valuing import Valuation, best_replies, dominant, valuation
from otherminds.measures.basis import LEAST_TO_WIN
from otherminds.measures.decomposition import STRANGE, TOLERATED
from otherminds.measures.literal import NOT_ASKED
from otherminds.measures.population import Matchup, Round, member, rounds_played, setting
from otherminds.measures.registry import Inapplicable, Unknown
from otherminds.measures.seats import ego

SURE_OF = 0.9
"""A round is informative where the posterior gives one behaviour at least this probability."""
SEEN = 2
"""The encounters that come before an informative round."""
NO_CHOICE = (
    "one action is best whatever the partner does, so that no prediction of one move can matter; "
    "ask policy questions (policy_questions = true)"
)
NOTHING_TO_KNOW = "nobody can predict these partners better than a plan that is fixed in advance"
WORTHLESS = 1e-9
"""What can be won below this is nothing."""


class PartnerShares(Struct, frozen=True):
    """A partner's weights in L and in the unused share (each 0 where it does not count), and in F.

    ``slope`` is the L that one unit of accuracy is worth.
    """

    name: str
    literal: float
    unused: float
    functional: float
    slope: float = 0.0


class EpisodeEvidence(Struct, frozen=True, tag="evidence"):
    """The numbers of one episode that a verdict is computed from.

    ``literal`` is L of the informative rounds; ``unused`` is what the mind lost by not acting on its right
    predictions, and ``reach`` what could be lost there, both as shares of what could be lost in all informative
    rounds. ``functional`` is F. Each is ``None`` where it is undefined in this episode. In a ``lost`` episode
    ``literal`` and ``functional`` are the worst case, with the rounds before the break as they were played.

    ``design`` is what was balanced or drawn at the start: the labels and their order. ``words`` is a checksum of the
    predictions in the ``rounds`` informative rounds, of which ``right`` were right. ``prejudice`` is the L of always
    naming one label, or one place in the list of options. Of ``answers`` predictions, ``unread`` could not be read.
    """

    partner: str
    shares: tuple[PartnerShares, ...]
    design: str
    lost: bool
    literal: float | None
    unused: float | None
    reach: float
    functional: float | None
    words: int
    rounds: int
    right: float
    prejudice: dict[str, float]
    answers: int
    unread: int


class SettledRound(Struct, frozen=True):
    """An informative round with a prediction: what was said, and what was lost by not acting on it.

    ``said`` and ``shown`` are the partner's behaviours as predicted and as played; ``accuracy`` is the share of right
    answers, ``correct`` says whether the prediction is the best one. ``unused`` is what the mind's action loses against
    the best reply to the right prediction, ``winnable`` what a random action loses on average: in payoff.
    """

    said: int | None
    shown: int
    accuracy: float
    correct: bool
    unused: float
    winnable: float


def episode_evidence(record: Record) -> EpisodeEvidence | Unknown:
    """The evidence of one episode, scored or lost.

    Unknown, with the reason, where a partner's policy is not recorded or nothing was asked; inapplicable where one
    action dominates.
    """
    matchup = setting(record)
    if isinstance(matchup, Unknown):
        return matchup
    if dominant(matchup.game):
        return Inapplicable(NO_CHOICE)
    lost = record.outcome.status != "scored"
    rounds = rounds_played(record)
    if not lost and not any(played.asked for played in rounds):
        return Unknown(NOT_ASKED)
    planned = record.spec.options.get("rounds")
    length = planned if lost and isinstance(planned, int) else max(len(rounds), 1)
    try:
        valued = valuation(matchup.game, matchup.family, length)
        room = literal_room(matchup.game, matchup.family, length, length // 2)
    except WorldError as error:
        return Unknown(str(error))
    if not any(room.weights):
        return Unknown(NOTHING_TO_KNOW)
    settled = _settled_rounds(matchup, valued, rounds, length)
    if isinstance(settled, Unknown):
        return settled
    assert record.bounds is not None, "a setting has a population"
    place = [one.name for one in record.bounds.population].index(member(record))
    # A lost episode is wrong in all rounds that it lacks; without a known length it lacks all of them.
    lacking = length - max(len(rounds), length // 2) if lost else 0
    counted = len(settled) + lacking
    right = sum(one.accuracy for one in settled) if isinstance(planned, int) or not lost else 0.0
    counts = room.weights[place] > 0 and (counted > 0 or lost)
    winnable = sum(one.winnable for one in settled)
    correct = [one for one in settled if one.correct]
    return EpisodeEvidence(
        partner=member(record),
        shares=_shares(record.bounds, room),
        design=_design(record),
        lost=lost,
        literal=room.rescale(place, right / max(counted, 1)) if counts else None,
        unused=sum(one.unused for one in correct) / winnable if winnable > WORTHLESS else None,
        reach=sum(one.winnable for one in correct) / winnable if winnable > WORTHLESS else 0.0,
        functional=_functional(record),
        words=crc32(repr([one.said for one in settled]).encode()),
        rounds=len(settled),
        right=sum(one.accuracy for one in settled),
        prejudice=_prejudice(record, rounds, room, place) if counts else {},
        answers=sum(played.asked for played in rounds),
        unread=sum(played.asked and played.said is None for played in rounds),
    )


def _settled_rounds(
    matchup: Matchup, valued: Valuation, rounds: list[Round], length: int
) -> list[SettledRound] | Unknown:
    """The informative rounds of the settled half in which there was a prediction."""
    replies, belief, state = best_replies(matchup.game), valued.start, matchup.met.start
    settled: list[SettledRound] = []
    strange = 0
    for t, played in enumerate(rounds):
        if t >= max(length // 2, SEEN) and played.asked and max(valued.chances(belief)) >= SURE_OF:
            output = matchup.met.output[state]
            likeliest = output.index(max(output))
            worths = valued.worths(t, belief)
            by_word = sum(worths[a] for a in replies[likeliest]) / len(replies[likeliest])
            losses = [max(0.0, by_word - worth) for worth in worths]
            settled.append(
                SettledRound(
                    said=played.said,
                    shown=played.other,
                    accuracy=float(played.said == played.other),
                    correct=played.said == likeliest,
                    unused=losses[played.own],
                    winnable=sum(losses) / len(losses),
                )
            )
        after = valued.after(belief, played.own, played.other)
        strange += not after
        belief = after or belief
        state = matchup.met.next[state][played.other][played.own]
    return Unknown(STRANGE) if strange > TOLERATED * len(rounds) else settled


@lru_cache(maxsize=256)
def _shares(bounds: Bounds, room: LiteralRoom) -> tuple[PartnerShares, ...]:
    """The weights of the partners; in stage games those without room count in neither L nor the unused share."""
    return tuple(
        PartnerShares(one.name, weight, weight, one.weight, room.slope(place) if weight else 0.0)
        for place, (one, weight) in enumerate(zip(bounds.population, room.weights, strict=True))
    )


def _design(record: Record) -> str:
    """What was drawn or balanced at the start; the seed where nothing was, and the world itself differs by it."""
    return digest(record.drawn)[:16] if record.drawn else str(record.spec.seed)


def _functional(record: Record) -> float | None:
    """F of one episode; of a lost one, with the least payoff in every round."""
    bounds, game = record.bounds, record.game
    if bounds is None or game is None or bounds.best is None or bounds.blind is None:
        return None
    payoffs = [cell[0] for row in game.payoffs for cell in row]
    rounds = len(record.rewards)
    earned = record.total(ego(record))
    if record.outcome.status != "scored":
        planned = record.spec.options.get("rounds")
        if not isinstance(planned, int):
            return None
        rounds, earned = planned, min(payoffs) * planned
    winnable = bounds.best - bounds.blind
    if winnable < LEAST_TO_WIN * (max(payoffs) - min(payoffs)) * rounds:
        return None
    return (earned - bounds.blind) / winnable


def _prejudice(record: Record, rounds: list[Round], room: LiteralRoom, place: int) -> dict[str, float]:
    """L, over all rounds, of always naming one label, and of always naming one place in the list of options."""
    drawn = record.drawn
    if not rounds or "names" not in drawn or "order" not in drawn:
        return {}
    labels = drawn["names"][1]
    order = [option for option in drawn["order"] if option < len(labels)]
    habits = {f"Option {label}": i for i, label in enumerate(labels)}
    habits |= {f"place {n + 1} in the list": option for n, option in enumerate(order)}
    return {
        habit: room.rescale(place, sum(played.other == said for played in rounds) / len(rounds))
        for habit, said in habits.items()
    }
