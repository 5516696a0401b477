"""Patterns are known by name, counted as measures, and silent where all went well."""

from __future__ import annotations

from otherminds.household.measures.patterns import patterns
from otherminds.measures.registry import measures
from tests.cases import for_each

PATTERNS = {"withheld", "chain", "private", "misallocated", "constraints"}


def test_five_patterns_with_a_count_each() -> None:
    assert set(patterns) >= PATTERNS
    assert {f"pattern_{name}" for name in PATTERNS} <= set(measures)


@for_each("k", range(24))
def test_all_are_silent_where_all_went_well(k: int, many, household, setting) -> None:
    errand = many[k]
    script = [*errand.wait(), *errand.told(), *errand.fetch(), *errand.reported()]
    record = household(errand, script, setting(limits={errand.holder: 1, errand.doer: 1}))
    assert record.facts["solved"]
    assert {name: patterns.get(name)(record) for name in patterns} == dict.fromkeys(patterns, ())


def test_a_count_is_how_often_it_is_found(errand, household) -> None:
    tries = [(errand.holder, f"Navigate[{errand.room}]")] * 4
    assert measures.get("pattern_constraints")(household(errand, tries)) == 3


def test_what_is_found_stands_in_the_order_of_turns(errand, household) -> None:
    ask = errand.says(errand.doer, errand.holder, f"Please put {errand.thing} on {errand.target}.")
    tries = [(errand.holder, f"Navigate[{errand.room}]")] * 2
    found = patterns.get("constraints")(household(errand, [*tries, *ask]))
    assert [one.turn for one in found] == [1, 2]
    assert [one.seat for one in found] == [errand.holder, errand.doer]


def test_nothing_is_found_in_other_worlds(play) -> None:
    record = play("rps-single-v1", lambda h: 0, lambda h: 0, rounds=2)
    assert all(patterns.get(name)(record) == () for name in patterns)
