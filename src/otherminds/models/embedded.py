"""GGUF models on this machine: llama.cpp, through xllamacpp, in a process of its own.

An answer depends on its prompt alone, not on earlier prompts. For that, keys are kept as
bfloat16 and values as float16: with this pair the CPU kernel of flash attention gives the same
result for a token alone, in a batch and from the cache. With the default pair rounding to 8
bits in the layers moves a log-probability by up to 0.2. This holds for weights in Q4_1, as
SmolLM2's; some other types, such as Q8_0, have separate kernels for batches, and differ a little.

llama.cpp trusts its files: a damaged one can abort the process, a hostile one more than that. It therefore runs in
:mod:`otherminds.models.llama`, without the environment's secrets, with a limit of memory, and is ended when an answer is late."""

from __future__ import annotations

import asyncio
import json
import os
import re
import secrets
import signal
import socket
import subprocess
import sys
import threading
import weakref
from collections.abc import Callable, Sequence, Set
from functools import cache
from http import HTTPStatus
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Any, TypeVar

import msgspec
from msgspec import Struct

from otherminds.core.data import Message
from otherminds.core.disk import resolve_path
from otherminds.core.errors import ProviderError, StudyError
from otherminds.core.model import Completion, Decoding, Finish, Scores, Usage
from otherminds.models.files import Gguf, file_digest, find, inspect
from otherminds.models.llama import (
    LARGEST,
    CompletionRequest,
    Follow,
    FrameError,
    GeneratedReply,
    Load,
    PromptLogprobs,
    Render,
    RenderedPrompt,
    RequestFailure,
    ServerAddress,
    receive,
    send,
)
from otherminds.models.registry import models
from otherminds.models.scoring import WIDTHS, chain, grammar, without
from otherminds.models.wrapper import Reasoning, make_completion

LOADING, BYTES = 120.0, 1e7
"""Seconds for a model to be loaded, and bytes of its file for each further second."""
TOKENISING = 60.0
RENDERING = 20.0
"""Seconds for a chat template, whose own limit is shorter."""
SLACK, TOKEN = 120.0, 1.0
"""Seconds for a request, and further ones for each token of its prompt and reply."""
FILES, ROOM = 3, 6 * 2**30
"""Memory: so many times the file's size, for its repacked weights and the context, and further bytes."""
PASSED = ("PATH", "LANG", "LC_ALL", "HOME", "TMPDIR", "LD_LIBRARY_PATH", "SYSTEMROOT")
"""Variables of the environment that the process gets, beside those of OpenMP and ggml."""
FAMILIES = ("OMP_", "GGML_", "COVERAGE_")
QUOTED = 200
"""Characters of the process's last words that an error shows."""

S = TypeVar("S", bound=Struct)


class DeadError(Exception):
    """The process has ended or was ended; the text says why in one line."""


class RequestError(Exception):
    """The process refused a request, and goes on."""


class Tokens(Struct):
    """The answer of the tokeniser."""

    tokens: list[int]


