"""What a dry run says: every call is estimated, and played episodes give a better estimate."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import pytest

from otherminds.core.data import Message
from otherminds.core.model import Completion, Decoding, Scores, Usage
from otherminds.models.registry import models
from otherminds.models.scripted import uniform
from otherminds.studies.dry_run import CHARACTERS, estimate
from otherminds.studies.plan import plan_file
from otherminds.studies.run import run
from otherminds.studies.run_dir import results
from otherminds.studies.run_overrides import RunOverrides
from tests.cases import thinned

if TYPE_CHECKING:
    from conftest import Heard

STUDY = """
name = "dry"
episodes = 4
rounds = 12
[[cells]]
scenarios = ["rps-single-v1", "ipd-tit_for_tat-v1"]
minds = ["rmax", "lm@test_estimate", "qa@test_estimate", "social_lm@test_estimate", "oracle@test_estimate"]
"""


class Service:
    """Answers at random, ``tries`` times out of which but the last are garbled; a token is 3.7 characters."""

    spec = "test_estimate"
    context = 2**31
    concurrency = 4
    garbled = 0

    def __init__(self) -> None:
        self._answers = uniform()

    async def generate(self, messages: Sequence[Message], decoding: Decoding) -> Completion:
        await asyncio.sleep(0)
        reply = await self._answers.generate(messages, decoding)
        text = "no" if decoding.seed % 10 < self.garbled else reply.text
        return Completion(text, usage=Usage(self.count(messages[0].content), self.count(text)))

    async def score(self, prompt: str, continuations: Sequence[str]) -> Scores:
        read = self.count(prompt) + sum(map(self.count, continuations))
        return msgspec.structs.replace(await self._answers.score(prompt, continuations), usage=Usage(read))

    def count(self, text: str) -> int:
        return round(len(text) / CHARACTERS) or 1


@pytest.fixture
def service(monkeypatch: pytest.MonkeyPatch) -> Service:
    made = Service()
    monkeypatch.setitem(models._known, "test_estimate", lambda rest: made)
    return made


@pytest.fixture
def study(tmp_path: Path, service: Service) -> Path:
    path = tmp_path / "dry.toml"
    path.write_text(STUDY)
    return path


def used(folder: Path) -> tuple[int, int]:
    calls = [call for record in results(folder)[1] for call in record.calls]
    return sum(call.prompt_tokens for call in calls), sum(call.completion_tokens for call in calls)


def test_a_rehearsal_reckons_every_call_of_a_run_with_readable_replies(
    study: Path, tmp_path: Path, heard: Heard
) -> None:
    plan = plan_file(study)
    needs = estimate(plan)
    run(plan, tmp_path / "out", heard)
    read, written = used(tmp_path / "out")
    assert len(needs) == 2 * 4, "the learner needs none"
    assert sum(need.read for need in needs.values()) == pytest.approx(read, rel=0.02)
    assert sum(need.written for need in needs.values()) == pytest.approx(written, rel=0.05)
    assert {need.played for need in needs.values()} == {0}


def test_played_episodes_say_what_asking_again_takes(
    study: Path, service: Service, tmp_path: Path, heard: Heard
) -> None:
    service.garbled = 4
    text = study.read_text().replace(
        '"qa@test_estimate"', '{ mind = "qa", model = "test_estimate", params = { tries = 20 } }'
    )
    text = text.replace('"social_lm@test_estimate", ', "").replace(', "oracle@test_estimate"', "")
    study.write_text(text)
    whole = plan_file(study)
    run(plan_file(study, RunOverrides(episodes=1)), tmp_path / "out", heard)
    rehearsed, from_played = estimate(whole), estimate(whole, results(tmp_path / "out")[1])
    run(whole, tmp_path / "out", heard)
    read, _ = used(tmp_path / "out")
    assert {need.played for need in from_played.values()} == {1}
    assert sum(need.read for need in from_played.values()) == pytest.approx(read, rel=0.2)
    assert sum(need.read for need in rehearsed.values()) < 0.8 * read
    every = estimate(whole, results(tmp_path / "out")[1])
    assert {need.played for need in every.values()} == {*whole.cells().values()} != {1}
    assert sum(need.read for need in every.values()) == read


@pytest.mark.parametrize("limit", thinned([2**63 - 1, 10**7, 10**12], 3))
def test_a_reply_without_an_end_is_estimated_without_writing_it(
    limit: int, service: Service, tmp_path: Path
) -> None:
    study = tmp_path / "long.toml"
    mind = f'{{ mind = "cot", model = "test_estimate", params = {{ max_tokens = {limit} }} }}'
    study.write_text(f'name = "long"\nrounds = 2\n[[cells]]\nscenarios = ["rps-single-v1"]\nminds = [{mind}]')
    (need,) = estimate(plan_file(study)).values()
    assert need.written >= need.calls * limit // 3
    assert need.read < 10**9, "what is kept of a reply bounds the prompts that repeat it"
