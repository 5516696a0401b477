"""Tit-for-tat, in the style of Riemer et al. 2025, appendix C.3."""

from __future__ import annotations

from otherminds.core.data import Automaton, Game
from otherminds.core.errors import StudyError
from otherminds.games.automata import START, always, best_reply, unfold
from otherminds.games.registry import partners


def reply(game: Game) -> tuple[int, ...]:
    """What tit-for-tat answers to each behaviour of the row seat.

    In a strictly competitive game (payoffs of constant sum) the best response,
    else a copy. Raises ``StudyError`` where a copy is impossible.
    """
    rows, columns = (len(names) for names in game.behaviours)
    if len({round(x + y, 9) for row in game.payoffs for x, y in row}) == 1:
        own = game.flipped()
        return tuple(best_reply(own, a) for a in range(rows))
    if rows != columns:
        raise StudyError(
            f"tit-for-tat cannot copy in game {game.name!r}: {rows} against {columns} behaviours"
        )
    return tuple(range(rows))


@partners.register("tit_for_tat")
def tit_for_tat(game: Game, rounds: int, noise: float = 0.0) -> Automaton:
    """Copies the last behaviour met; in RPS-like games best-responds to it.

    Round 1 is played as if the other had shown behaviour 0 before. With
    ``noise`` each reply is another behaviour, uniformly, with that probability.
    Rapoport, in Axelrod 1980; noisy variant: Molander 1985.
    """
    rows, columns = (len(names) for names in game.behaviours)
    if not 0.0 <= noise < 1.0:
        raise StudyError(f"the noise of tit_for_tat must be at least 0 and below 1, not {noise}")
    answers = reply(game)

    def output(last: int) -> tuple[float, ...]:
        sure = always(answers[last], columns)
        if not noise:
            return sure
        return tuple(1 - noise if p else noise / (columns - 1) for p in sure)

    return unfold(START, output, lambda last, own, other: other, (columns, rows), rounds)
