"""Models in actors of Ray: a node is killed in the middle, and no reply is asked for again."""

import asyncio
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest

pytest.importorskip("ray")
from ray.cluster_utils import Cluster

from otherminds.bridges import ray_tasks
from otherminds.bridges.ray_tasks import RayModel
from otherminds.core.data import Message
from otherminds.core.errors import ProviderError
from otherminds.core.model import Completion, Decoding, Scores
from otherminds.models.hosts import Hosts
from otherminds.models.registry import open_model
from otherminds.studies.executor import open_executor
from otherminds.studies.plan import plan_file
from otherminds.studies.run import run
from tests.bridges.clusters import Kills, hashes

PLUGIN = '''
"""A slow stand-in for a model that is loaded into its process; it notes where it was asked."""

import asyncio
import os
from pathlib import Path

from otherminds.core.errors import ProviderError
from otherminds.models.hosts import Hosts
from otherminds.models.registry import models
from otherminds.models.scripted import scripted


class Slow:
    spec, context, concurrency = "slow:uniform", 10_000, 2

    def __init__(self):
        self._model = scripted("uniform")

    async def generate(self, messages, decoding):
        await asyncio.sleep(0.01)
        with (Path(__file__).parent / "asked").open("a") as file:
            file.write(f"{os.getpid()}\\n")
        if messages[-1].content == "fail":
            raise ProviderError("model slow: it fails")
        return await self._model.generate(messages, decoding)

    async def score(self, prompt, continuations):
        return await self._model.score(prompt, continuations)

    def count(self, text):
        return len(text.split())


@models.register("slow")
def slow(rest):
    """A model that waits."""
    if rest != "uniform":
        raise ProviderError(f"model slow: there is no {rest}")
    return Slow()
'''
STUDY = """
name = "asked"
episodes = 6
rounds = 6
plugins = ["plugin.py"]
[[cells]]
scenarios = ["rps-single-v1", "ipd-mixed-v1"]
minds = ["qa@slow:uniform"]
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The study and its plugin, which can be imported from one folder only."""
    made = tmp_path_factory.mktemp("study")
    (made / "plugin.py").write_text(PLUGIN)
    (made / "study.toml").write_text(STUDY)
    return made


@pytest.fixture
def study(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (folder / "asked").unlink(missing_ok=True)
    monkeypatch.setattr(ray_tasks, "LOADED", {"slow"})
    return folder / "study.toml"


def test_a_node_that_is_killed_changes_no_record_and_repeats_no_answered_call(
    nodes: Cluster, study: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = plan_file(study)
    assert run(plan, tmp_path / "here", Kills()) == {"scored": 12}
    calls = (study.parent / "asked").read_text().count("\n")
    (study.parent / "asked").unlink()

    answered: Counter[tuple[tuple[Message, ...], int]] = Counter()
    generate = RayModel.generate

    async def counted(self: RayModel, messages: Sequence[Message], decoding: Decoding) -> Completion:
        reply = await generate(self, messages, decoding)
        answered[tuple(messages), decoding.seed] += 1
        return reply

    monkeypatch.setattr(RayModel, "generate", counted)
    second = nodes.worker_nodes.copy().pop()
    kills = Kills(lambda: nodes.remove_node(second, allow_graceful=False), when=3)
    with open_executor(f"ray:{nodes.address}", plan.plugins) as executor:
        assert run(plan, tmp_path / "there", kills, executor=executor) == {"scored": 12}
    assert hashes(tmp_path / "there") == hashes(tmp_path / "here")
    assert sum(answered.values()) == calls
    assert max(answered.values()) == 1
    assert len(set((study.parent / "asked").read_text().split())) >= 2, "both nodes had a share"


def test_a_model_on_nodes_answers_as_one_in_this_process(nodes: Cluster, study: Path) -> None:
    plan = plan_file(study)

    async def asked() -> None:
        with open_executor(f"ray:{nodes.address}", plan.plugins) as executor:
            first, second = executor.servers("slow:uniform", Hosts())
            assert (first.spec, first.context, first.concurrency) == ("slow:uniform", 10_000, 2)
            assert first.count("three short words") == second.count("three short words") == 3
            prompt = [Message("user", "Choose:\nA\nB")]
            here = await open_model("slow:uniform").generate(prompt, Decoding())
            assert await first.generate(prompt, Decoding()) == here
            assert isinstance(await first.score("Choose:\n", ["A", "B"]), Scores)
            with pytest.raises(ProviderError, match="model slow: it fails"):
                await second.generate([Message("user", "fail")], Decoding())
            with pytest.raises(ProviderError, match="there is no other"):
                executor.servers("slow:other", Hosts())

    asyncio.run(asked())
