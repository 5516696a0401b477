"""Scenarios as environments of OpenEnv 0.10. Requires the package ``openenv``.

An action is the text of one reply. An observation has the messages that are new since the last reply; a client that
appends its reply and these messages has the whole conversation. The reward of an episode is paid with its last
observation, which also has the rewards of the rounds. ``openenv.yaml`` beside this module describes :data:`app`.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import Any
from uuid import uuid4

import msgspec
from fastapi import FastAPI
from openenv.core.env_client import EnvClient, StepResult  # pyright: ignore[reportMissingImports] - no extra of ours has it
from openenv.core.env_server.http_server import create_app  # pyright: ignore[reportMissingImports]
from openenv.core.env_server.interfaces import Environment  # pyright: ignore[reportMissingImports]
from openenv.core.env_server.types import (  # pyright: ignore[reportMissingImports]
    Action,
    EnvironmentMetadata,
    Observation,
    State,
)
from pydantic import Field, model_validator

from otherminds.api.sessions import AsyncSession, Done, Turn, asession, wait_in_thread
from otherminds.core.data import Message
from otherminds.core.errors import StudyError
from otherminds.core.text import hint, quote_name

NAME = "otherminds"
TASKS = 2**31
"""The number of tasks of a split: a task for each seed."""
ARGUMENTS = ("seed", "episode_id", "split", "index", "record")
"""What ``reset`` takes."""
MOST_LISTED = 100
"""How many of them one request lists at most."""


class TextAction(Action):
    """A reply. Any JSON is accepted: what is no text becomes the text of its JSON.

    >>> sent = {"text": "A"}, {"option": "J"}, {"text": 3}, [None], {"text": "A", "thought": "B"}
    >>> [TextAction.model_validate(each).text for each in sent]
    ['A', '{"option": "J"}', '3', '[null]', 'A']
    """

    text: str = Field(description="The reply, in any form: a label, a sentence, or JSON.")

    @model_validator(mode="before")
    @classmethod
    def _fold_into_text(cls, sent: Any) -> dict[str, str]:
        value = sent["text"] if isinstance(sent, dict) and "text" in sent else sent
        text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        # Half of a surrogate pair has no UTF-8, so a record could not be written.
        return {"text": text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")}


class TextObservation(Observation):
    """What a client reads before its next reply; ``reward`` is the return, paid when the episode is ``done``.

    ``metadata`` has the ``outcome`` of an episode that is over, and its ``record`` where ``reset`` asked for it.
    """

    messages: list[dict[str, str]] = Field([], description="The messages since the last reply, oldest first.")
    whole: bool = Field(False, description="Whether they are the whole prompt and replace the conversation.")
    options: list[str] = Field([], description="The valid answers; empty where the prompt lists none.")
    purpose: str = Field("", description="'act' for a choice, else the kind of question; '' at the end.")
    seat: str = Field("", description="The seat that is asked; '' at the end.")
    turn_rewards: list[float] = Field(
        [], description="At the end: a reward for each round; they sum to the return."
    )


class TextState(State):
    """What is played: the split and the seed, which is ``None`` where it was drawn (the record has it)."""

    split: str = ""
    seed: int | None = None


class TextEnvironment(Environment[TextAction, TextObservation, TextState]):
    """A session as an environment: ``make_session`` returns one, as `otherminds.asession` does."""

    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self, make_session: Callable[[], AsyncSession]) -> None:
        super().__init__()
        self._session = make_session()
        self._state = TextState()
        self._conversation: tuple[Message, ...] = ()
        self._keeps_record = False
        self._loop: asyncio.AbstractEventLoop | None = None

    async def reset_async(
        self,
        seed: int | None = None,
        episode_id: str | None = None,
        split: str | None = None,
        index: int | None = None,
        record: bool = False,
        **unknown: Any,
    ) -> TextObservation:
        """Starts an episode. An episode that is going on is left.

        Args:
            seed: Determines partner, labels and every draw; by default it is drawn.
            episode_id: A name for the episode; by default it is drawn.
            split: One of the session's splits; by default the first.
            index: The number of a task of the split. It is the seed of the task, in place of ``seed``.
            record: Whether the last observation has the record of the episode.
            unknown: Refused. OpenEnv's server drops what it finds in no signature, so that a misspelt name would
                start another episode than the one that was meant.

        Raises:
            StudyError: an unknown name, no such split, or a seed that is no whole number from 0 to 2**63 - 1.
        """
        if unknown:
            name = next(iter(unknown))
            raise StudyError(f"reset takes no {quote_name(name)}{hint(name, ARGUMENTS)}")
        self._loop = asyncio.get_running_loop()
        seed = seed if index is None else index
        split = self._session.splits[0] if split is None else split
        turn = await self._session.reset(seed, split)
        self._state = TextState(episode_id=str(episode_id or uuid4()), split=split, seed=seed)
        self._conversation, self._keeps_record = (), record
        return self._observe(turn)

    async def step_async(self, action: TextAction, timeout_s: float | None = None) -> TextObservation:
        """Replies with ``action``. Partners answer at once, so ``timeout_s`` is not used.

        Raises:
            StudyError: no episode is going on.
        """
        turn = await self._session.step(action.text)
        self._conversation += (Message("assistant", action.text),)
        self._state.step_count += 1
        return self._observe(turn)

    def reset(
        self,
        seed: int | None = None,
        episode_id: str | None = None,
        split: str | None = None,
        index: int | None = None,
        record: bool = False,
        **unknown: Any,
    ) -> TextObservation:
        """As :meth:`reset_async`, for callers without an event loop."""
        return wait_in_thread(self.reset_async(seed, episode_id, split, index, record, **unknown))

    def step(self, action: TextAction, timeout_s: float | None = None) -> TextObservation:
        """As :meth:`step_async`, for callers without an event loop."""
        return wait_in_thread(self.step_async(action))

    @property
    def state(self) -> TextState:
        """What is played, and the number of replies so far."""
        return self._state

    def get_metadata(self) -> EnvironmentMetadata:
        """The names of the scenarios of each split."""
        splits = self._session.scenarios.items()
        listed = (f"{split}: {', '.join(scenario.id for scenario in each)}" for split, each in splits)
        return EnvironmentMetadata(name=NAME, description="; ".join(listed))

    def close(self) -> None:
        """Leaves the episode that is going on. The server calls this from several threads."""
        if self._loop is not None and self._loop.is_running():
            asyncio.run_coroutine_threadsafe(self._session.close(), self._loop)

    def list_splits(self) -> list[str]:
        """The names of the splits."""
        return list(self._session.splits)

    def num_tasks(self, split: str) -> int:
        """The number of tasks of a split.

        Raises:
            IndexError: no such split.
        """
        if split not in self._session.splits:
            raise IndexError(f"no split is called {split!r}; there are {', '.join(self._session.splits)}")
        return TASKS

    def get_task(self, split: str, index: int) -> dict[str, Any]:
        """The task that ``reset(split=split, index=index)`` starts.

        Raises:
            IndexError: no such split or task.
        """
        if not 0 <= index < self.num_tasks(split):
            raise IndexError(f"a task has a number from 0 to {TASKS - 1}, not {index}")
        return {"id": f"{split}-{index}", "index": index}

    def get_task_range(
        self, split: str, start: int | None = None, stop: int | None = None
    ) -> list[dict[str, Any]]:
        """The tasks from ``start`` to before ``stop``, as a slice; at most ``MOST_LISTED`` of them."""
        indices = range(self.num_tasks(split))[start:stop][:MOST_LISTED]
        return [self.get_task(split, index) for index in indices]

    def list_tasks(self, split: str) -> list[dict[str, Any]]:
        """The first ``MOST_LISTED`` tasks of a split."""
        return self.get_task_range(split)

    def _observe(self, turn: Turn | Done) -> TextObservation:
        if isinstance(turn, Done):
            rewards = self._session.turn_rewards
            ending = {"outcome": turn.outcome} | ({"record": turn.record} if self._keeps_record else {})
            return TextObservation(
                done=True, reward=sum(rewards), turn_rewards=rewards, metadata=msgspec.to_builtins(ending)
            )
        known = len(self._conversation)
        whole = not known or turn.messages[:known] != self._conversation
        self._conversation = turn.messages
        return TextObservation(
            messages=[*map(msgspec.structs.asdict, turn.messages[0 if whole else known :])],
            whole=whole,
            options=list(turn.options),
            purpose=turn.purpose,
            seat=turn.seat,
        )


class TextClient(EnvClient[Any, TextObservation, TextState]):
    """A client of a server that `make_app` made. ``step`` takes a :class:`TextAction`, a text, or any JSON."""

    def _step_payload(self, action: Any) -> dict[str, Any]:
        return {"text": TextAction.model_validate(action).text}

    def _parse_result(self, payload: dict[str, Any]) -> StepResult[TextObservation]:
        observation = TextObservation(
            **payload["observation"], done=payload["done"], reward=payload["reward"]
        )
        return StepResult(observation, observation.reward, observation.done, observation.metadata)

    def _parse_state(self, payload: dict[str, Any]) -> TextState:
        return TextState(**payload)


def make_app(make_session: Callable[[], AsyncSession], most_sessions: int = 128) -> FastAPI:
    """The server of OpenEnv for a session, as an ASGI application.

    Args:
        make_session: Returns a new session, as `otherminds.asession` does.
        most_sessions: How many clients may be connected at once; more are refused.
    """
    return create_app(
        lambda: TextEnvironment(make_session),
        TextAction,
        TextObservation,
        env_name=NAME,
        max_concurrent_envs=most_sessions,
        state_cls=TextState,
    )


app = make_app(lambda: asession("rps-mixed-v1", ask=False))
"""The server that ``openenv.yaml`` describes; ``otherminds serve`` makes others."""
