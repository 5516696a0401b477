"""Finite automata as partners: building, checking and following them."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import TypeVar

from otherminds.core.data import Automaton, Game
from otherminds.core.errors import WorldError

S = TypeVar("S", bound=Hashable)

START: int = 0
"""The start of rules whose states are numbers."""


def unfold(
    start: S,
    output: Callable[[S], Sequence[float]],
    advance: Callable[[S, int, int], S],
    behaviours: tuple[int, int],
    rounds: int,
) -> Automaton:
    """Tabulates a rule as an automaton over the states it can reach in ``rounds`` rounds.

    ``output(state)`` is the distribution over its own behaviours,
    ``advance(state, own, other)`` the next state, ``behaviours`` the numbers of
    its own and of the other's behaviours. States first reached after the last
    round lead back to themselves.
    """
    own, other = behaviours
    number: dict[S, int] = {start: 0}
    frontier = [start]
    for _ in range(rounds):
        reached: list[S] = []
        for state in frontier:
            for i in range(own):
                for j in range(other):
                    after = advance(state, i, j)
                    if after not in number:
                        number[after] = len(number)
                        reached.append(after)
        frontier = reached
        if not frontier:
            break
    unfinished = set(frontier)
    return Automaton(
        0,
        tuple(tuple(float(p) for p in output(state)) for state in number),
        tuple(
            tuple(
                tuple(
                    number[state] if state in unfinished else number[advance(state, i, j)]
                    for j in range(other)
                )
                for i in range(own)
            )
            for state in number
        ),
    )


def always(behaviour: int, of: int) -> tuple[float, ...]:
    """The distribution that plays ``behaviour``, one of ``of``, for certain.

    >>> always(1, 3)
    (0.0, 1.0, 0.0)
    """
    return tuple(1.0 if i == behaviour else 0.0 for i in range(of))


def check(automaton: Automaton, game: Game) -> None:
    """Whether ``automaton`` can play the column seat of ``game``.

    Raises:
        WorldError: its tables do not fit the game; the text says where.
    """
    rows, columns = (len(names) for names in game.behaviours)
    states = len(automaton.output)
    if not 0 <= automaton.start < states or len(automaton.next) != states:
        raise WorldError(f"an automaton of {states} states starts in {automaton.start} or lacks transitions")
    for s, (output, after) in enumerate(zip(automaton.output, automaton.next, strict=True)):
        if len(output) != columns or min(output) < 0 or abs(sum(output) - 1) > 1e-12:
            raise WorldError(
                f"state {s} of an automaton does not give a distribution over {columns} behaviours"
            )
        if len(after) != columns or any(
            len(row) != rows or not all(0 <= n < states for n in row) for row in after
        ):
            raise WorldError(f"state {s} of an automaton has transitions that do not fit the game")


def deterministic(automaton: Automaton) -> bool:
    """Whether every state plays one behaviour for certain."""
    return all(max(output) == 1.0 for output in automaton.output)


def best_reply(game: Game, other: int) -> int:
    """The row seat's best behaviour against column behaviour ``other``; lowest on ties."""
    pays = [game.payoffs[i][other][0] for i in range(len(game.behaviours[0]))]
    return pays.index(max(pays))
