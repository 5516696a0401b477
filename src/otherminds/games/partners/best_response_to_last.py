"""Partners that best-respond to the last encounter, and predictors of every other fixed answer."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations
from math import factorial

from otherminds.core.data import Automaton, Game
from otherminds.games.automata import Predictor, Setting, answering, best_reply, choice, hypothesis, shape
from otherminds.games.registry import partners, predictors

BITS = 3.0
LARGEST = 3
"""The most behaviours for which all fixed answers are listed."""
NOISE, NOISY = 0.15, 2.0
"""The error rate of a noisy predictor, and the bits of its noise."""


def best_answers(game: Game) -> tuple[int, ...]:
    """The column seat's best response to each behaviour of the row seat, the lowest on ties."""
    own = game.flipped()
    return tuple(best_reply(own, a) for a in range(shape(game)[0]))


@partners.register("best_response_to_last")
def best_response_to_last(game: Game, rounds: int) -> Automaton:
    """Best-responds to the other's last behaviour, the lowest on ties; opens with a uniformly random one.

    Cournot's adjustment process; Melting Pot's ``CounterPrevious`` (Agapiou et al. 2022).
    """
    return answering(best_answers(game), shape(game)[1]).automaton(game, rounds)


@predictors.register("best_response_to_last")
def best_responses(setting: Setting) -> Iterator[Predictor]:
    """Best-responds to the other's last behaviour (Cournot 1838); opens at random.

    None where that is a copy or a constant.
    """
    answers = best_answers(setting.game) if setting.game else ()
    if len(set(answers)) > 1 and answers != tuple(range(len(answers))):
        says, of = "They play the best response to what you played last", setting.theirs
        yield hypothesis(answering(answers, of), "best response to last", f"{says}.", BITS)
        yield hypothesis(
            answering(answers, of, NOISE),
            "best response with slips",
            f"{says}, most of the time.",
            BITS + NOISY,
        )


@predictors.register("fixed_answer")
def fixed_answer(setting: Setting) -> Iterator[Predictor]:
    """Every other one-to-one answer to the last behaviour, such as beating the best response to it."""
    of = setting.theirs
    if not 1 < setting.own == of <= LARGEST:
        return
    others = {tuple(range(of))} if setting.social else set[tuple[int, ...]]()
    if setting.game:
        others.add(best_answers(setting.game))
    for answers in permutations(range(of)):
        if answers not in others:
            words = ", ".join(f"{setting.mine(a)} with {setting.named(b)}" for a, b in enumerate(answers))
            bits = BITS + 1 + choice(factorial(of))
            yield hypothesis(answering(answers, of), f"answers {words}", f"They answer {words}.", bits)
