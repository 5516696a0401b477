"""Imagined duels for few-shot prompts: courses of the stage game between players who commit alike.

The courses are those of :func:`otherminds.games.examples.imagine`; what
they bring is what a duel between such inventories really pays.
"""

from __future__ import annotations

from collections.abc import Sequence

from otherminds.core.data import Encounter, Game, Seat
from otherminds.games.examples import PLAYED, TOTAL, Example, imagine
from otherminds.gridworlds.in_the_matrix.words.naming import SeatVocabulary

COLLECTED = 5
"""Boxes of one kind that each imagined player collects: Melting Pot's bots mostly aim at this many."""
BETWEEN = 80  # Steps from one imagined duel to the next
ASKED = BETWEEN * PLAYED  # The step in which the imagined seat is asked


def committed(kind: int, kinds: int) -> tuple[int, ...]:
    """The inventory of who collected ``COLLECTED`` boxes of ``kind`` and nothing else.

    >>> committed(1, 3)
    (1, 6, 1)
    """
    return tuple(1 + COLLECTED * (k == kind) for k in range(kinds))


def pays(game: Game, own: Sequence[int], other: Sequence[int]) -> tuple[float, float]:
    """What the inventories ``own`` and ``other`` bring their two holders in a duel."""
    total = sum(own) * sum(other)
    own_pay, other_pay = (
        sum(own[i] * other[j] * game.payoffs[i][j][side] for i in range(len(own)) for j in range(len(other)))
        for side in (0, 1)
    )
    return own_pay / total, other_pay / total


def committing(game: Game) -> Game:
    """The game between players who commit to one kind: what each pair of such inventories really pays."""
    kinds = len(game.behaviours[0])
    payoffs = tuple(
        tuple(pays(game, committed(i, kinds), committed(j, kinds)) for j in range(kinds))
        for i in range(kinds)
    )
    return Game(game.name, game.behaviours, payoffs)


def imagined(game: Game, order: Sequence[int]) -> tuple[Example, ...]:
    """Three courses of duels against a constant player, one that answers, and one that alternates."""
    return imagine(committing(game), order, order, copying=True)


def course(words: SeatVocabulary, game: Game, one: Example, other: Seat) -> list[str]:
    """The duels of ``one``, each as it would be told."""
    names, payoffs = words.substrate.classes, committing(game).payoffs
    lines: list[str] = []
    for step, i, j in zip(range(BETWEEN, ASKED + 1, BETWEEN), one.own, one.others, strict=True):
        did = {words.seat: (names[i],), other: (names[j],)}
        lines.append(f"Step {step}. {words.duel(Encounter(step - 1, did, payoffs[i][j][0]))}")
    return lines


def foreseen(words: SeatVocabulary, one: Example, other: Seat) -> str:
    """What the other player has been like, and so plays next."""
    names, who = words.substrate.classes, words.name(other)
    who = who[0].upper() + who[1:]
    coming, own, others = names[one.coming], [names[i] for i in one.own], [names[j] for j in one.others]
    if one.habit == "constant":
        return f"{who} played {coming} whatever I did, and should do so again."
    if one.habit == "alternates":
        return f"{who} goes back and forth between {others[0]} and {others[1]}, so {coming} comes next."
    how = (
        "it copies me"
        if one.habit == "copies"
        else "it plays what would have paid it most against my last play"
    )
    return (
        f"{who} answered my {own[0]} with {others[1]} and my {own[1]} with {others[2]}: {how}. "
        f"I played {own[2]} last, so {coming} comes next."
    )


def weighed(words: SeatVocabulary, one: Example, order: Sequence[int]) -> str:
    """What each own play brings against that, and the best of them."""
    names = words.substrate.classes
    brings = ", ".join(
        f"{names[i]} {words.number(one.now[i])}"
        + (f" and {words.number(one.worth[i])}" if one.answers else "")
        for i in order
    )
    when = f"next, and at best in all duels from then to the {TOTAL}th" if one.answers else "next"
    best = "nothing is better than {}" if one.tied else "{} is best"
    return f"My reward {when}: {brings}; so {best.format(names[one.best])}."
