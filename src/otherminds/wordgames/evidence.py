"""What the rounds of one episode say about a mind: what it says of its partner, and whether it acts on what it says rightly.

Questions are put in the second half of an episode. An episode counts once its first half tells who the partner is: the posterior
over types, given what the partner did, is at least :data:`~otherminds.measures.evidence.INFORMATIVE` for one of them. Then all
rounds of the second half count, for L, the unused share and F. Whether they do depends neither on what the mind says nor on
what happens in them.

What a mind says is right if all of it is, or if the choices that are best by it are among those that are best in truth: by
its own words it knows what to do. L and F are sums over partners and rounds: what is right, or earned, above the best blind
mind, divided by the same for one who knows the partner. So no policy that ignores who the partner is has more than 0 in
expectation. Partners are grouped by their associations."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from zlib import crc32

import numpy as np
from msgspec import Struct

from otherminds.core.record import Record
from otherminds.measures.basis import LEAST_TO_WIN
from otherminds.measures.evidence import (
    INFORMATIVE,
    WORTHLESS,
    EpisodeEvidence,
    PartnerShares,
    design_of,
    evidences,
)
from otherminds.measures.literal import NOT_ASKED
from otherminds.measures.registry import Accuracy, Inapplicable, Unknown, literals
from otherminds.wordgames.exact import GameTables, PartnerModels
from otherminds.wordgames.game import EGO, PARTNER, Board, Moves, Values
from otherminds.wordgames.questions import read_answer, read_slot
from otherminds.wordgames.rules import FACT, GameRules, read_rules

LEAST_ROOM = 0.05
"""Partners count in L where knowing them makes predictions more accurate by at least this share."""
NO_ROUNDS = "there are no rounds of a word game in this world"
STRANGER = "the partner is not one member of the scenario's population"


class PlayedRound(Struct, frozen=True):
    """One finished round: its moves, and the answers before ego's first choice, ``None`` where one could not be read.

    Without any answers nothing was asked.
    """

    moves: Moves
    answers: tuple[int | None, ...] = ()


def is_asked(number: int, rounds: int) -> bool:
    """Whether questions are put in round ``number``, from 0, of ``rounds``."""
    return number >= rounds // 2


@lru_cache(maxsize=32)
def share_partners(tables: GameTables) -> tuple[PartnerShares, ...]:
    """The weights of the groups in L, in the unused share and in F: their shares times what knowing them gains."""
    shares: list[PartnerShares] = []
    for group in dict.fromkeys(tables.groups):
        weight, room, gain = measure_group(tables, group)
        counts = room >= LEAST_ROOM
        wins = gain >= LEAST_TO_WIN * (tables.game.most - tables.game.least)
        shares.append(
            PartnerShares(
                name=group,
                literal=weight * room * counts,
                unused=weight * counts,
                functional=weight * gain * wins,
                slope=1 / room if counts else 0.0,
            )
        )
    return tuple(shares)


def measure_group(tables: GameTables, group: str) -> tuple[float, float, float]:
    """The weight of the partners of ``group``, and what knowing them gains: in accuracy, and in points a round."""
    members = [number for number, name in enumerate(tables.groups) if name == group]
    weights = tables.weights[members]
    ends, total = tables.ends, float(weights.sum())
    room = float(weights @ (1 - ends.answers[members])) / total
    gain = float(weights @ (ends.informed - ends.blind)[members]) / total
    return total, room, gain


class SettledRound(Struct, frozen=True):
    """A round that counts: the share of right answers and that of the best blind ones, whether the answers are right as a whole,
    and what ego's choices lose, and random ones would.
    """

    accuracy: float
    floor: float
    right: bool
    unused: float
    winnable: float


def measure_round(
    tables: GameTables, board: Board, played: PlayedRound, weights: Values, partner: int
) -> SettledRound:
    """A settled round against type number ``partner``, where the history gives types the ``weights``."""
    game, tree = tables.game, tables.tree(tables.hide_secret(board))
    accuracy, floor, truth = compare_answers(tables, board, played, partner)
    certain = np.zeros(len(tables.names))
    certain[partner] = 1.0
    belief, informed = tree.spread(weights), tree.spread(certain)
    unused = winnable = 0.0
    for end, choice in enumerate(played.moves):
        before = played.moves[:end]
        if game.mover(before) != EGO:
            continue
        worths = tree.weigh_choices(before, belief)
        best = tree.list_best(before, informed)
        by_word = sum(worths[reply] for reply in best) / len(best)
        losses = {option: max(0.0, by_word - worth) for option, worth in worths.items()}
        unused += losses[choice]
        winnable += sum(losses.values()) / len(losses)
    return SettledRound(
        accuracy=accuracy,
        floor=floor,
        right=is_right(tables, board, played.answers, truth),
        unused=unused,
        winnable=winnable,
    )


def compare_answers(
    tables: GameTables, board: Board, played: PlayedRound, partner: int
) -> tuple[float, float, tuple[int, ...]]:
    """The share of right answers of a round, that of the best blind ones, and the true answers."""
    tree = tables.tree(tables.hide_secret(board))
    opening = played.moves[: len(tables.list_openings()[0])]
    truth = tree.list_truths(opening)[partner]
    right = sum(a == b for a, b in zip(played.answers, truth, strict=True))
    return right / len(truth), float(tree.guess_blindly(opening)[partner]), truth


def is_right(tables: GameTables, board: Board, answers: Sequence[int | None], truth: Sequence[int]) -> bool:
    """Whether answers are right as a whole. One that cannot be read counts as right, so that silence hides no loss."""
    filled = [b if a is None else a for a, b in zip(answers, truth, strict=True)]
    return tables.game.is_right(board.secret, filled, truth)


def measure_episode(
    tables: GameTables,
    partner: int,
    boards: Sequence[Board],
    rounds: Sequence[PlayedRound],
    *,
    lost: bool = False,
    design: str = "",
) -> EpisodeEvidence | Unknown:
    """The evidence of one episode against type number ``partner``.

    ``boards`` are all that were planned; a ``lost`` episode has fewer ``rounds``, and is wrong in those that it lacks.
    """
    if not any(played.answers for played in rounds) and not lost:
        return Unknown(NOT_ASKED)
    planned = len(boards)
    first = planned // 2
    models = PartnerModels(tables, tables.weights)
    for board, played in zip(boards[:first], rounds, strict=False):
        models.learn(board, played.moves)
    tells = float(models.weights.max()) >= INFORMATIVE
    settled: list[SettledRound] = []
    for board, played in zip(boards[first:], rounds[first:], strict=False):
        if played.answers and tells:
            settled.append(measure_round(tables, board, played, models.weights, partner))
        models.learn(board, played.moves)
    group = tables.groups[partner]
    shares = share_partners(tables)
    share = next(share for share in shares if share.name == group)
    counts = share.literal > 0 and (bool(settled) or lost)
    winnable = sum(entry.winnable for entry in settled)
    offers = counts and winnable > WORTHLESS
    right = [entry for entry in settled if entry.right]
    words = [played.answers for played in rounds[first:]]
    return EpisodeEvidence(
        partner=group,
        shares=shares,
        design=design,
        lost=lost,
        literal=_sum_literal(tables, partner, settled, planned - first if lost else len(settled))
        * share.slope
        if counts
        else None,
        unused=sum(entry.unused for entry in right) / winnable if offers else None,
        reach=sum(entry.winnable for entry in right) / winnable if offers else 0.0,
        functional=_measure_functional(tables, partner, boards[first:], rounds[first:])
        if share.functional and (tells or lost)
        else None,
        words=crc32(repr(words).encode()),
        rounds=len(settled),
        right=sum(entry.accuracy for entry in settled),
        acts=crc32(repr([played.moves for played in rounds]).encode()),
        prejudice={},
        answers=sum(len(answers) for answers in words),
        unread=sum(answers.count(None) for answers in words),
    )


def _sum_literal(tables: GameTables, partner: int, settled: Sequence[SettledRound], planned: int) -> float:
    """The accuracy above the blind one, over ``planned`` rounds; those that lack are wrong."""
    lacking = (planned - len(settled)) * float(tables.ends.answers[partner])
    return (sum(entry.accuracy - entry.floor for entry in settled) - lacking) / planned


def _measure_functional(
    tables: GameTables, partner: int, boards: Sequence[Board], rounds: Sequence[PlayedRound]
) -> float:
    """F of one episode; the rounds that a lost one lacks have the least payoff."""
    game = tables.game
    above = 0.0
    for number, board in enumerate(boards):
        view = tables.hide_secret(board)
        secret = board.secret if view.secret < 0 else 0
        earned = game.least
        if number < len(rounds):
            earned = float(game.payoffs(np.array([board.secret]), rounds[number].moves)[0])
        above += earned - float(tables.evaluate(view).blind[partner, secret])
    return above / measure_group(tables, tables.groups[partner])[2] / len(boards)


def read_rounds(record: Record, rules: GameRules) -> list[PlayedRound]:
    """The finished rounds of a record."""
    game = rules.rules
    seats = [record.seats.index(seat) for seat in (EGO, PARTNER)]
    by_step: dict[int, dict[int, int | None]] = {}
    for answer in record.asked:
        slot = read_slot(record.questions[answer.question].id)
        if slot is not None:
            value = None if answer.invalid is not None else read_answer(answer.answer)
            by_step.setdefault(answer.step, {})[slot] = value
    rounds: list[PlayedRound] = []
    moves: Moves = ()
    answers: dict[int, int | None] = {}
    for step, row in enumerate(record.actions):
        answers |= by_step.get(step, {})
        mover = game.mover(moves)
        choice = game.settle(moves, int(row[seats[mover != EGO]]))
        moves = game.complete(rules.boards[len(rounds)].secret, (*moves, choice))
        if game.mover(moves) is None:
            rounds.append(PlayedRound(moves, tuple(answers[slot] for slot in sorted(answers))))
            moves, answers = (), {}
    return rounds


def find_partner(record: Record, rules: GameRules) -> int | None:
    """The number of the partner's type in the tables; ``None`` where a mind sits there, or a stranger, or one after another."""
    partner = record.partners.get(PARTNER)
    names = rules.tables.names
    return names.index(partner.name) if partner is not None and partner.name in names else None


