"""Chat templates of model files, programs of strangers, rendered in Jinja's sandbox with limits.

The template sees what llama.cpp gives to one: ``messages``, ``bos_token``, ``eos_token``, ``add_generation_prompt``,
``enable_thinking``, ``raise_exception`` and ``strftime_now``. It is for a process that may be given up: an operation
of Python itself that takes minutes is not interrupted here.
"""

from __future__ import annotations

import json
import resource
import signal
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from types import FrameType
from typing import Any

from jinja2 import Template, nodes
from jinja2.ext import Extension
from jinja2.parser import Parser
from jinja2.sandbox import ImmutableSandboxedEnvironment

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
