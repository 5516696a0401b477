"""What every prompting strategy keeps, whatever it is called."""

from __future__ import annotations

import asyncio
import itertools
import re
from collections.abc import Callable
from itertools import product
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from otherminds import Record, SeatSpec
from otherminds.core.data import Invalid, Moment, Turn
from otherminds.core.model import Decoding
from otherminds.core.record import prompts
from otherminds.core.scenario import Participant, Setup, scenario
from otherminds.minds.registry import make_mind, strategies
from otherminds.models.scripted import FORM
from otherminds.play.loop import play
from otherminds.testing.minds import Around
from tests.cases import examples, for_each, thinned
from tests.minds.language.plain import REFLECT

Episode = Callable[..., Record]
LITERAL = [
    "cot",
    "cot_3shot",
    "lm",
    "plans_insights",
    "qa",
    "reflexion",
    "s2a",
    "s2a_cot",
    "social_lm",
    "social_qa",
]
SILENT = ["oracle", "oracle_max"]
OF_THE_PAPER = sorted(LITERAL + SILENT)
LITERAL += ["chat", "tool_loop"]
EVERY = sorted(LITERAL + SILENT)
WRITING = [name for name in EVERY if name != "lm"]
FREE = {"reflect", "rewrite", "predict:rewrite"}
"""Purposes whose text is taken as it comes."""
TURN = "Now it is your turn."
TOLD = ("You predict what", "You know for certain", f"\n{REFLECT}")
CUT = re.compile(r"In round \d+, [^\n]* chose Option\Z")
"""The sentence of the coming round, which breaks off before the label."""
WORDY = "Plans: Keep to J.\nInsights: It copies me.\nA: Option J"


def seat(name: str, **params: Any) -> SeatSpec:
    return SeatSpec(name, params, model="stand-in")


def test_these_are_all() -> None:
    assert list(strategies) == EVERY


@for_each("name", EVERY)
def test_it_says_where_it_comes_from_and_what_it_needs(name: str) -> None:
    strategy = strategies.get(name)
    others = {"chat": "of neither paper", "tool_loop": "Juneja et al. 2026"}
    source = others.get(name, "Riemer et al. 2025, section 4.")
    assert source in (strategy.__doc__ or "")
    mind = make_mind(seat(name))
    assert mind.answers == (name in LITERAL)
    assert mind.grants == {"payoffs"} | ({"next_action"} if name in SILENT else set())


@for_each("game", ["rps", "ibs", "ipd"])
@for_each("name", EVERY)
def test_an_answer_is_asked_for_in_the_form_that_scripted_models_read(
    episode: Episode, stand_in: Any, agreeable: Any, name: str, game: str
) -> None:
    """Below a line that ends with a colon: every answer that fits, a line each, and nothing after."""
    record = episode(seat(name), stand_in(agreeable(answer=WORDY)), f"{game}-tit_for_tat-v1")
    assert record.outcome.status == "scored"
    letters = {"rps": "JFB"}.get(game, "JF")
    order = [letters[i] for i in record.drawn["order"]]
    for call, prompt in zip(record.calls, _prompts(record), strict=True):
        found = FORM.search(prompt)
        if call.purpose in FREE:
            assert found is None
        elif call.scores:
            assert re.search(r"\nIn round \d, .* chose Option\Z", prompt)
            assert call.continuations == tuple(f" {letter}" for letter in order)
        else:
            assert found is not None
            assert found[1] == "\n".join(f"A: Option {letter}" for letter in order)


@pytest.mark.parametrize("name", OF_THE_PAPER)
def test_prompts_extend_each_other(
    episode: Episode, stand_in: Any, agreeable: Any, said: Any, name: str
) -> None:
    """Up to memory and question, each prompt begins with the one before of its purpose."""
    record = episode(seat(name), stand_in(agreeable(answer=WORDY)), "ipd-tit_for_tat-v1", rounds=8)
    purposes = {call.purpose for call in record.calls}
    if name in ("s2a", "s2a_cot"):
        purposes -= {"act", "predict"}  # these see no history, but a rewriting of it
    for purpose in purposes:
        stories = [_story(prompt) for prompt in said(record, purpose)]
        assert len(stories) >= 7
        for before, after in itertools.pairwise(stories):
            assert after.startswith(before)
            added = after[len(before) :]
            assert re.fullmatch(r"In round \d+, you chose [^\n]*points\.\n", added), added


@for_each("name", EVERY)
def test_without_history_no_round_is_told(episode: Episode, stand_in: Any, agreeable: Any, name: str) -> None:
    model = stand_in(agreeable())
    record = episode(seat(name, history=False), model)
    assert record.outcome.status == "scored"
    for prompt in model.prompts:
        own = prompt.split(TURN)[-1]  # worked examples tell of other games
        assert not re.search(r"^In round \d+.*\.$", own, re.MULTILINE)
        assert name in ("s2a", "s2a_cot") or "You play a game repeatedly" in prompt


