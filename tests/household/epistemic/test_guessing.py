"""Bounds on guessing: closed forms, and against the exact value of every silent joint policy."""

from __future__ import annotations

from fractions import Fraction
from itertools import chain, combinations, pairwise, permutations, product
from math import prod

import pytest

from otherminds.household.proofs.guessing import Hidden, bounded, share
from tests.cases import for_each


@pytest.mark.parametrize("n", range(2, 41))
def test_one_to_open_and_one_to_leave(n: int) -> None:
    """n / (4 (n - 1)) for even n; for odd n a little less, (n + 1) / (4 n), since half of n is not whole."""
    assert share(n, 1, 1) == (Fraction(n, 4 * (n - 1)) if n % 2 == 0 else Fraction(n + 1, 4 * n))
    assert Fraction(1, 4) < share(n, 1, 1) <= Fraction(n, 4 * (n - 1))


def test_two_to_leave_tend_to_4_27_from_above() -> None:
    shares = [share(n, 1, 2) for n in range(3, 400)]
    assert all(one >= other for one, other in pairwise(shares))
    assert all(one > Fraction(4, 27) for one in shares)
    assert shares[-1] < Fraction(4, 27) + Fraction(1, 500)
    assert [share(n, 1, 2) for n in (3, 4, 5, 6)] == [
        Fraction(1, 3), Fraction(1, 4), Fraction(1, 5), Fraction(1, 5)
    ]  # fmt: skip


def test_to_open_everything_solves_what_nothing_must_stay() -> None:
    assert share(9, 3, 0) == 1
    assert share(9, 0, 3) == 1
    assert share(9, 1, 0, most=3) == Fraction(1, 3)


def test_objects_need_their_places() -> None:
    assert share(5, 0, 0, filled=1) == Fraction(1, 5)
    assert share(5, 0, 0, filled=2) == Fraction(1, 20)


@pytest.mark.parametrize("wrong", [(2, 2, 1, 0), (1, 0, 0, 2), (3, -1, 0, 0)])
def test_requirements_that_do_not_fit_are_refused(wrong: tuple[int, int, int, int]) -> None:
    with pytest.raises(ValueError, match="do not fit"):
        share(*wrong)


GAMES = [
    (n, k, m, d, most)
    for n in range(2, 6)
    for k, m, d in product(range(3), repeat=3)
    if k + m + d <= n
    for most in (1, 2, None)
]


def exact(n: int, k: int, m: int, d: int, most: int | None) -> Fraction:
    """The best share of any plan: the things that it changes, and the places of its objects."""
    worlds = list(permutations(range(n), k + m + d))
    best = 0
    limit = n if most is None else most
    for changed in chain.from_iterable(combinations(range(n), size) for size in range(min(n, limit) + 1)):
        for places in product(range(n), repeat=d):
            best = max(
                best,
                sum(
                    set(world[:k]) <= set(changed)
                    and not set(world[k : k + m]) & set(changed)
                    and world[k + m :] == places
                    for world in worlds
                ),
            )
    return Fraction(best, len(worlds))


@for_each("game", GAMES, every=5)
def test_share_is_the_value_of_the_best_plan(game: tuple[int, int, int, int, int | None]) -> None:
    n, k, m, d, most = game
    assert share(n, k, m, d, most) == exact(n, k, m, d, most)


def bit(number: int) -> Hidden:
    """A class of two handles, one to open and one to leave: a hidden bit."""
    things = (f"left_{number}", f"right_{number}")
    return Hidden(f"bit {number}", (), things, (), (), things[:1], things[1:])


def test_two_agents_that_see_each_others_bit_guess_right_together() -> None:
    """The product, 1/4, would be no bound: both guess that the bits are equal."""
    cycle = bounded([bit(0), bit(1)], {0: {1}, 1: {0}})
    assert cycle.value == Fraction(1, 2)
    assert len(cycle.order) == 1
    assert bounded([bit(0), bit(1)], {0: {1}, 1: set()}).value == Fraction(1, 4)
    assert bounded([bit(0), bit(1)], {0: {1}, 1: set()}).order == (1, 0)


def test_a_class_whose_actors_know_it_protects_nothing() -> None:
    assert bounded([bit(0), bit(1)], {0: {0}, 1: set()}).order == (1,)
    assert bounded([bit(0)], {0: {0}}).value == 1


def best_joint(depends: dict[int, set[int]]) -> Fraction:
    """The exact share of three hidden bits under every joint policy; the guess of a bit is a function of known bits."""
    worlds = list(product((0, 1), repeat=3))
    options: list[list[int]] = []
    for i, known in depends.items():
        keys: list[tuple[int, ...]] = list(product((0, 1), repeat=len(known)))
        found: set[int] = set()
        for guesses in product((0, 1), repeat=len(keys)):
            policy = dict(zip(keys, guesses, strict=True))
            right = (policy[tuple(w[j] for j in sorted(known))] == w[i] for w in worlds)
            found.add(sum(1 << at for at, solved in enumerate(right) if solved))
        options.append(sorted(found))
    best = max((a & b & c).bit_count() for a in options[0] for b in options[1] for c in options[2])
    return Fraction(best, len(worlds))


ARROWS = [(i, j) for i in range(3) for j in range(3) if i != j]


def test_no_joint_policy_is_better_than_the_bound() -> None:
    """All 64 ways in which the actors of three hidden bits may know the others' bits."""
    loose = 0
    for used in product((False, True), repeat=len(ARROWS)):
        depends = {
            i: {j for (k, j), use in zip(ARROWS, used, strict=True) if use and k == i} for i in range(3)
        }
        value, bound = best_joint(depends), bounded([bit(i) for i in range(3)], depends)
        assert value <= bound.value
        assert bound.value == prod((bit(i).share for i in bound.order), start=Fraction(1))
        loose += value < bound.value
    assert loose == 0
