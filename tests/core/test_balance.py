"""Labels and the order of options are balanced over partners: exact counts in the episodes of studies."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise, permutations
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from otherminds.core.record import SeatSpec
from otherminds.core.scenario import (
    Independent,
    Meeting,
    Population,
    Scenario,
    Setup,
    design,
    labels,
    order,
    period,
    scenario,
)
from otherminds.play.loop import play_now
from otherminds.studies.file import CellEntry, StudyFile
from otherminds.studies.plan import plan
from otherminds.testing import RandomMind
from tests.cases import for_each

Counts = dict[str, Counter[Any]]
"""By partner, how often it met each arrangement."""


def bimatrix(rows: int, columns: int) -> dict[str, Any]:
    payoffs = [[[i, j] for j in range(columns)] for i in range(rows)]
    return {
        "name": "own",
        "behaviours": [[f"r{i}" for i in range(rows)], [f"c{j}" for j in range(columns)]],
    } | {"payoffs": payoffs}


def neutral(rows: int, columns: int) -> dict[str, Any]:
    return {"game": bimatrix(rows, columns), "names": "neutral"}


CASES: dict[str, tuple[dict[str, Any], int, int]] = {
    "rps-single-v1": ({}, 3, 36),
    "rps-mixed-v1": ({}, 6, 36),
    "ibs-mixed-v1": ({}, 4, 4),
    "ipd-tit_for_tat-v1": ({}, 1, 4),
    "bimatrix-single-v1": (neutral(2, 3), 3, 36),
    "rws-repeated-0-v1": ({}, 3, 6),
    "pd-repeated-mixed-v1": ({}, 40, 2),
    "cooking-asymmetric-mixed-v1": ({}, 6, 14),
}
"""Options, length of the schedule, and cycles after which all pairs of labels and order are balanced."""


def planned(name: str, options: dict[str, Any], first: int, episodes: int) -> list[tuple[int, str]]:
    """The seed and the partner of each episode of a study."""
    cell = CellEntry(scenarios=[name], minds=["random"], options=options)
    specs = plan(StudyFile(name="balance", seed=first, episodes=episodes, cells=[cell]), Path()).episodes
    return [(spec.seed, spec.seats["partner_0"].title) for spec in specs]


def counts(
    built: Scenario, met: list[tuple[int, str]], key: Callable[[dict[str, Any]], Any] = repr
) -> Counts:
    found: Counts = defaultdict(Counter)
    for seed, partner in met:
        found[partner][key(built.drawn(seed))] += 1
    return found


def check_exact(built: Scenario, met: list[tuple[int, str]], arrangements: int) -> None:
    """Each partner met all arrangements equally often."""
    for partner, found in counts(built, met).items():
        assert len(found) == arrangements, partner
        assert len(set(found.values())) == 1, partner


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("first", [0, 7])
def test_every_partner_meets_all_labels_in_all_orders_equally_often(name: str, first: int) -> None:
    options, length, cycles = CASES[name]
    built = scenario(name, options)
    met = planned(name, options, first, length * cycles)
    check_exact(built, met, cycles)
    times = Counter(partner for _, partner in met)
    assert {who: n * length for who, n in times.items()} == {
        who[0].title: share * length * length * cycles for share, who in built.population.members
    }


@for_each("episodes", [1, 10, 30, 60, 61])
@for_each("name", CASES)
def test_counts_of_labels_and_of_orders_never_differ_by_more_than_one(name: str, episodes: int) -> None:
    """In a study of any length whose seed is a multiple of the schedule's length, and by partner."""
    options, _, _ = CASES[name]
    built = scenario(name, options)
    met = planned(name, options, 0, episodes)
    start = built.drawn(0)
    size = len(design(len(start["order"])))
    for part in start:
        for partner, found in counts(built, met, lambda drawn, part=part: repr(drawn[part])).items():
            least = min(found.values()) if len(found) == size else 0
            assert max(found.values()) - least <= 1, (part, partner)


def shuffled(built: Scenario) -> Scenario:
    def draw(rng: Random) -> dict[str, Any]:
        listed = list(range(len(built.drawn(0)["order"])))
        rng.shuffle(listed)
        return {"order": listed}

    return replace(built, draw=draw, arrange=lambda meeting: {})


def relabelled(built: Scenario) -> Scenario:
    """As many assignments of labels, without regard to the order."""

    def arrange(meeting: Meeting) -> dict[str, Any]:
        return built.arrange(meeting) | {"names": built.arrange(Meeting(meeting.cycle % 6, 0, 1))["names"]}

    return replace(built, arrange=arrange)


def one_further_each_episode(built: Scenario) -> Scenario:
    def arrange(meeting: Meeting) -> dict[str, Any]:
        return built.arrange(Meeting(6 * meeting.cycle + meeting.before, 0, 1))

    return replace(built, arrange=arrange)


@for_each("mutant", [shuffled, relabelled, one_further_each_episode])
def test_mutants_are_caught(mutant: Callable[[Scenario], Scenario]) -> None:
    met = planned("rps-mixed-v1", {}, 0, 216)
    with pytest.raises(AssertionError):
        check_exact(mutant(scenario("rps-mixed-v1", {})), met, 36)


