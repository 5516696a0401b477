"""The one way to make HTML: Jinja2 templates, in which all text is escaped but drawings of ours (``safe``).

No character of a page is unseen or turns the direction of writing, whoever wrote it: each shows as JSON escapes it.

A replay is one HTML file that needs nothing else: no network, no other file, and no script runs but its own. A page fills
the blocks of ``frame.html``, and has a script of parts. The parts that move through time and show what minds thought are the
same on every page; ``script/`` has them all."""

from __future__ import annotations

import json
import zlib
from base64 import b64encode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from importlib.metadata import version
from importlib.resources import files
from typing import Any

import numpy as np
from jinja2 import Environment, FunctionLoader, StrictUndefined

from otherminds.core.data import Message
from otherminds.core.record import Call, Record, prompts
from otherminds.core.text import plain


def render(template: str, parts: dict[str, object]) -> str:
    """The template of that name, see :func:`text_of`, with ``parts`` by name."""
    return plain(_environment().get_template(template).render(parts, version=version("otherminds")))


def visible(data: Any) -> Any:
    r"""A copy of JSON data for the script of a page, whose texts are those that :func:`render` would show.

    >>> visible({"said": ["\x1b", 1]})
    {'said': ['\\u001b', 1]}
    """
    if isinstance(data, str):
        return plain(data)
    if isinstance(data, dict):
        return {visible(key): visible(value) for key, value in data.items()}
    return [*map(visible, data)] if isinstance(data, list | tuple) else data


def text_of(name: str) -> str:
    """The text of a file: ``PACKAGE:PATH``, or the path of a file of :mod:`otherminds.reports`."""
    package, _, path = name.rpartition(":")
    return files(package or "otherminds.reports").joinpath(path).read_text(encoding="utf-8")


@cache
def _environment() -> Environment:
    return Environment(
        loader=FunctionLoader(text_of),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


BEFORE, AFTER = ("page.js", "frame.js", "moving.js"), ("prompts.js", "minds.js")
"""The first and the last parts of the script of an episode's page."""


@dataclass(frozen=True)
class PageKind:
    """A kind of page: the name of its template (:func:`~otherminds.reports.markup.text_of`), and the parts of its script.

    A part is a file in ``replay/script``, or one of another package by its full name.
    """

    template: str
    script: tuple[str, ...]


def standalone(
    kind: PageKind, record: Record, about: str, parts: Mapping[str, object], blocks: Mapping[str, object]
) -> str:
    """The page of an episode, headed by ``about``.

    ``parts`` are what the template of the page shows, by name; ``blocks`` are the data that the
    script unpacks, bytes or JSON data, by the identifiers of their elements.
    """
    headed = {**parts, "title": f"{record.spec.title}, seed {record.spec.seed}", "about": about}
    parts_of_script = (*BEFORE, *kind.script, *AFTER)
    script = [part if ":" in part else f"replay/script/{part}" for part in parts_of_script]
    return scripted(kind.template, headed, script, {**blocks, "prompts": _prompts(record)})


def scripted(
    template: str, parts: Mapping[str, object], script: Sequence[str], blocks: Mapping[str, object]
) -> str:
    """A page that fills the blocks of ``replay/frame.html``; ``script`` names the files that together are its script.

    Its policy (Content Security Policy, level 2) lets run one script, by the hash of its text, and lets load only
    pictures that the page itself holds.
    """
    text = "\n".join(["", *map(text_of, script)])
    digest = b64encode(sha256(text.encode()).digest()).decode()
    data = {name: pack_text(_bytes_of(content)) for name, content in blocks.items()}
    return render(template, {**parts, "blocks": data, "script": text, "digest": digest})


def _bytes_of(content: object) -> bytes:
    """Bytes as they are, and JSON data with its texts as a page shows them."""
    if isinstance(content, bytes):
        return content
    return json.dumps(visible(content), default=np.ndarray.tolist).encode()


def _prompts(record: Record) -> list[dict[str, Any]]:
    """The calls of an episode, each prompt as what it adds to that of an earlier call."""
    full_prompts = prompts(record.calls)
    return [
        {
            "n": n,
            "seat": call.seat,
            "step": call.step,
            "purpose": call.purpose,
            "attempt": call.attempt,
            "base": call.base,
            "messages": call.keep_messages,
            "chars": _shown_units(full_prompts, call),
            "added": [(message.role, message.content) for message in call.added],
            "reply": call.reply or _list_scores(call),
            "reasoning": call.reasoning,
            "read": call.read,
        }
        for n, call in enumerate(record.calls)
    ]


def _shown_units(full_prompts: Sequence[Sequence[Message]], call: Call) -> int:
    """How many units of UTF-16, which scripts count, the page shows of the characters that a call shares with its base.

    ``full_prompts`` are those of all calls.
    """
    if call.base < 0 or not call.keep_chars:
        return 0
    shared = full_prompts[call.base][call.keep_messages].content[: call.keep_chars]
    return len(plain(shared).encode("utf-16-le")) // 2


def _list_scores(call: Call) -> str:
    """The continuations of a call with their scores, the best first; empty where the model wrote a reply."""
    ranked = sorted(zip(call.scores, call.continuations, strict=False), reverse=True)
    return "\n".join(f"{score:.3f}  {text}" for score, text in ranked)


def pack_text(data: bytes) -> str:
    """Deflated, in base64."""
    return b64encode(zlib.compress(data, 9)).decode()
