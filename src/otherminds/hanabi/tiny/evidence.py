"""What the games of one episode say about a mind: which card it thinks the speaker has, and whether it acts on that.

Which episodes and games count: :mod:`otherminds.measures.known_types`. The floor is that of
one who never learns the convention: half of its answers are right, and it takes both cards for equally likely. All conventions have
equal weights, and each action means each card equally often, so that no answer and no plan that ignores earlier
games is above the floor on average. In F the room between floor and ceiling is therefore the mean one of all
speakers. The unused share leaves out games in which who never learns the convention chooses as well as who knows it: there
the same choice is no use of what is known."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from otherminds.core.record import Record
from otherminds.hanabi.scenarios import NO_VERDICT
from otherminds.hanabi.tiny.game import (
    CARDS,
    PAYOFFS,
    SPEAKERS,
    Deal,
    Posterior,
    find_ends,
    list_best,
    list_blind,
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
    EpisodeEvidence,
    PartnerShares,
    evidences,
)
from otherminds.measures.known_types import (
    Answers,
    WeighedRound,
    average_accuracy,
    identify_partner,
    sum_rounds,
)
from otherminds.measures.registry import Accuracy, Inapplicable, Unknown, literals

ROOM = sum(ends.informed - ends.floor for ends in map(find_ends, SPEAKERS.values())) / len(SPEAKERS)
"""The mean payoff that knowing the convention is worth in a game."""
WEIGHT = 1 / len(SPEAKERS)
SHARES = tuple(PartnerShares(name, WEIGHT, WEIGHT, WEIGHT, slope=2.0) for name in SPEAKERS)


class Decision(NamedTuple):
    """A finished game: the answer (``None`` if unread), whether it was asked for, the signal, and the own action."""

    word: int | None
    is_asked: bool
    signal: int
    action: int

    @property
    def answers(self) -> Answers:
        """What was answered; empty where that was not asked."""
        return (self.word,) if self.is_asked else ()


def measure_games(
    speaker: str,
    deals: Sequence[Deal],
    decisions: Sequence[Decision],
    *,
    lost: bool = False,
    design: str = "",
) -> EpisodeEvidence | Unknown:
    """The evidence of one episode; ``deals`` are all that were planned, and a ``lost`` one is wrong in those that it lacks."""
    first, posterior = max(len(deals) // 2, SEEN), Posterior()
    for deal, decision in zip(deals[:first], decisions, strict=False):
        posterior.learn(deal.theirs, decision.signal)
    # A game that a lost episode lacks pays nothing above the floor's worst.
    missing = [WeighedRound(0.5, -ROOM)] * (len(deals) - max(len(decisions), first))
    played = list(zip(deals, decisions, strict=False))[first:]
    return sum_rounds(
        [*(weigh_game(deal, decision, posterior) for deal, decision in played), *missing],
        SHARES,
        speaker,
        tells=max(posterior.weights) >= INFORMATIVE,
        gain=ROOM,
        answers=[decision.answers for decision in decisions],
        acts=[decision.action for decision in decisions],
        lost=lost,
        design=design,
    )


def weigh_game(deal: Deal, decision: Decision, posterior: Posterior) -> WeighedRound:
    """A game of the second half, of which the first half tells the ``posterior`` over speakers."""
    worths = list_worths(deal.own, decision.signal, posterior.read(decision.signal))
    pays = PAYOFFS[deal.theirs][deal.own][decision.signal]
    replies = list_best(pays)
    by_word = sum(worths[reply] for reply in replies) / len(replies)
    losses = [max(0.0, by_word - worth) for worth in worths]
    if not any(losses[action] for action in list_blind(deal.own, decision.signal)):
        # Who never learns the convention chooses as well, so that no choice shows that it is used.
        losses = [0.0] * len(losses)
    return WeighedRound(
        floor=0.5,
        above=pays[decision.action] - pay_blindly(deal, decision.signal),
        answers=decision.answers,
        accuracy=float(decision.word == deal.theirs),
        right=decision.word in (None, deal.theirs),
        loss=losses[decision.action],
        random_loss=sum(losses) / len(losses),
    )


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
        return Unknown((record.bounds and record.bounds.reason) or NO_VERDICT)
    games = read_games(record)
    if games is None:
        return None
    known = identify_partner(record, SPEAKER, [*SPEAKERS])
    if isinstance(known, Unknown):
        return known
    return measure_games([*SPEAKERS][known.partner], *games, lost=known.lost, design=known.design)


@literals.register("tiny_hanabi")
def measure_accuracy(record: Record) -> Accuracy | Unknown:
    """The accuracy of all answers of an episode, with that of one who never learns the convention and of one who knows it."""
    games = read_games(record)
    if games is None:
        return Inapplicable("these are no games of tiny Hanabi")
    asked = [(deal, decision) for deal, decision in zip(*games, strict=False) if decision.is_asked]
    return average_accuracy([(float(decision.word == deal.theirs), 0.5) for deal, decision in asked])
