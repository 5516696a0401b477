"""Hidden mechanics show only by their effects: what an agent was not told changes no byte of what it hears."""

from __future__ import annotations

import pytest

from tests.household import hidden_bindings as pairs

PAIRS = 6
MANY = 5_000


def test_pairs_that_differ_in_what_an_agent_was_not_told_sound_the_same_to_it() -> None:
    count = pairs.Count()
    pairs.many(PAIRS, 0, count)
    assert count.pairs == PAIRS
    assert count.hidden > 60
    assert count.knocks > 15


@pytest.mark.slow
def test_many_pairs_sound_the_same() -> None:
    count = pairs.Count()
    pairs.many(MANY + 50, 1_000, count)
    assert count.pairs >= MANY


LEAKS = {
    "a bound thing that is there already says so in its own words": lambda house: pairs.said_otherwise(
        house, "already", "already, and firmly,"
    ),
    "a bound thing that is turned says so in its own words": lambda house: pairs.said_otherwise(
        house, "is now", "and something else is now"
    ),
    "rooms that one may not enter are left out of the plan": lambda house: [
        house.room_of.pop(f) for f, room in tuple(house.room_of.items()) if room in house.barred["agent_1"]
    ],
}


@pytest.mark.parametrize("leak", LEAKS)
def test_the_comparison_finds_leaks(leak: str) -> None:
    with pytest.raises(pairs.Told):
        pairs.many(100, 0, pairs.Count(), LEAKS[leak])
