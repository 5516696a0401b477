"""llama.cpp in a process of its own: ``python -m otherminds.models.llama CHANNEL LIFELINE``, two open files.

It loads the one model that the first message names and answers one request at a time, until its channel closes. A
pipe that only its parent writes to, the lifeline, ends it when the parent has gone, also in the middle of a request.
The other end is :mod:`otherminds.models.embedded`.

A message is a length of four bytes, then JSON. Both ends bound the length. Nothing is unpickled, so that the other process
cannot choose what runs here.

Chat templates of model files are programs of strangers, rendered in Jinja's sandbox with limits. A template sees what
llama.cpp gives to one: ``messages``, ``bos_token``, ``eos_token``, ``add_generation_prompt``, ``enable_thinking``,
``raise_exception`` and ``strftime_now``. An operation of Python itself that takes minutes is not interrupted: the process
may be given up."""

from __future__ import annotations

import contextlib
import json
import os
import resource
import signal
import socket
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from importlib import import_module
from pathlib import Path
from time import monotonic
from types import FrameType
from typing import Any, cast

import msgspec
from jinja2 import Template, nodes
from jinja2.ext import Extension
from jinja2.parser import Parser
from jinja2.sandbox import ImmutableSandboxedEnvironment
from msgspec import Struct

from otherminds.models.scoring import FLOOR, next_token

LARGEST = 2**25
"""Bytes of a message; a full context of text has some 100,000."""
PREFIX = 4
PIECE = 2**20


class FrameError(Exception):
    """The other process has gone, is late, or sends what is no message; the text says which."""


def send(channel: socket.socket, message: Struct, seconds: float | None = None) -> None:
    """Sends ``message``, within ``seconds`` where they are given.

    Raises:
        ValueError: it is too long, and nothing was sent.
        FrameError: the other process has gone or takes nothing.
    """
    body = msgspec.json.encode(message)
    if len(body) > LARGEST:
        raise ValueError(f"{len(body)} bytes are too many for one message; it may have {LARGEST}")
    channel.settimeout(seconds)
    try:
        channel.sendall(len(body).to_bytes(PREFIX, "little") + body)
    except TimeoutError:
        raise FrameError(f"takes nothing for {seconds:.0f} s") from None
    except OSError as error:
        raise FrameError(f"has gone ({error.strerror})") from None


def receive(channel: socket.socket, kind: Any, seconds: float | None = None) -> Any:
    """The next message, which is a ``kind`` (a type of messages or a union of them), within ``seconds`` where they are given.

    Raises:
        FrameError: there is none.
    """
    end = None if seconds is None else monotonic() + seconds
    try:
        size = int.from_bytes(_bytes(channel, PREFIX, end), "little")
        if size > LARGEST:
            raise FrameError(f"announces {size} bytes")
        return msgspec.json.decode(_bytes(channel, size, end), type=kind)
    except TimeoutError:
        raise FrameError(f"gives no answer for {seconds:.0f} s") from None
    except OSError as error:
        raise FrameError(f"has gone ({error.strerror})") from None
    except (ValueError, RecursionError) as error:
        raise FrameError(f"sends no answer of the right form ({error})") from None


def _bytes(channel: socket.socket, size: int, end: float | None) -> bytes:
    """The next ``size`` bytes; memory grows with what has arrived."""
    received = bytearray()
    while len(received) < size:
        if end is not None:
            remaining = end - monotonic()
            if remaining <= 0:
                raise TimeoutError
            channel.settimeout(remaining)
        else:
            channel.settimeout(None)
        piece = channel.recv(min(size - len(received), PIECE))
        if not piece:
            raise FrameError("has gone")
        received += piece
    return bytes(received)


LONGEST = 2**18
"""Characters of a template; published ones have up to 20,000."""
LONGEST_PROMPT = 2**22
"""Characters that a template may write."""
SECONDS = 5.0
"""Time for one prompt; published templates take milliseconds."""
MEMORY = 2**28
"""Bytes that a template may take."""
POWER = 64
"""The largest exponent."""
PLAIN = """{%- for message in messages -%}
  {{- '<|im_start|>' + message.role + '\\n' + message.content + '<|im_end|>\\n' -}}
{%- endfor -%}
{%- if add_generation_prompt -%}
  {{- '<|im_start|>assistant\\n' -}}
{%- endif -%}
"""
"""The template of files that have none (ChatML), as in llama.cpp."""
PROBES = ("one", "a longer probe")
"""Contents of a message that a template shows if they make a difference."""


class TemplateError(Exception):
    """A template cannot be used; the text says why in one line."""


class LimitError(TemplateError):
    """A template takes too much time or memory; another try would too."""


