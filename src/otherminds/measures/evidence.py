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
from otherminds.games.said_policy import policy_room, response_of
from otherminds.games.unseeing import LiteralRoom, literal_room
from otherminds.games.valuing import dominant, valuation
from otherminds.measures.basis import LEAST_TO_WIN
from otherminds.measures.informative_rounds import SettledRound, policy_answers, policy_rounds, settled_rounds
from otherminds.measures.literal import NOT_ASKED
from otherminds.measures.population import Matchup, Round, member, rounds_played, setting
from otherminds.measures.registry import Inapplicable, Unknown
from otherminds.measures.seats import ego, planned_rounds, shown_labels

NO_CHOICE = (
    "one action is best whatever the partner does, so that no prediction of one move can matter; "
    "ask policy questions (policy_questions = true)"
)
LONGER_MEMORY = (
    "policy questions are scored against partners that answer the own last behaviour alone, "
    "and one here remembers more or plays at random"
)
NOTHING_TO_KNOW = "a plan that is fixed in advance predicts these partners as well as one who knows them"
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
    predictions in the ``rounds`` informative rounds, of which ``right`` were right; ``acts`` is one of
    the mind's own behaviours. ``prejudice`` is the L of always
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
    acts: int
    prejudice: dict[str, float]
    answers: int
    unread: int


class ReadEpisode(Struct, frozen=True):
    """The rounds of one episode that count, and the room that predictions have there.

    ``all_count``: all partners count in the unused share, as where policies are asked for, else those with room.
    ``habits`` is, for each behaviour of the partner, the accuracy of always naming it.
    """

    settled: list[SettledRound]
    room: LiteralRoom
    all_count: bool
    habits: tuple[float, ...]
    answers: int
    unread: int


def episode_evidence(record: Record) -> EpisodeEvidence | Unknown:
    """The evidence of one episode, scored or lost.

    In a game with a dominant action it comes from policy questions (:mod:`otherminds.measures.informative_rounds`). Unknown,
    with the reason, where a partner's policy is not recorded or nothing was asked; inapplicable where one action
    dominates and no policy was asked for.
    """
    matchup = setting(record)
    if isinstance(matchup, Unknown):
        return matchup
    rounds = rounds_played(record)
    lost = record.outcome.status != "scored"
    planned = planned_rounds(record)
    length = planned if lost and planned is not None else max(len(rounds), 1)
    try:
        read = (_read_policies if dominant(matchup.game) else _read_predictions)(
            record, matchup, rounds, length
        )
    except WorldError as error:
        return Unknown(str(error))
    if isinstance(read, Unknown):
        return read
    assert record.bounds is not None, "a setting has a population"
    place = [partner.name for partner in record.bounds.population].index(member(record))
    # A lost episode is wrong in all rounds that it lacks; without a known length it lacks all of them.
    lacking = length - max(len(rounds), length // 2) if lost else 0
    counted = len(read.settled) + lacking
    right = sum(settled.accuracy for settled in read.settled) if planned is not None or not lost else 0.0
    counts = read.room.weights[place] > 0 and (counted > 0 or lost)
    winnable = sum(settled.winnable for settled in read.settled)
    correct = [settled for settled in read.settled if settled.correct]
    return EpisodeEvidence(
        partner=member(record),
        shares=_shares(record.bounds, read.room, read.all_count),
        design=_design(record),
        lost=lost,
        literal=read.room.rescale(place, right / max(counted, 1)) if counts else None,
        unused=sum(settled.unused for settled in correct) / winnable if winnable > WORTHLESS else None,
        reach=sum(settled.winnable for settled in correct) / winnable if winnable > WORTHLESS else 0.0,
        functional=_functional(record),
        words=crc32(repr([settled.said for settled in read.settled]).encode()),
        rounds=len(read.settled),
        right=sum(settled.accuracy for settled in read.settled),
        acts=crc32(bytes(played.own for played in rounds)),
        prejudice=_prejudice(record, read, place) if counts and rounds else {},
        answers=read.answers,
        unread=read.unread,
    )


def _read_predictions(
    record: Record, matchup: Matchup, rounds: list[Round], length: int
) -> ReadEpisode | Unknown:
    """The informative rounds of a game in which a prediction of one move matters."""
    if record.outcome.status == "scored" and not any(played.asked for played in rounds):
        return Unknown(NOT_ASKED)
    room = literal_room(matchup.game, matchup.family, length, length // 2)
    if not any(room.weights):
        return Unknown(NOTHING_TO_KNOW)
    settled = settled_rounds(matchup, valuation(matchup.game, matchup.family, length), rounds, length)
    if isinstance(settled, Unknown):
        return settled
    columns = range(len(matchup.game.behaviours[1]))
    return ReadEpisode(
        settled=settled,
        room=room,
        all_count=False,
        habits=tuple(sum(played.other == x for played in rounds) / max(len(rounds), 1) for x in columns),
        answers=sum(played.asked for played in rounds),
        unread=sum(played.asked and played.said is None for played in rounds),
    )


def _read_policies(
    record: Record, matchup: Matchup, rounds: list[Round], length: int
) -> ReadEpisode | Unknown:
    """The informative rounds with policy questions of a game with a dominant action."""
    answers = policy_answers(record)
    if not any(question.supposed for question in record.questions):
        return Inapplicable(NO_CHOICE)
    room, response = policy_room(matchup.game, matchup.family), response_of(matchup.met)
    if room is None or response is None:
        return Unknown(LONGER_MEMORY)
    if not any(room.weights):
        return Unknown(NOTHING_TO_KNOW)
    valued = valuation(matchup.game, matchup.family, length)
    columns = range(len(matchup.game.behaviours[1]))
    return ReadEpisode(
        settled=policy_rounds(record, matchup, valued, rounds, response),
        room=room,
        all_count=True,
        habits=tuple(response.count(x) / len(response) for x in columns),
        answers=sum(map(len, answers.values())),
        unread=sum(policy.count(None) for policy in answers.values()),
    )


@lru_cache(maxsize=256)
def _shares(bounds: Bounds, room: LiteralRoom, all_count: bool) -> tuple[PartnerShares, ...]:
    """The weights of the partners. Those without room count in L never, and in the unused share with ``all_count``."""
    return tuple(
        PartnerShares(
            name=partner.name,
            literal=weight,
            unused=partner.weight if all_count else weight,
            functional=partner.weight,
            slope=room.slope(place) if weight else 0.0,
        )
        for place, (partner, weight) in enumerate(zip(bounds.population, room.weights, strict=True))
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
        planned = planned_rounds(record)
        if planned is None:
            return None
        rounds, earned = planned, min(payoffs) * planned
    winnable = bounds.best - bounds.blind
    if winnable < LEAST_TO_WIN * (max(payoffs) - min(payoffs)) * rounds:
        return None
    return (earned - bounds.blind) / winnable


def _prejudice(record: Record, read: ReadEpisode, place: int) -> dict[str, float]:
    """L of always naming one label, and of always naming one place in the list of options."""
    labelling = shown_labels(record)
    if labelling is None:
        return {}
    labels = labelling.names[1]
    order = [option for option in labelling.order if option < len(labels)]
    habits = {f"Option {label}": i for i, label in enumerate(labels)}
    habits |= {f"place {n + 1} in the list": option for n, option in enumerate(order)}
    return {habit: read.room.rescale(place, read.habits[option]) for habit, option in habits.items()}
