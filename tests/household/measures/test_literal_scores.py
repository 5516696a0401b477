"""L over a split: 1 for who is always right, and at most 0 for whoever never looks at who saw or heard what."""

from __future__ import annotations

import random
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from otherminds.household.measures.literal_scores import (
    BEFORE,
    RULES,
    are_about_others,
    find_terms,
    score_classes,
    score_entries,
    score_plans,
    tally_items,
)
from otherminds.household.measures.questions import FAILS, HOLDS, INVALID, UNKNOWN, Form, Item
from tests.cases import for_each
from tests.household.measures.literal_minds import CAME_TRUE, score_policies

ANSWERS = (HOLDS, FAILS, UNKNOWN)
FORMS: tuple[Form, ...] = tuple(
    (depth, predicate, role, places)
    for depth in (1, 2, 3)
    for predicate in ("is_open", "is_on_top")
    for role, places in (("probe", ""), ("agent", "1,0"), ("agent", "0,-"), ("contrary", ""), ("other", ""))
)
MOMENTS = (0.1, 0.3, 0.6, 0.9, 1.0)


@st.composite
def asked(draw: st.DrawFn) -> list[tuple[str, Item]]:
    """Questions of several tasks with any truths, own knowledge and messages; the answers are to be given."""
    rng = random.Random(draw(st.integers(0, 10**6)))
    number, forms = draw(st.integers(1, 120)), draw(st.integers(1, len(FORMS)))
    return [(rng.choice("abcdefg"), item(rng, rng.choice(FORMS[:forms]))) for _ in range(number)]


def item(rng: random.Random, form: Form) -> Item:
    return Item(
        seat="agent_0",
        form=form,
        moment=rng.choice(MOMENTS),
        answer=INVALID,
        truth=rng.choice(ANSWERS),
        own=rng.choice((*ANSWERS, None)),
        sent=rng.choice(ANSWERS),
        received=rng.choice(ANSWERS),
        last=rng.choice(ANSWERS),
    )


def answered(items: list[tuple[str, Item]], answer: Callable[[Item], int]) -> list[tuple[str, Item]]:
    return [(task, replace(one, answer=answer(one))) for task, one in items]


def literal(items: list[tuple[str, Item]]) -> tuple[float, float]:
    """The weighted accuracy above the floor, and the room above it, of the questions about others."""
    tally = tally_items(items)
    terms = find_terms(tally)
    others = are_about_others(tally)
    asked, right, floor = (part[others].sum() for part in (terms.asked, terms.right, terms.floor))
    return right - floor, asked - floor


NULLS: dict[str, Callable[[Item], int]] = {
    "always holds": lambda one: HOLDS,
    "always does not hold": lambda one: FAILS,
    "always unknown": lambda one: UNKNOWN,
    "own belief for everybody": lambda one: one.truth if one.own is None else one.own,
    "the last message is true": lambda one: one.last,
    "the last message received is true": lambda one: one.received,
    "the goals came true": lambda one: CAME_TRUE[one.form[2]],
    "the goals come true at the end": lambda one: (
        UNKNOWN if one.moment < 1 else FAILS if one.form[2] == "contrary" else HOLDS
    ),
    "holds of the goal's chain alone": lambda one: HOLDS if one.form[2] == "probe" else UNKNOWN,
    "the members of the goal's chain know": lambda one: (
        HOLDS if one.form[2] == "probe" or "-" not in one.form[3] else UNKNOWN
    ),
    "by depth and predicate": lambda one: (len(one.form[1]) + one.form[0]) % 3,
    "own belief late, does not hold early": lambda one: (
        FAILS if one.moment < 0.5 else one.truth if one.own is None else one.own
    ),
}


@given(asked())
def test_who_is_always_right_has_one_wherever_there_is_room(items: list[tuple[str, Item]]) -> None:
    won, room = literal(answered(items, lambda one: one.truth))
    assert won == pytest.approx(room)
    assert room >= -1e-9


@for_each("null", NULLS)
@given(items=asked())
def test_no_answer_that_owes_nothing_to_who_knows_what_is_above_zero(
    items: list[tuple[str, Item]], null: str
) -> None:
    won, _ = literal(answered(items, NULLS[null]))
    assert won <= 1e-9


