"""Partners that best-respond: to the last encounter, to frequencies, to one that best-responds; and predictors of them."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations
from math import factorial

from otherminds.core.data import Automaton, Game
from otherminds.core.errors import StudyError
from otherminds.games.automata import (
    Chances,
    Machine,
    Predictor,
    Setting,
    always,
    answering,
    best_reply,
    choice,
    hypothesis,
    shape,
)
from otherminds.games.registry import partners, predictors

BITS = 3.0
LARGEST = 3
"""The most behaviours for which all fixed answers are listed."""
NOISE, NOISY = 0.15, 2.0
"""The error rate of a noisy predictor, and the bits of its noise."""
OPENING: tuple[int, int] = (0, 0)
"""Round 1 is played as if both had shown behaviour 0."""


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


@partners.register("best_response_to_frequency")
def best_response_to_frequency(game: Game, rounds: int) -> Automaton:
    """Best-responds to the other's frequencies; lowest on ties, so it opens with 0.

    Brown 1951. Its states are the counts, so it has about rounds² of them for
    two behaviours and rounds³/6 for three; exact plans refuse it when too large.
    """
    rows, columns = shape(game)

    def output(counts: tuple[int, ...]) -> Chances:
        if not any(counts):
            return always(0, columns)
        worth = [sum(n * game.payoffs[i][j][1] for i, n in enumerate(counts)) for j in range(columns)]
        return always(worth.index(max(worth)), columns)

    def advance(counts: tuple[int, ...], own: int, other: int) -> tuple[int, ...]:
        return tuple(n + (i == other) for i, n in enumerate(counts))

    return Machine((0,) * rows, output, advance).automaton(game, rounds)


def level_k_reply(game: Game, level: int, own: int, other: int) -> int:
    """What a level-k thinker in the *row* seat plays after (own, other).

    Level 0 repeats its own last behaviour; level k best-responds to a partner
    of level k − 1. Stahl & Wilson 1994, applied to the last encounter.
    """
    if level == 0:
        return own
    return best_reply(game, level_k_reply(game.flipped(), level - 1, other, own))


@partners.register("level_k")
def level_k(game: Game, rounds: int, level: int = 1) -> Automaton:
    """A level-``level`` thinker; round 1 is played as if both had shown behaviour 0."""
    _, columns = shape(game)
    if level < 0:
        raise StudyError(f"level_k needs a level of at least 0, not {level}")
    own = game.flipped()
    return Machine(
        OPENING,
        lambda last: always(level_k_reply(own, level, *last), columns),
        lambda last, mine, other: (mine, other),
    ).automaton(game, rounds)
