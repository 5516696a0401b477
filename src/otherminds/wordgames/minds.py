"""Minds of known nature for word games: exact reasoners, reasoners of limited use, ignorant ones, and the partners.

Each is a policy over rounds, which :class:`PolicyMind` plays."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from hashlib import md5
from random import Random
from typing import Protocol, TypeAlias

import numpy as np

from otherminds.core.contracts import Mind, MindContext
from otherminds.core.data import Action, Answer, Brief, Invalid, Moment, Question
from otherminds.minds.known_nature import INFORMED, KnownPartner, find_granted, find_policy
from otherminds.wordgames.exact import GameTables, PartnerModels
from otherminds.wordgames.game import EGO, PARTNER, Board, Moves, Values
from otherminds.wordgames.partners import Listener
from otherminds.wordgames.questions import declare, name_answer, read_slot
from otherminds.wordgames.rules import GameRules, ViewForm, tabulate


class RoundPolicy(Protocol):
    """Answers questions about the partner, chooses, and learns from finished rounds. Boards are as ego sees them."""

    def predict(self, board: Board, moves: Moves) -> tuple[int, ...]:
        """The answers to the questions before ego's first choice of a round."""
        ...

    def choose(self, board: Board, moves: Moves) -> int:
        """Ego's next choice."""
        ...

    def learn(self, board: Board, moves: Moves) -> None:
        """Takes a finished round into account, of which ``board`` now has the secret."""
        ...


class TypeTracker:
    """Infers the partner's type by Bayes and acts on the posterior, as if each round were the last.

    ``prior`` gives types that it does not conceive of the weight 0. With probability 1 − ``use`` it chooses at random. One
    that does not ``look`` keeps its prior: the best blind mind.
    """

    def __init__(
        self,
        tables: GameTables,
        rng: Random,
        prior: Sequence[float] | Values,
        use: float = 1.0,
        *,
        look: bool = True,
    ) -> None:
        self._tables, self._rng, self._use, self._look = tables, rng, use, look
        self._models = PartnerModels(tables, prior)

    def predict(self, board: Board, moves: Moves) -> tuple[int, ...]:
        tree = self._tables.tree(board)
        return tuple(
            int(chances.argmax()) for chances in tree.weigh_answers(moves, tree.spread(self._models.weights))
        )

    def choose(self, board: Board, moves: Moves) -> int:
        if self._use < 1 and self._rng.random() >= self._use:
            return self._rng.choice(self._tables.game.choices(moves))
        tree = self._tables.tree(board)
        return tree.list_best(moves, tree.spread(self._models.weights))[0]

    def learn(self, board: Board, moves: Moves) -> None:
        if self._look:
            self._models.learn(board, moves)


class Ignorant:
    """Answers and chooses by numbers that ``draw`` makes of the number of options, the round and the place in it."""

    def __init__(self, tables: GameTables, draw: Callable[[int, object], int]) -> None:
        self._tables, self._draw = tables, draw
        self._rounds = 0

    def predict(self, board: Board, moves: Moves) -> tuple[int, ...]:
        game = self._tables.game
        count = len(self._tables.tree(board).list_truths(moves)[0])
        return tuple(self._draw(game.answers, (board, moves, self._rounds, slot)) for slot in range(count))

    def choose(self, board: Board, moves: Moves) -> int:
        choices = self._tables.game.choices(moves)
        return choices[self._draw(len(choices), (board, moves, self._rounds))]

    def learn(self, board: Board, moves: Moves) -> None:
        self._rounds += 1


class Echo:
    """Answers by what the partner did last, and chooses what it chose itself when it last earned most."""

    def __init__(self, tables: GameTables) -> None:
        self._tables = tables
        self._last, self._best, self._earned = 0, 0, -np.inf

    def predict(self, board: Board, moves: Moves) -> tuple[int, ...]:
        count = len(self._tables.tree(board).list_truths(moves)[0])
        return (self._last % self._tables.game.answers,) * count

    def choose(self, board: Board, moves: Moves) -> int:
        choices = self._tables.game.choices(moves)
        return self._best if self._best in choices else choices[0]

    def learn(self, board: Board, moves: Moves) -> None:
        game = self._tables.game
        by = {mover: choice for mover, choice, _ in game.unfold(moves)}
        earned = game.score(board, moves)
        self._last = by.get(PARTNER, self._last)
        if earned >= self._earned:
            self._best, self._earned = by[EGO], earned


PolicyMaker: TypeAlias = Callable[[GameTables, int, Random], RoundPolicy]
"""Makes a policy from the tables, the number of the partner's type (used by the informed one alone) and a random stream."""


