"""Taboo: ego leads the partner to one of eight words by at most two clues, and the closest associates are banned.

In Riemer et al. 2025, appendix A, literal theory of mind is how strongly this partner associates words, and the ban list takes more than that."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from random import Random

import numpy as np

from otherminds.wordgames.game import (
    EGO,
    NOTHING,
    PARTNER,
    TABLE,
    Board,
    Mover,
    Moves,
    Numbers,
    Values,
    WordGame,
)
from otherminds.wordgames.lexicon import Lexicon
from otherminds.wordgames.partners import Listener

WORDS = 8
CLUES = 4
BANNED = 2
POINTS = (2.0, 1.0)
"""The points for a right word after one clue, and after two."""
COMMON = ("taxonomic", "thematic")
"""The tables by whose sum the banned clues are the closest to a word of the board."""
WRONG, RIGHT = range(2)


@lru_cache(maxsize=1 << 16)
def weigh_words(listener: Listener, words: tuple[int, ...]) -> Values:
    """The association of each clue, in rows, with each of the words."""
    return listener.matrix[np.ix_(words[WORDS:], words[:WORDS])]


class Taboo(WordGame):
    """Ego gives clues, the partner names the word with the largest sum of associations, and never one twice.

    A round has the words, the clues that are allowed, and those that are banned. To give a banned one ends the round. Moves: a clue, a word, whether it
    is right, and once more if it is not. Asked is which word the partner would name for each allowed clue.
    """

    name = "taboo"
    gives = True
    size = WORDS + CLUES + BANNED
    secrets = WORDS
    most_moves = 6
    shown = 2
    least, most = 0.0, POINTS[0]
    answers = WORDS
    slots = CLUES

    def draw_words(self, lexicon: Lexicon, rng: Random) -> tuple[int, ...]:
        words = rng.sample(range(len(lexicon.words)), self.size)
        board, clues = words[:WORDS], words[WORDS:]
        common = np.sum([lexicon.associations[kind] for kind in COMMON], axis=0)
        closeness = {clue: float(np.max(common[clue][board])) for clue in clues}
        banned = sorted(clues, key=lambda clue: -closeness[clue])[:BANNED]
        return (*board, *(clue for clue in clues if clue not in banned), *banned)

    def draw_secret(self, truths: Sequence[Sequence[int]], rng: Random) -> int:
        """A word to which one clue leads, with as many associations as possible."""
        order = rng.sample(range(WORDS), WORDS)
        return max(order, key=lambda word: sum(word in answers for answers in truths))

    def mover(self, moves: Moves) -> Mover | None:
        match len(moves) % 3:
            case 0:
                return None if moves and (moves[-1] == RIGHT or len(moves) == self.most_moves) else EGO
            case 1:
                return None if moves[-1] >= CLUES else PARTNER
            case _:
                return TABLE

    def choices(self, moves: Moves) -> tuple[int, ...]:
        match len(moves) % 3:
            case 0:
                return tuple(clue for clue in range(CLUES + BANNED) if clue not in moves[:1])
            case 1:
                return tuple(word for word in range(WORDS) if word not in moves[1:2])
            case _:
                return (WRONG, RIGHT)

    def reply(self, listener: Listener, words: tuple[int, ...], secrets: Numbers, moves: Moves) -> Numbers:
        strengths = weigh_words(listener, words)[[*moves[::3]]].sum(axis=0)
        strengths[[*moves[1:2]][: len(moves) // 3]] = -1.0
        return np.full(len(secrets), strengths.argmax())

    def reveal(self, secrets: Numbers, moves: Moves) -> Numbers:
        return np.asarray(secrets == moves[-1], np.int64)

    def payoffs(self, secrets: Numbers, moves: Moves) -> Values:
        right = len(moves) % 3 == 0 and moves[-1] == RIGHT
        return np.full(len(secrets), POINTS[len(moves) // 3 - 1] if right else 0.0)

    def describe_partner(self, listener: Listener, words: tuple[int, ...], moves: Moves) -> tuple[int, ...]:
        return tuple(weigh_words(listener, words)[:CLUES].argmax(axis=1).tolist())

    def best_if(self, secret: int, answers: Sequence[int]) -> tuple[int, ...]:
        return tuple(clue for clue, word in enumerate(answers) if word == secret)

    def name_choice(self, mover: Mover, choice: int) -> str:
        return f"clue {choice + 1}" if mover == EGO else f"word {choice + 1}"

    def list_behaviours(self, mover: Mover) -> tuple[str, ...]:
        count = CLUES + BANNED if mover == EGO else WORDS
        names = tuple(self.name_choice(mover, choice) for choice in range(count))
        return names if mover == EGO else (*names, NOTHING)

    def explain(self, *, gives: bool) -> str:
        points = f"{POINTS[0]:g} points if the word is right after one clue, {POINTS[1]:g} after two, and 0 otherwise"
        if gives:
            return (
                f"In each round there are {WORDS} words, and you alone know which one is the target. You give one of the clue words, and your "
                f"partner names the word that it finds closest. If that is wrong you give a second clue, and it names another word, by both "
                f"clues together. Some clue words are banned: to give one ends the round. You both earn {points}."
            )
        return (
            f"In each round there are {WORDS} words, and your partner alone knows which one is the target. It gives you a clue, and you name the "
            f"word that you find closest. If that is wrong it gives a second clue, and you name another word. You both earn {points}."
        )

    def show_board(self, names: Sequence[str], board: Board) -> str:
        text = f"The words are: {', '.join(names[:WORDS])}."
        if board.secret < 0:
            return text
        allowed, banned = names[WORDS : WORDS + CLUES], names[WORDS + CLUES :]
        return (
            f"{text} The target is {names[board.secret]}. The clue words are: {', '.join(allowed)}. "
            f"Banned are: {', '.join(banned)}."
        )

    def label(self, names: Sequence[str], mover: Mover, choice: int, moves: Moves) -> str:
        return names[WORDS + choice] if mover == EGO else names[choice]

    def tell_move(self, names: Sequence[str], who: str, mover: Mover, choice: int, moves: Moves) -> str:
        if mover == TABLE:
            return "That is right." if choice == RIGHT else "That is wrong."
        if mover == PARTNER:
            return f"{who} named {names[choice]}."
        return f"{who} gave the {'banned ' * (choice >= CLUES)}clue {names[WORDS + choice]}."

    def invite(self, names: Sequence[str], mover: Mover, moves: Moves) -> str:
        if mover == EGO:
            return f"Which {'second ' * bool(moves)}clue do you give?"
        clues = " and ".join(names[WORDS + clue] for clue in moves[::3])
        return f"The clue is {clues}. Which word do you name?"

    def ask_about(self, names: Sequence[str], slot: int, moves: Moves) -> str:
        return f"If you give the clue {names[WORDS + slot]} first, which word does your partner name?"

    def tell_end(self, names: Sequence[str], secret: int) -> str:
        return f"The target was {names[secret]}."