class LlamaProcess:
    """A process with the model of ``file``, loaded when this returns.

    Raises:
        DeadError: it ended, or was too slow.
        RequestError: llama.cpp cannot load the file.
    """

    def __init__(self, file: Gguf, context: int) -> None:
        self._key = secrets.token_hex(16)
        self._channel, theirs = socket.socketpair()
        lifeline, self._lifeline = os.pipe()
        self._words: IO[bytes] = TemporaryFile()  # noqa: SIM115 - lives as long as the process
        code = ["-P", "-m", "otherminds.models.llama", str(theirs.fileno()), str(lifeline)]
        try:
            self._process = subprocess.Popen(
                [sys.executable, *code],
                stdin=subprocess.DEVNULL,
                stdout=self._words,
                stderr=self._words,
                pass_fds=(theirs.fileno(), lifeline),
                env=_environment(),
                start_new_session=True,
            )
        except OSError as error:
            raise DeadError(f"llama.cpp cannot be started ({error.strerror})") from None
        finally:
            theirs.close()
            os.close(lifeline)
        ends = self._process, self._channel, self._lifeline, self._words, os.getpid()
        self._end = weakref.finalize(self, _end, *ends)
        memory = FILES * file.size + ROOM
        order = Load(str(file.path), context, self._key, memory, file.template, file.begin, file.end)
        try:
            self._host = self._ask(order, ServerAddress, LOADING + file.size / BYTES).host
        except RequestError as error:
            self.end()
            raise RequestError(
                f"cannot load {file.path}: {error}; xllamacpp may not know this kind of model"
            ) from None

    def ask(self, request: Follow | Render | CompletionRequest, kind: type[S], tokens: int = 0) -> S:
        """The answer, of type ``kind``; the prompt and the reply have at most ``tokens``.

        Raises:
            DeadError: there is none, and the process has ended.
            RequestError: the request is refused.
        """
        return self._ask(request, kind, RENDERING if isinstance(request, Render) else SLACK + TOKEN * tokens)

    def tokenise(self, text: str) -> list[int]:
        """The tokens of ``text``, also while a request is answered.

        Raises:
            DeadError: there is no answer, and the process has ended.
            RequestError: the request is refused.
        """
        try:
            return tokens_of(self._host, self._key, text)
        except (OSError, HTTPException, ValueError) as error:
            raise self._dead(f"gives no tokens ({error})") from None

    @property
    def number(self) -> int:
        """The process's number in the operating system."""
        return self._process.pid

    def end(self) -> None:
        """Ends the process, if it runs."""
        self._end()

    def _ask(self, request: Struct, kind: type[S], seconds: float) -> S:
        try:
            send(self._channel, request, seconds)
            answer = receive(self._channel, kind | RequestFailure, seconds)
        except ValueError as error:
            raise RequestError(str(error)) from None
        except FrameError as error:
            raise self._dead(str(error)) from None
        if isinstance(answer, RequestFailure):
            raise RequestError(answer.why)
        return answer

    def _dead(self, why: str) -> DeadError:
        """Ends the process; the error names the signal that had ended it before, and its last words."""
        try:
            how = f"ended with {_name_exit(self._process.wait(1.0))}"
        except subprocess.TimeoutExpired:
            how = why
        words = self._last()
        self.end()
        return DeadError(f"llama.cpp {how}{words}")

    def _last(self) -> str:
        """The last line that the process wrote."""
        size = self._words.seek(0, os.SEEK_END)
        self._words.seek(max(0, size - 4096))
        lines = [
            line for line in self._words.read(4096).decode("utf-8", "replace").splitlines() if line.strip()
        ]
        fault_line = next((line for line in reversed(lines) if "ASSERT" in line or "rror" in line), "")
        printable = "".join(
            character if character.isprintable() else " "
            for character in fault_line or (lines[-1] if lines else "")
        )
        return f": {' '.join(printable.split())[:QUOTED]}" if printable.strip() else ""


def tokens_of(host: str, key: str, text: str) -> list[int]:
    """The tokens of ``text``, from llama.cpp's server at ``host``. Control tokens in it stay text.

    Raises:
        OSError, HTTPException, ValueError: it does not answer.
        RequestError: it refuses the text.
    """
    body = json.dumps({"content": text, "add_special": True, "parse_special": False})
    headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}
    connection = HTTPConnection(host, timeout=TOKENISING)
    try:
        connection.request("POST", "/tokenize", body.encode(), headers)
        answer = connection.getresponse()
        raw = answer.read(LARGEST + 1)
    finally:
        connection.close()
    if answer.status != HTTPStatus.OK:
        raise RequestError(f"its tokeniser refuses the text (HTTP {answer.status})")
    return msgspec.json.decode(raw, type=Tokens).tokens


def _environment() -> dict[str, str]:
    passed = {
        name: value for name, value in os.environ.items() if name in PASSED or name.startswith(FAMILIES)
    }
    fixed = {"OMP_WAIT_POLICY": "PASSIVE", "GGML_NO_BACKTRACE": "1"}  # a backtrace would start a debugger
    return {**fixed, **passed, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}


