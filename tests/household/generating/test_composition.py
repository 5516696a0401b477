"""A split has the shares of table 3 of Juneja et al. 2026 within one task."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from otherminds.core.errors import StudyError
from otherminds.household.generating.properties import (
    GENERATED,
    SPLITS,
    checked,
    composition,
    divide_count,
    split,
    spread,
)
from otherminds.household.pool.store import PATTERNS
from tests.cases import for_each

SHARES = {
    "agents": {2: 0.26, 3: 0.73, 4: 0.01},
    "depth": {1: 0.37, 2: 0.26, 3: 0.36},
    "category": {"cooperative": 0.5, "mixed": 0.5},
}
LEAST = {
    "room_restriction": 1.0,
    "limited_bandwidth": 1.0,
    "restricted_communication": 0.57,
    "remote_control": 0.16,
    "inverse_state": 0.03,
    "state_mirroring": 0.017,
}


@for_each("tasks", [60, 150])
def test_shares_are_those_of_the_paper(tasks: int) -> None:
    wished = composition(tasks)
    assert len(wished) == tasks
    for name, shares in SHARES.items():
        counts = Counter(getattr(one, name) for one in wished)
        whole = sum(shares.values())  # those of depth add up to 99 %
        for value, share in shares.items():
            assert abs(counts[value] - tasks * share / whole) <= 1, (name, value)
    assert LEAST.keys() == set(GENERATED)
    for name, least in LEAST.items():
        assert sum(name in one.mechanics for one in wished) >= least * tasks, name


def test_the_splits_of_150_tasks_have_these_numbers() -> None:
    wished = composition(150)
    assert Counter(one.agents for one in wished) == {2: 39, 3: 110, 4: 1}
    assert Counter(one.depth for one in wished) == {1: 56, 2: 39, 3: 55}
    assert Counter(one.pattern for one in wished) == {
        "mixed": 75,
        "delegation": 19,
        "sequencing": 19,
        "relay": 19,
        "gated": 18,
    }


@given(tasks=st.integers(1, 400))
def test_every_task_can_be_made(tasks: int) -> None:
    wished = composition(tasks)
    assert len(wished) == tasks
    for one in wished:
        assert checked(one) == one
        assert (one.category == "mixed") == (one.pattern == "mixed")
        assert None not in (one.agents, one.depth, one.category, one.pattern)
        # Where two agents may not write to each other, nobody can be told anything.
        assert one.agents != 2 or "restricted_communication" not in one.mechanics
    patterns = Counter(one.pattern for one in wished if one.pattern != "mixed")
    assert tasks < 20 or max(patterns.values()) - min(patterns.values()) <= 1


def test_patterns_have_every_depth() -> None:
    found = {(one.pattern, one.depth) for one in composition(150)}
    assert found == {
        (pattern, depth)
        for pattern in PATTERNS
        for depth in (1, 2, 3)
        if (pattern, depth) != ("delegation", 3)
    }


def test_only_the_hard_split_asks_for_hard_tasks() -> None:
    assert {name: (one.tasks, one.hard) for name, one in SPLITS.items()} == {
        "standard": (150, None),
        "hard": (150, True),
        "dev": (60, None),
    }
    assert all(one.hard for one in composition(7, True))
    with pytest.raises(StudyError, match="there is no split 'hrad'; did you mean hard"):
        split("hrad")


@given(
    count=st.integers(0, 300),
    shares=st.dictionaries(st.integers(0, 9), st.integers(1, 100), min_size=1, max_size=6),
)
def test_a_count_is_shared_within_one(count: int, shares: dict[int, int]) -> None:
    found = divide_count(count, shares)
    whole = sum(shares.values())
    assert sum(found.values()) == count
    assert all(abs(found[name] - count * share / whole) < 1 for name, share in shares.items())


@given(st.dictionaries(st.integers(0, 9), st.integers(0, 30), min_size=1, max_size=5))
def test_spreading_keeps_the_counts_and_no_name_is_far_behind(counts: dict[int, int]) -> None:
    order = spread(counts)
    assert Counter(order) == Counter({name: count for name, count in counts.items() if count})
    for k in range(len(order) + 1):
        begun = Counter(order[:k])
        assert all(
            abs(begun[name] - count * k / len(order)) < len(counts) for name, count in counts.items() if order
        )
