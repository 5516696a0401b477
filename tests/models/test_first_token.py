"""What the first token of a chat reply says about options, and when it says nothing."""

from math import exp, inf, log

import pytest
from hypothesis import given
from hypothesis import strategies as st

from otherminds.core.errors import ProviderError
from otherminds.models.scoring import first_token
from tests.cases import for_each

TOKENS = st.lists(st.tuples(st.text("JF A", max_size=2), st.floats(-50, 0)), max_size=8)


def test_spellings_of_a_label_are_summed():
    top = [("J", log(0.3)), (" J", log(0.1)), ("F", log(0.35)), ("J\n", log(0.05)), ("A", log(0.01))]
    found = first_token([" J", " F"], top, "openai:m")
    assert [exp(one) for one in found] == pytest.approx([0.45, 0.35])


def test_a_label_that_is_not_listed_is_less_likely_than_all_that_are():
    top = [("J", -0.5), ("A", -1.0), ("F", -9.0)]
    absent, listed, likely = first_token(["B", " F", "J"], top, "openai:m")
    assert absent < listed == -9.0 < likely
    assert absent == pytest.approx(-9.0)


@given(TOKENS)
def test_the_best_is_a_listed_one(top):
    listed = {token.strip() for token, _ in top} & {"J", "F"}
    try:
        found = dict(zip("JF", first_token([" J", " F"], top, "openai:m"), strict=True))
    except ProviderError:
        assert not listed
    else:
        assert max("JF", key=found.__getitem__) in listed


@for_each(
    ("continuations", "top", "why"),
    [
        ([" J", " F"], [], r"none of 'J', 'F' is a likely reply \(it lists no tokens\)"),
        ([" J", " F"], [("<think>", -0.1), ("I", -3.0)], r"none of 'J', 'F' .*\(it lists '<think>', 'I'\)"),
        (
            ["Rock", "Scissors"],
            [("Rock", -1.0), (" Sc", -2.0)],
            "'Scissors' is more than one token .* with 'Sc'",
        ),
        (["Rock", "Scissors"], [("Sc", -1.0), ("R", -2.0)], "'Rock' is more than one token .* with 'R'"),
        ([""], [("J", -1.0)], "none of '' is a likely reply"),
    ],
)
def test_where_it_says_nothing_the_reason_is_given(continuations, top, why):
    with pytest.raises(ProviderError, match=why) as caught:
        first_token(continuations, top, "openai:m")
    assert str(caught.value).startswith("model openai:m: LM prompting is unavailable, ")
    assert "\n" not in str(caught.value)


def test_a_beginning_of_a_listed_label_does_no_harm():
    assert first_token(["Rock", "Paper"], [("Rock", -1.0), ("R", -1.5), ("Paper", -2.0)], "m") == (-1.0, -2.0)
    assert first_token(["Rock", "Paper"], [("Rock", -1.0), ("", -1.5)], "m")[0] == -1.0


def test_impossible_tokens_stay_impossible():
    assert first_token(["J", "F"], [("J", -1.0), ("F", -inf)], "m") == (-1.0, -inf)
