"""Models behind an OpenAI-compatible server: OpenAI, vLLM, SGLang, llama.cpp, Ollama, OpenRouter.

The form of requests and replies: https://platform.openai.com/docs/api-reference/chat.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

from otherminds.core.data import Message
from otherminds.core.model import Completion, Decoding, Scores
from otherminds.models.faults import LIMIT, TOOLS, Parameters, RefusedError, line
from otherminds.models.hosts import Hosts
from otherminds.models.http import ServedModel, Server, open_server
from otherminds.models.registry import models
from otherminds.models.scoring import GUIDES, Guide, mark_unguided, no_guide
from otherminds.models.wire import (
    ChatReply,
    ModelEntry,
    ModelsReply,
    PropsReply,
    ScoringMethod,
    completion,
    find_way,
    functions,
    response_format,
)
from otherminds.models.wrapper import Reasoning

CONTEXT = 32768
"""The context in tokens where a server does not state it."""


class OpenAI(ServedModel):
    """A model on an OpenAI-compatible server."""

    def __init__(self, spec: str, name: str, server: Server, context: int) -> None:
        super().__init__(spec, name, server, context)
        self._parameters = Parameters()
        self._way: ScoringMethod | None = None
        self._guide: Guide | None = None

    async def generate(self, messages: Sequence[Message], decoding: Decoding) -> Completion:
        """A reply through the model's chat template.

        Parameters that ``decoding`` lacks, such as top-k, have the server's defaults. Those that the
        model refuses are left out (:mod:`otherminds.models.faults`), and the reply names them.

        A request that a content filter refuses has an empty reply, whose end says so.

        Raises:
            TransientError: a transient fault.
            ProviderError: the server refuses.
        """
        request: dict[str, Any] = {
            "messages": [{"role": message.role, "content": message.content} for message in messages],
            "temperature": decoding.temperature,
            "top_p": decoding.top_p,
            "seed": decoding.seed,
        }
        if decoding.stop:
            request["stop"] = list(decoding.stop)
        if decoding.schema is not None:
            request["response_format"] = response_format(decoding.schema)
        if decoding.effort:
            request["reasoning_effort"] = decoding.effort
        if decoding.tools:
            request[TOOLS] = functions(decoding.tools)
        guide = await self._find_guide() if decoding.choice else no_guide
        try:
            reply = await self._chat(request | guide(decoding.choice), decoding.max_tokens)
        except RefusedError as error:
            if not error.filtered:
                raise
            return Completion("", usage=error.usage, finish="filter", dropped=self._parameters.dropped)
        return mark_unguided(self.masked(completion(reply, self._parameters.dropped)), decoding, guide)

    async def score(self, prompt: str, continuations: Sequence[str]) -> Scores:
        """Log-probability of each continuation's whole text after ``prompt``.

        The first call finds out which method of :mod:`otherminds.models.wire` the server offers.

        Raises:
            TransientError: a transient fault.
            ProviderError: the server refuses, or cannot score these continuations.
        """
        if not continuations:
            return Scores(())
        if self._way is None:
            async with self._server.finding:
                if self._way is None:
                    self._way = await find_way(self._server, self._name, self._chat)
        return await self._way.score(prompt, continuations)

    async def _find_guide(self) -> Guide:
        """How this server restricts a reply to listed texts; found out at the first call."""
        async with self._server.finding:
            if self._guide is None:
                served = await asyncio.to_thread(_served_entry, self._server, self._name)
                self._guide = GUIDES.get(served.owned_by, no_guide)
            return self._guide

    async def _chat(self, request: dict[str, Any], most: int) -> ChatReply:
        """The reply to ``request``, of at most ``most`` tokens, without the parameters that the model refuses."""
        url = f"{self._server.base}/chat/completions"
        parameters = {"model": self._name, **request, LIMIT: most}
        return await self._parameters.agreed(parameters, lambda body: self._server.post(url, body, ChatReply))


@models.register("openai")
def openai(argument: str, hosts: Hosts | None = None) -> Reasoning:
    """openai:MODEL@BASE_URL, any OpenAI-compatible server; the key comes from the environment."""
    name, server, chosen = open_server("openai", argument, hosts)
    context = chosen.context or _context(server, name)
    return Reasoning(OpenAI(f"openai:{name}", name, server, context), chosen.reasoning)


def _context(server: Server, name: str) -> int:
    """The context in tokens that the server states.

    ``max_model_len`` is vLLM's field, ``context_length`` OpenRouter's; llama.cpp has the
    configured context in ``props``, which may be less than the model's.
    """
    entry = _served_entry(server, name)
    stated = [entry.max_model_len, entry.context_length]
    if entry.meta is not None:
        props = server.get(f"{server.root}/props", PropsReply)
        set_up = props.default_generation_settings.n_ctx if props is not None else None
        stated = [set_up, *stated, entry.meta.n_ctx_train]
    return next((count for count in stated if count is not None and count > 0), CONTEXT)


def warn_unlisted(argument: str, hosts: Hosts) -> str:
    """A warning if the server of ``openai:argument`` lists several models and not this one; else empty.

    Some servers answer under names that they do not list, so this is no error.

    Raises:
        StudyError: as :func:`openai`.
        ProviderError: the server cannot be reached.
    """
    name, server, _ = open_server("openai", argument, hosts)
    reply = server.get(f"{server.base}/models", ModelsReply)
    names = [entry.id for entry in reply.data] if reply is not None else []
    if len(names) < 2 or name in names:
        return ""
    ending = f" and {len(names) - 5} more" if len(names) > 5 else ""
    listed = server.secrets.masked(", ".join(names[:5]))
    return line(f"model openai:{name}: the server does not list it; it lists {listed}{ending}")


def _served_entry(server: Server, name: str) -> ModelEntry:
    """What the server states about the model ``name``, or about its only one."""
    listed = server.get(f"{server.base}/models", ModelsReply)
    entries = listed.data if listed is not None else []
    return next(
        (entry for entry in entries if entry.id == name), entries[0] if len(entries) == 1 else ModelEntry()
    )
