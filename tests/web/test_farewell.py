"""What somebody who plays alone is told at the end."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

import otherminds as om
from otherminds.core.record import Outcome
from otherminds.web.farewell import describe_episode


@pytest.mark.parametrize("rounds", [1, 6])
def test_the_end_says_what_was_earned_what_others_earn_and_who_the_partner_was(rounds: int) -> None:
    record = om.play("rps-mixed-v1", "rmax", options={"rounds": rounds}, seed=3)
    words = describe_episode(record)
    rewards = [own for own, _ in record.rewards]
    assert (
        f"The last round earned you {rewards[-1]:g}. You earned {sum(rewards):g} in {rounds} round" in words
    )
    assert ("rounds." in words) == (rounds > 1)
    assert record.bounds is not None
    assert f"the best plan that ignores its partner earns {record.bounds.blind:.3g}" in words
    assert next(iter(record.partners.values())).name in words
    assert words.endswith("a verdict takes at least six distinct ones.")


def test_an_encounter_of_many_steps_is_no_round() -> None:
    record = om.play("pd-repeated-0-v1", "uniform", seed=1)
    words = describe_episode(record)
    assert f"in {len(record.rewards)} steps." in words
    assert "round" not in words


def test_an_episode_that_is_not_scored_says_why() -> None:
    record = om.play("rps-mixed-v1", "rmax", options={"rounds": 3})
    broken = replace(record, outcome=Outcome("failed", "provider", "person:you gave no reply", 2))
    assert (
        describe_episode(broken)
        == "The episode ended after 3 steps and is not scored: person:you gave no reply."
    )
