"""What one episode says about whether a mind knows its partner, and whether it acts on its right predictions.

Both questions are put to the informative rounds of the settled half: rounds in the second half of an episode at which,
from the history alone, the posterior under the population gives one behaviour at least 90 %, after at least two
encounters. Exploring early is no fault, and the choice of rounds does not depend on what the mind says.

In games with a dominant action the informative rounds come from policy questions. A policy question asks what the partner
will do in the next round if the mind chooses a given behaviour in this one. Its answers are scored against the partner's
known policy, also for the behaviour that the mind does not choose. The best plan against the right answers takes the place
of the best stage reply to a right prediction."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import TypeAlias
from zlib import crc32

from msgspec import Struct

from otherminds.core.data import Game
from otherminds.core.encoding import digest
from otherminds.core.errors import WorldError
from otherminds.core.record import Asked, Bounds, Record
from otherminds.core.registry import Registry
from otherminds.games.belief import Belief, Valuation, best_replies, dominant, valuation
from otherminds.games.blind import (
    LiteralRoom,
    Response,
    literal_room,
    planned_actions,
    policy_room,
    response_of,
)
from otherminds.measures.basis import LEAST_TO_WIN, STRANGE, TOLERATED
from otherminds.measures.decisions import decision_functional
from otherminds.measures.literal import NOT_ASKED, Matchup, Round, member, rounds_played, setting
from otherminds.measures.registry import Inapplicable, Unknown, by_rounds, ego, planned_rounds, shown_labels

INFORMATIVE = 0.9
"""A round is informative where the posterior gives one behaviour at least this probability."""
SEEN = 2
"""The encounters that come before an informative round."""


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


def settled_rounds(
    matchup: Matchup, valued: Valuation, rounds: list[Round], length: int
) -> list[SettledRound] | Unknown:
    """The informative rounds of the settled half in which there was a prediction."""
    replies, belief, state = best_replies(matchup.game), valued.start, matchup.met.start
    settled: list[SettledRound] = []
    strange = 0
    for t, played in enumerate(rounds):
        if t >= max(length // 2, SEEN) and played.asked and max(valued.chances(belief)) >= INFORMATIVE:
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


def policy_answers(record: Record) -> dict[int, tuple[int | None, ...]]:
    """The stated policies by step: for each own behaviour the partner's in the round after, ``None`` if unread."""
    assert record.game is not None, "the caller has checked it"
    own, others = record.game.behaviours
    supposed = {
        i: own.index(question.supposed) for i, question in enumerate(record.questions) if question.supposed
    }
    answers: dict[int, dict[int, Asked]] = {}
    for answer in record.asked:
        if answer.question in supposed:
            answers.setdefault(answer.step, {})[supposed[answer.question]] = answer
    return {
        step: tuple(_answer(stated.get(a), others) for a in range(len(own)))
        for step, stated in answers.items()
    }


def policy_rounds(
    record: Record, matchup: Matchup, valued: Valuation, rounds: list[Round], response: Response
) -> list[SettledRound]:
    """The informative rounds in which policy questions were asked, with the partner's true ``response``."""
    answers = policy_answers(record)
    settled: list[SettledRound] = []
    belief = valued.start
    for t, played in enumerate(rounds):
        policy = answers.get(t)
        if policy is not None and t >= SEEN and _is_informative(valued, belief):
            worths = valued.worths(t, belief)
            plan = planned_actions(matchup.game, played.other, response, valued.rounds - t)
            by_plan = sum(worths[a] for a in plan) / len(plan)
            losses = [max(0.0, by_plan - worth) for worth in worths]
            settled.append(
                SettledRound(
                    said=_number(policy, matchup.game),
                    shown=played.other,
                    accuracy=sum(a == b for a, b in zip(policy, response, strict=True)) / len(response),
                    correct=policy == response and (not played.asked or played.said == played.other),
                    unused=losses[played.own],
                    winnable=sum(losses) / len(losses),
                )
            )
        belief = valued.after(belief, played.own, played.other) or belief
    return settled


def _answer(answer: Asked | None, others: tuple[str, ...]) -> int | None:
    return others.index(answer.answer) if answer is not None and answer.invalid is None else None


def _number(policy: tuple[int | None, ...], game: Game) -> int:
    """One number for a stated policy, to tell policies apart."""
    number = 0
    for answer in policy:
        number = number * (len(game.behaviours[1]) + 1) + (0 if answer is None else answer + 1)
    return number


def _is_informative(valued: Valuation, belief: Belief) -> bool:
    """Whether the posterior gives one way of answering at least the probability of an informative round."""
    mass: dict[Response | None, float] = {}
    for i, weight, _ in belief:
        response = response_of(valued.hypotheses[i].automaton)
        mass[response] = mass.get(response, 0.0) + weight
    return max(mass.values()) >= INFORMATIVE


NO_CHOICE = "one action is best whatever the partner does, so that no prediction of one move can matter"
ASK_POLICIES = "ask policy questions (policy_questions = true)"
"""What helps in matrix games. Scenarios whose encounters take several steps have no such option."""
LONGER_MEMORY = (
    "policy questions are scored against partners that answer the own last behaviour alone, "
    "and one here remembers more or plays at random"
)
NOTHING_TO_KNOW = "a plan that is fixed in advance predicts these partners as well as one who knows them"
WORTHLESS = 1e-9
"""What can be won below this is nothing."""


class NoChoice(Inapplicable, frozen=True, tag="no choice"):
    """Evidence that an episode cannot give because one action is best in it whatever the partner does."""


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


EvidenceReader: TypeAlias = Callable[[Record], EpisodeEvidence | Unknown | None]
"""The evidence of one episode, scored or lost; ``None`` in worlds that it does not read."""
evidences: Registry[EvidenceReader] = Registry("evidence", plural="evidences")
"""Readers of worlds without a stage game of two automata."""


def episode_evidence(record: Record) -> EpisodeEvidence | Unknown:
    """The evidence of one episode, scored or lost: by the reader of its world, else that of its stage game."""
    for name in evidences:
        evidence = evidences.get(name)(record)
        if evidence is not None:
            return evidence
    return game_evidence(record)


def game_evidence(record: Record) -> EpisodeEvidence | Unknown:
    """The evidence of one episode of a stage game with a partner that is an automaton, scored or lost.

    In a game with a dominant action it comes from policy questions (:mod:`otherminds.measures.evidence`). Unknown,
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
        design=design_of(record),
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
        return NoChoice(f"{NO_CHOICE}; {ASK_POLICIES}" if by_rounds(record) else NO_CHOICE)
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


def design_of(record: Record) -> str:
    """What was drawn or balanced at the start; the seed where nothing was, and the world itself differs by it."""
    return digest(record.drawn)[:16] if record.drawn else str(record.spec.seed)


def _functional(record: Record) -> float | None:
    """F of one episode; of a lost one, with the least payoff in every round.

    Where avatars bring encounters about it is F of decisions, which is not defined for a lost episode.
    """
    bounds, game = record.bounds, record.game
    if bounds is None or game is None:
        return None
    if bounds.best is None or bounds.blind is None:
        decided = decision_functional(record) if record.outcome.status == "scored" else None
        return decided[0] / decided[1] if isinstance(decided, tuple) else None
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