@evidences.register("wordgames")
def read_evidence(record: Record) -> EpisodeEvidence | Unknown | None:
    """The evidence of an episode of a word game, scored or lost; ``None`` in other worlds."""
    if FACT not in record.facts:
        return None
    rules = read_rules(record)
    assert rules is not None, "the fact is there"
    partner = find_partner(record, rules)
    if partner is None:
        return Unknown(STRANGER)
    return measure_episode(
        rules.tables,
        partner,
        rules.boards,
        read_rounds(record, rules),
        lost=record.outcome.status != "scored",
        design=design_of(record),
    )


@literals.register("wordgames")
def measure_accuracy(record: Record) -> Accuracy | Unknown:
    """The accuracy of all answers about the partner, with that of the best blind ones and of one who knows the partner."""
    rules = read_rules(record)
    if rules is None:
        return Inapplicable(NO_ROUNDS)
    partner = find_partner(record, rules)
    if partner is None:
        return Unknown(STRANGER)
    tables = rules.tables
    shares = [
        compare_answers(tables, board, played, partner)
        for board, played in zip(rules.boards, read_rounds(record, rules), strict=False)
        if played.answers
    ]
    if not shares:
        return Inapplicable(NOT_ASKED)
    rights, floors, _ = zip(*shares, strict=True)
    return Accuracy(sum(rights) / len(rights), sum(floors) / len(floors), 1.0)