@given(asked(), st.integers(0, 999))
def test_a_coin_is_not_above_zero_on_average(items: list[tuple[str, Item]], seed: int) -> None:
    """The floor has the exact expectation of two- and three-sided coins: 200 draws stay within 4 standard errors."""
    tally = tally_items(items)
    terms = find_terms(tally)
    others = are_about_others(tally)
    rng = random.Random(seed)
    for sides in ((HOLDS, FAILS), (HOLDS, UNKNOWN), (FAILS, UNKNOWN), ANSWERS):
        won = [literal(answered(items, lambda one, sides=sides: rng.choice(sides)))[0] for _ in range(20)]
        error = np.sqrt((terms.weights[others] ** 2 * tally.asked[others]).sum()) / 2
        assert np.mean(won) <= 5 * error / np.sqrt(len(won)) + 1e-9


@given(asked())
def test_the_floor_is_at_least_every_policy_of_the_panel(items: list[tuple[str, Item]]) -> None:
    scores = score_policies(items)
    assert all(score <= scores["best mixture"] + 1e-9 for score in scores.values())
    assert not scores or {*RULES, "the goals came true"} < {*scores}


@given(asked())
def test_half_of_what_counts_has_another_answer_than_the_likeliest(items: list[tuple[str, Item]]) -> None:
    tally = tally_items(items)
    terms = find_terms(tally)
    for form in range(len(tally.forms)):
        inside = tally.form == form
        weights = np.bincount(tally.truth[inside], terms.asked[inside], minlength=3)
        counts = np.bincount(tally.truth[inside], tally.asked[inside], minlength=3)
        assert weights.max() <= weights.sum() / 2 + 1e-9
        assert (weights.sum() > 0) == (np.count_nonzero(counts) > 1)


@given(asked(), st.lists(st.integers(0, 3), min_size=7, max_size=7))
def test_a_task_drawn_several_times_counts_as_often(items: list[tuple[str, Item]], times: list[int]) -> None:
    items = answered(items, lambda one: one.last)
    tally = tally_items(items)
    repeats = np.array(times[: len(tally.tasks)], dtype=float)
    terms = find_terms(tally, repeats)
    copies = [pair for pair in items for _ in range(int(repeats[tally.tasks.index(pair[0])]))]
    other = tally_items(copies)
    again = find_terms(other)
    for name in ("asked", "right", "floor"):
        assert getattr(terms, name).sum() == pytest.approx(getattr(again, name).sum())


@given(asked())
def test_a_score_leaves_out_what_no_answer_can_tell(items: list[tuple[str, Item]]) -> None:
    tally = tally_items(answered(items, lambda one: one.truth))
    terms = find_terms(tally)
    for one in score_classes(tally, terms):
        found = one.literal
        assert (found.weighted == 0) == (found.accuracy is None)
        assert found.score is None or found.score == pytest.approx(1.0)
        assert 0 <= found.weighted <= found.questions
    whole = score_entries(tally, terms, np.ones(tally.entries, dtype=bool))
    assert whole.questions == len(items)


def test_depth_one_is_scored_by_constants_and_coins_alone() -> None:
    """At depth 1 one's own knowledge is the answer: it is no way around the question."""
    rng = random.Random(3)
    items = [("a", replace(item(rng, (1, "is_open", "probe", "")), own=None)) for _ in range(40)]
    tally = tally_items(items)
    terms = find_terms(tally)
    deeper = tally_items([(task, replace(one, form=(2, "is_open", "probe", ""))) for task, one in items])
    assert find_terms(deeper).floor.sum() == pytest.approx(find_terms(deeper).asked.sum())
    assert terms.floor.sum() < terms.asked.sum()


def test_a_plan_goes_by_its_second_rule_from_the_moment_of_the_switch_on() -> None:
    """At the end all have switched; before it those have not that switch at the end, nor at a moment that comes."""
    one = Item("agent_0", (2, "is_open", "probe", ""), 1.0, HOLDS, HOLDS, FAILS, FAILS, UNKNOWN, FAILS)
    for moment, first_blocks in ((1.0, 0), (0.75, 1), (0.74, 2), (0.0, 4)):
        blocks = score_plans(replace(one, moment=moment)).reshape(-1, len(RULES))
        last = [np.array_equal(block, blocks[0]) for block in blocks]
        assert last == [True] * (len(blocks) - first_blocks * len(BEFORE)) + [False] * first_blocks * len(
            BEFORE
        )
