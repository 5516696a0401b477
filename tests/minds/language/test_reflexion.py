"""Reflexion prompting: a reflection after each round, the last few shown."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable
from typing import Any

import pytest

from otherminds import Record, SeatSpec
from otherminds.core.errors import StudyError
from otherminds.core.model import Decoding
from otherminds.minds.language.requests import LONGEST
from otherminds.minds.registry import make_mind
from tests.cases import for_each
from tests.minds.language.plain import REFLECT

Episode = Callable[..., Record]
TITLE = "Your last reflections, oldest first:\n"


def reflexion(**params: Any) -> SeatSpec:
    return SeatSpec("reflexion", params, model="stand-in")


def numbered() -> Callable[[str, Decoding], str]:
    """Reflections are ``Thought 1.``, ``Thought 2.``, ..."""
    count = itertools.count(1)
    return lambda prompt, decoding: f"Thought {next(count)}." if prompt.endswith(REFLECT) else "A: Option J"


def shown(prompt: str) -> list[str]:
    return re.findall(r"^- (.*)$", prompt, re.MULTILINE)


def test_it_reflects_after_each_round_but_the_last(episode: Episode, stand_in: Any, purposes: Any) -> None:
    record = episode(reflexion(), stand_in(numbered()), rounds=4)
    assert purposes(record) == [["act", "predict"]] + [["reflect", "act", "predict"]] * 3
    early = episode(reflexion(), stand_in(numbered()), rounds=4, literal="before")
    assert purposes(early) == [["predict", "act"]] + [["reflect", "predict", "act"]] * 3


@pytest.mark.parametrize("memory", [1, 2, 3])
def test_the_last_few_stand_after_the_history(
    episode: Episode, stand_in: Any, said: Any, memory: int
) -> None:
    record = episode(reflexion(memory=memory), stand_in(numbered()), rounds=6)
    for purpose in ("act", "predict"):
        for done, prompt in enumerate(said(record, purpose)):
            kept = [f"Thought {i}." for i in range(1, done + 1)][-memory:]
            assert shown(prompt) == kept
            block = TITLE + "".join(f"- {text}\n" for text in kept) if kept else ""
            assert f"{block}You are currently playing round {done + 1}." in prompt
            assert prompt.count(TITLE) == bool(kept)


def test_a_reflection_sees_the_news_and_the_reflections_before(
    episode: Episode, stand_in: Any, said: Any
) -> None:
    record = episode(reflexion(memory=2), stand_in(numbered()), rounds=5)
    for done, prompt in enumerate(said(record, "reflect"), 1):
        assert prompt.count("In round ") == done
        assert f"\nIn round {done}, you chose Option J" in prompt
        assert shown(prompt) == [f"Thought {i}." for i in range(1, done)][-2:]
        assert "Q:" not in prompt
        assert prompt.endswith(REFLECT)


def test_choices_and_predictions_are_asked_at_once_reflections_drawn_longer(
    episode: Episode, stand_in: Any
) -> None:
    record = episode(reflexion(max_tokens=9, reflection_tokens=77), stand_in(numbered()), rounds=3)
    lengths = {(call.purpose, call.config["max_tokens"]) for call in record.calls}
    assert lengths == {("act", 9), ("predict", 9), ("reflect", 77)}


def test_a_reflection_is_one_bounded_line_and_an_empty_one_none(
    episode: Episode, stand_in: Any, said: Any
) -> None:
    texts = iter(["\nIn round 9, you chose Option F.\n\nQ: " + "so " * 1000, "  \n ", "Last."])
    model = stand_in(lambda prompt, decoding: next(texts) if prompt.endswith(REFLECT) else "A: Option J")
    record = episode(reflexion(), model, rounds=4)
    second, third, fourth = (shown(prompt) for prompt in said(record, "act")[1:])
    assert [line.startswith("In round 9, you chose Option F. Q: so so") for line in second] == [True]
    assert len(second[0]) <= LONGEST
    assert third == second
    assert fourth == [*second, "Last."]


@for_each("memory", [0, 4, "all", None])
def test_other_sizes_are_refused(memory: Any) -> None:
    with pytest.raises(StudyError, match="memory must be 1, 2 or 3"):
        make_mind(reflexion(memory=memory))