class ChatTemplate:
    """The template in ``source``, or ChatML where it is empty. ``begin`` and ``end`` are the texts of its two tokens.

    Raises:
        TemplateError: it is too long, or no template.
    """

    def __init__(self, source: str, begin: str, end: str) -> None:
        if len(source) > LONGEST:
            raise TemplateError(f"its chat template has {len(source)} characters, more than {LONGEST}")
        self._fixed = {"bos_token": begin, "eos_token": end, "enable_thinking": True}
        with _bound_template():
            self._template: Template = _environment().from_string(source or PLAIN)
        self._parts = not self._shows("user", parts=False) and self._shows("user", parts=True)
        self._system = self._shows("system", self._parts)

    def prompt(self, messages: Sequence[dict[str, str]]) -> str:
        """The text that the model continues with its reply.

        A system message goes into the message after it where the template shows none. A last message of the
        assistant is continued.

        Raises:
            TemplateError: the template fails, or takes too much time, memory or text.
        """
        turns = [dict(message) for message in messages]
        begun = turns.pop()["content"] if turns and turns[-1]["role"] == "assistant" else ""
        if len(turns) > 1 and turns[0]["role"] == "system" and not self._system:
            first = turns.pop(0)
            turns[0]["content"] = f"{first['content']}\n{turns[0]['content']}"
        return self._render(turns, self._parts) + begun

    def _shows(self, role: str, parts: bool) -> bool:
        """Whether prompts show the content of a first message of ``role``."""
        after = [{"role": "user", "content": "x"}] if role == "system" else []
        try:
            first, other = (
                self._render([{"role": role, "content": probe}, *after], parts) for probe in PROBES
            )
        except LimitError:
            raise
        except TemplateError:
            return False
        return first != other

    def _render(self, messages: Sequence[dict[str, str]], parts: bool) -> str:
        turns: list[dict[str, Any]] = [dict(turn) for turn in messages]
        if parts:
            turns = [{**turn, "content": [{"type": "text", "text": turn["content"]}]} for turn in turns]
        pieces: list[str] = []
        with _bound_template():
            size = 0
            for piece in self._template.generate(messages=turns, add_generation_prompt=True, **self._fixed):
                size += len(piece)
                if size > LONGEST_PROMPT:
                    raise LimitError(f"its chat template writes more than {LONGEST_PROMPT} characters")
                pieces.append(piece)
            return "".join(pieces)


class _Environment(ImmutableSandboxedEnvironment):
    """Jinja's sandbox, without powers and repetitions that would take minutes."""

    intercepted_binops = frozenset({"*", "**"})

    def call_binop(self, context: Any, operator: str, left: Any, right: Any) -> Any:
        if operator == "**" and not (abs(right) <= POWER and abs(left) < LONGEST_PROMPT):
            raise TemplateError("its chat template computes a large power")
        if operator == "*":
            sizes = [
                len(operand) if hasattr(operand, "__len__") else abs(operand) for operand in (left, right)
            ]
            if (hasattr(left, "__len__") or hasattr(right, "__len__")) and sizes[0] * sizes[
                1
            ] > LONGEST_PROMPT:
                raise TemplateError("its chat template repeats a text too often")
        return super().call_binop(context, operator, left, right)


class _Generation(Extension):
    """The block ``generation``, which marks replies for training and writes what it holds."""

    tags = {"generation"}  # noqa: RUF012 - the name and form that Jinja wants

    def parse(self, parser: Parser) -> list[nodes.Node]:
        next(parser.stream)
        return parser.parse_statements(("name:endgeneration",), drop_needle=True)


def _environment() -> ImmutableSandboxedEnvironment:
    extensions = ["jinja2.ext.loopcontrols", _Generation]
    environment = _Environment(trim_blocks=True, lstrip_blocks=True, extensions=extensions)
    for name in ("lipsum", "cycler", "joiner", "dict"):
        del environment.globals[name]
    environment.globals |= {"raise_exception": _refuse, "strftime_now": datetime.now().strftime}
    environment.filters["tojson"] = _json
    return environment


def _refuse(why: object) -> None:
    raise TemplateError(f"its chat template refuses the messages: {_line(why)}")


def _json(value: Any, indent: int | None = None) -> str:
    return json.dumps(value, ensure_ascii=False, indent=indent)


def _line(message: object) -> str:
    return " ".join(str(message)[:1_000].split())[:200]


@contextmanager
def _bound_template() -> Iterator[None]:
    """Ends a template after :data:`SECONDS` or :data:`MEMORY`, and turns whatever it raises into one line."""

    def late(number: int, frame: FrameType | None) -> None:
        raise LimitError(f"its chat template takes more than {SECONDS:g} s")

    soft, hard = resource.getrlimit(resource.RLIMIT_DATA)
    before = signal.signal(signal.SIGALRM, late)
    resource.setrlimit(resource.RLIMIT_DATA, (_least(soft, _data() + MEMORY), hard))
    signal.setitimer(signal.ITIMER_REAL, SECONDS, SECONDS)
    try:
        yield
    except TemplateError:
        raise
    except MemoryError:
        raise LimitError(f"its chat template takes more than {MEMORY // 2**20} MiB") from None
    except RecursionError:
        raise TemplateError("its chat template is too deep") from None
    except Exception as error:  # noqa: BLE001 - a stranger's program may raise anything
        raise TemplateError(f"its chat template fails: {type(error).__name__}: {_line(error)}") from None
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
        resource.setrlimit(resource.RLIMIT_DATA, (soft, hard))


def _data() -> int:
    """The bytes of data and stacks that this process has, as ``RLIMIT_DATA`` counts them."""
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[5])
    except OSError:  # not Linux: the bound holds for the template's own memory or not at all
        return 2**40
    return pages * resource.getpagesize()


def _least(soft: int, limit: int) -> int:
    return limit if soft == resource.RLIM_INFINITY else min(soft, limit)


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
