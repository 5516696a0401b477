"""LM prompting: the likeliest continuation, of a prompt that grows at its end."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import otherminds as om
from otherminds import Record, SeatSpec
from otherminds.core.scenario import Participant
from otherminds.minds.language.wording import shipped_packs
from otherminds.minds.registry import make_mind
from tests.cases import for_each

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


@for_each("name", ["rps-single-v1", "rps-mixed-v1", "ibs-single-v1", "ibs-tit_for_tat-v1", "ipd-mixed-v1"])
def test_the_history_goes_on_with_the_sentence_of_the_round_cut_before_the_option(
    episode: Episode, stand_in: Any, said: Any, name: str
) -> None:
    """Each round is told as the prompt of its prediction, the partner's option, and the points."""
    record = episode(LM, stand_in(), name, rounds=6)
    own_names, other_names = record.drawn["names"]
    acts, predictions = said(record, "act"), said(record, "predict")
    assert len(acts) == len(predictions) == 6
    for number, (act, prediction, (own, other)) in enumerate(
        zip(acts, predictions, record.actions, strict=True), 1
    ):
        assert act.endswith(f"\nIn round {number}, you chose Option")
        assert prediction == f"{act} {own_names[own]} and the other player chose Option"
        assert "Q:" not in prediction
        assert "A:" not in prediction
        for later in acts[number:]:
            assert later.startswith(f"{prediction} {other_names[other]}. Thus, you ")


@for_each("name", ["rps-single-v1", "ibs-mixed-v1", "ipd-tit_for_tat-v1"])
def test_before_the_own_choice_the_sentence_begins_with_the_other(
    episode: Episode, stand_in: Any, said: Any, name: str
) -> None:
    record = episode(LM, stand_in(), name, rounds=4, literal="before")
    for number, prompt in enumerate(said(record, "predict"), 1):
        assert prompt.endswith(f"\nIn round {number}, the other player chose Option")


@for_each("literal", ["after", "before"])
def test_the_pack_question_asks_and_shows_the_own_choice_only_when_it_is_made(
    episode: Episode, stand_in: Any, said: Any, literal: str
) -> None:
    record = episode(SeatSpec("lm", {"pack": "question"}, "stand-in"), stand_in(), literal=literal)
    for prompt in said(record, "act"):
        assert prompt.endswith("\nQ: Which Option do you choose, Option J or Option F?\nA: Option")
    for prompt in said(record, "predict"):
        assert prompt.endswith("does the other player choose, Option J or Option F?\nA: Option")
        assert ("In this round you chose Option J." in prompt) is (literal == "after")


@for_each("pack", [*shipped_packs()])
@for_each("game", ["rps", "ibs", "ipd"])
def test_no_prompt_of_a_round_depends_on_what_the_other_does_in_it(
    stand_in: Any, said: Any, game: str, pack: str
) -> None:
    seen: list[list[list[str]]] = []
    for behaviour in (0, 1):
        ego = Participant(make_mind(SeatSpec("lm", {"pack": pack}, "stand-in")), stand_in())
        partner = SeatSpec("single", {"behaviour": behaviour})
        record = om.play(f"{game}-single-v1", ego, options={"rounds": 1}, partners={"partner_0": partner})
        assert record.outcome.status == "scored"
        seen.append([said(record, purpose) for purpose in ("act", "predict")])
    assert seen[0] == seen[1]


def test_without_questions_it_makes_half_the_calls_and_acts_alike(episode: Episode, stand_in: Any) -> None:
    record = episode(LM, stand_in())
    assert len(record.calls) == 10
    assert [call.purpose for call in record.calls[:2]] == ["act", "predict"]
