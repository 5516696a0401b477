"""The dynamics of values: the worked numbers of the paper's defaults."""

from __future__ import annotations

from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from otherminds.minds.hypothetical.working import Credit, HypothesisStream


def met(stream: HypothesisStream, said: object, came: object) -> None:
    for hypothesis in stream.tested(5):
        hypothesis.predictions[stream.met] = said
    stream.evaluate(lambda prediction: prediction == came)


def test_four_straight_hits_validate_and_three_do_not() -> None:
    stream = HypothesisStream(Credit())
    stream.add("always plays rock")
    for _ in range(3):
        met(stream, "rock", "rock")
    assert stream.validated is None
    met(stream, "rock", "rock")
    assert stream.validated is stream.newest
    assert round(stream.newest.value, 4) == 0.7599


def test_a_value_at_the_threshold_does_not_validate() -> None:
    """One hit of α = 1 gives the whole reward."""
    validated: list[bool] = []
    for reward in (0.75, 0.875):
        stream = HypothesisStream(Credit(alpha=1.0, reward=reward, threshold=0.75))
        stream.add("always plays rock")
        met(stream, "rock", "rock")
        validated.append(stream.validated is not None)
    assert validated == [False, True]


def test_one_miss_drops_a_validated_value_from_076_to_023() -> None:
    stream = HypothesisStream(Credit())
    hypothesis = stream.add("always plays rock")
    for _ in range(4):
        met(stream, "rock", "rock")
    met(stream, "rock", "paper")
    assert round(hypothesis.value, 2) == 0.23
    assert stream.validated is None


def test_a_hypothesis_right_nine_times_in_ten_counts_as_validated_in_74_percent_of_rounds() -> None:
    """In the long run: what came more than 18 encounters ago moves a value by less than 0.0017."""
    shares = [validated_share(0.9, 18, long_ago) for long_ago in (-1.0, 1.0)]
    assert all(round(share, 2) in (0.73, 0.74) for share in shares)
    assert round(sum(shares) / 2, 2) == 0.74


def validated_share(accuracy: float, encounters: int, value: float) -> float:
    """The probability that a value is above the threshold after so many encounters from ``value``."""
    credit = Credit()
    at = {value: 1.0}
    for _ in range(encounters):
        after: dict[float, float] = {}
        for v, p in at.items():
            for earned, q in ((1.0, accuracy), (-1.0, 1 - accuracy)):
                moved = credit.moved(v, earned)
                after[moved] = after.get(moved, 0.0) + p * q
        at = after
    return sum(p for v, p in at.items() if v > credit.threshold)


def test_a_prediction_is_scored_once_for_the_encounter_it_was_made_for() -> None:
    stream = HypothesisStream(Credit())
    hypothesis = stream.add("always plays rock")
    met(stream, "rock", "rock")
    after_one = hypothesis.value
    stream.evaluate(lambda prediction: True)
    assert hypothesis.value == after_one
    assert hypothesis.hits == {0: True}


def test_any_hypothesis_may_be_validated_not_only_the_newest() -> None:
    stream = HypothesisStream(Credit())
    first = stream.add("always plays rock")
    for _ in range(4):
        met(stream, "rock", "rock")
    stream.add("always plays paper")
    assert stream.validated is first
    assert stream.tested(5) == [first]


def test_before_validation_the_newest_and_the_best_others_are_tested() -> None:
    stream = HypothesisStream(Credit())
    made = [stream.add(text) for text in "abcdefgh"]
    made[2].value = 0.5
    assert stream.tested(5) == [made[7], made[2], made[6], made[5], made[4], made[3]]
    assert stream.top(5) == [made[2]]


def test_a_repeated_hypothesis_keeps_its_value_and_is_the_newest_again() -> None:
    stream = HypothesisStream(Credit())
    first = stream.add("always plays rock")
    first.value = 0.4
    stream.add("always plays paper")
    assert stream.add("always plays rock") is first
    assert stream.newest is first
    assert len(stream.hypotheses) == 2


def test_an_unjudged_prediction_moves_no_value() -> None:
    stream = HypothesisStream(Credit())
    hypothesis = stream.add("always plays rock")
    hypothesis.predictions[0] = "rock"
    assert stream.evaluate(lambda prediction: None) == []
    assert (hypothesis.value, hypothesis.hits, stream.met) == (0.0, {}, 1)


@given(st.lists(st.booleans(), max_size=60), st.floats(0.01, 1.0), st.floats(0.1, 5.0))
def test_values_stay_within_the_reward(hits: list[bool], alpha: float, reward: float) -> None:
    credit = Credit(alpha, reward, 0.7)
    value = 0.0
    for hit in hits:
        value = credit.moved(value, reward if hit else -reward)
        assert abs(value) <= reward * (1 + 1e-9)


def test_the_value_after_n_hits_is_one_minus_seven_tenths_to_the_n() -> None:
    credit = Credit()
    value = 0.0
    for n in range(1, 8):
        value = credit.moved(value, 1.0)
        assert abs(value - float(1 - Fraction(7, 10) ** n)) < 1e-12


def test_afresh_a_repeated_hypothesis_begins_again_at_0() -> None:
    """As in the published code, which keeps the old one beside it."""
    kept, afresh = HypothesisStream(Credit()), HypothesisStream(Credit(), afresh=True)
    for stream in (kept, afresh):
        stream.add("They always play rock.").predictions[0] = "rock"
        stream.evaluate(lambda said: said == "rock")
        stream.add("They always play rock.")
    assert [h.value for h in kept.hypotheses] == [0.3]
    assert [h.value for h in afresh.hypotheses] == [0.3, 0.0]
    assert [h.id for h in afresh.hypotheses] == [0, 1]
    assert afresh.newest is not None
    assert afresh.newest.value == 0.0


def test_of_two_hypotheses_with_one_value_the_newer_is_the_best() -> None:
    stream = HypothesisStream(Credit())
    for text in ("always plays rock", "always plays paper"):
        stream.add(text)
        assert stream.best is stream.newest
