"""A GGUF model inside this process: llama.cpp, through xllamacpp.

An answer depends on its prompt alone, not on what was evaluated before it. For
that, keys are kept as bfloat16 and values as float16: with this pair the CPU
kernel of flash attention treats a token alike whether it is evaluated alone, with
others or was cached. Under the default pair it does not, rounding to 8 bits in
the layers magnifies that, and one and the same log-probability moves by up to
0.2. Weights in Q4_1, as SmolLM2's, take part in this; some other types, such as
Q8_0, have kernels of their own for many tokens at once, and still differ a little.
"""

from __future__ import annotations

import json
import os
import secrets
import threading
from collections.abc import Callable, Sequence, Set
from functools import cache
from http.client import HTTPConnection, HTTPException
from importlib import import_module
from pathlib import Path
from typing import Any

from otherminds.core.errors import ProviderError
from otherminds.core.model import Usage
from otherminds.models.gguf import inspect
from otherminds.models.scoring import FLOOR, WIDTHS, next_token

CONTEXT = 8192
"""The largest context that is set up, in tokens: its memory is taken at once."""

PARKED = 512
"""MiB for the evaluated prompts of other conversations, so that two seats can take turns."""

THREADS = 2
"""For prompts. One token at a time leaves too little work between two barriers
for a second thread: single tokens are evaluated by one."""


class Engine:
    """One model file, loaded. Hold ``lock`` over calls that build upon each other.

    Without ``reuse`` every prompt is evaluated whole, to measure what reuse saves.
    """

    def __init__(self, path: Path, reuse: bool = True) -> None:
        self.reuse = reuse
        self.file = inspect(path)
        self.context = min(self.file.context, CONTEXT)
        self.lock = threading.Lock()
        self._key = secrets.token_hex(16)
        self._server = _serve(path, self.context, self._key)
        self._host = self._server.listening_address.removeprefix("http://")
        self._harmless = self.tokens("a")[-1]

    def tokens(self, text: str) -> list[int]:
        """The tokens of ``text``, with those that the model wants in front of every text.

        Text that looks like a control token stays text.

        Raises:
            ProviderError: the tokeniser does not answer.
        """
        body = json.dumps({"content": text, "add_special": True, "parse_special": False})
        headers = {"Authorization": f"Bearer {self._key}", "Content-Type": "application/json"}
        connection = HTTPConnection(self._host, timeout=60)
        try:
            connection.request("POST", "/tokenize", body.encode(), headers)
            reply = json.loads(connection.getresponse().read())
        except (OSError, HTTPException) as error:
            raise self._failed(f"its tokeniser does not answer: {error}") from None
        finally:
            connection.close()
        return self._checked(reply)["tokens"]

    def following(self, tokens: Sequence[int], wanted: Set[int]) -> tuple[dict[int, float], Usage]:
        """The log-probabilities of ``wanted`` (and others) as the next token, and what it took.

        They are the unconstrained model's, before sampling.

        Raises:
            ProviderError: the prompt is empty or too long.
        """
        prompt = cached = 0
        logprobs: dict[int, float] = {}
        for width in (*WIDTHS, self.file.vocabulary):
            request = {**next_token(tokens, width, self._harmless), "cache_prompt": self.reuse}
            reply = self._call(self._server.handle_completions, request)
            usage = _usage(reply)
            prompt, cached = prompt + usage.prompt, cached + usage.cached
            likeliest = reply["choices"][0]["logprobs"]["content"][0]["top_logprobs"]
            logprobs = {one["id"]: max(one["logprob"], FLOOR) for one in likeliest}
            if wanted <= logprobs.keys():
                return logprobs, Usage(prompt, 0, cached)
        raise self._failed(f"it gives no probability to tokens {sorted(wanted - logprobs.keys())}")

    def chat(self, request: dict[str, Any]) -> tuple[dict[str, Any], Usage]:
        """One reply through the chat template: the message, and what it took.

        Raises:
            ProviderError: the prompt is too long, or the request is refused.
        """
        reply = self._call(self._server.handle_chat_completions, {**request, "cache_prompt": self.reuse})
        return reply["choices"][0]["message"], _usage(reply)

    def _call(
        self, handle: Callable[[dict[str, Any]], dict[str, Any]], request: dict[str, Any]
    ) -> dict[str, Any]:
        try:
            return self._checked(handle(request))
        except (RuntimeError, ValueError) as error:
            raise self._failed(str(error)) from None

    def _checked(self, reply: dict[str, Any]) -> dict[str, Any]:
        error = reply.get("error")
        if error is None:
            return reply
        if error.get("type") == "exceed_context_size_error":
            raise self._failed(
                f"the prompt has {error['n_prompt_tokens']} tokens, and {error['n_ctx']} fit; shorten it"
            )
        raise self._failed(error["message"])

    def _failed(self, why: str) -> ProviderError:
        return ProviderError(f"model {self.file.path.name}: {' '.join(why.split())}")


@cache
def engine(path: Path) -> Engine:
    """The engine of a file: loaded once a process, however often it is opened.

    Raises:
        ProviderError: the file is missing, damaged or of a kind that cannot be run.
    """
    return Engine(path)


def _usage(reply: dict[str, Any]) -> Usage:
    usage = reply["usage"]
    cached = usage["prompt_tokens_details"]["cached_tokens"]
    return Usage(usage["prompt_tokens"], usage["completion_tokens"], cached)


def _serve(path: Path, context: int, key: str) -> Any:
    """Loads a model; ``key`` shuts everyone else out of the port that llama.cpp opens on this machine."""
    # Threads that spin while they wait make every step ten times slower on busy cores.
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    xllamacpp: Any = import_module("xllamacpp")

    params = xllamacpp.CommonParams()
    params.model.path = str(path)
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
    try:
        return xllamacpp.Server(params)
    except RuntimeError as error:
        raise ProviderError(
            f"cannot load {path}: {error}; xllamacpp may not know this kind of model"
        ) from None
