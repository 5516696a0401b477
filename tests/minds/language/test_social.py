"""Social prompting: it predicts, is told its prediction, and is scored on that very one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from otherminds import Record, SeatSpec
from otherminds.core.data import Ask
from otherminds.core.model import Decoding
from tests.minds.language.plain import AT_ONCE, GIVEN_THAT

Episode = Callable[..., Record]
LISTED = Ask("", ("J", "F"), (0, 1))
both = pytest.mark.parametrize("name", ["social_qa", "social_lm"])
EXPECTS = "\nYou predict what the other player does next: {}.\nYou are currently playing round "


def social(name: str, **params: Any) -> SeatSpec:
    return SeatSpec(name, params, model="stand-in")


def answers(own: str, other: str) -> Callable[[str, Decoding], str]:
    return lambda prompt, decoding: own if "Q: Which Option do you choose" in prompt else other


@both
@pytest.mark.parametrize("literal", ["after", "before"])
def test_one_prediction_a_round_serves_choice_and_question(
    episode: Episode, stand_in: Any, purposes: Any, said: Any, name: str, literal: str
) -> None:
    model = stand_in(answers("A: Option J", "A: Option F"), favourite=" F")
    record = episode(social(name), model, literal=literal)
    assert purposes(record) == [["expect", "act"]] * 5
    assert [asked.answer for asked in record.asked] == ["defect"] * 5
    assert all(EXPECTS.format("Option F") in prompt for prompt in said(record, "act"))
    assert [row[0] for row in record.actions] == [0] * 5


@both
def test_the_prediction_is_asked_partner_first_and_sees_every_round(
    episode: Episode, stand_in: Any, agreeable: Any, said: Any, name: str
) -> None:
    record = episode(social(name), stand_in(agreeable()))
    for done, prompt in enumerate(said(record, "expect")):
        if name == "social_lm":
            assert prompt.endswith(f"\nIn round {done + 1}, the other player chose Option")
        else:
            assert "Q: Which Option does the other player choose, Option J or Option F?" in prompt
        assert "In this round you chose" not in prompt
        assert "You predict" not in prompt
        assert prompt.count("Thus, you won 8 points") == done
    for prompt in said(record, "act"):
        assert prompt.endswith(f"{GIVEN_THAT.put(LISTED)}\nA: Option J\nA: Option F")
        assert prompt.count("You predict") == 1


@both
def test_without_questions_it_makes_the_same_calls(
    episode: Episode, stand_in: Any, agreeable: Any, name: str
) -> None:
    asked = episode(social(name), stand_in(agreeable()))
    unasked = episode(social(name), stand_in(agreeable()), ask=False)
    assert asked.calls == unasked.calls


def test_social_qa_draws_its_prediction_and_social_lm_scores_it(
    episode: Episode, stand_in: Any, agreeable: Any
) -> None:
    drawn = episode(social("social_qa"), stand_in(agreeable()), rounds=1).calls[0]
    assert drawn.config["max_tokens"] == 24
    assert drawn.scores == ()
    scored = episode(social("social_lm"), stand_in(agreeable()), rounds=1).calls[0]
    assert scored.continuations == (" J", " F")
    assert scored.scores


def test_an_unreadable_prediction_is_the_answer_and_is_not_told(
    episode: Episode, stand_in: Any, purposes: Any, said: Any
) -> None:
    record = episode(social("social_qa", tries=2), stand_in(answers("A: Option F", "who knows")), rounds=3)
    assert record.outcome.status == "scored"
    assert purposes(record) == [["expect", "expect", "act"]] * 3
    assert [(asked.answer, asked.invalid and asked.invalid.raw) for asked in record.asked] == [
        (None, "who knows")
    ] * 3
    for prompt in said(record, "act"):
        assert "You predict" not in prompt
        assert prompt.endswith(f"{AT_ONCE.put(LISTED)}\nA: Option J\nA: Option F")
    assert [row[0] for row in record.actions] == [1] * 3


@both
def test_an_unreadable_choice_ends_the_episode(episode: Episode, stand_in: Any, name: str) -> None:
    model = stand_in(answers("A: Option Q", "A: Option F"))
    record = episode(social(name, tries=2), model)
    assert record.outcome.status == "invalid"
    assert record.actions == []
