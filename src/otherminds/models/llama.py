"""llama.cpp in a process of its own: ``python -m otherminds.models.llama CHANNEL LIFELINE``, two open files.

It loads the one model that the first message names and answers one request at a time, until its channel closes. A
pipe that only its parent writes to, the lifeline, ends it when the parent has gone, also in the middle of a request.
The other end is :mod:`otherminds.models.llama_process`.
"""

from __future__ import annotations

import contextlib
import os
import resource
import signal
import socket
import sys
import threading
from collections.abc import Callable
from importlib import import_module
from typing import Any, cast

from msgspec import Struct

from otherminds.models.frames import FrameError, receive, send
from otherminds.models.scoring import FLOOR, next_token
from otherminds.models.templates import ChatTemplate, TemplateError

PARKED = 512
"""MiB for the cached prompts of other conversations, so that two seats can take turns."""
THREADS = 2
"""Threads for prompts; single tokens are too little work for a second thread."""
AS_IS = "{% for message in messages %}{{ message['content'] }}{% endfor %}"
"""The chat template that llama.cpp is given: prompts come rendered."""
WORDS = 2**20
"""Bytes that the process may write to a file, that of its last words."""


class Load(Struct, tag=True, frozen=True):
    """The model at ``path``, with at most ``memory`` bytes of data beside the mapped file."""

    path: str
    context: int
    key: str
    memory: int
    template: str
    begin: str
    end: str


class Follow(Struct, tag=True, frozen=True):
    """The next token after ``tokens``: ``wanted`` are to be among the likeliest of one of the ``widths``."""

    tokens: list[int]
    wanted: list[int]
    widths: list[int]
    harmless: int
    reuse: bool


class Render(Struct, tag=True, frozen=True):
    """The prompt of ``messages``."""

    messages: list[dict[str, str]]


class CompletionRequest(Struct, tag=True, frozen=True):
    """A reply to ``prompt``; ``options`` are of llama.cpp's chat completions."""

    prompt: str
    options: dict[str, Any]


class RequestFailure(Struct, tag=True, frozen=True):
    """The request was refused; the process goes on."""

    why: str


class ServerAddress(Struct, tag=True, frozen=True):
    """Where the tokeniser answers."""

    host: str


class PromptLogprobs(Struct, tag=True, frozen=True):
    """Log-probabilities by token, tokens of the prompts, and how many of them were cached."""

    logprobs: list[tuple[int, float]]
    prompt: int
    cached: int


class RenderedPrompt(Struct, tag=True, frozen=True):
    """What the chat template wrote."""

    prompt: str


class GeneratedReply(Struct, tag=True, frozen=True):
    """A reply; ``short`` where it ended at its bound of tokens."""

    content: str
    reasoning: str
    short: bool
    prompt: int
    completion: int
    cached: int


def load(path: str, context: int, key: str, template: str = "") -> Any:
    """A server of llama.cpp; ``key`` protects the port that it opens on this machine. ``template`` replaces the file's.

    Raises:
        RuntimeError: llama.cpp cannot load the file.
    """
    # Spinning threads make every step ten times slower on busy cores.
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    xllamacpp: Any = import_module("xllamacpp")

    params = xllamacpp.CommonParams()
    params.model.path = path
    params.n_ctx = context
    params.fit_params = False
    params.n_parallel = 1
    params.cpuparams.n_threads = 1
    params.cpuparams_batch.n_threads = THREADS
    params.flash_attn_type = xllamacpp.llama_flash_attn_type.LLAMA_FLASH_ATTN_TYPE_ENABLED
    params.cache_type_k = xllamacpp.ggml_type.GGML_TYPE_BF16
    params.cache_type_v = xllamacpp.ggml_type.GGML_TYPE_F16
    params.swa_full = True
    params.cache_ram_mib = PARKED
    params.api_keys = [key]
    params.ui = params.endpoint_slots = params.warmup = False
    params.verbosity = 0
    if template:
        params.chat_template = template
    return xllamacpp.Server(params)


