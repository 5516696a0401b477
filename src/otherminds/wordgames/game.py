"""What a word game is: who moves, what a partner replies, what a round is worth, and what is asked about the partner.

A round is a sequence of moves by ego, the partner, and the table, which reveals what follows from a hidden fact. All values of
a game (:mod:`otherminds.wordgames.exact`), its evidence, its world and its minds follow from the methods here, so that a
game is one file of rules.

A round's ``words`` are indices into the lexicon. Its ``secret`` is the one fact that the giver of clues knows and the guesser
does not: the target or the key. ``secrets`` in methods is an array of those that are possible; arrays that are returned
have an entry for each."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from random import Random
from typing import Literal, TypeAlias

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from otherminds.wordgames.lexicon import Lexicon
from otherminds.wordgames.partners import Listener

EGO: Literal["ego"] = "ego"
PARTNER: Literal["partner"] = "partner"
"""The seats: the one under test, and its partner."""
TABLE: Literal["table"] = "table"
POSITION = "position"
"""Before the number of a position of the dial: with the number alone, a list of positions would be read as an answer."""
NOTHING = "nothing"
"""What a seat did in a round that ended before its move."""
Mover: TypeAlias = Literal["ego", "partner", "table"]
Moves: TypeAlias = tuple[int, ...]
"""The moves of a round so far, each a number among the choices of its mover."""
Numbers: TypeAlias = NDArray[np.int64]
Values: TypeAlias = NDArray[np.float64]


class Board(Struct, frozen=True):
    """What is on the table in a round: the words, and the secret; -1 for a seat that does not know it."""

    words: tuple[int, ...]
    secret: int


class WordGame(ABC):
    """A game in which ego gives clues (``gives``) or guesses.

    Attributes:
        name: The name in scenarios.
        gives: Whether ego is the one who gives clues and knows the secret.
        size: The number of words of a round.
        secrets: The number of possible secrets.
        most_moves: The largest number of moves in a round.
        calibrated: Whether partners have a calibration curve.
        least, most: The bounds of a round's payoff, in points.
        shown: The number of things that the table can show.
        answers: The number of answers that each question offers.
        slots: The largest number of questions in a round.
    """

    name: str
    gives: bool
    size: int
    secrets: int
    most_moves: int
    calibrated: bool = False
    least: float
    most: float
    shown: int = 0
    answers: int
    slots: int

    def draw_words(self, lexicon: Lexicon, rng: Random) -> tuple[int, ...]:
        """Words for a round, in random order."""
        return tuple(rng.sample(range(len(lexicon.words)), self.size))

    def draw_secret(self, truths: Sequence[Sequence[int]], rng: Random) -> int:
        """A secret that ego sees, for words about which partners of each association answer ``truths``."""
        return rng.randrange(self.secrets)

    @abstractmethod
    def mover(self, moves: Moves) -> Mover | None:
        """Who moves after ``moves``; ``None`` when the round is over. It follows from the moves alone."""

    @abstractmethod
    def choices(self, moves: Moves) -> tuple[int, ...]:
        """What the next mover can choose."""

    def settle(self, moves: Moves, action: int) -> int:
        """The choice that is made by ``action``; one that is not open counts as the first that is."""
        choices = self.choices(moves)
        return action if action in choices else choices[0]

    @abstractmethod
    def reply(self, listener: Listener, words: tuple[int, ...], secrets: Numbers, moves: Moves) -> Numbers:
        """What the partner chooses next for each secret, unless it slips."""

    def reveal(self, secrets: Numbers, moves: Moves) -> Numbers:
        """What the table shows next for each secret; for games in which it shows something."""
        raise NotImplementedError

    def complete(self, secret: int, moves: Moves) -> Moves:
        """``moves`` with what the table then shows."""
        while self.mover(moves) == TABLE:
            moves = (*moves, int(self.reveal(np.array([secret]), moves)[0]))
        return moves

    @abstractmethod
    def payoffs(self, secrets: Numbers, moves: Moves) -> Values:
        """The points of a finished round for each secret."""

    def score(self, board: Board, moves: Moves) -> float:
        """The points of a finished round."""
        return float(self.payoffs(np.array([board.secret]), moves)[0])

    def unfold(self, moves: Moves) -> Iterator[tuple[Mover, int, Moves]]:
        """Each of ``moves``: who makes it, what is chosen, and the moves before it."""
        for end, choice in enumerate(moves):
            mover = self.mover(moves[:end])
            assert mover is not None, "the round went on"
            yield mover, choice, moves[:end]

    @abstractmethod
    def describe_partner(self, listener: Listener, words: tuple[int, ...], moves: Moves) -> tuple[int, ...]:
        """The true answers to the questions of a round, put before ego's first choice after ``moves``."""

    def count_slots(self, moves: Moves) -> int:
        """The number of questions that are put before ego's first choice, after ``moves``."""
        return self.slots

    def best_if(self, secret: int, answers: Sequence[int]) -> tuple[int, ...]:
        """Ego's choices that are best if its ``answers`` are right; empty where answers alone do not tell."""
        return ()

    def is_right(self, secret: int, answers: Sequence[int], truth: Sequence[int]) -> bool:
        """Whether ``answers`` are right as a whole: all of them are, or what is best by them is among what is best in truth."""
        best = {*self.best_if(secret, answers)}
        return [*answers] == [*truth] or (bool(best) and best <= {*self.best_if(secret, truth)})

    def plan_rest(self, secrets: Numbers, moves: Moves, weights: Values) -> Values | None:
        """The points for each secret of ego's best plan after ``moves``, where nobody else chooses any more.

        For games in which the tree of such plans is too large to enumerate; ``None`` elsewhere. ``weights`` are those of the secrets.
        """
        return None

    def compare_answers(self, one: Numbers, other: Numbers) -> float:
        """How far two sequences of answers are apart: by default, the share that differs."""
        return float(np.mean(one != other))

    @abstractmethod
    def name_choice(self, mover: Mover, choice: int) -> str:
        """A choice as records name it, whatever the words are."""

    @abstractmethod
    def list_behaviours(self, mover: Mover) -> tuple[str, ...]:
        """The names of all choices that a seat can ever have."""

    @abstractmethod
    def explain(self, *, gives: bool) -> str:
        """The rules of a round, as the giver of clues is told them, or the guesser."""

    @abstractmethod
    def show_board(self, names: Sequence[str], board: Board) -> str:
        """The board in words, with the secret where ``board`` has it. ``names`` are its words."""

    @abstractmethod
    def label(self, names: Sequence[str], mover: Mover, choice: int, moves: Moves) -> str:
        """A choice after ``moves`` as text."""

    @abstractmethod
    def tell_move(self, names: Sequence[str], who: str, mover: Mover, choice: int, moves: Moves) -> str:
        """A sentence on the choice that ``who`` (You, Your partner) made after ``moves``."""

    @abstractmethod
    def invite(self, names: Sequence[str], mover: Mover, moves: Moves) -> str:
        """The question for a choice."""

    @abstractmethod
    def ask_about(self, names: Sequence[str], slot: int, moves: Moves) -> str:
        """The text of one question about the partner."""

    def label_answer(self, names: Sequence[str], answer: int) -> str:
        """An answer to such a question as text: by default, a word."""
        return names[answer]

    def tell_end(self, names: Sequence[str], secret: int) -> str:
        """What the guesser is told about the secret when the round is over."""
        return ""
