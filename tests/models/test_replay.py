import asyncio

import msgspec
import pytest
import zstandard

from otherminds.core.contracts import Mind
from otherminds.core.data import Message
from otherminds.core.errors import ProviderError, StudyError
from otherminds.core.model import Decoding
from otherminds.core.record import Record, Timing
from otherminds.core.scenario import Participant, Setup, scenario
from otherminds.core.segments import hashed_line
from otherminds.models.registry import open_model
from otherminds.models.scripted import ScriptedModel, uniform
from otherminds.play.loop import play
from otherminds.testing.episodes import body

ROUNDS = 4


class Talker(Mind):
    """A mind that scores in even steps and asks for text in odd ones."""

    suspends = True

    def begin(self, brief, context):
        self.context = context

    async def perceive(self, moment):
        self.history = "round\n" * moment.step

    async def act(self):
        step = self.context.step
        prompt = f"Rules.\n{self.history}Now:\nA: 0\nA: 1"
        if step % 2:
            message = Message("user", prompt)
            return int((await self.context.generate([message], "act", Decoding(stop=("\n",)))).text[-1])
        scores = (await self.context.score(prompt, [" 0", " 1"], "act")).logprobs
        return scores.index(max(scores))

    async def answer(self, question):
        raise AssertionError("nothing is asked")


def episode(model, seed: int = 0) -> Record:
    built = scenario("ipd-tit_for_tat-v1", {"rounds": ROUNDS})
    return asyncio.run(play(Setup(built, {"ego": Participant(Talker(), model)}, seed, ask=False)))[0]


def line(record: Record) -> bytes:
    return hashed_line(record.spec.hash, record, Timing()) + b"\n"


@pytest.fixture
def run(tmp_path):
    """A recorded run of two episodes, in two segments, the first of them sealed."""
    folder = tmp_path / "run" / "records"
    folder.mkdir(parents=True)
    sealed = zstandard.ZstdCompressor().compress(line(episode(uniform(), 0)))
    (folder / "00000.jsonl.zst").write_bytes(sealed)
    (folder / "00001.jsonl").write_bytes(line(episode(uniform(), 1)))
    return folder.parent


@pytest.mark.parametrize("seed", [0, 1])
def test_an_episode_is_played_again_without_its_model(run, seed):
    record = episode(open_model(f"replay:{run}"), seed)
    assert body(record) == body(episode(uniform(), seed))
    assert record.spec.seats["ego"].model == f"replay:{run}"
    assert [bool(call.continuations) for call in record.calls] == [True, False, True, False]


def test_one_file_is_enough(run):
    assert episode(open_model(f"replay:{run}/records/00001.jsonl"), 1).outcome.status == "scored"


def test_what_was_not_recorded_is_not_answered(run):
    record = episode(open_model(f"replay:{run}"), 2)
    assert (record.outcome.status, record.outcome.blame, record.outcome.step) == ("failed", "provider", 1)
    assert "no answer to a prompt" in record.outcome.reason
    model = open_model(f"replay:{run}")
    prompt = "Rules.\nNow:\nA: 0\nA: 1"
    asyncio.run(model.score(prompt, [" 0", " 1"]))
    for other, labels in ((prompt + " ", [" 0", " 1"]), (prompt, [" 1", " 0"])):
        with pytest.raises(ProviderError, match=r"the prompt ends '.*A: 1") as caught:
            asyncio.run(model.score(other, labels))
        assert "\n" not in str(caught.value)


def test_the_decoding_is_part_of_the_call(run):
    recorded = episode(uniform(), 1).calls[1]
    model = open_model(f"replay:{run}")
    message = [Message("user", "Rules.\nround\nNow:\nA: 0\nA: 1")]
    decoding = msgspec.convert(recorded.config, Decoding)
    assert asyncio.run(model.generate(message, decoding)).text == recorded.reply
    with pytest.raises(ProviderError):
        asyncio.run(model.generate(message, msgspec.structs.replace(decoding, temperature=0.5)))


def test_two_answers_to_one_prompt_are_not_guessed_between(tmp_path):
    lines = [
        line(episode(ScriptedModel(lambda messages, decoding, n=n: f"A: {n}", lambda p, c: [-1.0, -2.0])))
        for n in (0, 1)
    ]
    file = tmp_path / "both.jsonl"
    file.write_bytes(b"".join(lines))
    model = open_model(f"replay:{file}")
    record = episode(model)
    assert "2 different answers to one prompt" in record.outcome.reason
    assert record.outcome.step == 1


def test_a_line_torn_by_a_crash_is_passed_over_and_damage_is_not(run):
    segment = run / "records" / "00001.jsonl"
    whole = segment.read_bytes()
    segment.write_bytes(whole + whole[:50])
    assert episode(open_model(f"replay:{run}"), 1).outcome.status == "scored"
    segment.write_bytes(whole[:50] + b"\n" + whole)
    with pytest.raises(StudyError, match=r"00001\.jsonl: line 1 is damaged"):
        open_model(f"replay:{run}")


@pytest.mark.parametrize("rest", ["", "no/such/run", "."])
def test_no_run(rest, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(StudyError, match="names no recorded run"):
        open_model(f"replay:{rest}")
