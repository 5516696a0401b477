"""Exact values of rounds by enumeration: each choice against each type of partner, and what is possible without looking.

A *hypothesis* is a type of partner with a secret. A belief has a weight for each hypothesis, types in rows and secrets in
columns. The tree of a round is enumerated: ego takes its best choice, the partner replies as its type does, or with the
probability of a slip takes any choice.

*Informed* knows the type. *Blind* never learns it: in each round it takes the best plan, and gives the best answers, for the
population alone. It uses what happens within the round and nothing of other rounds. No policy that ignores who the partner is has
larger expected values over the population."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache, cached_property
from itertools import combinations
from random import Random

import numpy as np
from msgspec import Struct

from otherminds.wordgames.game import EGO, TABLE, Board, Moves, Numbers, Values, WordGame
from otherminds.wordgames.lexicon import Lexicon
from otherminds.wordgames.partners import list_members, make_listener

TIE = 1e-9
"""Values that differ by less are equal."""
DECK = 72
"""The boards that the rounds of a scenario are drawn from, so that expected values over boards are exact too."""
TRIES = 20
"""Draws of words for each board of the deck, of which one is taken."""
MOST_KEPT = 16
"""The most secrets with which what is left of a round is kept in memory."""
LEAST_SLIP = 1e-6
"""Where partners never slip, an observer still gives slips this probability."""


class RoundTree:
    """All ways in which a round with these words can go. ``secrets`` are the possible ones."""

    def __init__(self, tables: GameTables, words: tuple[int, ...], secrets: Sequence[int]) -> None:
        self._tables, self._game, self._words = tables, tables.game, words
        self.secrets: Numbers = np.array(secrets, np.int64)
        # What depends on the moves alone is computed once, and kept as long as the tree is.
        self.list_truths = cache(self._list_truths)
        self._list_replies = cache(self._compute_replies)
        self._stack_returns = cache(self._compute_choices)
        kept = len(self.secrets) <= MOST_KEPT
        self._find_returns = cache(self._compute_returns) if kept else self._pay_at_the_end

    def spread(self, weights: Sequence[float] | Values) -> Values:
        """The belief with these weights of types, and all secrets equally likely."""
        return np.repeat(np.array(weights)[:, None] / len(self.secrets), len(self.secrets), axis=1)

    def follow(self, moves: Moves, belief: Values) -> Values:
        """The belief after ``moves`` of a round, times their probability."""
        for mover, choice, before in self._game.unfold(moves):
            if mover != EGO:
                belief = belief * self._weigh_reply(before, choice)
        return belief

    def play(self, moves: Moves, belief: Values) -> Values:
        """What the best plan for ``belief`` earns after ``moves``, for each hypothesis, times its weight."""
        fixed = self._find_returns(moves)
        if fixed is not None:
            return belief * fixed
        choices = self._game.choices(moves)
        if self._game.mover(moves) == EGO:
            earned = self._play_choices(moves, belief)
            sums = earned.sum(axis=(1, 2))
            best = earned[sums > sums.max() - TIE]
            return best.sum(axis=0) / len(best)
        parts = [(choice, belief * self._weigh_reply(moves, choice)) for choice in choices]
        return np.sum(
            [self.play(self._go_on(moves, choice), part) for choice, part in parts if part.any()], axis=0
        )

    def _play_choices(self, moves: Moves, belief: Values) -> Values:
        """What each choice of ego earns with the best plan after it, for each hypothesis, times its weight."""
        rest = self._game.plan_rest(self.secrets, moves, belief.sum(axis=0))
        if rest is not None:
            return (belief * rest)[None, :, :]
        stacked = self._stack_returns(moves)
        if stacked is not None:
            return belief * stacked
        return np.array(
            [self.play(self._go_on(moves, choice), belief) for choice in self._game.choices(moves)]
        )

    def _go_on(self, moves: Moves, choice: int) -> Moves:
        """``moves`` with one more, and with what the table then shows where only one secret is possible."""
        ahead = (*moves, choice)
        return ahead if len(self.secrets) > 1 else self._game.complete(int(self.secrets[0]), ahead)

    def _compute_choices(self, moves: Moves) -> Values | None:
        """The expected points of each of ego's choices for each hypothesis, where it is ego's last; else ``None``."""
        returns = [self._find_returns(self._go_on(moves, choice)) for choice in self._game.choices(moves)]
        shape = len(self._tables.listeners), len(self.secrets)
        fixed = [np.broadcast_to(values, shape) for values in returns if values is not None]
        return np.array(fixed) if len(fixed) == len(returns) else None

    def _pay_at_the_end(self, moves: Moves) -> Values | None:
        """The points of each secret where the round is over; else ``None``."""
        return None if self._game.mover(moves) else self._game.payoffs(self.secrets, moves)[None, :]

    def _compute_returns(self, moves: Moves) -> Values | None:
        """The expected points after ``moves`` for each hypothesis, where nothing is left to ego; else ``None``."""
        if self._game.mover(moves) in (None, EGO):
            return self._pay_at_the_end(moves)
        total: Values | None = None
        for choice in self._game.choices(moves):
            after = self._find_returns(self._go_on(moves, choice))
            if after is None:
                return None
            part = self._weigh_reply(moves, choice) * after
            total = part if total is None else total + part
        return total

    def weigh_choices(self, moves: Moves, belief: Values) -> dict[int, float]:
        """The expected points of each of ego's choices after ``moves``; ``belief`` is that at the start of the round."""
        belief = self.follow(moves, belief)
        if self._game.plan_rest(self.secrets, moves, belief.sum(axis=0)) is not None:
            belief = belief.sum(
                axis=0, keepdims=True
            )  # the partner moves no more, so that its type makes no difference
        choices, total = self._game.choices(moves), float(belief.sum())
        stacked = self._stack_returns(moves) if len(self.secrets) <= MOST_KEPT else None
        if stacked is not None:
            return dict(zip(choices, ((belief * stacked).sum(axis=(1, 2)) / total).tolist(), strict=True))
        return {
            choice: float(self.play(self._go_on(moves, choice), belief).sum()) / total for choice in choices
        }

    def weigh_moves(self, moves: Moves, belief: Values) -> Iterator[tuple[Moves, int, dict[int, float]]]:
        """Each choice of ego among ``moves``: the moves before it, what it is, and what all choices were worth."""
        for mover, choice, before in self._game.unfold(moves):
            if mover == EGO:
                yield before, choice, self.weigh_choices(before, belief)

    def list_best(self, moves: Moves, belief: Values) -> tuple[int, ...]:
        """Ego's best choices."""
        worths = self.weigh_choices(moves, belief)
        return tuple(choice for choice, worth in worths.items() if worth > max(worths.values()) - TIE)

    def weigh_answers(self, moves: Moves, belief: Values) -> list[Values]:
        """The probability of each answer, for each question that is put after ``moves``."""
        weights = self.follow(moves, belief).sum(axis=1)
        return [
            np.bincount(column, weights, self._game.answers) / weights.sum()
            for column in np.array(self.list_truths(moves)).T
        ]

    def _list_truths(self, moves: Moves) -> list[tuple[int, ...]]:
        """The true answers for each type."""
        return [
            self._game.describe_partner(listener, self._words, moves) for listener in self._tables.listeners
        ]

    def guess_blindly(self, moves: Moves) -> Values:
        """The share of right answers of the best blind ones, for each type; ties are averaged."""
        right = np.zeros(len(self._tables.listeners))
        chances = self.weigh_answers(moves, self.spread(self._tables.weights))
        truths = np.array(self.list_truths(moves)).T
        for column, chance in zip(truths, chances, strict=True):
            best = chance > chance.max() - TIE
            right += best[column] / best.sum()
        return right / len(chances)

    def _weigh_reply(self, moves: Moves, choice: int) -> Values:
        """The probability of a move of the partner or the table, for each hypothesis."""
        if self._game.mover(moves) == TABLE:
            return np.asarray(self._game.reveal(self.secrets, moves) == choice, float)
        slip = max(self._tables.slip, LEAST_SLIP)
        return (1 - slip) * (self._list_replies(moves) == choice) + slip / len(self._game.choices(moves))

    def _compute_replies(self, moves: Moves) -> Numbers:
        """What each type replies for each secret, without slips."""
        listeners = self._tables.listeners
        return np.array(
            [self._game.reply(listener, self._words, self.secrets, moves) for listener in listeners]
        )


