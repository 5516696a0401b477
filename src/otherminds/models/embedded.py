"""GGUF models in this process: llama.cpp, through xllamacpp.

An answer depends on its prompt alone, not on earlier prompts. For that, keys are kept as
bfloat16 and values as float16: with this pair the CPU kernel of flash attention gives the same
result for a token alone, in a batch and from the cache. With the default pair rounding to 8
bits in the layers moves a log-probability by up to 0.2. This holds for weights in Q4_1, as
SmolLM2's; some other types, such as Q8_0, have separate kernels for batches, and differ a little.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import secrets
import threading
from collections.abc import Callable, Sequence, Set
from functools import cache
from http.client import HTTPConnection, HTTPException
from importlib import import_module
from pathlib import Path
from typing import Any

from otherminds.core.data import Message
from otherminds.core.errors import ProviderError, StudyError
from otherminds.core.model import Completion, Decoding, Finish, Scores, Usage
from otherminds.models.digests import file_digest
from otherminds.models.gguf import inspect
from otherminds.models.guided import grammar, without
from otherminds.models.pull import find
from otherminds.models.registry import models
from otherminds.models.scoring import FLOOR, WIDTHS, chain, next_token
from otherminds.models.wrapper import Reasoning, completed

CONTEXT = 8192
"""The largest context in tokens: its memory is allocated at once."""
PARKED = 512
"""MiB for the cached prompts of other conversations, so that two seats can take turns."""
THREADS = 2
"""Threads for prompts; single tokens are too little work for a second thread."""


class Engine:
    """A loaded model file. Hold ``lock`` over calls that build on each other.

    Without ``reuse`` every prompt is evaluated completely, to measure what reuse saves.
    """

    def __init__(self, path: Path, reuse: bool = True) -> None:
        self.reuse = reuse
        self.digest = file_digest(path)
        self.file = inspect(path)
        self.context = min(self.file.context, CONTEXT)
        self.lock = threading.Lock()
        self._key = secrets.token_hex(16)
        self._server = _serve(path, self.context, self._key)
        self._host = self._server.listening_address.removeprefix("http://")
        self._harmless = self.tokens("a")[-1]

    def tokens(self, text: str) -> list[int]:
        """The tokens of ``text``, with the model's initial ones. Control tokens in it stay text.

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
        """The log-probabilities of ``wanted`` (and others) as the next token, before sampling, and the usage.

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

    def chat(self, request: dict[str, Any]) -> tuple[dict[str, Any], Usage, Finish]:
        """One reply through the chat template: the message, the usage, and why it ended.

        Raises:
            ProviderError: the prompt is too long, or the request is refused.
        """
        reply = self._call(self._server.handle_chat_completions, {**request, "cache_prompt": self.reuse})
        choice = reply["choices"][0]
        return choice["message"], _usage(reply), "length" if choice["finish_reason"] == "length" else "stop"

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
            tokens, fit = error["n_prompt_tokens"], error["n_ctx"]
            raise self._failed(f"the prompt has {tokens} tokens, and {fit} fit; shorten it")
        raise self._failed(error["message"])

    def _failed(self, why: str) -> ProviderError:
        return ProviderError(f"model {self.file.path.name}: {' '.join(why.split())}")


def engine(path: Path) -> Engine:
    """The engine of a file, loaded once per process; a file that replaces it is loaded anew.

    Raises:
        ProviderError: the file is missing, damaged or of an unsupported kind.
    """
    inspect(path)
    return _loaded(path, file_digest(path))


@cache
def _loaded(path: Path, digest: str) -> Engine:
    loaded = Engine(path)
    if loaded.digest != digest:
        raise ProviderError(f"{path} is being replaced while it is read; try again when it is whole")
    return loaded


class Embedded:
    """A model in this process. It answers one call at a time, in a thread. ``digest`` is the SHA-256 of its file.

    Prefixes of earlier prompts are not evaluated again, which changes no answer.
    """

    concurrency = 1

    def __init__(self, spec: str, loaded: Engine) -> None:
        self.spec = spec
        self.context = loaded.context
        self.digest = loaded.digest
        self._engine = loaded
        control = sorted(filter(None, loaded.file.control), key=len, reverse=True)
        self._control = re.compile("|".join(map(re.escape, control)) or "(?!)")

    async def generate(self, messages: Sequence[Message], decoding: Decoding) -> Completion:
        """A reply through the model's chat template, drawn from its whole distribution.

        Control tokens in a message are broken up, so that no message can end itself.
        """
        return await asyncio.to_thread(self._generate, messages, decoding)

    async def score(self, prompt: str, continuations: Sequence[str]) -> Scores:
        """Log-probability of each continuation's whole text after ``prompt``, without a chat template.

        Chained over tokens (:func:`~otherminds.models.scoring.chain`); ``usage`` is the sum over
        the chain.

        Raises:
            ProviderError: the prompt is empty or too long.
        """
        return await asyncio.to_thread(self._score, prompt, continuations)

    def count(self, text: str) -> int:
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
        elif decoding.choice:
            request["grammar"] = grammar(decoding.choice)
        with self._engine.lock:
            message, usage, finish = self._engine.chat(request)
        reply = completed(
            message.get("content") or "", usage, [message.get("reasoning_content")], finish=finish
        )
        return without(reply, decoding, "effort", "tools")

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
    """The embedded default: SmolLM2-135M-Instruct, on the CPU; its weights are downloaded once."""
    if rest:
        raise StudyError(f"model 'smollm2' takes nothing after a colon; write smollm2, not smollm2:{rest}")
    return Embedded("smollm2", engine(find("smollm2")))


@models.register("gguf")
def gguf(rest: str) -> Reasoning:
    """gguf:PATH, any GGUF file, on the CPU."""
    if not rest:
        raise StudyError("model 'gguf' needs a file; write gguf:PATH")
    try:
        loaded = engine(Path(rest).expanduser().resolve())
    except ProviderError as error:
        raise StudyError(f"model 'gguf:{rest}' cannot be used: {error}") from error
    return Reasoning(Embedded(f"gguf:{rest}", loaded))


def _usage(reply: dict[str, Any]) -> Usage:
    usage = reply["usage"]
    cached = usage["prompt_tokens_details"]["cached_tokens"]
    return Usage(usage["prompt_tokens"], usage["completion_tokens"], cached)


def _serve(path: Path, context: int, key: str) -> Any:
    """Loads a model; ``key`` protects the port that llama.cpp opens on this machine."""
    # Spinning threads make every step ten times slower on busy cores.
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
        why = f"cannot load {path}: {error}; xllamacpp may not know this kind of model"
        raise ProviderError(why) from None