@for_each(("rows", "columns"), [(1, 3), (2, 3), (3, 4), (4, 3), (2, 5), (3, 8), (6, 6)])
def test_lists_of_unequal_length_are_both_balanced(rows: int, columns: int) -> None:
    size, fewer = max(rows, columns), min(rows, columns)
    built = scenario("bimatrix-cycler-v1", neutral(rows, columns))
    length = period(size, 0 if rows == columns else fewer)
    drawn = [built.drawn(seed) for seed in range(length)]
    for seat, n in enumerate((rows, columns)):
        listed = [[i for i in one["order"] if i < n] for one in drawn]
        assert_uniform(Counter((place, i) for order in listed for place, i in enumerate(order)), n * n)
        named = [one["names"][seat] for one in drawn]
        assert_uniform(Counter((i, name) for names in named for i, name in enumerate(names)), n * size)
        pairs = Counter(
            (names[i], order.index(i)) for names, order in zip(named, listed, strict=True) for i in order
        )
        assert_uniform(pairs, size * n)


def assert_uniform(found: Counter[Any], cases: int) -> None:
    assert len(found) == cases
    assert len(set(found.values())) == 1


@for_each("size", range(1, 9))
def test_designs_balance_places_and_neighbours(size: int) -> None:
    rows = design(size)
    assert len(set(rows)) == len(rows)
    assert all(sorted(row) == [*range(size)] for row in rows)
    assert_uniform(
        Counter((place, item) for row in rows[:size] for place, item in enumerate(row)), size * size
    )
    if size > 1:
        follows = Counter(pair for row in rows for pair in pairwise(row))
        assert_uniform(follows, size * (size - 1))
        before = Counter((row[i], row[j]) for row in rows for j in range(size) for i in range(j))
        assert_uniform(before, size * (size - 1))
    assert size > 3 or set(rows) == set(permutations(range(size)))


@given(
    shares=st.lists(st.integers(1, 5), min_size=1, max_size=4),
    size=st.integers(1, 4),
    first=st.integers(0, 300),
)
def test_any_population_and_any_first_seed(shares: list[int], size: int, first: int) -> None:
    members = [(SeatSpec("single", {"behaviour": i}),) for i in range(len(shares))]
    weighted = [(Fraction(share, sum(shares)), who) for share, who in zip(shares, members, strict=True)]
    population = Population(tuple(weighted))
    cycles, length = period(size), len(population.schedule())
    found: Counts = defaultdict(Counter)
    for k in range(length * cycles):
        meeting = population.meeting(first + k)
        found[population.met(k)[0].title][labels(size, meeting), tuple(order(size, meeting))] += 1
    for pairs in found.values():
        assert_uniform(pairs, cycles)


def test_pools_are_balanced_where_partners_are_drawn() -> None:
    pools = tuple((SeatSpec(pool), SeatSpec(f"{pool}{pool}")) for pool in "ab")
    population = Independent(pools, 2)
    found: Counts = defaultdict(Counter)
    for seed in range(5, 5 + 2 * 6):
        found[population.met(seed)[0].mind[0]][tuple(order(3, population.meeting(seed)))] += 1
    for orders in found.values():
        assert_uniform(orders, 6)


@for_each("names", ["letters", "canonical", ["J", "F", "B"]])
def test_names_with_a_meaning_and_lists_stay_with_their_behaviours(names: Any) -> None:
    built = scenario("rps-single-v1", {"names": names})
    drawn = [built.drawn(seed) for seed in range(18)]
    assert len({repr(one["names"]) for one in drawn}) == 1
    assert_uniform(Counter(repr(one["order"]) for one in drawn), 6)


@for_each("names", ["neutral", "repeated", "nonsense"])
def test_a_name_means_the_same_for_both_seats_of_an_episode(names: str) -> None:
    built = scenario("rps-single-v1", {"names": names})
    drawn = [built.drawn(seed)["names"] for seed in range(18)]
    assert all(own == others for own, others in drawn)
    assert {tuple(sorted(own)) for own, _ in drawn} == {tuple(sorted(drawn[0][0]))}
    assert_uniform(Counter(tuple(own) for own, _ in drawn), 6)


@for_each("name, designs", [("ibs-single-v1", 16), ("ibs-mixed-v1", 16), ("rps-single-v1", 72)])
def test_varied_letters_multiply_the_arrangements_that_each_partner_meets(name: str, designs: int) -> None:
    built, plain = (scenario(name, {"names": names}) for names in ("varied", "neutral"))
    length = len(built.population.schedule())
    drawn = [built.drawn(seed) for seed in range(length * designs)]
    for place in range(length):
        assert len({repr(one) for one in drawn[place::length]}) == designs
    first = length * designs // (4 if "ibs" in name else 2)
    assert drawn[:first] == [plain.drawn(seed) for seed in range(first)], "it begins as neutral"
    for one in drawn:
        assert one["names"][0] == one["names"][1]
    labels = Counter(repr(one["names"][0][0]) for one in drawn[::length])
    assert_uniform(labels, 8 if "ibs" in name else 6)


def test_an_episode_is_played_with_what_was_arranged() -> None:
    built = scenario("rps-mixed-v1", {"rounds": 1})
    for seed in (0, 5, 50):
        record, _ = play_now(Setup(built, {"ego": RandomMind()}, seed))
        assert record.drawn == built.drawn(seed)
