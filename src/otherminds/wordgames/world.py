"""A word game as a PettingZoo environment: ego, its partner, and a new board in each round."""

from __future__ import annotations

from random import Random
from typing import Any

import msgspec
import numpy as np
from gymnasium.spaces import Discrete, MultiDiscrete

from otherminds.core.data import Action, Answer, Brief, Encounter, Question, Seat
from otherminds.core.discrete_world import DiscreteWorld, Started, Stepped
from otherminds.core.scenario import worlds
from otherminds.wordgames.game import EGO, NOTHING, PARTNER, TABLE, Board, Moves
from otherminds.wordgames.questions import count_declarations, name_answer, read_declaration, read_slot
from otherminds.wordgames.rules import FACT, GameRules, View, ViewForm


@worlds.register("wordgames")
class WordGameWorld(DiscreteWorld):
    """``rounds`` rounds of a game; ``rules`` says which, without boards, which are drawn by the seed.

    One seat moves in each step, and its action is the number of its choice; one that is not open counts as the first that is.
    The action of the other seat changes nothing. While ego makes its first choice of a round, the partner may declare what
    is true of it (:func:`~otherminds.wordgames.questions.declare`), which nobody is told; 0 declares nothing. The points of a
    round are paid to both seats in its last step, and both are then told everything about it.
    """

    metadata: dict[str, Any] = {  # noqa: RUF012 - Gymnasium's form
        "name": "wordgames_v1",
        "render_modes": ["ansi"],
        "observations": "whole numbers: the round, then the round that is played and the one before, each with its words, "
        "the secret plus 1 (0: not known) and its moves plus 1 (0: not yet made)",
    }

    def __init__(self, rules: GameRules, rounds: int, render_mode: str | None = None) -> None:
        self._rules, self._rounds, self._game = rules, rounds, rules.rules
        self._form = ViewForm(self._game, len(rules.tables.lexicon.words), rounds)
        declarations = count_declarations(self._game.answers, self._game.slots)
        self._behaviours = {seat: self._game.list_behaviours(seat) for seat in (EGO, PARTNER)}
        actions = {
            EGO: Discrete(len(self._behaviours[EGO])),
            PARTNER: Discrete(max(len(self._behaviours[PARTNER]), declarations)),
        }
        super().__init__(actions, MultiDiscrete(self._form.sizes), render_mode)

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> Started:
        self._boards = self._rules.tables.draw(Random(seed), self._rounds)
        self._finished: list[Moves] = []
        self._moves: Moves = ()
        self._declared: list[int] = []
        return self.start(options)

    def step(self, actions: dict[Seat, Action]) -> Stepped:
        self.check(actions)
        game, board = self._game, self._boards[len(self._finished)]
        mover = game.mover(self._moves)
        assert mover in (EGO, PARTNER), "what the table shows follows at once"
        choice = game.settle(self._moves, int(actions[mover]))
        self._declared.append(int(actions[PARTNER]) if mover == EGO else 0)
        self._moves = game.complete(board.secret, (*self._moves, choice))
        met: dict[Seat, Encounter] = {}
        reward = 0.0
        if game.mover(self._moves) is None:
            reward = game.score(board, self._moves)
            encounter = Encounter(len(self._declared) - 1, self._name_moves(), reward)
            met = dict.fromkeys(self.possible_agents, encounter)
            self._finished.append(self._moves)
            self._moves = ()
        rewards = dict.fromkeys(self.possible_agents, reward)
        return self.finish(rewards, met, ended=len(self._finished) == self._rounds)

    def brief(self, seat: Seat) -> Brief:
        game, longest = self._game, self._rounds * self._game.most_moves
        return self.describe_seat(seat, self._behaviours, (game.least, game.most), longest, self._rounds)

    def truth(self, question: Question, step: int) -> Answer | None:
        """What the partner declared; ``None`` where it declared nothing."""
        slot = read_slot(question.id)
        if slot is None or step >= len(self._declared) or not self._declared[step]:
            return None
        declared = read_declaration(self._declared[step], self._game.answers, self._game.slots)
        return name_answer(declared[slot])

    @property
    def midway(self) -> int:
        return self._rounds // 2 * 2  # no round has fewer than two moves

    def facts(self) -> dict[str, Any]:
        """The rules with the boards, as JSON."""
        return {FACT: msgspec.to_builtins(msgspec.structs.replace(self._rules, boards=self._boards))}

    def render(self) -> str:
        """The finished rounds, a line each."""
        names = self._rules.tables.lexicon.words
        return "\n".join(
            f"{number}: {', '.join(names[word] for word in board.words)}; secret {board.secret}, moves {moves}"
            for number, (board, moves) in enumerate(zip(self._boards, self._finished, strict=False), 1)
        )

    def observe(self) -> dict[Seat, Any]:
        number = len(self._finished)
        board = Board((0,) * self._game.size, -1)
        if number < self._rounds:
            board = self._boards[number]
        past, past_moves = (self._boards[number - 1], self._finished[-1]) if number else (None, ())
        observed: dict[Seat, Any] = {}
        for seat in self.possible_agents:
            knows = (seat == EGO) == self._game.gives
            visible = board if knows else Board(board.words, -1)
            view = View(number, visible, self._moves, past, past_moves)
            observed[seat] = np.array(self._form.write(view), np.int64)
        return observed

    def _name_moves(self) -> dict[Seat, tuple[str, ...]]:
        """What each seat did in the round that has just ended."""
        did: dict[Seat, tuple[str, ...]] = {EGO: (), PARTNER: ()}
        for mover, choice, _ in self._game.unfold(self._moves):
            if mover != TABLE:
                did[mover] = (*did[mover], self._game.name_choice(mover, choice))
        return {seat: names or (NOTHING,) for seat, names in did.items()}
