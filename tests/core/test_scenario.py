from collections import Counter
from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from otherminds.core.errors import StudyError
from otherminds.core.record import SeatSpec
from otherminds.core.scenario import Independent, Population, scenario
from tests.cases import for_each

WHO = [(SeatSpec("single", {"behaviour": b}),) for b in range(6)]

weights = st.lists(st.integers(1, 8), min_size=1, max_size=6).map(
    lambda parts: [Fraction(part, sum(parts)) for part in parts]
)


def population(shares: list[Fraction]) -> Population:
    return Population(tuple(zip(shares, WHO, strict=False)))


def number(seats: tuple[SeatSpec, ...]) -> int:
    return seats[0].params["behaviour"]


@given(shares=weights)
def test_each_partner_has_exactly_its_weight(shares: list[Fraction]) -> None:
    order = population(shares).schedule()
    met = Counter(map(number, order))
    assert [Fraction(met[i], len(order)) for i in range(len(shares))] == shares


@given(shares=weights)
def test_no_shorter_schedule_would_do(shares: list[Fraction]) -> None:
    length = len(population(shares).schedule())
    shorter = [n for n in range(1, length) if all((n * share).denominator == 1 for share in shares)]
    assert not shorter


@given(shares=weights)
def test_no_partner_is_ever_a_whole_episode_ahead_of_its_share(shares: list[Fraction]) -> None:
    order = population(shares).schedule()
    met: Counter[int] = Counter()
    for k, seats in enumerate(order, 1):
        met[number(seats)] += 1
        for i, share in enumerate(shares):
            assert met[i] - share * k < 1


@given(n=st.integers(1, 6))
def test_equal_partners_take_turns(n: int) -> None:
    order = population([Fraction(1, n)] * n).schedule()
    assert [number(seats) for seats in order] == list(range(n))


def test_the_same_schedule_every_time() -> None:
    mixed = population([Fraction(1, 4), Fraction(1, 4), Fraction(1, 2)])
    assert mixed.schedule() == mixed.schedule()


@for_each(
    "shares",
    [[], [Fraction(1, 2)], [Fraction(3, 2), Fraction(-1, 2)], [Fraction(1), Fraction(0)]],
    ids=["nobody", "half", "negative", "never"],
)
def test_bad_weights_are_refused(shares: list[Fraction]) -> None:
    with pytest.raises(StudyError, match="must be positive and sum to 1"):
        population(shares)


def test_a_scenario_without_partners_has_one_empty_member() -> None:
    assert Population(((Fraction(1), ()),)).schedule() == ((),)


@for_each("pools", [(), ((),), (WHO[0], ())])
def test_an_independent_population_has_no_empty_pool(pools: tuple[tuple[SeatSpec, ...], ...]) -> None:
    with pytest.raises(StudyError, match="at least one pool"):
        Independent(pools, 1)


def test_what_chance_fixes_at_the_start_is_pinned_by_the_seed() -> None:
    drawing = replace(scenario("rps-mixed-v1", {}), draw=lambda rng: {"number": rng.randrange(10**6)})
    assert [drawing.drawn(seed)["number"] for seed in range(3)] == [240641, 319810, 66091]
