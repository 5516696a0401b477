"""What validation brings and saves, reckoned by hand."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from otherminds.measures.cells import NONE_COUNTED, tabulate
from otherminds.measures.notes import NO_CALLS, NOT_NOTED, NOT_VALIDATED
from otherminds.measures.registry import Inapplicable, measures, ratios

NOTED = ("validated_share", "reward_before_validation", "reward_after_validation")


@pytest.fixture
def record(play, think):
    """Six rounds; validated after two and three, lost after four, back after five and at the end."""
    made = play("rps-single-v1", lambda h: len(h) % 3, lambda h: 0, rounds=6)
    return think(made, (False, False, True, True, False, True, True), (1, 5, 3, 3, 7, 2, 2))


def of(name: str, record) -> float:
    over, under = ratios.get(name)(record)
    return over / under


def test_worked_numbers(record) -> None:
    rewards = [encounter.reward for encounter in record.met["ego"]]
    assert of("validated_share", record) == pytest.approx(3 / 6)
    assert measures.get("encounters_until_validation")(record) == 2
    assert measures.get("ever_validated")(record) == 1
    assert of("reward_before_validation", record) == pytest.approx(sum(rewards[:2]) / 2)
    assert of("reward_after_validation", record) == pytest.approx(sum(rewards[2:]) / 4)


def test_calls_belong_to_the_encounter_before_them(record) -> None:
    """The one call at the start belongs to none; 5 and 7 while not validated, 3, 3, 2, 2 while validated."""
    assert ratios.get("calls_while_not_validated")(record) == (12, 2)
    assert ratios.get("calls_while_validated")(record) == (10, 4)


def test_calls_of_others_and_later_steps_are_told_apart(record) -> None:
    """What is asked between two encounters counts with the first of them; plans and other seats' calls do not."""
    late = replace(record.calls[0], step=1)
    record.calls += (late, replace(late, seat="partner_0"), replace(late, purpose="plan"))
    assert ratios.get("calls_while_not_validated")(record) == (13, 2)


def test_never_validated(play, think) -> None:
    never = think(play("rps-single-v1", lambda h: 0, lambda h: 0, rounds=3), (False,) * 4)
    assert measures.get("encounters_until_validation")(never) == 3
    assert measures.get("ever_validated")(never) == 0
    assert ratios.get("reward_after_validation")(never) == (0, 0)
    assert ratios.get("validated_share")(never) == (0, 3)


def test_without_notes_or_calls_nothing_is_known(play, think) -> None:
    silent = play("rps-single-v1", lambda h: 0, lambda h: 0, rounds=2)
    assert ratios.get("calls_while_validated")(silent) == Inapplicable(NOT_NOTED)
    for name in NOTED:
        assert ratios.get(name)(silent) == Inapplicable(NOT_VALIDATED)
    for name in ("ever_validated", "encounters_until_validation"):
        assert measures.get(name)(silent) == Inapplicable(NOT_VALIDATED)
    assert ratios.get("calls_while_validated")(think(silent, (False, True))) == Inapplicable(NO_CALLS)


def test_a_mind_that_knows_no_validation_never_lacks_it(play, think) -> None:
    """Its calls count all the same."""
    record = think(play("rps-single-v1", lambda h: 0, lambda h: 0, rounds=3), (False,) * 4, (1, 4, 4, 4))
    record.notes = tuple(replace(note, data={**note.data, "threshold": None}) for note in record.notes)
    assert ratios.get("validated_share")(record) == Inapplicable(NOT_VALIDATED)
    assert ratios.get("calls_while_not_validated")(record) == (12, 3)


def test_a_cell_sums_before_it_divides(play, think) -> None:
    """An episode without a validation neither hides nor moves what the others say."""
    records = [
        think(play("rps-single-v1", lambda h: 0, lambda h: 0, seed, rounds=4), flags)
        for seed, flags in enumerate([(False,) * 5, (False, False, True, True, True), (True,) * 5])
    ]
    (cell,) = tabulate({("rps-single-v1", "scripted"): 3}, records)
    earned = [[encounter.reward for encounter in record.met["ego"]] for record in records]
    after = [*earned[1][2:], *earned[2]]
    assert cell.more["reward_after_validation"].mean == pytest.approx(sum(after) / len(after))
    assert cell.more["validated_share"].mean == pytest.approx((2 + 4) / 12)
    assert cell.more["encounters_until_validation"].mean == pytest.approx((4 + 2 + 0) / 3)
    assert cell.more["ever_validated"].mean == pytest.approx(2 / 3)
    (none,) = tabulate({("rps-single-v1", "scripted"): 1}, records[:1])
    assert none.more["reward_after_validation"].reason == NONE_COUNTED