def use_in_part(use: float) -> PolicyMaker:
    """A tracker that acts on its posterior with probability ``use``, else at random."""
    return lambda tables, partner, rng: TypeTracker(tables, rng, tables.weights, use)


def assume(place: int) -> PolicyMaker:
    """A mind that takes every partner for one of the association at ``place`` in the population."""

    def make(tables: GameTables, partner: int, rng: Random) -> RoundPolicy:
        group = [*dict.fromkeys(tables.groups)][place]
        prior = [weight * (name == group) for weight, name in zip(tables.weights, tables.groups, strict=True)]
        return TypeTracker(tables, rng, np.array(prior) / sum(prior), look=False)

    return make


def infer_familiar(tables: GameTables, partner: int, rng: Random) -> RoundPolicy:
    """A tracker that conceives of the partners of ``mixed`` alone, whoever it meets."""
    familiar = tabulate(tables.game.name, "mixed", tables.slip)
    return TypeTracker(familiar, rng, familiar.weights)


def _hash(count: int, situation: object) -> int:
    return int.from_bytes(md5(repr(situation).encode()).digest()[:4]) % count


POLICIES: dict[str, PolicyMaker] = {
    INFORMED: lambda tables, partner, rng: TypeTracker(
        tables, rng, [float(number == partner) for number in range(len(tables.names))], look=False
    ),
    "bayes": use_in_part(1.0),
    "mostly_used": use_in_part(0.8),
    "half_used": use_in_part(0.5),
    "acts_at_random": use_in_part(0.0),
    "familiar": infer_familiar,
    "blind": lambda tables, partner, rng: TypeTracker(tables, rng, tables.weights, look=False),
    "one_kind": assume(0),
    "echo": lambda tables, partner, rng: Echo(tables),
    "constant": lambda tables, partner, rng: Ignorant(tables, lambda count, _: 0),
    "middle": lambda tables, partner, rng: Ignorant(tables, lambda count, _: count // 2),
    "hash": lambda tables, partner, rng: Ignorant(tables, _hash),
    "coin": lambda tables, partner, rng: Ignorant(tables, lambda count, _: rng.randrange(count)),
}
"""The policies by name. ``one_kind`` takes every partner for one of the first association, by what kind things are of."""
IGNORANT = ("blind", "one_kind", "echo", "constant", "middle", "hash", "coin")
"""Those that never infer who the partner is."""


class PolicyMind(Mind):
    """A policy of :data:`POLICIES` in the seat under test.

    Raises:
        StudyError: there is no such policy.
    """

    def __init__(self, rules: GameRules, form: ViewForm, policy: str) -> None:
        self._rules, self._form = rules, form
        self._make, self.grants = find_policy(POLICIES, policy, "word games")

    def begin(self, brief: Brief, context: MindContext) -> None:
        tables, granted = self._rules.tables, find_granted(brief, PARTNER)
        self._policy = self._make(tables, tables.names.index(granted) if granted else -1, context.rng)
        self._answers: tuple[int, ...] = ()

    async def perceive(self, moment: Moment) -> None:
        view = self._form.read(moment.observation)
        if moment.encounters and view.past is not None:
            self._policy.learn(view.past, view.past_moves)
            self._answers = ()
        self._move = 0
        game = self._rules.rules
        if moment.last or game.mover(view.moves) != EGO:
            return
        if not self._answers:
            self._answers = self._policy.predict(view.board, view.moves)
        self._move = self._policy.choose(view.board, view.moves)

    async def act(self) -> Action:
        return self._move

    async def answer(self, question: Question) -> Answer | Invalid:
        slot = read_slot(question.id)
        assert slot is not None, "questions are about the partner"
        return name_answer(self._answers[slot])


def reply(tables: GameTables, listener: Listener, board: Board, moves: Moves, rng: Random) -> int:
    """The partner's next choice, slips included."""
    game = tables.game
    if tables.slip and rng.random() < tables.slip:
        return rng.choice(game.choices(moves))
    return int(game.reply(listener, board.words, np.array([board.secret]), moves)[0])


class PartnerMind(KnownPartner):
    """A partner of one type. While ego chooses, it declares the true answers to what ego may be asked."""

    def __init__(self, rules: GameRules, form: ViewForm, listener: Listener) -> None:
        self._rules, self._form, self._listener = rules, form, listener
        self.policy_in_words = listener.about

    async def act(self) -> Action:
        view, game = self._form.read(self.moment.observation), self._rules.rules
        if game.mover(view.moves) != PARTNER:
            return declare(game.describe_partner(self._listener, view.board.words, view.moves), game.answers)
        return reply(self._rules.tables, self._listener, view.board, view.moves, self.rng)