def _name_exit(code: int) -> str:
    """The name of the signal, or the exit code."""
    try:
        return signal.Signals(-code).name if code < 0 else f"exit code {code}"
    except ValueError:
        return f"signal {-code}"


def _end(
    process: subprocess.Popen[bytes], channel: socket.socket, lifeline: int, words: IO[bytes], owner: int
) -> None:
    """Ends a process. A copy of this process (a fork) only closes its ends."""
    channel.close()
    words.close()
    os.close(lifeline)
    if owner == os.getpid():
        process.kill()
        process.wait(10.0)


CONTEXT = 8192
"""The largest context in tokens: its memory is allocated at once."""
DEATHS = 5
"""Ends of a model's process, by a crash or for being late, after which it is not started again."""

T = TypeVar("T")


class Engine:
    """A loaded model file. Hold ``lock`` over calls that build on each other.

    The model's process is started anew by the call after one in which it ended, at most :data:`DEATHS` times.
    Without ``reuse`` every prompt is evaluated completely, to measure what reuse saves.

    Raises:
        ProviderError: the file is damaged, or llama.cpp cannot load it.
    """

    def __init__(self, path: Path, reuse: bool = True) -> None:
        self.reuse = reuse
        self.digest = file_digest(path)
        self.file = inspect(path)
        self.context = min(self.file.context, CONTEXT)
        self.lock = threading.Lock()
        self._starting = threading.Lock()
        self._process: LlamaProcess | None = None
        self._owner = os.getpid()
        self._ends: list[str] = []
        self._harmless = self.tokens("a")[-1]

    def tokens(self, text: str) -> list[int]:
        """The tokens of ``text``, with the model's initial ones. Control tokens in it stay text.

        Raises:
            ProviderError: the tokeniser does not answer.
        """
        return self._ask_process(lambda process: process.tokenise(text))

    def following(self, tokens: Sequence[int], targets: Set[int]) -> tuple[dict[int, float], Usage]:
        """The log-probabilities of ``targets`` as the next token, before sampling, and the usage.

        Those of the likeliest tokens where ``targets`` is empty.

        Raises:
            ProviderError: the prompt is empty or too long, or the model's process ended.
        """
        widths = [*WIDTHS, self.file.vocabulary]
        request = Follow([*tokens], [*targets], widths, self._harmless, self.reuse)
        answer = self._ask_process(lambda process: process.ask(request, PromptLogprobs, len(tokens)))
        return dict(answer.logprobs), Usage(answer.prompt, 0, answer.cached)

    def chat(self, request: dict[str, Any]) -> tuple[dict[str, Any], Usage, Finish]:
        """One reply through the chat template: the message, the usage, and why it ended.

        Raises:
            ProviderError: the prompt is too long, the request is refused, the chat template fails, or the model's
                process ended.
        """
        prompt = self._ask_process(
            lambda process: process.ask(Render(request["messages"]), RenderedPrompt)
        ).prompt
        options = {name: value for name, value in request.items() if name != "messages"}
        order = CompletionRequest(prompt, {**options, "cache_prompt": self.reuse})
        tokens = min(len(prompt.encode()), self.context) + request["max_tokens"]
        answer = self._ask_process(lambda process: process.ask(order, GeneratedReply, tokens))
        message = {"content": answer.content, "reasoning_content": answer.reasoning}
        usage = Usage(answer.prompt, answer.completion, answer.cached)
        return message, usage, "length" if answer.short else "stop"

    def close(self) -> None:
        """Ends the model's process; the next call starts it again."""
        with self._starting:
            process, self._process = self._process, None
        if process is not None:
            process.end()

    def _ask_process(self, ask: Callable[[LlamaProcess], T]) -> T:
        process: LlamaProcess | None = None
        try:
            process = self._running()
            return ask(process)
        except RequestError as error:
            raise self._to_error(str(error)) from None
        except DeadError as error:
            self._forget(process, str(error))
            raise self._to_error(str(error)) from None

    def _running(self) -> LlamaProcess:
        """The model's process; in a copy of this process (a fork), one of its own."""
        with self._starting:
            if self._process is None or self._owner != os.getpid():
                if len(self._ends) >= DEATHS:
                    error = self._to_error(f"ended {DEATHS} times and is not started again; {self._ends[-1]}")
                    error.down = True
                    raise error
                self._owner = os.getpid()
                self._process = LlamaProcess(self.file, self.context)
            return self._process

    def _forget(self, process: LlamaProcess | None, why: str) -> None:
        """Counts the end of a process, once, or of one that did not start."""
        with self._starting:
            if process is None or process is self._process:
                self._process = None
                self._ends.append(why)

    def _to_error(self, why: str) -> ProviderError:
        return ProviderError(f"model {self.file.path.name}: {' '.join(why.split())}")


