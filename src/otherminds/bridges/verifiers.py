"""Sessions as a taskset, environment and harness of verifiers (0.4, ``verifiers.v1``). Requires the package ``verifiers``.

Each task is an episode: its seed, and its first prompt. The environment is the user of the model: it answers each reply with
what the session says next. The reward is the return of `otherminds.session`, and ``trace.info`` has the rewards
of single rounds. The harness sends the conversation to the endpoint of the rollout from this process; the stock one starts a
program for every turn.

``vf-eval`` imports a taskset by a module name without dots: a module with ``from otherminds.bridges.verifiers import *`` and
the same ``__all__`` gives it one (``examples/with_verifiers/otherminds_text.py``).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import verifiers.v1 as vf  # pyright: ignore[reportMissingImports] - no extra of ours has it
from msgspec.structs import asdict
from openai import AsyncOpenAI  # pyright: ignore[reportMissingImports] - verifiers brings it
from verifiers.v1.dialects.chat import message_to_wire  # pyright: ignore[reportMissingImports]
from verifiers.v1.runtimes import ProgramResult  # pyright: ignore[reportMissingImports]

from otherminds.api.sessions import AsyncSession, Rewards, Session, Turn, asession
from otherminds.core.errors import StudyError

__all__ = ["TextEnv", "TextHarness", "TextTaskset"]


class TextConfig(vf.TasksetConfig):
    """Scenarios that are played in turn, and the seeds of the episodes: ``first`` to ``first + episodes - 1``."""

    scenarios: list[str] = ["rps-mixed-v1"]  # noqa: RUF012 - pydantic copies it for each instance
    rounds: int | None = None
    rewards: Rewards = "exact"
    first: int = 0
    episodes: int = 36

    def open_session(self) -> AsyncSession:
        """A session for one rollout; no questions are asked."""
        options = None if self.rounds is None else {"rounds": self.rounds}
        return asession(tuple(self.scenarios), options=options, rewards=self.rewards, ask=False)


class TextData(vf.TaskData):
    """One episode."""

    seed: int
    settings: TextConfig


class TextTask(vf.Task[TextData, vf.State, vf.TaskConfig]):
    """Scores an episode from what the environment left in ``trace.info``; one that broke off has no reward."""

    @vf.reward
    async def episode_return(self, trace: vf.Trace) -> float:
        return sum(trace.info["turn_rewards"])

    @vf.metric
    async def scored(self, trace: vf.Trace) -> float:
        """1 for an episode that came to its end, 0 for one that a reply without an answer ended."""
        return float(trace.info["outcome"] == "scored")


class TextTaskset(vf.Taskset[TextTask, TextConfig]):
    """The episodes of some scenarios."""

    def load(self) -> Iterator[TextTask]:
        config = self.config
        session = Session(config.open_session())
        for seed in range(config.first, config.first + config.episodes):
            turn = session.reset(seed)
            if not isinstance(turn, Turn):
                raise StudyError(f"nothing is to be decided in this episode: {turn.outcome.reason}")
            prompt = [*map(asdict, turn.messages)]
            data = TextData(name=f"seed {seed}", prompt=prompt, seed=seed, settings=config)
            yield TextTask(data, config.task)
        session.close()


class TextEnvConfig(vf.EnvConfig):
    """The model under training or evaluation is ``player``; the partners are the scenario's and are not trained."""

    player: vf.AgentConfig = vf.AgentConfig(runtime={"type": "subprocess"})


class TextEnv(vf.Env[TextEnvConfig]):
    """Plays one episode with the model as ``player``."""

    async def run(self, task: TextTask, agents: vf.Agents) -> None:
        session = task.data.settings.open_session()
        try:
            turn = await session.reset(task.data.seed)
            async with agents.player.interaction(task) as interaction:
                segment = await interaction.turn()
                while not segment.terminated:
                    turn = await session.step(segment.last_reply)
                    if not isinstance(turn, Turn):
                        break
                    segment = await interaction.turn(turn.observation)
                await session.leave()
                record = session.record
                assert record is not None, "the episode is over"
                rewards, outcome = session.turn_rewards, record.outcome.status
                interaction.trace.info |= {"turn_rewards": rewards, "outcome": outcome, "record": record.hash}
        finally:
            await session.close()


class TextHarness(vf.Harness[vf.HarnessConfig]):
    """One chat completion a turn, by the endpoint of the rollout."""

    SUPPORTS_RESUME = True
    EXECUTES_CODE = False
    NEEDS_CONTAINER = False

    async def launch(
        self,
        ctx: vf.ModelContext,
        trace: vf.Trace,
        runtime: Any,
        endpoint: str,
        secret: str,
        mcp_urls: dict[str, str],
        data: vf.TaskData,
    ) -> ProgramResult:
        _, prompt = self.resolve_prompt(data)
        messages = [message_to_wire(message) for message in prompt]
        async with AsyncOpenAI(base_url=endpoint, api_key=secret, max_retries=0) as client:
            await client.chat.completions.create(model=ctx.model, messages=messages)
        return ProgramResult(0, "", "")
