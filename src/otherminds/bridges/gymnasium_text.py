"""Sessions as a Gymnasium environment with text in and text out."""

from __future__ import annotations

import string
from collections.abc import Sequence
from typing import Any

import gymnasium
from gymnasium.spaces import Text

from otherminds.api.sessions import Done, Session, Turn
from otherminds.core.data import Message
from otherminds.core.encoding import check_seed

LONGEST, PRINTABLE = 2**16, frozenset(string.printable)
"""The characters of observations and replies; a longer observation keeps its end."""


class TextEnv(gymnasium.Env[str, str]):
    """One session; ``reset(seed=..., options={"split": ...})`` starts an episode.

    ``info["options"]`` lists the valid answers. The reward of the last step is the return of the episode, that of the others 0;
    ``info["turn_rewards"]`` has its parts. Characters that are not printable ASCII are shown as ``?``.

    >>> import otherminds as om
    >>> env = TextEnv(om.session("rps-mixed-v1", options={"rounds": 1}, ask=False))
    >>> observation, info = env.reset(seed=7)
    >>> env.step(info["options"][0])[1:4]
    (1.0, True, False)
    """

    metadata = {"render_modes": []}  # noqa: RUF012 - as Gymnasium declares it

    def __init__(self, opened: Session) -> None:
        self.observation_space = self.action_space = Text(LONGEST, min_length=0, charset=PRINTABLE)
        self._session = opened

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[str, dict[str, Any]]:
        super().reset(seed=None if seed is None else check_seed(seed))
        drawn = int(self.np_random.integers(2**31)) if seed is None else seed
        turn = self._session.reset(drawn, (options or {}).get("split"))
        return _observe(turn.messages if isinstance(turn, Turn) else ()), self._describe(turn)

    def step(self, action: str) -> tuple[str, float, bool, bool, dict[str, Any]]:
        turn = self._session.step(action)
        if isinstance(turn, Done):
            return "", self._session.reward, True, False, self._describe(turn)
        return _observe(turn.messages[-1:]), 0.0, False, False, self._describe(turn)

    def close(self) -> None:
        self._session.close()

    def _describe(self, turn: Turn | Done) -> dict[str, Any]:
        if isinstance(turn, Turn):
            return {"options": turn.options}
        return {"options": (), "turn_rewards": self._session.turn_rewards, "outcome": turn.outcome.status}


def _observe(messages: Sequence[Message]) -> str:
    text = "\n\n".join(message.content for message in messages)[-LONGEST:]
    return "".join(letter if letter in PRINTABLE else "?" for letter in text)
