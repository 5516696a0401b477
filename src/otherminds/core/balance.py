"""Balanced orders of options and assignments of labels, for :attr:`otherminds.core.scenario.Scenario.arrange`.

Language models prefer some labels and some places in a list. Such a preference must not look like a reaction to
a partner, so every partner meets every arrangement equally often. The designs are the Latin squares of Williams
(1949), "Experimental designs balanced for the estimation of residual effects of treatments", Australian Journal
of Scientific Research A 2, 149-168.
"""

from __future__ import annotations

from functools import cache

from otherminds.core.scenario import Meeting


@cache
def design(size: int) -> tuple[tuple[int, ...], ...]:
    """Balanced permutations of 0 to ``size`` - 1: ``size`` of them, or twice that number if it is odd and not 1.

    Each item has each place equally often, and comes before each other item, and directly before it, equally
    often. The first ``size`` permutations have each item in each place once. With up to three items, these are
    all permutations.

    >>> design(3)
    ((0, 1, 2), (1, 2, 0), (2, 0, 1), (2, 1, 0), (0, 2, 1), (1, 0, 2))
    >>> [len(design(size)) for size in (1, 2, 3, 4, 5, 8)]
    [1, 2, 6, 4, 10, 8]
    """
    zigzag = [(place + 1) // 2 if place % 2 else -(place // 2) for place in range(size)]
    square = tuple(tuple((item + shift) % size for item in zigzag) for shift in range(size))
    mirrored = tuple(row[::-1] for row in square) if size % 2 and size > 1 else ()
    return square + mirrored


def order(size: int, meeting: Meeting, fewer: int = 0) -> list[int]:
    """The order in which ``size`` options are listed in an episode.

    At each place of a population's schedule, any ``len(design(size))`` consecutive cycles have the orders of the
    design. The episodes with one partner in the same cycle have different ones, as far as there are.

    Where the other seat has ``fewer`` options and lists them in the same order, without those that it lacks, the
    first ``fewer`` options also rotate by one step every ``len(design(size)) ** 2`` cycles. This balances the
    shorter list too, over :func:`period` cycles.
    """
    rows = design(size)
    steps, rotating = meeting.cycle // len(rows) ** 2, _rotating(size, fewer)
    return [
        (option + steps) % rotating if option < rotating else option
        for option in rows[_turn(meeting, len(rows))]
    ]


def labels(size: int, meeting: Meeting) -> tuple[int, ...]:
    """The number of the label that each of ``size`` options has in an episode.

    It is the permutation of the design with the number of the order, plus one for each ``len(design(size))``
    cycles, so that every label assignment meets every order.
    """
    rows = design(size)
    return rows[(_turn(meeting, len(rows)) + meeting.cycle // len(rows)) % len(rows)]


def period(size: int, fewer: int = 0) -> int:
    """The cycles after which labels, order, and each pair of both are exactly balanced.

    >>> period(2), period(3), period(4), period(4, fewer=3)
    (4, 36, 16, 48)
    """
    return len(design(size)) ** 2 * _rotating(size, fewer)


def _turn(meeting: Meeting, length: int) -> int:
    """The permutation for an episode, of ``length``: one further each cycle, evenly spread within one."""
    return (meeting.cycle + meeting.before * max(1, length // meeting.times)) % length


def _rotating(size: int, fewer: int) -> int:
    """How many options rotate. A shorter list of one or two options is balanced without."""
    return fewer if 2 < fewer < size else 1
