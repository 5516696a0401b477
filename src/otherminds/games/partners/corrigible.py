"""Partners that exploit until they are punished."""

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
    always,
    choice,
    hypothesis,
    mostly,
    shape,
    times,
)
from otherminds.games.registry import partners, predictors

BITS = 2.0
STRIKES = 4
"""The most strikes of a predictor."""
NOISE, RARE = 0.15, 2.0
"""The error rate of a noisy predictor, and the bits of its noise."""


def _make_machine(strikes: int, friendly: Chances, unfriendly: Chances) -> Machine:
    """``friendly`` and ``unfriendly`` are its distributions after ``strikes`` defections."""
    of = len(friendly)

    def output(state: State) -> Chances:
        if state < strikes:
            return always(of - 1, of)
        return friendly if state == strikes else unfriendly

    def after(state: State, own: int, other: int) -> State:
        return (state if state < strikes else strikes) + (other != 0)

    return Machine(START, output, after)


@partners.register("corrigible")
def corrigible(game: Game, rounds: int, strikes: int = 3, noise: float = 0.0) -> Automaton:
    """Plays its last behaviour until the other has not played 0 ``strikes`` times; then makes peace.

    From then on it plays 0 after a 0 and its last behaviour after anything else,
    starting with 0; with probability ``noise`` it does the opposite of these two. Melting Pot's ``Corrigible`` (Agapiou et al. 2022), made for games
    whose behaviour 0 is the friendly one.
    """
    if strikes < 1:
        raise StudyError(f"corrigible needs at least 1 strike, not {strikes}")
    if not 0.0 <= noise < 1.0:
        raise StudyError(f"the noise of corrigible must be at least 0 and below 1, not {noise}")
    columns = shape(game)[1]
    first, last = always(0, columns), always(columns - 1, columns)
    friendly, unfriendly = (
        tuple((1 - noise) * p + noise * q for p, q in zip(meant, opposite, strict=True))
        for meant, opposite in ((first, last), (last, first))
    )
    return _make_machine(strikes, friendly, unfriendly).automaton(game, rounds)


@predictors.register("corrigible")
def corrigibles(setting: Setting) -> Iterator[Predictor]:
    """Unfriendly until ``n`` unfriendly behaviours of the other, then tit-for-tat, friendly first; with and without noise."""
    of = setting.theirs
    unkind = setting.named(of - 1)
    for n in range(1, STRIKES + 1) if setting.social else ():
        for noise in (0.0, NOISE):
            yield hypothesis(
                _make_machine(n, mostly(0, of, noise), mostly(of - 1, of, noise)),
                f"corrigible after {n}{' with slips' if noise else ''}",
                f"They play {unkind} until they were paid back {times(n)}; "
                f"from then on they do to you as you did to them{', most of the time' if noise else ''}.",
                BITS + choice(STRIKES) + (RARE if noise else 0.0),
            )