class LoadedModel:
    """The model that ``order`` names, loaded.

    Raises:
        RuntimeError: llama.cpp cannot load the file.
    """

    def __init__(self, order: Load) -> None:
        self._server = load(order.path, order.context, order.key, AS_IS)
        self._order = order
        self._template: ChatTemplate | None = None

    def loaded(self) -> ServerAddress:
        """What the one who ordered it needs to know."""
        return ServerAddress(cast(str, self._server.listening_address).removeprefix("http://"))

    def answer(
        self, request: Follow | Render | CompletionRequest
    ) -> PromptLogprobs | RenderedPrompt | GeneratedReply | RequestFailure:
        """The answer to one request.

        Raises:
            RuntimeError, ValueError: llama.cpp refuses it.
            TemplateError: the chat template fails.
        """
        if isinstance(request, Render):
            self._template = self._template or ChatTemplate(
                self._order.template, self._order.begin, self._order.end
            )
            return RenderedPrompt(self._template.prompt(request.messages))
        return self._follow(request) if isinstance(request, Follow) else self._reply(request)

    def _follow(self, request: Follow) -> PromptLogprobs | RequestFailure:
        prompt = cached = 0
        targets = set(request.wanted)
        logprobs: dict[int, float] = {}
        for width in request.widths:
            completion_request = next_token(request.tokens, width, request.harmless)
            reply = _check_reply(
                self._server.handle_completions({**completion_request, "cache_prompt": request.reuse})
            )
            usage = reply["usage"]
            prompt += usage["prompt_tokens"]
            cached += usage["prompt_tokens_details"]["cached_tokens"]
            likeliest = reply["choices"][0]["logprobs"]["content"][0]["top_logprobs"]
            if not all(isinstance(candidate["logprob"], float | int) for candidate in likeliest):
                return RequestFailure("a probability of it is not a number; its weights are damaged")
            logprobs = {candidate["id"]: max(candidate["logprob"], FLOOR) for candidate in likeliest}
            if targets <= logprobs.keys():
                reported = targets or logprobs.keys()
                return PromptLogprobs(
                    [(token, logprobs[token]) for token in sorted(reported)], prompt, cached
                )
        return RequestFailure(f"it gives no probability to tokens {sorted(targets - logprobs.keys())}")

    def _reply(self, request: CompletionRequest) -> GeneratedReply:
        messages = [{"role": "user", "content": request.prompt}]
        reply = _check_reply(self._server.handle_chat_completions({**request.options, "messages": messages}))
        choice, usage = reply["choices"][0], reply["usage"]
        message = choice["message"]
        return GeneratedReply(
            message.get("content") or "",
            message.get("reasoning_content") or "",
            choice["finish_reason"] == "length",
            usage["prompt_tokens"],
            usage["completion_tokens"],
            usage["prompt_tokens_details"]["cached_tokens"],
        )


def _check_reply(reply: dict[str, Any]) -> dict[str, Any]:
    error = reply.get("error")
    if error is None:
        return reply
    if error.get("type") == "exceed_context_size_error":
        tokens, fit = error["n_prompt_tokens"], error["n_ctx"]
        raise ValueError(f"the prompt has {tokens} tokens, and {fit} fit; shorten it")
    raise ValueError(error["message"])


def _send_guarded(channel: socket.socket, work: Callable[[], Struct]) -> None:
    """Sends what ``work`` returns, or why it failed."""
    try:
        answer = work()
        send(channel, answer)
    except (RuntimeError, ValueError, TemplateError) as error:
        send(channel, RequestFailure(" ".join(str(error).split())[:2_000]))
    except MemoryError:
        send(channel, RequestFailure("no memory is left"))
    except (LookupError, TypeError) as error:
        send(channel, RequestFailure(f"llama.cpp's answer has another form ({type(error).__name__})"))


def _end_with_parent(lifeline: int) -> None:
    """Waits until the parent has gone, and ends this process."""
    with contextlib.suppress(OSError):
        os.read(lifeline, 1)
    os._exit(1)


def main() -> None:
    """Answers requests until the channel closes."""
    channel = socket.socket(fileno=int(sys.argv[1]))
    threading.Thread(target=_end_with_parent, args=(int(sys.argv[2]),), daemon=True).start()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (WORDS, WORDS))
    with contextlib.suppress(FrameError):
        order = receive(channel, Load)
        with contextlib.suppress(ValueError):  # a stricter limit of the user's stays
            resource.setrlimit(resource.RLIMIT_DATA, (order.memory, order.memory))
        loaded_models: list[LoadedModel] = []

        def start() -> ServerAddress:
            loaded_models.append(LoadedModel(order))
            return loaded_models[0].loaded()

        _send_guarded(channel, start)
        while loaded_models:
            request = receive(channel, Follow | Render | CompletionRequest)
            _send_guarded(channel, lambda request=request: loaded_models[0].answer(request))
    os._exit(0)  # llama.cpp's threads are not waited for


if __name__ == "__main__":
    main()
