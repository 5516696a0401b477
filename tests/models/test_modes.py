"""Each mode in which a server answers or fails ends in its true outcome."""

from __future__ import annotations

import asyncio
from random import Random

import pytest

from otherminds.core.data import Message
from otherminds.core.errors import ProviderError
from otherminds.core.model import Completion, Decoding
from otherminds.models.registry import open_model
from otherminds.models.wrappers import Retrying
from tests.models import serving
from tests.models.modes import ANSWER, MODES, Mode

ENDS = {"refusal": "refused", "filter": "filtered", "length": "cut"}
ONCE = ("no such", "key", "quota", "balance", "billing", "credit")
"""Words of the modes in which no second request is made."""


class Clock:
    """Time that passes only in ``sleep``."""

    def __init__(self) -> None:
        self.now = 0.0

    async def sleep(self, seconds: float) -> None:
        self.now += max(seconds, 1.0)
        await asyncio.sleep(0)


def called(mode: Mode) -> tuple[str, Completion | str, int]:
    """The outcome of one call, its reply or the text of its error, and the number of requests."""
    clock = Clock()
    with serving.serving(mode.answer) as local:
        address = f"{mode.kind}:toy@{local.url}?context=20000&reasoning=1"
        model = Retrying(open_model(address), 20, clock.sleep, lambda: clock.now, Random(1))
        decoding = Decoding(0.7, 0.95, 24, ("\n\n",), seed=3)
        try:
            reply = serving.closing(model, lambda: model.generate([Message("user", "Which?")], decoding))
        except ProviderError as error:
            return "stopped" if model.down else "failed", str(error), len(local.asked)
    outcome = ENDS.get(reply.finish, "scored" if reply.text == ANSWER else "unread")
    return outcome, reply, len(local.asked)


@pytest.mark.parametrize("name", MODES)
def test_each_mode_ends_in_its_true_outcome(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for kind in ("OPENAI", "ANTHROPIC", "GEMINI"):
        monkeypatch.setenv(f"{kind}_API_KEY", "a-key-of-a-test")
    mode = MODES[name]
    outcome, reply, requests = called(mode)
    assert outcome == mode.outcome, reply
    if isinstance(reply, str):
        assert "\n" not in reply
        assert len(reply) < 600
    else:
        assert mode.prompt is None or reply.usage.prompt == (mode.prompt or reply.usage.estimated_prompt) > 0
        assert mode.tool is None or [tool.arguments for tool in reply.tools] == [mode.tool]
    if any(word in name for word in ONCE):
        assert requests == 1


def test_there_are_sixty_modes_of_every_outcome() -> None:
    assert len(MODES) >= 60
    outcomes = {mode.outcome for mode in MODES.values()}
    assert outcomes == {"scored", "refused", "filtered", "cut", "unread", "failed", "stopped"}
