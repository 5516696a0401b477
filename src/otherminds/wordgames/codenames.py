"""Codenames for one pair of players: eight words, a key that says whose they are, and a clue with a number.

The giver sees the key: three words are ours, two are theirs, two are neutral, and one is the assassin. The guesser names up to as many words as
the number says, and the turn ends with a word that is not ours. In Riemer et al. 2025, appendix A, literal theory of mind is what the
clue says about the key, and functional theory of mind includes when to stop."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, lru_cache
from itertools import permutations

import numpy as np

from otherminds.wordgames.game import EGO, PARTNER, TABLE, Board, Mover, Moves, Numbers, Values, WordGame
from otherminds.wordgames.partners import Listener

WORDS = 8
CLUES = 4
NUMBERS = 2
"""The largest number that goes with a clue."""
OURS, THEIRS, NEUTRAL, ASSASSIN = range(4)
COLOURS = ("ours", "theirs", "neutral", "the assassin")
COUNTS = (3, 2, 2, 1)
POINTS = (1.0, -1.0, 0.0, -3.0)
"""The points for naming a word of each colour."""
RULE = (
    "Your partner gives the clue for which most of our words, one after another, are closer to it than all other words are; of several "
    "such clues, the one that sets them apart best. The number says how many words these are, and is at least 1."
)
"""How the giver chooses, as a guesser is told it."""
STOP = WORDS
TINY = 1e-12
"""Points that differ by less are equal."""


@cache
def list_keys() -> Numbers:
    """Every key: a row with the colour of each word."""
    deal = [colour for colour, count in enumerate(COUNTS) for _ in range(count)]
    return np.array(sorted({*permutations(deal)}), np.int64)


def read_keys(secrets: Numbers) -> tuple[Values, Values]:
    """For each of ``secrets`` and each word: 1 if it is ours, else 0; and its points."""
    ours, points = _read_every_key()
    whole = len(secrets) == len(ours)
    return (ours, points) if whole else (ours[secrets], points[secrets])


@cache
def _read_every_key() -> tuple[Values, Values]:
    keys = list_keys()
    return np.asfortranarray(keys == OURS, float), np.asfortranarray(np.array(POINTS)[keys])


@lru_cache(maxsize=1 << 16)
def rank_words(listener: Listener, words: tuple[int, ...]) -> tuple[Numbers, Values]:
    """For each clue, the words from the strongest to the weakest association with it, and these associations.

    Of equal ones the word that stands first comes first.
    """
    strengths = listener.matrix[np.ix_(words[WORDS:], words[:WORDS])]
    order = np.argsort(-strengths, axis=1, kind="stable")
    return order, np.take_along_axis(strengths, order, axis=1)


def choose_clue(listener: Listener, words: tuple[int, ...], keys: Numbers) -> Numbers:
    """The clue and the number, as one choice, that the partner gives for each key.

    A clue is safe for as many of our words as come before all others in its ranking, up to :data:`NUMBERS`. The partner gives the clue that is safe for
    most. Of several it takes the one with the largest margin: how much weaker its association with the first other
    word is than that with the last safe one, or, where no clue is safe, than that with our strongest one.
    """
    order, strengths = rank_words(listener, words)
    scores: list[Values] = []
    safe_words: list[Numbers] = []
    rows = np.arange(len(keys))
    for ranking, strength in zip(order, strengths, strict=True):
        ours = keys[:, ranking] == OURS
        first_other = (~ours).argmax(axis=1)
        safe = np.minimum(first_other, NUMBERS)
        last = np.where(safe > 0, strength[np.maximum(safe - 1, 0)], strength[ours.argmax(axis=1)])
        scores.append(safe + (last - strength[first_other]) / 4)
        safe_words.append(safe)
    best = np.array(scores).argmax(axis=0)
    return best * NUMBERS + np.maximum(np.array(safe_words)[best, rows], 1) - 1


def split_choice(choice: int) -> tuple[int, int]:
    """The clue and the number of a choice of the giver.

    >>> split_choice(0), split_choice(3)
    ((0, 1), (1, 2))
    """
    return choice // NUMBERS, choice % NUMBERS + 1


class _Codenames(WordGame):
    """What both seats have in common. Moves: the clue, then by turns a word and what the key says of it."""

    size = WORDS + CLUES
    secrets = 1680
    most_moves = 1 + 2 * NUMBERS
    shown = len(COLOURS)
    least, most = min(POINTS), NUMBERS * POINTS[OURS]
    answers = WORDS

    def mover(self, moves: Moves) -> Mover | None:
        giver: tuple[Mover, Mover] = (EGO, PARTNER) if self.gives else (PARTNER, EGO)
        if not moves:
            return giver[0]
        if len(moves) % 2 == 0:
            return None if moves[-1] == STOP else TABLE
        over = len(moves) > 1 and (moves[-1] != OURS or len(moves) // 2 == split_choice(moves[0])[1])
        return None if over else giver[1]

    def choices(self, moves: Moves) -> tuple[int, ...]:
        if not moves:
            return tuple(range(CLUES * NUMBERS))
        if len(moves) % 2 == 0:
            return tuple(range(len(COLOURS)))
        left = [word for word in range(WORDS) if word not in moves[1::2]]
        return (*left,) if self.gives else (*left, STOP)

    def reveal(self, secrets: Numbers, moves: Moves) -> Numbers:
        return list_keys()[secrets, moves[-1]]

    def payoffs(self, secrets: Numbers, moves: Moves) -> Values:
        return np.full(len(secrets), sum(POINTS[colour] for colour in moves[2::2]))

    def name_choice(self, mover: Mover, choice: int) -> str:
        if (mover == EGO) == self.gives:
            clue, number = split_choice(choice)
            return f"clue {clue + 1} for {number}"
        return "stop" if choice == STOP else f"word {choice + 1}"

    def list_behaviours(self, mover: Mover) -> tuple[str, ...]:
        gives = (mover == EGO) == self.gives
        count = CLUES * NUMBERS if gives else WORDS + (not self.gives)
        return tuple(self.name_choice(mover, choice) for choice in range(count))

    def show_board(self, names: Sequence[str], board: Board) -> str:
        text = f"The words are: {', '.join(names[:WORDS])}. The clue words are: {', '.join(names[WORDS:])}."
        if board.secret < 0:
            return text
        return f"{text} {self._tell_key(names, board.secret)}"

    def tell_end(self, names: Sequence[str], secret: int) -> str:
        return self._tell_key(names, secret)

    def _tell_key(self, names: Sequence[str], secret: int) -> str:
        key = list_keys()[secret]
        parts = [
            f"{name}: {', '.join(names[word] for word in np.flatnonzero(key == colour).tolist())}"
            for colour, name in enumerate(COLOURS)
        ]
        return f"The key: {'; '.join(parts)}."

    def label(self, names: Sequence[str], mover: Mover, choice: int, moves: Moves) -> str:
        if not moves:
            clue, number = split_choice(choice)
            return f"{names[WORDS + clue]} for {number}"
        return "stop" if choice == STOP else names[choice]

    def tell_move(self, names: Sequence[str], who: str, mover: Mover, choice: int, moves: Moves) -> str:
        if not moves:
            clue, number = split_choice(choice)
            return f"{who} gave the clue {names[WORDS + clue]} for {number}."
        if mover == TABLE:
            return f"It is {COLOURS[choice]}."
        return f"{who} stopped." if choice == STOP else f"{who} named {names[choice]}."

    def invite(self, names: Sequence[str], mover: Mover, moves: Moves) -> str:
        if not moves:
            return "Which clue do you give, for how many words?"
        clue, number = split_choice(moves[0])
        stop = "" if self.gives else ", or do you stop"
        return f"The clue is {names[WORDS + clue]} for {number}. Which word do you name as number {len(moves) // 2 + 1}{stop}?"

    def explain(self, *, gives: bool) -> str:
        deal = ", ".join(f"{count} {name}" for name, count in zip(COLOURS[:3], COUNTS[:3], strict=True))
        points = (
            f"{POINTS[OURS]:g} for each of ours, {POINTS[THEIRS]:g} for one of theirs, 0 for a neutral one"
        )
        sees, gives_clue = (
            ("You alone see", "You give") if gives else ("Your partner alone sees", "Your partner gives")
        )
        names = "your partner names one" if gives else "you name one"
        learns = "it is told" if gives else "you are told"
        stops = "" if self.gives else f" {'Your partner' if gives else 'You'} may stop at any time."
        # A mind that gives clues in the seat under test need not follow it.
        rule = "" if gives or self.gives else f" {RULE}"
        return (
            f"In each round there are {WORDS} words: {deal}, and one that is the assassin. {sees} the key that says which are which. "
            f"{gives_clue} one of {CLUES} clue words and a number from 1 to {NUMBERS}. Then {names} word after another, at most as many as the "
            f"number, and {learns} each time what it is; a word that is not ours ends the round.{stops} You both earn {points}, and "
            f"{POINTS[ASSASSIN]:g} for the assassin.{rule}"
        )


class CodenamesGuesser(_Codenames):
    """The partner gives clue and number, ego names words or stops. Asked is which words it associates with the clue."""

    name = "codenames-guesser"
    gives = False
    slots = NUMBERS

    def reply(self, listener: Listener, words: tuple[int, ...], secrets: Numbers, moves: Moves) -> Numbers:
        return choose_clue(listener, words, list_keys()[secrets])

    def count_slots(self, moves: Moves) -> int:
        return split_choice(moves[0])[1]

    def describe_partner(self, listener: Listener, words: tuple[int, ...], moves: Moves) -> tuple[int, ...]:
        clue, number = split_choice(moves[0])
        return tuple(rank_words(listener, words)[0][clue, :number].tolist())

    def is_right(self, secret: int, answers: Sequence[int], truth: Sequence[int]) -> bool:
        return {*answers} == {*truth}

    def plan_rest(self, secrets: Numbers, moves: Moves, weights: Values) -> Values | None:
        if len(moves) % 2 == 0:
            return None
        guesses, last = moves[1::2], split_choice(moves[0])[1]
        plan = _find_plan(guesses, last - len(guesses), secrets, weights)[1]
        return sum(POINTS[colour] for colour in moves[2::2]) + _score_plan(plan, secrets)

    def ask_about(self, names: Sequence[str], slot: int, moves: Moves) -> str:
        clue, number = split_choice(moves[0])
        most = "most closely" if slot == 0 else "second most closely"
        return f"Your partner gave the clue {names[WORDS + clue]} for {number}. Which of the words does it associate {most} with the clue?"


def _find_plan(
    guesses: Moves, count: int, secrets: Numbers, weights: Values
) -> tuple[float, tuple[int, ...]]:
    """The best sequence of at most ``count`` words after ``guesses``, and what it adds, times the ``weights`` of secrets."""
    if not count:
        return 0.0, ()
    ours, points = read_keys(secrets)
    gains, chances = weights @ points, weights @ ours
    best: tuple[float, tuple[int, ...]] = 0.0, ()
    for word in range(WORDS):
        # What a word can lead to is at most the points of all that follow, so that a hopeless one is not looked at further.
        if word in guesses or gains[word] + (count - 1) * chances[word] <= best[0] + TINY:
            continue
        added, after = _find_plan((*guesses, word), count - 1, secrets, weights * ours[:, word])
        if gains[word] + added > best[0] + TINY:
            best = float(gains[word]) + added, (word, *after)
    return best


def _score_plan(plan: Sequence[int], secrets: Numbers) -> Values:
    """The points of naming the words of ``plan`` until one is not ours, for each secret."""
    ours, points = read_keys(secrets)
    total, on = np.zeros(len(secrets)), np.ones(len(secrets))
    for word in plan:
        total += on * points[:, word]
        on = on * ours[:, word]
    return total


class CodenamesGiver(_Codenames):
    """Ego gives clue and number, the partner names the words that are closest to the clue.

    Asked are the first and the second word that it would name for each clue; the second, as if the first were ours.
    """

    name = "codenames-giver"
    gives = True
    slots = CLUES * NUMBERS

    def reply(self, listener: Listener, words: tuple[int, ...], secrets: Numbers, moves: Moves) -> Numbers:
        ranking = rank_words(listener, words)[0][split_choice(moves[0])[0]]
        guess = next(word for word in ranking.tolist() if word not in moves[1::2])
        return np.full(len(secrets), guess)

    def describe_partner(self, listener: Listener, words: tuple[int, ...], moves: Moves) -> tuple[int, ...]:
        return tuple(rank_words(listener, words)[0][:, :NUMBERS].ravel().tolist())

    def best_if(self, secret: int, answers: Sequence[int]) -> tuple[int, ...]:
        key = list_keys()[secret]
        points: list[float] = []
        for choice in range(CLUES * NUMBERS):
            clue, number = split_choice(choice)
            colours = [int(key[word]) for word in answers[clue * NUMBERS : clue * NUMBERS + number]]
            points.append(
                POINTS[colours[0]] + sum(POINTS[colour] for colour in colours[1:] if colours[0] == OURS)
            )
        return tuple(choice for choice, worth in enumerate(points) if worth == max(points))

    def ask_about(self, names: Sequence[str], slot: int, moves: Moves) -> str:
        clue = f"Suppose that you give the clue {names[WORDS + slot // NUMBERS]} for {NUMBERS}"
        if slot % NUMBERS == 0:
            return f"{clue}. Which word does your partner name first?"
        return f"{clue}, and that the first word that your partner names is ours. Which word does it name second?"
