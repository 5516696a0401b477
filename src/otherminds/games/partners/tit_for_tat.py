"""Tit-for-tat: copies, pays back, and forgives."""

from __future__ import annotations

from collections.abc import Iterator

from otherminds.core.data import Automaton, Game
from otherminds.core.errors import StudyError
from otherminds.games.automata import (
    START,
    Chances,
    Machine,
    Predictor,
    Setting,
    State,
    answering,
    hypothesis,
    mostly,
    shape,
    times,
)
from otherminds.games.partners.best_responding import best_answers
from otherminds.games.registry import partners, predictors

COPY_BITS, BITS = 3.0, 2.0
TATS = 3
"""The most unfriendly behaviours in a row that a predictor waits for."""
NOISE = 0.15
FORGIVENESS = 1 / 3
"""How often a generous partner forgives: Nowak & Sigmund 1992, for the usual payoffs."""
RARE = 2.0
"""The bits of noise or generosity."""


def reply(game: Game) -> tuple[int, ...]:
    """Tit-for-tat's answer to each behaviour of the row seat.

    In a strictly competitive game (payoffs of constant sum) the best response,
    else a copy. Raises ``StudyError`` where a copy is impossible.
    """
    rows, columns = shape(game)
    if len({round(x + y, 9) for row in game.payoffs for x, y in row}) == 1:
        return best_answers(game)
    if rows != columns:
        raise StudyError(
            f"tit-for-tat cannot copy in game {game.name!r}: {rows} against {columns} behaviours"
        )
    return tuple(range(rows))


@partners.register("tit_for_tat")
def tit_for_tat(game: Game, rounds: int, noise: float = 0.0, first: int = 0) -> Automaton:
    """Copies the other's last behaviour; in RPS-like games best-responds to it.

    Round 1 is played as if the other had shown behaviour ``first`` before. With
    ``noise`` each reply is another behaviour, uniformly, with that probability.
    Riemer et al. 2025, appendix C.3; Rapoport, in Axelrod 1980; noisy variant: Molander 1985.
    """
    if not 0.0 <= noise < 1.0:
        raise StudyError(f"the noise of tit_for_tat must be at least 0 and below 1, not {noise}")
    answers = reply(game)
    if not 0 <= first < len(answers):
        raise StudyError(
            f"the first of tit_for_tat must be a behaviour, 0 to {len(answers) - 1}, not {first}"
        )
    return answering(answers, shape(game)[1], noise, first).automaton(game, rounds)


@partners.register("noisy_tit_for_tat")
def noisy_tit_for_tat(game: Game, rounds: int, noise: float = 0.1, first: int = 0) -> Automaton:
    """Tit-for-tat whose reply is another behaviour with probability ``noise``. Molander 1985."""
    return tit_for_tat(game, rounds, noise, first)


@predictors.register("copy")
def copy(setting: Setting) -> Iterator[Predictor]:
    """Copies the other's last behaviour; opens at random. Rapoport's tit-for-tat, in Axelrod 1980, but for the opening.

    In games of constant sum it is one of the fixed answers (``fixed_answer``).
    """
    if setting.own == setting.theirs and setting.social:
        same, of = range(setting.own), setting.theirs
        yield hypothesis(answering(same, of), "copy", "They copy what you played last.", COPY_BITS)
        yield hypothesis(
            answering(same, of, NOISE),
            "copy with slips",
            "They mostly copy what you played last.",
            COPY_BITS + RARE,
        )


@predictors.register("tit_for_tat")
def predict_tit_for_tat(setting: Setting) -> Iterator[Predictor]:
    """Unfriendly after ``n`` unfriendly behaviours of the other in a row, else friendly.

    With n = 1 also noisy, or generous. Axelrod 1984; Nowak & Sigmund 1992.
    """
    if not setting.social:
        return
    of = setting.theirs
    kind, hard = setting.named(0), setting.named(of - 1)
    for n in range(1, TATS + 1):
        says = f"They play {kind}, and {hard} after anything else was met {times(n)} in a row."
        yield hypothesis(
            _retaliate_after(n, of), f"tit for {n} tats" if n > 1 else "tit for tat", says, BITS + n - 1
        )
    says = f"They play {kind} after {setting.mine(0)} and {hard} after anything else"
    yield hypothesis(
        _retaliate_after(1, of, NOISE, NOISE),
        "tit for tat with slips",
        f"{says}, most of the time.",
        BITS + RARE,
    )
    yield hypothesis(
        _retaliate_after(1, of, 0.0, FORGIVENESS),
        "generous tit for tat",
        f"{says}, but forgive at times.",
        BITS + RARE,
    )


def _retaliate_after(strikes: int, of: int, noise: float = 0.0, forgiving: float = 0.0) -> Machine:
    """Unfriendly after ``strikes`` in a row, but with ``forgiving``; else friendly, but with ``noise``."""

    def output(row: State) -> Chances:
        return mostly(0, of, noise) if row < strikes else mostly(of - 1, of, forgiving)

    return Machine(START, output, lambda row, own, other: min(strikes, row + 1) if other else 0)