def engine(path: Path) -> Engine:
    """The engine of a file, loaded once per process; a file that replaces it is loaded anew.

    Raises:
        ProviderError: the file is missing, damaged or of an unsupported kind.
    """
    inspect(path)
    return _open_engine(path, file_digest(path))


@cache
def _open_engine(path: Path, digest: str) -> Engine:
    opened = Engine(path)
    if opened.digest != digest:
        raise ProviderError(f"{path} is being replaced while it is read; try again when it is whole")
    return opened


class Embedded:
    """A model on this machine. It answers one call at a time, in a thread. ``digest`` is the SHA-256 of its file.

    Prefixes of earlier prompts are not evaluated again, which changes no answer.
    """

    concurrency = 1

    def __init__(self, spec: str, engine: Engine) -> None:
        self.spec = spec
        self.context = engine.context
        self.digest = engine.digest
        self._engine = engine
        control = sorted(filter(None, engine.file.control), key=len, reverse=True)
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
            "messages": [{"role": turn.role, "content": self._defused(turn.content)} for turn in messages],
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
        reply = make_completion(
            message.get("content") or "", usage, [message.get("reasoning_content")], finish=finish
        )
        return without(reply, decoding, "effort", "tools")

    def _score(self, prompt: str, continuations: Sequence[str]) -> Scores:
        tokenised = [self._engine.tokens(prompt + text) for text in continuations]
        token_chain = chain(self._engine.tokens(prompt), tokenised)
        logprobs: dict[tuple[int, ...], dict[int, float]] = {}
        read = cached = 0
        with self._engine.lock:
            for path in token_chain.paths():
                logprobs[path], usage = self._engine.following(
                    [*token_chain.head, *path], token_chain.wanted[path]
                )
                read, cached = read + usage.prompt, cached + usage.cached
        return Scores(token_chain.scores(logprobs), Usage(read, 0, cached))

    def _defused(self, text: str) -> str:
        """``<|im_end|>`` becomes ``< |im_end|>``."""
        return self._control.sub(lambda match: f"{match[0][0]} {match[0][1:]}", text)


@models.register("smollm2")
def smollm2(argument: str) -> Embedded:
    """The embedded default: SmolLM2-135M-Instruct, on the CPU; its weights are downloaded once."""
    if argument:
        raise StudyError(
            f"model 'smollm2' takes nothing after a colon; write smollm2, not smollm2:{argument}"
        )
    return Embedded("smollm2", engine(find("smollm2")))


@models.register("gguf")
def gguf(argument: str) -> Reasoning:
    """gguf:PATH, any GGUF file, on the CPU."""
    if not argument:
        raise StudyError("model 'gguf' needs a file; write gguf:PATH")
    try:
        opened = engine(resolve_path(Path(argument).expanduser()))
    except ProviderError as error:
        raise StudyError(f"model 'gguf:{argument}' cannot be used: {error}") from error
    return Reasoning(Embedded(f"gguf:{argument}", opened))
