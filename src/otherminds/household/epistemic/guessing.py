"""How large a share of a family of tasks one silent policy solves: bounds for hidden targets among things of one kind.

The family of a task: for every class of things, the things that the goal names are replaced by others of the class, by
any permutation, and independently for each class. Actors of a class are the agents that can change its things; none of
their briefs and observations depends on the permutation of its things, unless agents signal.

Lemma. A silent policy may look, probe, act on several things and try subsets. Since what the actors of a class are told
and see is the same for all its permutations, so is the final state ``F`` of the things of the class. (A random policy is
a mixture of deterministic ones, whose share is at most that of the best.) Hence the share of the permutations that it
solves is at most

    max over F of |{permutations whose requirements F meets}| / n!

If ``k`` things must change their state, ``m`` must keep it and ``d`` must receive objects of their own, then a final
state with ``s`` changed things among those without these objects meets

    1 / (n)_d * (s)_k (n - d - s)_m / (n - d)_(k + m),    (x)_j = x (x - 1) ... (x - j + 1)

of them: an object is at one place only, and the images of the ``k + m`` things are a uniform sample without
replacement. ``s`` is at most the number of acts within the turn limit.

Several classes. The actors of a class may know the permutations of others: let class i depend on class j if they do.
Along an order in which every class depends on earlier ones only, the final state of each class is a function of the
earlier permutations, whatever the permutations of the classes that are left out; by induction the share is at most the
product. Without such an order it is not: two agents that each see the other's hidden bit and guess their own succeed both
with probability 1/2, not 1/4 (they agree to guess that the bits are equal). The bound is the smallest product over the
sets of classes that have such an order.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import combinations
from math import perm, prod

from msgspec import Struct

Words = tuple[str, ...]
MOST = 12
"""The number of classes whose subsets are enumerated; of more, those with the smallest shares are used."""


class Hidden(Struct, frozen=True, forbid_unknown_fields=True):
    """A class of things among which the targets of some requirements are hidden.

    ``what`` describes the class in words and ``parts`` are the literals of the goal that it hides. Among ``things``,
    those in ``change`` must end in another state than at the start, those in ``stay`` in the same state, and those in
    ``filled`` with objects of their own. ``actors`` can change the things; ``informed`` are all others whose brief or
    observations depend on the permutation. ``most`` bounds the number of things that change within the turn limit.
    """

    what: str
    parts: Words
    things: Words
    actors: Words
    informed: Words
    change: Words = ()
    stay: Words = ()
    filled: Words = ()
    most: int | None = None

    @property
    def share(self) -> Fraction:
        """The largest share of the permutations that one final state meets."""
        many = (len(self.change), len(self.stay), len(self.filled))
        return share(len(self.things), *many, most=self.most)


class Bound(Struct, frozen=True, forbid_unknown_fields=True):
    """A bound, as the text of a fraction, and the numbers of the classes in it, in an order that proves it."""

    share: str
    order: tuple[int, ...]

    @property
    def value(self) -> Fraction:
        return Fraction(self.share)


def share(n: int, change: int, stay: int, filled: int = 0, most: int | None = None) -> Fraction:
    """The largest share of the placements of requirements among ``n`` things that one final state meets.

    Raises:
        ValueError: there are more requirements than things, or a number is negative.

    >>> share(6, 1, 1), share(5, 1, 2), share(8, 0, 0, filled=1)
    (Fraction(3, 10), Fraction(1, 5), Fraction(1, 8))
    """
    if min(change, stay, filled) < 0 or change + stay + filled > n:
        raise ValueError(f"{change} + {stay} + {filled} requirements do not fit on {n} things")
    free = n - filled
    ways = max(
        perm(s, change) * perm(free - s, stay) for s in range(min(free, free if most is None else most) + 1)
    )
    return Fraction(ways, perm(free, change + stay) * perm(n, filled))


def bounded(classes: Sequence[Hidden], depends: Mapping[int, Collection[int]]) -> Bound:
    """The smallest product of shares over sets of classes with an order; ``depends[i]`` are those on which i depends."""
    shares = [hidden.share for hidden in classes]
    useful = [number for number, part in enumerate(shares) if part < 1 and number not in depends[number]]
    useful = sorted(sorted(useful, key=shares.__getitem__)[:MOST])
    best, order = Fraction(1), ()
    for chosen in (subset for size in range(1, len(useful) + 1) for subset in combinations(useful, size)):
        value = prod((shares[number] for number in chosen), start=Fraction(1))
        if value < best and (ordered := _order_classes(chosen, depends)) is not None:
            best, order = value, ordered
    return Bound(str(best), order)


def _order_classes(chosen: Collection[int], depends: Mapping[int, Collection[int]]) -> tuple[int, ...] | None:
    """The classes in an order in which each depends on earlier ones only."""
    waiting, ordered = list(chosen), list[int]()
    while waiting:
        ready = next(_ready(waiting, depends), None)
        if ready is None:
            return None
        waiting.remove(ready)
        ordered.append(ready)
    return tuple(ordered)


def _ready(waiting: Collection[int], depends: Mapping[int, Collection[int]]) -> Iterator[int]:
    return (number for number in waiting if not set(depends[number]).intersection(waiting))
