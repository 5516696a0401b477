"""ToM % and ToM above chance against what was said, in closed form."""

from __future__ import annotations

from math import isclose

from hypothesis import given
from hypothesis import strategies as st

from otherminds.core.data import Invalid
from otherminds.core.record import Asked
from otherminds.measures.literal import right, tom_above_chance, tom_percent, tom_slope
from otherminds.measures.registry import Unknown
from tests.cases import for_each


@for_each(("name", "options"), [("rps-single-v1", 3), ("ibs-single-v1", 2)])
@for_each("wrong", [0, 1, 25, 100])
def test_known_accuracy(play, name: str, options: int, wrong: int) -> None:
    record = play(name, lambda h: 0, lambda h: int(len(h) < wrong))  # the partner always shows 0
    assert tom_percent(record) == 100 - wrong
    chance = 1 / options
    assert isclose(tom_above_chance(record), (1 - wrong / 100 - chance) / (1 - chance))


def test_an_invalid_answer_is_not_right(play) -> None:
    record = play("rps-single-v1", lambda h: 0, lambda h: Invalid("mumbled") if len(h) < 40 else 0)
    assert tom_percent(record) == 60
    assert not right(Asked(0, 0, None, None, Invalid("mumbled")))


@given(st.lists(st.integers(0, 2), min_size=5, max_size=5))
def test_always_between_worst_and_best(play, said: list[int]) -> None:
    record = play("rps-single-v1", lambda h: 0, lambda h: said[len(h)], rounds=5)
    assert tom_percent(record) == 20 * said.count(0)
    assert -0.5 <= tom_above_chance(record) <= 1


def test_nothing_asked_is_unknown(play) -> None:
    record = play("rps-single-v1", lambda h: 0, lambda h: 0, rounds=2)
    record.asked = ()
    assert isinstance(tom_percent(record), Unknown)
    assert isinstance(tom_above_chance(record), Unknown)


def test_a_truth_that_never_came_to_be_does_not_count(play) -> None:
    record = play("rps-single-v1", lambda h: 0, lambda h: int(len(h) == 0), rounds=4)
    first, *rest = record.asked
    record.asked = (Asked(first.step, first.question, first.answer, None), *rest)
    assert tom_percent(record) == 100


def test_questions_to_other_seats_do_not_count(play) -> None:
    record = play("rps-single-v1", lambda h: 0, lambda h: 1, rounds=3)
    theirs = record.questions[0].__class__("next:ego", "partner_0", "after", "", ("rock",), 0.0, "ego")
    record.questions = (*record.questions, theirs)
    record.asked = (*record.asked, Asked(0, 1, "rock", "rock"))
    assert tom_percent(record) == 0


def test_the_slope_of_a_mind_that_learns_is_above_zero_and_of_a_steady_one_zero(play) -> None:
    for known in (0, 1):
        assert tom_slope(play("rps-single-v1", lambda h: 0, lambda h, known=known: 1 - known)) == 0
    learning = play("rps-single-v1", lambda h: 0, lambda h: int(len(h) < 50))
    # Wrong for 50 rounds and right for 50: Σ (t − 49.5) over the right ones / Σ (t − 49.5)².
    assert isclose(tom_slope(learning), 1000 * 1250 / (100 * (100**2 - 1) / 12))
