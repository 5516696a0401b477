"""A replay as one HTML file that needs nothing else: no network, no other file, and no script runs but its own.

A page is a frame, a body and a look, and a script of parts. The parts that move through
time and show what minds thought are the same on every page; ``script/`` has them all.
"""

from __future__ import annotations

import zlib
from base64 import b64encode
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from hashlib import sha256
from html import escape
from importlib.resources import files
from string import Template

import otherminds
from otherminds.core.record import Record

BEFORE, AFTER = ("tools.js", "moving.js"), ("minds.js", "start.js")
"""The first and the last parts of every script."""


@dataclass(frozen=True)
class Kind:
    """A kind of page: its body and look are ``name.html`` and ``name.css``; ``script`` are its own parts, in order."""

    name: str
    script: tuple[str, ...]


def standalone(
    kind: Kind, record: Record, about: str, parts: Mapping[str, str], blocks: Mapping[str, bytes]
) -> str:
    """The page of an episode, headed by ``about``.

    ``parts`` is the markup that fills the places in body and look, escaped already; ``blocks``
    are the data that the script unpacks, by the identifiers of their elements. Its policy
    (Content Security Policy, level 2) lets run one script, by the hash of its text, and
    lets load only pictures that the page itself holds.
    """
    script = "\n".join(["", *(_file(f"script/{part}") for part in (*BEFORE, *kind.script, *AFTER))])
    filled = {"version": escape(otherminds.__version__), **parts}
    return Template(_file("frame.html")).substitute(
        title=escape(f"{record.spec.title}, seed {record.spec.seed}"),
        about=escape(about),
        look=_file("look.css") + Template(_file(f"{kind.name}.css")).substitute(filled),
        body=Template(_file(f"{kind.name}.html")).substitute(filled),
        blocks="\n".join(
            f'<script type="text/plain" id="{name}">{packed(data)}</script>' for name, data in blocks.items()
        ),
        script=script,
        digest=b64encode(sha256(script.encode()).digest()).decode(),
    )


def controls(unit: str, stop: str, speeds: Iterable[float], speed: float) -> str:
    """The buttons of a page with a time line: by one ``unit`` or ``stop``, and ``speeds`` in units a second to choose from."""
    options = (
        f'<option value="{choice}"{" selected" if choice == speed else ""}>'
        f"{choice:g} {unit}{'' if choice == 1 else 's'} a second</option>"
        for choice in sorted({*speeds, speed})
    )
    return Template(_file("controls.html")).substitute(
        unit=escape(unit), stop=escape(stop), speeds="".join(options)
    )


def ended(record: Record) -> str:
    """How the episode ended, and why if something failed."""
    outcome = record.outcome
    return outcome.status + (f" ({outcome.blame}: {outcome.reason})" if outcome.reason else "")


def packed(data: bytes) -> str:
    """Deflated, in base64."""
    return b64encode(zlib.compress(data, 9)).decode()


def _file(name: str) -> str:
    return files("otherminds.reports.replay").joinpath(name).read_text(encoding="utf-8")
