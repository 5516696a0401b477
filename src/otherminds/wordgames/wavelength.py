"""Wavelength: a spectrum between two words, a dial, and a clue that is to lead the other to a target on it.

The partner puts a clue at ``curve(x)`` of the dial, where x is its association of the clue with the right word against that
with the left one. In Riemer et al. 2025, appendix A, literal theory of mind is the association, and acting on it also takes the
calibration of the dial."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from otherminds.wordgames.game import EGO, PARTNER, POSITION, Board, Mover, Moves, Numbers, Values, WordGame
from otherminds.wordgames.partners import CURVES, Listener

POSITIONS = 9
CLUES = 4
POINTS = (4.0, 3.0, 2.0)
"""The points at a distance of 0, 1 and 2 positions from the target, as in the board game; beyond, there are none."""
SMALLEST = 0.05
"""Added to both associations of a clue, so that a word without any is in the middle."""


@lru_cache(maxsize=1 << 16)
def place_clues(listener: Listener, words: tuple[int, ...], *, calibrated: bool) -> Numbers:
    """Where the partner puts each clue, from 0 (the left word) to 8; not ``calibrated``: its association alone."""
    left, right, *clues = words
    to_left, to_right = (listener.matrix[clues, pole] + SMALLEST for pole in (left, right))
    share = to_right / (to_left + to_right)
    dial = CURVES[listener.curve](share) if calibrated else share
    # Halves go to the right, so that a rounding does not depend on the parity of a position.
    return np.floor(dial * (POSITIONS - 1) + 0.5).astype(np.int64)


def score_distance(distance: Numbers) -> Values:
    """The points at each distance.

    >>> score_distance(np.array([0, 1, 2, 3, 8])).tolist()
    [4.0, 3.0, 2.0, 0.0, 0.0]
    """
    return np.array([*POINTS, *[0.0] * (POSITIONS - len(POINTS))])[distance]


class _Wavelength(WordGame):
    """What both seats have in common."""

    size = 2 + CLUES
    secrets = POSITIONS
    most_moves = 2
    calibrated = True
    least, most = 0.0, POINTS[0]
    answers = POSITIONS

    def mover(self, moves: Moves) -> Mover | None:
        giver: tuple[Mover, Mover] = (EGO, PARTNER) if self.gives else (PARTNER, EGO)
        return giver[len(moves)] if len(moves) < 2 else None

    def choices(self, moves: Moves) -> tuple[int, ...]:
        return tuple(range(POSITIONS if moves else CLUES))

    def payoffs(self, secrets: Numbers, moves: Moves) -> Values:
        return score_distance(np.abs(secrets - moves[1]))

    def compare_answers(self, one: Numbers, other: Numbers) -> float:
        return float(np.abs(one - other).mean())

    def name_choice(self, mover: Mover, choice: int) -> str:
        return f"clue {choice + 1}" if (mover == EGO) == self.gives else f"{POSITION} {choice + 1}"

    def list_behaviours(self, mover: Mover) -> tuple[str, ...]:
        count = CLUES if (mover == EGO) == self.gives else POSITIONS
        return tuple(self.name_choice(mover, choice) for choice in range(count))

    def show_board(self, names: Sequence[str], board: Board) -> str:
        left, right, *clues = names
        target = "" if board.secret < 0 else f" The target is position {board.secret + 1}."
        return f"The dial goes from 1 ({left}) to {POSITIONS} ({right}). The clue words are: {', '.join(clues)}.{target}"

    def label(self, names: Sequence[str], mover: Mover, choice: int, moves: Moves) -> str:
        return self.label_answer(names, choice) if moves else names[2 + choice]

    def tell_move(self, names: Sequence[str], who: str, mover: Mover, choice: int, moves: Moves) -> str:
        if moves:
            return f"{who} set the dial to {choice + 1}."
        return f"{who} gave the clue {names[2 + choice]}."

    def invite(self, names: Sequence[str], mover: Mover, moves: Moves) -> str:
        if moves:
            return f"The clue is {names[2 + moves[0]]}. To which position do you set the dial?"
        return "Which clue do you give?"

    def label_answer(self, names: Sequence[str], answer: int) -> str:
        return f"{POSITION} {answer + 1}"

    def tell_end(self, names: Sequence[str], secret: int) -> str:
        return f"The target was {secret + 1}."

    def explain(self, *, gives: bool) -> str:
        points = ", ".join(f"{worth:g} at a distance of {n}" for n, worth in enumerate(POINTS))
        sees = "You alone see" if gives else "Your partner alone sees"
        acts = (
            f"You give one of {CLUES} clue words, and your partner sets the dial to where it puts that clue between the two words."
            if gives
            else f"Of {CLUES} clue words, your partner gives the one that it puts nearest to the target, and you set the dial."
        )
        return (
            f"In each round there is a dial with positions from 1 to {POSITIONS}. A word stands at each end, and one position "
            f"is the target. {sees} the target. {acts} Where a player puts a clue depends on how strongly it associates the clue with each of "
            "the two words, and on how it uses the dial: some push every clue towards one end. "
            f"You both earn the points for the distance from the target: {points}, and 0 beyond."
        )


class WavelengthGiver(_Wavelength):
    """Ego gives the clue, the partner sets the dial. Asked is where it would set it for each clue."""

    name = "wavelength-giver"
    gives = True
    slots = CLUES

    def reply(self, listener: Listener, words: tuple[int, ...], secrets: Numbers, moves: Moves) -> Numbers:
        return np.full(len(secrets), place_clues(listener, words, calibrated=True)[moves[0]])

    def describe_partner(self, listener: Listener, words: tuple[int, ...], moves: Moves) -> tuple[int, ...]:
        return tuple(map(int, place_clues(listener, words, calibrated=True)))

    def best_if(self, secret: int, answers: Sequence[int]) -> tuple[int, ...]:
        points = score_distance(np.abs(np.array(answers) - secret))
        return tuple(np.flatnonzero(points == points.max()).tolist())

    def ask_about(self, names: Sequence[str], slot: int, moves: Moves) -> str:
        return f"If you give the clue {names[2 + slot]}, to which position does your partner set the dial?"


class WavelengthGuesser(_Wavelength):
    """The partner gives the clue that it would put nearest to the target, ego sets the dial.

    Asked is the partner's association of the clue, before it is calibrated; the dial takes the calibration too.
    """

    name = "wavelength-guesser"
    gives = False
    slots = 1

    def reply(self, listener: Listener, words: tuple[int, ...], secrets: Numbers, moves: Moves) -> Numbers:
        places = place_clues(listener, words, calibrated=True)
        return np.abs(places[None, :] - secrets[:, None]).argmin(axis=1)

    def describe_partner(self, listener: Listener, words: tuple[int, ...], moves: Moves) -> tuple[int, ...]:
        return (int(place_clues(listener, words, calibrated=False)[moves[0]]),)

    def ask_about(self, names: Sequence[str], slot: int, moves: Moves) -> str:
        left, right = names[:2]
        return (
            f"How does your partner associate {names[2 + moves[0]]}: from 1 (with {left} alone) over 5 (with both alike) to "
            f"{POSITIONS} (with {right} alone)? This is about its associations, and not about where it would set a dial."
        )
