"""Win-stay, lose-shift (Pavlov): partners that keep what pays."""

from __future__ import annotations

from collections.abc import Iterator

from otherminds.core.data import Automaton, Game
from otherminds.games.automata import (
    OPENING,
    START,
    Machine,
    Predictor,
    Setting,
    always,
    anything,
    best_reply,
    hypothesis,
)
from otherminds.games.registry import partners, predictors

BITS = 5.0
NEXT, BEFORE, BEST = "the next one", "the one before", "what would have been best"
"""The targets of a shift."""


def _rule(game: Game, way: str = NEXT, strictly: bool = False) -> tuple[tuple[int, ...], ...]:
    """The next behaviour of the column seat by what it and the other played: the same where that paid."""
    theirs = game.flipped()
    pays = [[pay for pay, _ in row] for row in theirs.payoffs]
    mean = sum(map(sum, pays)) / (len(pays) * len(pays[0]))

    def shift_behaviour(b: int, a: int) -> int:
        return best_reply(theirs, a) if way == BEST else (b + (1 if way == NEXT else -1)) % len(pays)

    return tuple(
        tuple(
            b if pay > mean or (not strictly and pay == mean) else shift_behaviour(b, a)
            for a, pay in enumerate(row)
        )
        for b, row in enumerate(pays)
    )


def _shifting(rule: tuple[tuple[int, ...], ...], start: int) -> Machine:
    of = len(rule)
    return Machine(
        start,
        lambda state: anything(of) if state == OPENING else always(state, of),
        lambda state, own, other: rule[own][other],
    )


@partners.register("win_stay_lose_shift")
def win_stay_lose_shift(game: Game, rounds: int) -> Automaton:
    """Repeats a behaviour that paid at least the game's mean payoff, else takes the next one.

    Opens with behaviour 0. Nowak & Sigmund 1993; in the Prisoner's Dilemma it
    stays after 8 and 10 and shifts after 0 and 5.
    """
    return _shifting(_rule(game), START).automaton(game, rounds)


@predictors.register("win_stay_lose_shift")
def shifts(setting: Setting) -> Iterator[Predictor]:
    """Stays with what paid at least the game's mean, or more than that; else shifts. Nowak & Sigmund 1993.

    It shifts to the next behaviour, to the one before, or to what would have been best, and
    opens with anything. Of equal rules only the first is listed.
    """
    if setting.game is None or setting.theirs < 2:
        return
    rules: set[tuple[tuple[int, ...], ...]] = set()
    for strictly, condition in ((False, "what did not lose"), (True, "what won")):
        for way in (NEXT, BEFORE, BEST):
            rule = _rule(setting.game, way, strictly)
            if rule not in rules:
                rules.add(rule)
                yield hypothesis(
                    _shifting(rule, OPENING),
                    f"stays with {condition}, else {way}",
                    f"They repeat {condition}, and else shift to {way}.",
                    BITS + strictly + (way != NEXT),
                )
