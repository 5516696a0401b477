"""How much to put on a behaviour, where one gathers for it before an encounter.

Where an encounter is between mixtures of what was gathered, a single thing shows a
behaviour already, and every further one raises what is at stake. Who is sure of its
partner gathers more; who does not know it gathers as little as will do, and finds out
the sooner.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from otherminds.games.filtering import Vector

MOST = 9
"""More than this is not gathered in one go."""


class Commitment(NamedTuple):
    """To show ``behaviour`` after gathering ``more`` for it; ``score`` is what that is worth."""

    behaviour: int
    more: int
    score: float


def amounts(held: Vector, behaviour: int) -> range:
    """How much more may be gathered so that ``behaviour`` is the one shown: that of which there is most.

    >>> amounts(np.array([2.0, 1.0, 1.0]), 1)
    range(2, 10)
    """
    rest = float(np.delete(held, behaviour).max(initial=0.0))
    least = max(0, int(rest - held[behaviour]) + 1)
    return range(least, max(least, MOST) + 1)


def mixed(held: Vector, behaviour: int, more: int, pays: Vector) -> Vector:
    """What the mixture wins that has ``more`` of ``behaviour``.

    ``pays`` float64[A, ...] is what each pure behaviour wins; the result has the rest of its shape.
    """
    return (held @ pays + more * pays[behaviour]) / (held.sum() + more)


def stake(held: Vector, pays: Vector, values: Vector, price: float) -> Commitment:
    """The best behaviour and the best amount.

    ``held`` float64[A] is what was gathered for each; ``pays`` float64[A] what each is
    expected to win in a pure encounter, ``values`` what it is worth with all that
    follows, and ``price`` what gathering one more costs.
    """

    def options() -> Iterator[Commitment]:
        for a in range(len(held)):
            for more in amounts(held, a):
                won = float(mixed(held, a, more, pays))
                yield Commitment(a, more, float(values[a] - pays[a]) + won - price * more)

    return max(options(), key=lambda option: option.score)
