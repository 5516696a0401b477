"""Balanced orders of options and assignments of labels, for :attr:`otherminds.core.scenario.Scenario.arrange`.

Language models prefer some labels and some places in a list. Such a preference must not look like a reaction to
a partner, so every partner meets every arrangement equally often. The designs are the Latin squares of Williams
(1949), "Experimental designs balanced for the estimation of residual effects of treatments", Australian Journal
of Scientific Research A 2, 149-168.
"""

from __future__ import annotations

from functools import cache


@cache
def design(size: int) -> tuple[tuple[int, ...], ...]:
    """Balanced permutations of 0 to ``size`` - 1: ``size`` of them, or twice as many where it is odd and not 1.

    Each item has each place equally often and comes before each other item, and directly before it, equally
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


def order(size: int, cycle: int, place: int, fewer: int = 0) -> list[int]:
    """The order in which ``size`` options are listed in an episode.

    ``cycle`` and ``place`` are those of :attr:`otherminds.core.scenario.Scenario.arrange`. Within a place, the
    orders of any ``len(design(size))`` consecutive cycles are those of the design.

    Where the other seat has ``fewer`` options and lists them in the same order, without those that it lacks, the
    first ``fewer`` options also rotate by one step every ``period(size)`` cycles. This balances the shorter list
    too, over ``period(size, fewer)`` cycles.
    """
    rows = design(size)
    steps, rotating = cycle // len(rows) ** 2, _rotating(size, fewer)
    return [
        (option + steps) % rotating if option < rotating else option
        for option in rows[(cycle + place) % len(rows)]
    ]


def labels(size: int, cycle: int, place: int) -> tuple[int, ...]:
    """The number of the label that each of ``size`` options has in an episode.

    Within a place, any ``period(size)`` consecutive cycles have each pair of this assignment and
    :func:`order` once.
    """
    rows = design(size)
    pairs = cycle + cycle // len(rows) + place + place // len(rows)
    return rows[pairs % len(rows)]


def period(size: int, fewer: int = 0) -> int:
    """The cycles after which labels and order, and each pair of both, are exactly balanced.

    >>> period(2), period(3), period(4), period(4, fewer=3)
    (4, 36, 16, 48)
    """
    return len(design(size)) ** 2 * _rotating(size, fewer)


def _rotating(size: int, fewer: int) -> int:
    """How many options rotate. A shorter list of one or two options is balanced without."""
    return fewer if 2 < fewer < size else 1
