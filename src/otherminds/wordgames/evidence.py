"""What the rounds of one episode say about a mind: what it says of its partner, and whether it acts on what it says rightly.

Questions are put in the second half of an episode. Which episodes and rounds count: :mod:`otherminds.measures.known_types`.

What a mind says is right if all of it is, or if the choices that are best by it are among those that are best in truth: by
its own words it knows what to do. L and F are sums over partners and rounds: what is right, or earned, above the best blind
mind, divided by the same for one who knows the partner. So no policy that ignores who the partner is has more than 0 in
expectation. Partners are grouped by their associations."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from msgspec import Struct

from otherminds.core.record import Record
from otherminds.measures.evidence import INFORMATIVE, EpisodeEvidence, PartnerShares, evidences
from otherminds.measures.known_types import (
    Answers,
    WeighedRound,
    average_accuracy,
    identify_partner,
    share_type,
    sum_rounds,
)
from otherminds.measures.registry import Accuracy, Inapplicable, Unknown, literals
from otherminds.wordgames.exact import GameTables, PartnerModels
from otherminds.wordgames.game import EGO, PARTNER, Board, Moves, Values
from otherminds.wordgames.questions import read_answer, read_slot
from otherminds.wordgames.rules import GameRules, read_rules

NO_ROUNDS = "there are no rounds of a word game in this world"


class PlayedRound(Struct, frozen=True):
    """One finished round: its moves, and the answers before ego's first choice, ``None`` where one could not be read.

    Without any answers nothing was asked.
    """

    moves: Moves
    answers: Answers = ()


def is_asked(number: int, rounds: int) -> bool:
    """Whether questions are put in round ``number``, from 0, of ``rounds``."""
    return number >= rounds // 2


@lru_cache(maxsize=32)
def share_partners(tables: GameTables) -> tuple[PartnerShares, ...]:
    """The weights of the groups in L, in the unused share and in F."""
    span = tables.game.most - tables.game.least
    return tuple(
        share_type(group, *measure_group(tables, group), span, by_room=True)
        for group in dict.fromkeys(tables.groups)
    )


def measure_group(tables: GameTables, group: str) -> tuple[float, float, float]:
    """The weight of the partners of ``group``, and what knowing them gains: in accuracy, and in points a round."""
    members = [number for number, name in enumerate(tables.groups) if name == group]
    weights = tables.weights[members]
    ends, total = tables.ends, float(weights.sum())
    room = float(weights @ (1 - ends.answers[members])) / total
    gain = float(weights @ (ends.informed - ends.blind)[members]) / total
    return total, room, gain


def weigh_round(
    tables: GameTables,
    board: Board,
    played: PlayedRound | None,
    weights: Values,
    partner: int,
    *,
    tells: bool,
) -> WeighedRound:
    """A round of the second half against type number ``partner``, where the history gives types the ``weights``.

    ``played`` is ``None`` where the episode broke off before its end.
    """
    game, view = tables.game, tables.hide_secret(board)
    earned = game.least if played is None else game.score(board, played.moves)
    secret = board.secret if view.secret < 0 else 0
    above = earned - float(tables.evaluate(view).blind[partner, secret])
    if played is None or not played.answers or not tells:
        return WeighedRound(float(tables.ends.answers[partner]), above)
    accuracy, floor, truth = compare_answers(tables, board, played, partner)
    right = is_right(tables, board, played.answers, truth)
    losses = list_losses(tables, board, played.moves, weights, partner)
    loss = sum(options[choice] for choice, options in losses)
    random_loss = sum(sum(options.values()) / len(options) for _, options in losses)
    return WeighedRound(floor, above, played.answers, accuracy, right, loss, random_loss)


def list_losses(
    tables: GameTables, board: Board, moves: Moves, weights: Values, partner: int
) -> list[tuple[int, dict[int, float]]]:
    """Ego's choices of a round, each with what every option loses, under the ``weights`` of types, against those best for ``partner``."""
    tree = tables.tree(tables.hide_secret(board))
    certain = np.zeros(len(tables.names))
    certain[partner] = 1.0
    belief, informed = tree.spread(weights), tree.spread(certain)
    losses: list[tuple[int, dict[int, float]]] = []
    for before, choice, worths in tree.weigh_moves(moves, belief):
        best = tree.list_best(before, informed)
        by_word = sum(worths[reply] for reply in best) / len(best)
        losses.append((choice, {option: max(0.0, by_word - worth) for option, worth in worths.items()}))
    return losses


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
    first = len(boards) // 2
    models = PartnerModels(tables, tables.weights)
    for board, played in zip(boards[:first], rounds, strict=False):
        models.learn(board, played.moves)
    tells = float(models.weights.max()) >= INFORMATIVE
    weighed: list[WeighedRound] = []
    for number, board in enumerate(boards[first:], first):
        played = rounds[number] if number < len(rounds) else None
        weighed.append(weigh_round(tables, board, played, models.weights, partner, tells=tells))
        if played is not None:
            models.learn(board, played.moves)
    group, shares = tables.groups[partner], share_partners(tables)
    _, _, gain = measure_group(tables, group)
    wins = any(share.functional for share in shares if share.name == group)
    return sum_rounds(
        weighed,
        shares,
        group,
        tells=tells,
        gain=gain if wins and (tells or lost) else None,
        answers=[played.answers for played in rounds],
        acts=[played.moves for played in rounds],
        lost=lost,
        design=design,
    )


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


@evidences.register("wordgames")
def read_evidence(record: Record) -> EpisodeEvidence | Unknown | None:
    """The evidence of an episode of a word game, scored or lost; ``None`` in other worlds."""
    rules = read_rules(record)
    if rules is None:
        return None
    known = identify_partner(record, PARTNER, rules.tables.names)
    if isinstance(known, Unknown):
        return known
    rounds = read_rounds(record, rules)
    return measure_episode(
        rules.tables, known.partner, rules.boards, rounds, lost=known.lost, design=known.design
    )


@literals.register("wordgames")
def measure_accuracy(record: Record) -> Accuracy | Unknown:
    """The accuracy of all answers about the partner, with that of the best blind ones and of one who knows the partner."""
    rules = read_rules(record)
    if rules is None:
        return Inapplicable(NO_ROUNDS)
    known = identify_partner(record, PARTNER, rules.tables.names)
    if isinstance(known, Unknown):
        return known
    rounds = [
        compare_answers(rules.tables, board, played, known.partner)[:2]
        for board, played in zip(rules.boards, read_rounds(record, rules), strict=False)
        if played.answers
    ]
    return average_accuracy(rounds)
