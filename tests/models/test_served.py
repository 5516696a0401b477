"""The embedded model behind a llama.cpp server, in a process of its own, says what it says in this process."""

import asyncio
import os
import subprocess
import sys
from math import exp

import pytest

from otherminds import Record, SeatSpec
from otherminds.core.data import Message
from otherminds.core.errors import ProviderError, StudyError
from otherminds.core.model import Decoding
from otherminds.core.scenario import Participant, Setup, scenario
from otherminds.minds.registry import make_mind
from otherminds.models.registry import open_model
from otherminds.models.wrapper import close
from otherminds.play.loop import play
from tests.cases import thinned

SERVE = """
import os, sys
from otherminds.models.llama import load
server = load(sys.argv[1], 2048, os.environ["MY_KEY"])
print(server.listening_address, flush=True)
sys.stdin.read()
"""


@pytest.fixture(scope="module")
def served(weights):
    """The spec string of the embedded model, served with the settings of the engine."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MY_KEY", "hush")
        command = [sys.executable, "-c", SERVE, str(weights)]
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
        with subprocess.Popen(command, env=dict(os.environ), **pipes) as process:
            address = process.stdout.readline().strip()
            yield f"openai:smollm2@{address}/v1?key=MY_KEY"
            process.stdin.close()
            process.wait(60)


def episode(model, strategy, scenario_id, names, rounds=2, **params) -> Record:
    built = scenario(scenario_id, {"rounds": rounds, "names": names})
    ego = SeatSpec(strategy, {"payoffs": False, **params}, model=model.spec)  # for short prompts
    partners = dict(zip(built.others, built.population.met(0), strict=True))
    setup = Setup(built, {"ego": Participant(make_mind(ego), model)}, 1, partners)

    async def one():
        try:
            return await play(setup)
        finally:
            await close(model)

    record = asyncio.run(one())[0]
    assert record.outcome.status == "scored", record.outcome
    return record


@pytest.mark.parametrize(
    ("scenario_id", "names"), thinned([("rps-single-v1", "canonical"), ("ipd-tit_for_tat-v1", "neutral")], 2)
)
def test_scores_and_choices_are_the_same(model, served, scenario_id, names):
    here, there = (episode(one, "lm", scenario_id, names) for one in (model, open_model(served)))
    assert here.actions == there.actions
    assert [asked.answer for asked in here.asked] == [asked.answer for asked in there.asked]
    assert len(here.calls) == 4
    for one, other in zip(here.calls, there.calls, strict=True):
        assert one.continuations == other.continuations
        assert one.scores == pytest.approx(other.scores, abs=1e-4)
        assert one.prompt_tokens == other.prompt_tokens
        assert other.form == ""  # the continuation itself was scored, not a chat reply
        assert 0 < sum(map(exp, other.scores)) < 1


def test_replies_are_the_same(model, served):
    options = {"temperature": 0.0, "max_tokens": 6, "tries": 1, "rounds": 1}
    here, there = (
        episode(one, "qa", "ipd-tit_for_tat-v1", "canonical", **options)
        for one in (model, open_model(served))
    )
    assert here.actions == there.actions
    said = [(call.reply, call.prompt_tokens, call.completion_tokens) for call in here.calls]
    assert said == [(call.reply, call.prompt_tokens, call.completion_tokens) for call in there.calls]


def test_the_context_is_the_one_set_up_and_the_key_is_needed(served, monkeypatch):
    assert open_model(served).context == 2048
    monkeypatch.delenv("MY_KEY")
    with pytest.raises(StudyError, match=r"MY_KEY, named by key=MY_KEY, is not set"):
        open_model(served)
    monkeypatch.setenv("MY_KEY", "another")
    with pytest.raises(ProviderError, match=r"MY_KEY, .* is set: check it"):
        open_model(served)


def test_a_rare_token_is_found_and_a_long_prompt_refused(model, served):
    async def at_once(one):
        try:
            rare = await one.score("A: Option", [" J", "\x00"])
            with pytest.raises(ProviderError, match="context") as caught:
                await one.generate([Message("user", "x " * 3000)], Decoding(max_tokens=1))
            assert "\n" not in str(caught.value)
            return rare
        finally:
            await close(one)

    found = asyncio.run(at_once(open_model(served)))
    here = asyncio.run(model.score("A: Option", [" J", "\x00"]))
    assert found.logprobs == pytest.approx(here.logprobs, abs=1e-4)


def test_a_choice_is_restricted_on_the_server_as_here(model, served):
    lines = ("A: Option J", 'A: "Zoë"', "A: a\\b")
    decoding = Decoding(choice=lines, temperature=1.5, max_tokens=24, seed=3)
    asked = [Message("user", "Say hello.")]
    there = open_model(served)

    async def said():
        try:
            return await there.generate(asked, decoding)
        finally:
            await close(there)

    reply, here = asyncio.run(said()), asyncio.run(model.generate(asked, decoding))
    assert reply.text in lines
    assert reply.dropped == here.dropped == ()
