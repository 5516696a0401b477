"""Partners that answer what they met last: copies, best responses, and every other fixed answer."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations
from math import factorial

from otherminds.games.automata import best_reply
from otherminds.games.predictors.predictor import Chances, Predictor, Setting
from otherminds.games.predictors.registry import predictors
from otherminds.games.predictors.words import OPENING, anything, choice, mostly

BITS = 3.0
LARGEST = 3
"""With more behaviours than this the fixed answers other than copies and best responses are too many."""
NOISE = 0.15
"""How often a noisy partner does something else."""
NOISY = 2.0
"""The bits that it takes to say that a partner is noisy."""


@predictors.register("copy")
def copy(setting: Setting) -> Iterator[Predictor]:
    """Plays what it met last; opens with anything. Rapoport's tit-for-tat, in Axelrod 1980, but for the opening.

    Among pure rivals to copy rewards nothing and punishes nothing: there it is but one of the fixed answers.
    """
    if setting.own == setting.theirs and setting.social:
        same = tuple(range(setting.own))
        yield answering(setting, same, "copy", "They copy what you played last", BITS)
        yield answering(
            setting, same, "copy with slips", "They mostly copy what you played last", BITS + NOISY, NOISE
        )


@predictors.register("best_response_to_last")
def best_response_to_last(setting: Setting) -> Iterator[Predictor]:
    """Best-responds to what it met last (Cournot 1838); opens with anything.

    None where that would be a copy, or the same for all it can meet.
    """
    answers = best_answers(setting)
    if answers is not None and distinct(answers):
        says = "They play the best response to what you played last"
        yield answering(setting, answers, "best response to last", says, BITS)
        yield answering(
            setting, answers, "best response with slips", f"{says}, most of the time", BITS + NOISY, NOISE
        )


@predictors.register("fixed_answer")
def fixed_answer(setting: Setting) -> Iterator[Predictor]:
    """Every other one-to-one answer to what it met last, as beating the best response to it."""
    same = tuple(range(setting.own)) if setting.social else ()
    if not 1 < setting.own == setting.theirs <= LARGEST:
        return
    for answers in permutations(range(setting.own)):
        if answers not in (same, best_answers(setting)):
            words = ", ".join(f"{setting.mine(a)} with {setting.named(b)}" for a, b in enumerate(answers))
            bits = BITS + 1 + choice(factorial(setting.own))
            yield answering(setting, answers, f"answers {words}", f"They answer {words}", bits)


def best_answers(setting: Setting) -> tuple[int, ...] | None:
    """The partner's best response to each own behaviour, the lowest on ties; ``None`` without payoffs."""
    if setting.game is None:
        return None
    theirs = setting.game.flipped()
    return tuple(best_reply(theirs, a) for a in range(setting.own))


def distinct(answers: tuple[int, ...]) -> bool:
    """Whether an answer is neither a copy nor always the same."""
    return len(set(answers)) > 1 and answers != tuple(range(len(answers)))


def answering(
    setting: Setting, answers: tuple[int, ...], name: str, says: str, bits: float, noise: float = 0.0
) -> Predictor:
    """Plays ``answers[own]`` after ``own``; opens with anything."""
    of = setting.theirs

    def output(state: int) -> Chances:
        return anything(of) if state == OPENING else mostly(answers[state], of, noise)

    return Predictor(name, f"{says}.", bits, OPENING, output, lambda state, theirs, own: own)
