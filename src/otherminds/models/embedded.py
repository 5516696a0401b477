"""Models that run in this process, from a GGUF file."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from otherminds.core.data import Message
from otherminds.core.errors import ProviderError, StudyError
from otherminds.core.model import Completion, Decoding, Scores, Usage
from otherminds.models.engine import Engine, engine
from otherminds.models.pull import find
from otherminds.models.registry import models
from otherminds.models.scoring import chain
from otherminds.models.wrapper import completed


class Embedded:
    """A model in this process. It answers one call at a time, in a thread.

    What a prompt shares with earlier ones is not evaluated again, and that
    changes no answer.
    """

    concurrency = 1

    def __init__(self, spec: str, loaded: Engine) -> None:
        self.spec = spec
        self.context = loaded.context
        self._engine = loaded
        control = sorted(filter(None, loaded.file.control), key=len, reverse=True)
        self._control = re.compile("|".join(map(re.escape, control)) or "(?!)")

    async def generate(self, messages: Sequence[Message], decoding: Decoding) -> Completion:
        """A reply through the model's chat template, drawn from its whole distribution.

        Text in a message that spells a control token is broken up, so that no
        message can end itself and begin another.
        """
        return await asyncio.to_thread(self._generate, messages, decoding)

    async def score(self, prompt: str, continuations: Sequence[str]) -> Scores:
        """Log-probability of each continuation's whole text after ``prompt``, without a chat template.

        Chained over tokens; what continuations share is evaluated once. Where
        one of them melts into the prompt's last token (``"roc" + "k"``), that
        token is counted into every score, so that they stay comparable.
        ``usage`` sums over the chain: what was evaluated is its prompt tokens
        less the cached ones.

        Raises:
            ProviderError: the prompt is empty or too long.
        """
        return await asyncio.to_thread(self._score, prompt, continuations)

    def count(self, text: str) -> int:
        """The tokens of ``text``, exactly."""
        return len(self._engine.tokens(text)) if text else 0

    def _generate(self, messages: Sequence[Message], decoding: Decoding) -> Completion:
        request: dict[str, Any] = {
            "messages": [{"role": one.role, "content": self._defused(one.content)} for one in messages],
            "max_tokens": decoding.max_tokens,
            "temperature": decoding.temperature,
            "top_p": decoding.top_p,
            "top_k": 0,
            "min_p": 0.0,
            "stop": list(decoding.stop),
            "seed": decoding.seed,
        }
        if decoding.schema is not None:
            request["response_format"] = {"type": "json_schema", "json_schema": {"schema": decoding.schema}}
        with self._engine.lock:
            message, usage = self._engine.chat(request)
        return completed(message.get("content") or "", usage, [message.get("reasoning_content")])

    def _score(self, prompt: str, continuations: Sequence[str]) -> Scores:
        whole = [self._engine.tokens(prompt + text) for text in continuations]
        asked = chain(self._engine.tokens(prompt), whole)
        found: dict[tuple[int, ...], dict[int, float]] = {}
        read = cached = 0
        with self._engine.lock:
            for path in asked.paths():
                found[path], usage = self._engine.following([*asked.head, *path], asked.wanted[path])
                read, cached = read + usage.prompt, cached + usage.cached
        return Scores(asked.scores(found), Usage(read, 0, cached))

    def _defused(self, text: str) -> str:
        """``<|im_end|>`` becomes ``< |im_end|>``."""
        return self._control.sub(lambda found: f"{found[0][0]} {found[0][1:]}", text)


@models.register("smollm2")
def smollm2(rest: str) -> Embedded:
    """The embedded default: SmolLM2-135M-Instruct, on the CPU; its weights are fetched once."""
    if rest:
        raise StudyError(f"model 'smollm2' takes nothing after a colon; write smollm2, not smollm2:{rest}")
    return Embedded("smollm2", engine(find("smollm2")))


@models.register("gguf")
def gguf(rest: str) -> Embedded:
    """gguf:PATH, any GGUF file, on the CPU."""
    if not rest:
        raise StudyError("model 'gguf' needs a file; write gguf:PATH")
    try:
        loaded = engine(Path(rest).expanduser().resolve())
    except ProviderError as error:
        raise StudyError(f"model 'gguf:{rest}' cannot be used: {error}") from error
    return Embedded(f"gguf:{rest}", loaded)
