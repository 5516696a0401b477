"""S2A and S2A + CoT: the answer sees a rewriting and the question, nothing else."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from otherminds import Record, SeatSpec
from otherminds.core.data import Ask
from tests.minds.language.plain import AT_ONCE, REASONED, REASONED_ABOUT_OTHER, REWRITE

Episode = Callable[..., Record]
FORM = "\nA: Option J\nA: Option F"
QUESTIONS = {
    "act": "Q: Which Option do you choose, Option J or Option F?",
    "predict": "Q: Which Option does the other player choose, Option J or Option F?",
}
INSTRUCTIONS = {
    "s2a": {"act": AT_ONCE, "predict": AT_ONCE},
    "s2a_cot": {"act": REASONED, "predict": REASONED_ABOUT_OTHER},
}
both = pytest.mark.parametrize("name", ["s2a", "s2a_cot"])


def s2a(name: str, **params: Any) -> SeatSpec:
    return SeatSpec(name, params, model="stand-in")


@both
def test_each_answer_has_a_rewriting_of_its_own(
    episode: Episode, stand_in: Any, agreeable: Any, purposes: Any, name: str
) -> None:
    record = episode(s2a(name), stand_in(agreeable()))
    assert purposes(record) == [["rewrite", "act", "predict:rewrite", "predict"]] * 5


@both
def test_the_rewriting_sees_rules_history_and_question(
    episode: Episode, stand_in: Any, agreeable: Any, said: Any, name: str
) -> None:
    record = episode(s2a(name), stand_in(agreeable()))
    for purpose, question in (("rewrite", QUESTIONS["act"]), ("predict:rewrite", QUESTIONS["predict"])):
        for done, prompt in enumerate(said(record, purpose)):
            assert prompt.startswith("You play a game repeatedly")
            assert prompt.count("Thus, you won 8 points") == done
            assert prompt.endswith(f"{question}\n\n{REWRITE}")
            assert "In this round you chose" not in prompt or purpose == "predict:rewrite"


@both
@pytest.mark.parametrize("text", ["It copies you.\nPayoffs: 8, 0, 10, 5.", "", "A: Option F", "  ...  "])
def test_any_rewriting_is_taken_and_is_all_that_the_answer_sees(
    episode: Episode, stand_in: Any, agreeable: Any, said: Any, name: str, text: str
) -> None:
    record = episode(s2a(name), stand_in(agreeable(text)))
    assert record.outcome.status == "scored"
    now = {"act": "", "predict": " In this round you chose Option J."}
    for purpose, question in QUESTIONS.items():
        instruction = INSTRUCTIONS[name][purpose].put(Ask("", ("J", "F"), (0, 1)))
        assert said(record, purpose) == [
            f"{text.strip()}\n\nYou are currently playing round {n}.{now[purpose]}\n{question}\n{instruction}{FORM}"
            for n in range(1, 6)
        ]


@both
def test_an_unreadable_answer_is_drawn_again_from_the_same_rewriting(
    episode: Episode, stand_in: Any, agreeable: Any, purposes: Any, name: str
) -> None:
    record = episode(s2a(name, tries=2), stand_in(agreeable(answer="Neither.")))
    assert purposes(record) == [["rewrite", "act", "act"]]
    assert record.outcome.status == "invalid"
    assert record.actions == []


def test_rewritings_have_a_length_of_their_own(episode: Episode, stand_in: Any, agreeable: Any) -> None:
    for name, answer in (("s2a", 24), ("s2a_cot", 256)):
        record = episode(s2a(name, rewrite_tokens=55), stand_in(agreeable()), rounds=1)
        lengths = [call.config["max_tokens"] for call in record.calls]
        assert lengths == [55, answer, 55, answer]
