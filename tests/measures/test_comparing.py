"""Two minds compared on the same partners and seeds."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest
from msgspec.structs import replace

from otherminds import Record
from otherminds.core.record import Outcome
from otherminds.measures.comparing import Difference, compare
from otherminds.measures.episode import Episode, Key, summarise
from otherminds.measures.intervals import Estimate, holm, together

KEY: Key = ("rps-mixed-v1", "mind")
EPISODES = 24


def played(play: Callable[..., Record], first: Sequence[int], **options: object) -> list[Episode]:
    """A mind that repeats ``first`` and predicts rock, in 24 episodes of ten rounds."""
    return [
        summarise(
            play(
                "rps-mixed-v1", lambda h: first[len(h) % len(first)], lambda h: 0, seed, rounds=10, **options
            )
        )
        for seed in range(EPISODES)
    ]


def by_score(found: Sequence[Difference]) -> dict[str, Difference]:
    return {one.score: one for one in found}


@pytest.fixture(scope="module")
def two(play) -> tuple[list[Episode], list[Episode]]:
    """One that answers rock with paper, and one that answers it with scissors."""
    return played(play, [1]), played(play, [2])


def test_the_difference_is_that_of_the_two_scores(two) -> None:
    paper, scissors = two
    found = by_score(compare({KEY: paper}, {KEY: scissors}))
    assert list(found) == ["functional", "literal", "unused", "reward"]
    parts = [[one.basis.parts.unused for one in some] for some in two]
    assert found["unused"].by.mean == pytest.approx((sum(parts[0]) - sum(parts[1])) / EPISODES)
    assert found["unused"].by.mean < 0  # paper is the best answer to the rock that both predict
    assert found["unused"].pairs == EPISODES
    assert found["unused"].sure


def test_a_mind_does_not_differ_from_itself(two) -> None:
    for one in compare({KEY: two[0]}, {KEY: two[0]}):
        assert (one.by.mean, one.by.error, one.sure) == (0.0, 0.0, False)


def test_turned_round_every_difference_changes_its_sign(two) -> None:
    for one, other in zip(
        compare({KEY: two[0]}, {KEY: two[1]}), compare({KEY: two[1]}, {KEY: two[0]}), strict=True
    ):
        assert one.by.mean == pytest.approx(-other.by.mean)
        assert one.sure == other.sure


def test_pairing_removes_what_partner_and_seed_do_to_both(two) -> None:
    """A constant lead over oneself has no spread, however much the partners differ."""
    ahead = [replace(one, reward=one.reward + 1) for one in two[0]]
    reward = by_score(compare({KEY: ahead}, {KEY: two[0]}))["reward"]
    assert (reward.by.mean, reward.by.low, reward.by.high, reward.sure) == (1.0, 1.0, 1.0, True)


def test_only_episodes_that_both_scored_are_paired(two) -> None:
    lost = [
        replace(one, outcome=Outcome("invalid", "reply", "", 0)) if i < 6 else one
        for i, one in enumerate(two[0])
    ]
    found = by_score(compare({KEY: lost}, {KEY: two[1]}))
    assert {one.pairs for one in found.values()} == {EPISODES - 6}
    none = [replace(one, outcome=Outcome("invalid", "reply", "", 0)) for one in two[0]]
    (reward,) = compare({KEY: none}, {KEY: two[1]})
    assert (reward.score, reward.pairs, reward.by.mean, reward.sure) == ("reward", 0, None, False)


def test_cells_that_only_one_of_them_has_are_left_out(two) -> None:
    other = ("ipd-mixed-v1", "mind")
    assert {one.scenario for one in compare({KEY: two[0], other: two[0]}, {KEY: two[1]})} == {"rps-mixed-v1"}
    assert compare({KEY: two[0]}, {other: two[1]}) == []


def test_estimated_ends_are_never_sure(two) -> None:
    unsure = [replace(one, basis=replace(one.basis, estimated=True)) for one in two[0]]
    found = by_score(compare({KEY: unsure}, {KEY: two[1]}))
    assert not any(found[name].sure for name in ("functional", "literal", "unused"))
    assert found["functional"].estimated
    assert not found["reward"].estimated


def test_holm_rejects_from_the_smallest_on_until_one_fails() -> None:
    assert holm([], 0.05) == 0
    assert holm([0.012, 0.04, 0.012, 0.04], 0.05) == 2
    assert holm([0.013, 0.0001, 0.013, 0.04], 0.05) == 4
    assert holm([0.02, 0.02, 0.02], 0.05) == 0


def test_the_mean_of_independent_estimates() -> None:
    one = Estimate(1.0, 0.0, 2.0, "", 0.3, 10.0)
    both = together([one, replace(one, mean=3.0), Estimate(None, reason="none")])
    assert both.mean == 2.0
    assert both.error == pytest.approx((0.3**2 / 4 * 2) ** 0.5)
    assert both.freedom == pytest.approx(20.0)
    assert both.high - both.mean == pytest.approx(2.0859634 * both.error)
    assert together([Estimate(None, reason="none")]) == Estimate(None, reason="none")
    assert together([one, Estimate(2.0, reason="one episode")]) == Estimate(1.5, reason="one episode")


def test_two_sided_p_values_and_units() -> None:
    one = Estimate(-2.0, -4.0, 0.0, "", 1.0, 10.0)
    assert one.difference == pytest.approx(0.07338803)
    assert Estimate(2.0, 0.0, 4.0, "", 1.0, 10.0).difference == pytest.approx(one.difference)
    assert Estimate(1.0).difference == 1.0
    assert Estimate(0.0, 0.0, 0.0, "", 0.0, 5.0).difference == 1.0
    assert one.per(4.0) == Estimate(-0.5, -1.0, 0.0, "", 0.25, 10.0)
    assert Estimate(None, reason="x").per(2.0) == Estimate(None, reason="x")
