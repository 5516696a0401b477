"""What the games of one episode say about a mind: which card it thinks the speaker has, and whether it acts on that.

An episode counts once its first half tells the convention: the posterior over speakers is at least
:data:`~otherminds.measures.evidence.INFORMATIVE` for one. Then all games of the second half count. The floor is that of
one who never learns the convention: half of its answers are right, and it takes both cards for equally likely. All conventions have
equal weights, and each action means each card equally often, so that no answer and no plan that ignores earlier
games is above the floor on average. In F the room between floor and ceiling is therefore the mean one of all
speakers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple
from zlib import crc32

from otherminds.core.record import Record
from otherminds.hanabi.scenarios import NOT_EXACT
from otherminds.hanabi.tiny.game import (
    CARDS,
    PAYOFFS,
    SPEAKERS,
    Deal,
    Posterior,
    find_ends,
    list_best,
    list_worths,
    pay_blindly,
)
from otherminds.hanabi.tiny.minds import SPEAKER
from otherminds.hanabi.tiny.world import FACT
from otherminds.hanabi.world import EGO
from otherminds.hanabi.world import FACT as FULL
from otherminds.measures.evidence import (
    INFORMATIVE,
    SEEN,
    WORTHLESS,
    EpisodeEvidence,
    PartnerShares,
    design_of,
    evidences,
)
from otherminds.measures.literal import NOT_ASKED
from otherminds.measures.registry import Accuracy, Inapplicable, Unknown, literals

STRANGER = "the speaker is not one of the scenario's population"
ROOM = sum(ends.informed - ends.floor for ends in map(find_ends, SPEAKERS.values())) / len(SPEAKERS)
"""The mean payoff that knowing the convention is worth in a game."""


class Decision(NamedTuple):
    """A finished game: the answer (``None`` if unread), whether it was asked for, the signal, and the own action."""

    word: int | None
    is_asked: bool
    signal: int
    action: int


def measure_games(
    speaker: str,
    deals: Sequence[Deal],
    decisions: Sequence[Decision],
    *,
    lost: bool = False,
    design: str = "",
) -> EpisodeEvidence | Unknown:
    """The evidence of one episode; ``deals`` are all that were planned, and a ``lost`` one is wrong in those that it lacks."""
    if not lost and not any(decision.is_asked for decision in decisions):
        return Unknown(NOT_ASKED)
    first, posterior = max(len(deals) // 2, SEEN), Posterior()
    for deal, decision in zip(deals[:first], decisions, strict=False):
        posterior.learn(deal.theirs, decision.signal)
    is_told = max(posterior.weights) >= INFORMATIVE
    later = list(zip(deals, decisions, strict=False))[first:]
    settled = [(deal, decision) for deal, decision in later if is_told and decision.is_asked]
    unused = reach = winnable = 0.0
    for deal, decision in settled:
        worths = list_worths(deal.own, decision.signal, posterior.read(decision.signal))
        pays = PAYOFFS[deal.theirs][deal.own][decision.signal]
        replies = list_best(pays)
        by_word = sum(worths[reply] for reply in replies) / len(replies)
        losses = [max(0.0, by_word - worth) for worth in worths]
        winnable += sum(losses) / len(losses)
        # An answer that cannot be read counts as right, so that silence hides no loss.
        if decision.word in (None, deal.theirs):
            unused += losses[decision.action]
            reach += sum(losses) / len(losses)
    right = sum(decision.word == deal.theirs for deal, decision in settled)
    counts = bool(settled) or lost
    offers = counts and winnable > WORTHLESS
    weight = 1 / len(SPEAKERS)
    return EpisodeEvidence(
        partner=speaker,
        shares=tuple(PartnerShares(name, weight, weight, weight, slope=2.0) for name in SPEAKERS),
        design=design,
        lost=lost,
        literal=2 * right / (len(deals) - first if lost else len(settled)) - 1 if counts else None,
        unused=unused / winnable if offers else None,
        reach=reach / winnable if offers else 0.0,
        functional=_share_of_room(deals[first:], decisions[first:]),
        words=crc32(repr([decision.word for _, decision in settled]).encode()),
        rounds=len(settled),
        right=right,
        acts=crc32(repr([decision.action for decision in decisions]).encode()),
        prejudice={},
        answers=sum(decision.is_asked for decision in decisions),
        unread=sum(decision.is_asked and decision.word is None for decision in decisions),
    )


def _share_of_room(deals: Sequence[Deal], decisions: Sequence[Decision]) -> float:
    """F of one episode; the games that a lost one lacks pay nothing above the floor's worst."""
    gains = [
        PAYOFFS[deal.theirs][deal.own][decision.signal][decision.action] - pay_blindly(deal, decision.signal)
        for deal, decision in zip(deals, decisions, strict=False)
    ]
    return (sum(gains) - ROOM * (len(deals) - len(decisions))) / ROOM / len(deals)


def read_games(record: Record) -> tuple[list[Deal], list[Decision]] | None:
    """The planned deals and the finished games of a record; ``None`` where it is of another world."""
    if FACT not in record.facts:
        return None
    answers = {one.step: one for one in record.asked}
    ego, speaker = record.seats.index(EGO), record.seats.index(SPEAKER)
    decisions: list[Decision] = []
    for step in range(1, len(record.actions), 2):
        answer = answers.get(step)
        word = None if answer is None or answer.invalid is not None else CARDS.index(str(answer.answer))
        signal, action = record.actions[step - 1][speaker], record.actions[step][ego]
        decisions.append(Decision(word, answer is not None, int(signal), int(action)))
    return [Deal(*deal) for deal in record.facts[FACT]], decisions


@evidences.register("tiny_hanabi")
def read_evidence(record: Record) -> EpisodeEvidence | Unknown | None:
    """The evidence of an episode of tiny Hanabi, scored or lost; of full Hanabi only why there is none; ``None`` in other worlds."""
    if FULL in record.facts:
        return Unknown(NOT_EXACT)
    games = read_games(record)
    if games is None:
        return None
    speaker = record.partners[SPEAKER].name
    if speaker not in SPEAKERS:
        return Unknown(STRANGER)
    return measure_games(speaker, *games, lost=record.outcome.status != "scored", design=design_of(record))


@literals.register("tiny_hanabi")
def measure_accuracy(record: Record) -> Accuracy | Unknown:
    """The accuracy of all answers of an episode, with that of one who never learns the convention and of one who knows it."""
    games = read_games(record)
    if games is None:
        return Inapplicable("these are no games of tiny Hanabi")
    asked = [(deal, decision) for deal, decision in zip(*games, strict=False) if decision.is_asked]
    if not asked:
        return Inapplicable(NOT_ASKED)
    return Accuracy(sum(decision.word == deal.theirs for deal, decision in asked) / len(asked), 0.5, 1.0)
