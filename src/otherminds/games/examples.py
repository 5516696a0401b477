"""Imagined short courses of a game whose best next choice is known exactly.

Riemer et al. 2025, table 3 and figure 13 (CoT 3-shot): three examples of ideal thought, made for the game's
own actions and payoffs. Their wording is not published; these follow from the game, the partner families and
the best response, and from nothing that happens in an episode.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from otherminds.core.data import Automaton, Game
from otherminds.games.best_response import best_response
from otherminds.games.planning import TIE
from otherminds.games.registry import automaton

PLAYED = 3
"""Rounds that an example shows; it asks about the next one."""
TOTAL = 10
"""Rounds of an imagined game: enough of them remain to make it worth keeping a partner friendly."""

Habit = Literal["constant", "copies", "best_responds", "alternates"]


@dataclass(frozen=True)
class Example:
    """A course of ``PLAYED`` rounds against a partner with a ``habit``, and what to make of it.

    ``own`` and ``others`` are the behaviours shown, by index; ``coming`` is what the partner does next, and
    ``following[i]`` what it does in the round after, if own behaviour i comes next.
    ``now[i]`` is what own behaviour i brings in the next round, ``worth[i]`` the most that can follow from it
    up to round ``TOTAL``. ``best`` has the highest worth; ``tied`` says that another has it too.
    """

    habit: Habit
    partner: Automaton
    own: tuple[int, ...]
    others: tuple[int, ...]
    coming: int
    following: tuple[int, ...]
    now: tuple[float, ...]
    worth: tuple[float, ...]
    best: int
    tied: bool

    @property
    def answers(self) -> bool:
        """Whether the partner answers what was chosen, so that a choice also decides what follows."""
        return self.habit in ("copies", "best_responds")


def imagine(game: Game, own: Sequence[int], others: Sequence[int], copying: bool) -> tuple[Example, ...]:
    """A constant partner, one that answers the last choice, and one that alternates.

    ``game`` is seen from the seat that is to learn; ``own`` and ``others`` list the behaviours in the order
    in which they are shown, which decides what each example is about. ``copying`` says that a copy can be
    seen as one: both seats' behaviours have the same names. The one that answers is tit-for-tat where that
    can be seen, else it best-responds.

    The three choices are as different as the game permits; the three predictions are never all alike. Empty
    where a seat has a single behaviour: there is nothing to weigh or to predict.
    """
    if len(own) < 2 or len(others) < 2:
        return ()
    habit, answering = _answering(game, copying)
    constant = {b: _single(game, b, own) for b in others}
    turns = zip(own, [*own[1:], own[0]], strict=True)
    reacting = [_example(game, habit, answering, (x, y, x), own) for x, y in turns]
    alternating = {b: _alternating(game, b, own, others) for b in others}
    triples = [
        (constant[b], answers, alternating[c])
        for answers in reacting
        for b in others
        for c in others
        if b != c
    ]
    return max(triples, key=lambda three: len({example.best for example in three}))


def _single(game: Game, behaviour: int, own: Sequence[int]) -> Example:
    partner = automaton("single", game, TOTAL, {"behaviour": behaviour})
    return _example(game, "constant", partner, (own[0], own[1], own[0]), own)


def _alternating(game: Game, coming: int, own: Sequence[int], others: Sequence[int]) -> Example:
    """Against an unchanging choice, so that a change cannot be an answer to it."""
    first = next(b for b in others if b != coming)
    partner = automaton("cycler", game, TOTAL, {"pattern": [first, coming]})
    return _example(game, "alternates", partner, (own[0],) * PLAYED, own)


def _answering(game: Game, copying: bool) -> tuple[Habit, Automaton]:
    best = automaton("level_k", game, TOTAL, {"level": 1})
    if not copying:
        return "best_responds", best
    partner = automaton("tit_for_tat", game, TOTAL, {})
    copies = all(partner.output[partner.next[0][0][i]][i] for i in range(len(game.behaviours[0])))
    return ("copies" if copies else "best_responds"), partner


def _example(
    game: Game, habit: Habit, partner: Automaton, course: tuple[int, ...], own: Sequence[int]
) -> Example:
    state = partner.start
    others: list[int] = []
    for a in course:
        b = partner.output[state].index(1.0)
        others.append(b)
        state = partner.next[state][b][a]
    coming = partner.output[state].index(1.0)
    plan = best_response(game, partner, TOTAL)
    reached = partner.next[state][coming]
    following = tuple(partner.output[after].index(1.0) for after in reached)
    now = tuple(row[coming][0] for row in game.payoffs)
    worth = tuple(
        gain + float(plan.values[PLAYED + 1, plan.number[after]])
        for gain, after in zip(now, reached, strict=True)
    )
    optimal = [a for a in own if worth[a] >= max(worth) - TIE]
    return Example(
        habit, partner, course, tuple(others), coming, following, now, worth, optimal[0], len(optimal) > 1
    )
