"""What is fixed in an episode of a word game, and a round as ego perceives it."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import msgspec
from msgspec import Struct

from otherminds.core.record import Record
from otherminds.wordgames.codenames import CodenamesGiver, CodenamesGuesser
from otherminds.wordgames.exact import GameTables
from otherminds.wordgames.game import EGO, PARTNER, Board, Moves, WordGame
from otherminds.wordgames.lexicon import read_lexicon
from otherminds.wordgames.taboo import Taboo
from otherminds.wordgames.wavelength import WavelengthGiver, WavelengthGuesser

FACT = "word_game"
"""The fact of a record that has the rules."""
GAMES: dict[str, WordGame] = {
    game.name: game
    for game in (WavelengthGiver(), WavelengthGuesser(), Taboo(), CodenamesGuesser(), CodenamesGiver())
}
"""The word games, by name."""


@lru_cache(maxsize=32)
def tabulate(game: str, population: str, slip: float) -> GameTables:
    """The values of a game with a population in the shipped lexicon; made once for the same arguments."""
    return GameTables(GAMES[game], read_lexicon(), population, slip)


class GameRules(Struct, frozen=True):
    """An episode with a round for each of ``boards``."""

    game: str
    population: str
    slip: float
    boards: tuple[Board, ...]

    @property
    def rules(self) -> WordGame:
        """The rules of a round."""
        return GAMES[self.game]

    @property
    def tables(self) -> GameTables:
        """The exact values of its boards."""
        return tabulate(self.game, self.population, self.slip)


def read_rules(record: Record) -> GameRules | None:
    """The rules of a record; ``None`` where it is of another world."""
    fact = record.facts.get(FACT)
    return None if fact is None else msgspec.convert(fact, GameRules)


class View(Struct, frozen=True):
    """What a seat perceives: the round, its board and moves so far, and the round before with its secret."""

    round: int
    board: Board
    moves: Moves
    past: Board | None
    past_moves: Moves


class ViewForm:
    """How views are written as whole numbers.

    The round; then for the round that is played and for the one before: the words, the secret plus 1 (0: not known), and each
    move plus 1 (0: not yet made). Where there is no such round, all are 0.
    """

    def __init__(self, game: WordGame, words: int, rounds: int) -> None:
        self._game = game
        choices = 1 + max(*(len(game.list_behaviours(mover)) for mover in (EGO, PARTNER)), game.shown)
        part = [words] * game.size + [game.secrets + 1] + [choices] * game.most_moves
        self.sizes = [rounds + 1, *part, *part]

    def write(self, view: View) -> list[int]:
        """The numbers of a view."""
        return [
            view.round,
            *self._write_part(view.board, view.moves),
            *self._write_part(view.past or Board((0,) * self._game.size, -1), view.past_moves),
        ]

    def read(self, observation: Any) -> View:
        """The view that an observation is about."""
        number, *entries = map(int, observation)
        half = len(entries) // 2
        board, moves = self._read_part(entries[:half])
        past, past_moves = self._read_part(entries[half:])
        return View(number, board, moves, past if past_moves else None, past_moves)

    def _write_part(self, board: Board, moves: Moves) -> list[int]:
        padded = [move + 1 for move in moves] + [0] * (self._game.most_moves - len(moves))
        return [*board.words, board.secret + 1, *padded]

    def _read_part(self, entries: list[int]) -> tuple[Board, Moves]:
        size = self._game.size
        moves = tuple(entry - 1 for entry in entries[size + 1 :] if entry)
        return Board(tuple(entries[:size]), entries[size] - 1), moves