@for_each("name", [name for name in EVERY if name != "cot_3shot"])
def test_without_payoffs_no_rule_names_them(
    episode: Episode, stand_in: Any, agreeable: Any, name: str
) -> None:
    mind = seat(name, payoffs=False)
    assert "payoffs" not in make_mind(mind).grants
    model = stand_in(agreeable())
    record = episode(mind, model)
    assert record.outcome.status == "scored"
    assert not any("If you choose" in prompt or "gets in a round" in prompt for prompt in model.prompts)
    assert any("Thus, you won 8 points" in prompt for prompt in model.prompts), "what was won is history"


@for_each("name", [name for name in EVERY if name != "cot_3shot"])
def test_both_switches_together_leave_the_frame(
    episode: Episode, stand_in: Any, agreeable: Any, name: str
) -> None:
    model = stand_in(agreeable())
    episode(seat(name, history=False, payoffs=False), model)
    assert not any("points" in prompt for prompt in model.prompts)


UNREAD = ["", "cooperate", "A: Option J\nA: Option F", "A: Option", "\0" * 99]
"""What neither reader takes for an answer."""


@for_each("name", WRITING)
@for_each(
    ("garbage", "reader"),
    [*product(UNREAD, ("strict", "lenient")), ("Option J", "strict")],
)
def test_garbage_is_never_an_action(
    episode: Episode, stand_in: Any, agreeable: Any, name: str, garbage: str, reader: str
) -> None:
    record = episode(seat(name, tries=2, reader=reader), stand_in(agreeable(garbage, garbage)))
    assert (record.outcome.status, record.outcome.blame) == ("invalid", "reply")
    assert record.actions == []
    assert [call.attempt for call in record.calls if call.purpose == "act"] == [0, 1]


@pytest.mark.parametrize("name", WRITING)
@settings(examples(0.5), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    replies=st.lists(
        st.text(max_size=40) | st.sampled_from(["A: Option J", "A: Option F", WORDY]), min_size=1, max_size=30
    )
)
def test_what_is_done_is_what_the_last_reply_says(
    episode: Episode, stand_in: Any, name: str, replies: list[str]
) -> None:
    turns = itertools.cycle(replies)
    record = episode(seat(name, reader="strict"), stand_in(lambda prompt, decoding: next(turns)))
    telling = scenario("ipd-tit_for_tat-v1", {"rounds": 5}).verbalizer(record.drawn, "ego")
    last = {call.step: call.reply for call in record.calls if call.purpose == "act"}
    read = [
        telling.read(telling.ask(Turn(), Moment(step, None)), reply) for step, reply in sorted(last.items())
    ]
    assert [row[0] for row in record.actions] == [made for made in read if not isinstance(made, Invalid)]
    assert (record.outcome.status == "scored") == (len(record.actions) == 5)


@pytest.mark.parametrize("name", thinned(EVERY, 3))
def test_prompts_and_replies_fit_into_the_context(
    episode: Episode, stand_in: Any, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """However long the episode and however wordy the replies: the oldest rounds give way.

    The general reserve is cut to what a question and its instruction take, so
    that each strategy must have kept room for what it adds itself.
    """
    monkeypatch.setattr("otherminds.minds.language.requests.RESERVE", 100)

    def wordy(prompt: str, decoding: Decoding) -> str:
        plans = f"Plans: {'so ' * 90}\nInsights: {'so ' * 90}\nA: Option J"
        return (
            plans
            if "Plans" in prompt
            else "A: Option J"
            if FORM.search(prompt)
            else "so " * decoding.max_tokens
        )

    model = stand_in(wordy, context=2400)
    record = episode(seat(name), model, rounds=100)
    assert record.outcome.status == "scored"
    assert any(note.kind == "context_folded" for note in record.notes)
    for prompt, decoding in zip(model.prompts, model.decodings, strict=True):
        assert model.count(prompt) + (decoding.max_tokens if decoding else 1) <= model.context


@for_each("name", EVERY)
def test_a_mind_used_again_remembers_nothing(stand_in: Any, agreeable: Any, name: str) -> None:
    mind = Around(make_mind(seat(name)))
    built = scenario("ipd-tit_for_tat-v1", {"rounds": 4})

    def prompts_of(player: Any, text: str) -> list[str]:
        model = stand_in(agreeable(text, f"Plans: {text}\nInsights: {text}\nA: Option J"), favourite=" J")
        asyncio.run(play(Setup(built, {"ego": Participant(player, model)}, 1)))
        return model.prompts

    prompts_of(mind, "yesterday")
    assert prompts_of(mind, "today") == prompts_of(make_mind(seat(name)), "today")


def _prompts(record: Record) -> list[str]:
    return ["\n".join(message.content for message in prompt) for prompt in prompts(record.calls)]


def _story(prompt: str) -> str:
    """Rules, examples and history: all before memory and question."""
    if CUT.search(prompt):
        return CUT.sub("", prompt)
    turn = prompt.find(TURN) + len(TURN) if TURN in prompt else 0
    marks = ("You are currently playing", "Your plans:", "Your insights:", "Your last reflections", *TOLD)
    found = [prompt.find(mark, turn) for mark in marks]
    return prompt[: min(at for at in found if at >= 0)]