class RoundValues(Struct, frozen=True, eq=False):
    """The values of a round: ``informed`` and ``blind`` are expected points; ``answers`` is the share of right blind answers.

    Of one board, points have a row for each type and a column for each secret. Means over the deck have an entry for each type,
    as ``answers`` always have.
    """

    informed: Values
    blind: Values
    answers: Values


class GameTables:
    """The values of a game with a population.

    ``listeners``, ``weights`` and ``names`` (as in records) are those of the ``members``; ``groups`` their associations.
    """

    def __init__(self, game: WordGame, lexicon: Lexicon, population: str, slip: float) -> None:
        self.game, self.lexicon, self.slip = game, lexicon, slip
        self.members = list_members(population, curves=game.calibrated)
        self.listeners = tuple(make_listener(lexicon, spec) for _, spec in self.members)
        self.names = tuple(listener.name for listener in self.listeners)
        self.groups = tuple(listener.association for listener in self.listeners)
        self.weights: Values = np.array([float(weight) for weight, _ in self.members])
        self.tree, self.evaluate = cache(self._plant_tree), cache(self._evaluate)

    def _plant_tree(self, board: Board) -> RoundTree:
        """The tree of a round as ego sees it, or, where ``board`` has the secret, as it is known afterwards."""
        secrets = range(self.game.secrets) if board.secret < 0 else (board.secret,)
        return RoundTree(self, board.words, secrets)

    def hide_secret(self, board: Board) -> Board:
        """The board as ego sees it at the start of a round."""
        return board if self.game.gives else Board(board.words, -1)

    def draw(self, rng: Random, rounds: int) -> tuple[Board, ...]:
        """The boards of an episode: from the deck without repetition, each with its secret."""
        secrets = self.game.secrets
        return tuple(
            board if board.secret >= 0 else Board(board.words, rng.randrange(secrets))
            for board in rng.sample(self.deck, rounds)
        )

    @cached_property
    def deck(self) -> tuple[Board, ...]:
        """The boards that episodes are drawn from, as ego sees them.

        Of :data:`TRIES` random ones it is the board on which associations differ most in what is asked about them. The choice
        looks at words alone, so that it tells nothing of a secret that ego does not see.
        """
        rng = Random(f"{self.game.name} {len(self.lexicon.words)}")
        boards: list[Board] = []
        for _ in range(DECK):
            draws = [self.game.draw_words(self.lexicon, rng) for _ in range(TRIES)]
            words = max(draws, key=self.measure_disagreement)
            secret = self.game.draw_secret(self._list_answers(words), rng) if self.game.gives else -1
            boards.append(Board(words, secret))
        return tuple(boards)

    def measure_disagreement(self, words: tuple[int, ...]) -> float:
        """How far the answers of two associations are apart, on average over all pairs of associations and all questions."""
        answers = self._list_answers(words)
        apart = [
            self.game.compare_answers(np.array(one), np.array(other))
            for one, other in combinations(answers, 2)
        ]
        return sum(apart) / len(apart)

    def _list_answers(self, words: tuple[int, ...]) -> list[list[int]]:
        """The true answers to all questions, for one partner of each association."""
        first = [self.groups.index(group) for group in dict.fromkeys(self.groups)]
        return [
            [
                answer
                for moves in self.list_openings()
                for answer in self.game.describe_partner(self.listeners[i], words, moves)
            ]
            for i in first
        ]

    def list_openings(self) -> list[Moves]:
        """The moves after which ego is asked: none where it gives clues, else each first move of the partner."""
        if self.game.mover(()) == EGO:
            return [()]
        return [(choice,) for choice in self.game.choices(())]

    @cached_property
    def ends(self) -> RoundValues:
        """The mean values of a round over the deck."""
        values = [self.evaluate(board) for board in self.deck]
        return RoundValues(
            informed=np.mean([value.informed.mean(axis=1) for value in values], axis=0),
            blind=np.mean([value.blind.mean(axis=1) for value in values], axis=0),
            answers=np.mean([value.answers for value in values], axis=0),
        )

    def _evaluate(self, board: Board) -> RoundValues:
        """The values of a round with ``board`` as ego sees it."""
        tree = self.tree(board)
        count = len(self.listeners)
        informed = np.array(
            [tree.play((), tree.spread(np.eye(count)[i]))[i] * len(tree.secrets) for i in range(count)]
        )
        prior = tree.spread(self.weights)
        answers = np.zeros(count)
        for moves in self.list_openings():
            chances = tree.follow(moves, prior).sum(axis=1) / self.weights
            if chances.any():
                answers += chances * tree.guess_blindly(moves)
        return RoundValues(informed, tree.play((), prior) / prior, answers)


class PartnerModels:
    """The posterior over types, from what a partner did in finished rounds; it starts with the ``prior``."""

    def __init__(self, tables: GameTables, prior: Sequence[float] | Values) -> None:
        self._tables = tables
        self.weights: Values = np.array(prior)

    def learn(self, board: Board, moves: Moves) -> None:
        """Takes a finished round into account, of which ``board`` now has the secret."""
        tree = self._tables.tree(board)
        weights = tree.follow(moves, tree.spread(self.weights)).sum(axis=1)
        self.weights = weights / weights.sum()
