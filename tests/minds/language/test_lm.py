"""LM prompting: the likeliest continuation, of a prompt that grows at its end."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

from otherminds import Record, SeatSpec
from otherminds.core.record import prompts

LM = SeatSpec("lm", model="stand-in")
Episode = Callable[..., Record]


def test_it_takes_the_likeliest_option_and_says_what_it_scores(episode: Episode, stand_in: Any) -> None:
    record = episode(LM, stand_in(favourite=" F"))
    assert [row[0] for row in record.actions] == [1] * 5
    assert [asked.answer for asked in record.asked] == ["defect"] * 5
    assert record.calls[0].continuations in ((" J", " F"), (" F", " J"))
    assert record.outcome.status == "scored"


def test_scores_decide_whatever_the_order_of_options(episode: Episode, stand_in: Any) -> None:
    records = [episode(LM, stand_in(favourite=" J"), seed=seed) for seed in range(8)]
    assert {tuple(record.drawn["order"]) for record in records} == {(0, 1), (1, 0)}
    assert {record.drawn["names"][0][row[0]] for record in records for row in record.actions} == {"J"}


def test_every_prompt_extends_the_story_of_the_one_before(episode: Episode, stand_in: Any) -> None:
    record = episode(LM, stand_in(), "rps-single-v1", rounds=8)
    acts = [
        p[0].content
        for p, call in zip(prompts(record.calls), record.calls, strict=True)
        if call.purpose == "act"
    ]
    for before, after in itertools.pairwise(acts):
        story = before[: before.index("You are currently playing")]
        assert after.startswith(story)


def test_the_literal_form_shows_the_own_choice_only_when_it_is_made(episode: Episode, stand_in: Any) -> None:
    for literal, shown in (("after", True), ("before", False)):
        model = stand_in()
        episode(LM, model, literal=literal)
        asked = [prompt for prompt in model.prompts if "does the other player choose" in prompt]
        assert len(asked) == 5
        assert all(("In this round you chose Option J." in prompt) is shown for prompt in asked)


def test_without_questions_it_makes_half_the_calls_and_acts_alike(episode: Episode, stand_in: Any) -> None:
    record = episode(LM, stand_in())
    assert len(record.calls) == 10
    assert [call.purpose for call in record.calls[:2]] == ["act", "predict"]
