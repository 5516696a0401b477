"""Language minds answer policy questions by their own form of question, and act as without them."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import pytest

import otherminds as om
from otherminds import Record, SeatSpec
from otherminds.core.data import Message, Moment
from otherminds.core.model import Decoding
from otherminds.core.record import prompts
from otherminds.core.scenario import Participant, Setup, scenario
from otherminds.matrix.scenarios import policy_steps
from otherminds.measures.episode import summarise
from otherminds.measures.evidence import policy_answers
from otherminds.minds.language.wording import shipped_packs, wording
from otherminds.minds.registry import make_mind
from otherminds.models.scripted import ScriptedModel
from otherminds.play.loop import play
from tests.cases import for_each
from tests.minds.language.test_conformance import Hashing
from tests.minds.language.test_every_strategy import LITERAL

Episode = Callable[..., Record]
ROUNDS = 10
UNCHANGED = (
    "reward",
    "replies",
    "values",
    "basis",
    "profile",
    "regrets",
    "hits",
    "hypothesis_tracks",
    "predictions",
)
"""What measures say about an episode, but for its calls and the evidence of a verdict."""


def of_hashes(name: str, seed: int, *, questions: bool, literal: str = "after") -> Record:
    options = {"rounds": ROUNDS, "policy_questions": questions, "literal": literal}
    ego = Participant(
        make_mind(SeatSpec(name, {"tries": 30} if name != "lm" else {}, model="hashing")), Hashing()
    )
    return asyncio.run(play(Setup(scenario("ipd-mixed-v1", options), {"ego": ego}, seed)))[0]


@for_each("literal", ["before", "after"])
@for_each("name", LITERAL)
def test_they_answer_and_act_and_score_as_without_them(name: str, literal: str) -> None:
    asked, plain = (of_hashes(name, 1, questions=put, literal=literal) for put in (True, False))
    assert asked.actions == plain.actions
    assert asked.notes == plain.notes
    with_them, without = summarise(asked), summarise(plain)
    for part in UNCHANGED:
        assert repr(getattr(with_them, part)) == repr(getattr(without, part)), part
    answers = policy_answers(asked)
    assert set(answers) == policy_steps(ROUNDS)
    assert all(None not in said for said in answers.values())
    assert len(asked.calls) > len(plain.calls), "their cost counts"
    keys = [(call.seat, call.step, call.purpose, call.attempt) for call in asked.calls]
    assert len(set(keys)) == len(keys), "each call has a seed of its own"


@for_each("pack", list(shipped_packs()))
def test_every_wording_names_the_supposed_option_and_the_next_round(pack: str) -> None:
    built = scenario("ipd-mixed-v1", {"rounds": ROUNDS, "policy_questions": True})
    questions = [probe.question for probe in built.probes if probe.question.supposed]
    for seed in range(4):
        drawn = built.drawn(seed)
        told = built.verbalizer(drawn, "ego")
        frame = wording(pack).frame
        told = told.reworded(frame) if frame else told
        for question, label in zip(questions, drawn["names"][0], strict=True):
            *_, text = told.ask(question, Moment(6, None)).text.splitlines()
            assert re.search(rf"If you\w* (?:choose |lay |option is )(?:Option )?{label} ", text)
            assert "next round" in text


@for_each("name", [name for name in LITERAL if not name.startswith("s2a")])
def test_each_is_put_in_the_supposed_round_and_extends_the_one_before(
    episode: Episode, stand_in: Any, agreeable: Any, name: str
) -> None:
    text = "Plans: Keep to J.\nInsights: It copies me.\nA: Option J"
    record = episode(
        SeatSpec(name, model="stand-in"),
        stand_in(agreeable(answer=text)),
        rounds=ROUNDS,
        policy_questions=True,
    )
    own = dict(zip(("cooperate", "defect"), record.drawn["names"][0], strict=True))
    texts = ["\n".join(part.content for part in prompt) for prompt in prompts(record.calls)]
    for behaviour, label in own.items():
        put = [
            (call.step, text)
            for call, text in zip(record.calls, texts, strict=True)
            if call.purpose == f"predict suppose:{behaviour}"
        ]
        assert {step for step, _ in put} == policy_steps(ROUNDS)
        stories: list[str] = []
        for step, prompt in put:
            story, question = prompt.rsplit("You are currently playing", 1)
            assert f"round {step + 1}." in question
            assert f"If you choose Option {label} in this round" in question
            assert "In this round you chose" not in question
            stories.append(story.split("Your plans:")[0].split("Your last reflections")[0])
        for before, after in pairwise(stories):
            assert after.startswith(before.rstrip("\n").rsplit("Your insights", 1)[0])


@pytest.mark.parametrize(
    ("reply", "answer"),
    [
        ("If I choose Option {own}, they will choose Option {other}.", True),
        ("If you choose Option {own} in this round, the other player chooses Option {other}.", True),
        ("The other player will choose Option {other} in round 12 if I choose Option {own}.", True),
        ("When I pick {own} now, then the other player will pick {other}.", True),
        ("Assuming that I play **{own}**, I expect them to play {other} next.", True),
        ("They will choose:\nA: Option {other}", True),
        ("If I choose Option {own}.", False),
        ("I choose Option {own}.", False),
    ],
)
def test_a_reply_may_repeat_the_supposition(reply: str, answer: bool) -> None:
    """The choice that is supposed is not the prediction, whether the two are equal or not."""
    for own, other in (("J", "F"), ("F", "J"), ("J", "J"), ("F", "F")):
        words = reply.format(own=own, other=other)

        def said(messages: Sequence[Message], decoding: Decoding, own: str = own, words: str = words) -> str:
            return (
                words
                if f"If you choose Option {own} in this round" in messages[-1].content
                else "A: Option J"
            )

        model = ScriptedModel(said, spec="words")
        ego = Participant(make_mind(SeatSpec("qa", model=model.spec)), model)
        record = om.play("ipd-mixed-v1", ego, options={"rounds": 4, "policy_questions": True})
        assert record.game is not None
        labels = dict(zip(record.game.behaviours[1], record.drawn["names"][1], strict=True))
        (asked,) = [one for one in record.asked if labels.get(record.questions[one.question].supposed) == own]
        assert (labels.get(asked.answer) == other) == answer, (words, asked)
