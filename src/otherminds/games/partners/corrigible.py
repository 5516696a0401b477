"""A partner that exploits until it is punished."""

from __future__ import annotations

from otherminds.core.data import Automaton, Game
from otherminds.core.errors import StudyError
from otherminds.games.automata import START, always, unfold
from otherminds.games.registry import partners


@partners.register("corrigible")
def corrigible(game: Game, rounds: int, strikes: int = 3, noise: float = 0.0) -> Automaton:
    """Plays its last behaviour until the other has not played 0 ``strikes`` times; then makes peace.

    From then on it plays 0 after a 0 and its last behaviour after anything else,
    beginning with 0; with ``noise`` it does the opposite of these two with that
    probability. Melting Pot's ``Corrigible`` (Agapiou et al. 2022), made for games
    whose behaviour 0 is the friendly one.
    """
    rows, columns = (len(names) for names in game.behaviours)
    if strikes < 1:
        raise StudyError(f"corrigible needs at least 1 strike, not {strikes}")
    if not 0.0 <= noise < 1.0:
        raise StudyError(f"the noise of corrigible must be at least 0 and below 1, not {noise}")
    friendly, hostile = always(0, columns), always(columns - 1, columns)

    def output(state: int) -> tuple[float, ...]:
        if state < strikes:
            return hostile
        meant, opposite = (friendly, hostile) if state == strikes else (hostile, friendly)
        return tuple((1 - noise) * p + noise * q for p, q in zip(meant, opposite, strict=True))

    def advance(state: int, own: int, other: int) -> int:
        if state < strikes:
            return state + (other != 0)
        return strikes + (other != 0)

    return unfold(START, output, advance, (columns, rows), rounds)
