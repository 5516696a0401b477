"""Reads a substrate from a TOML file: every key is checked against a form, and every error names its line.

A form is a pydantic model: its fields, with their types and defaults, are the keys of the file. Nested tables are models
of their own. What a form cannot express (whether a map is enclosed, say) a substrate's own reader checks afterwards, and
raises :meth:`Sheet.fault`.

>>> from pathlib import Path
>>> from tempfile import TemporaryDirectory
>>> class Pond(Form):
...     players: int
...     map: str = ""
>>> with TemporaryDirectory() as folder:
...     path = Path(folder, "pond.toml")
...     _ = path.write_text('# A pond\\nplayers = 2\\nmpa = "WWW"')
...     try:
...         read_sheet(path, Pond)
...     except StudyError as error:
...         print(str(error).removeprefix(folder)[1:])
pond.toml: line 3: mpa: extra inputs are not permitted, not 'WWW'; did you mean map?
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any, Generic, TypeVar, get_args

import msgspec
from pydantic import BaseModel, ConfigDict, ValidationError

from otherminds.core.errors import StudyError
from otherminds.core.text import near, quote_name, show_value
from otherminds.core.user_files import read_bytes, read_toml

KIND = "substrate"
LONGEST = 60
"""Characters of a value that an error shows."""

_KEY = r"""[\w-]+|"[^"\n]*"|'[^'\n]*'"""
_HEAD = re.compile(rf"\s*(\[\[?)\s*((?:{_KEY})(?:\s*\.\s*(?:{_KEY}))*)\s*\]\]?")
_ENTRY = re.compile(rf"\s*((?:{_KEY})(?:\s*\.\s*(?:{_KEY}))*)\s*=")
_LONG_STRING = re.compile(r'"""(?:[^\\]|\\.)*?"""|\'\'\'.*?\'\'\'', re.DOTALL)

Place = tuple[str | int, ...]
"""Where a value is in a file: keys, and numbers of elements from 0."""


class Form(BaseModel):
    """The keys of a file or of a table in it: others are errors, and no value is converted to another type."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


F = TypeVar("F", bound=Form)


@dataclass(frozen=True)
class Sheet(Generic[F]):
    """A file that was read: its path, its ``content``, and the line of every key."""

    path: Path
    content: F
    lines: dict[Place, int]

    def fault(self, place: Place, text: str, below: int = 0) -> StudyError:
        """The error that the value at ``place`` has, ``below`` lines under its key: ``text`` says what was expected."""
        return StudyError(_locate(self.path, self.lines, place, text, below))


def read_sheet(path: Path, form: type[F]) -> Sheet[F]:
    """The content of the TOML file at ``path`` as a ``form``.

    Raises:
        StudyError: there is no such file, it is no TOML, or a key or value is none of the form's. The text is one line,
            with the file, the line and what was expected.
    """
    raw = read_toml(path)
    lines = dict(_list_lines(read_bytes(path, str(path), StudyError).decode("utf-8", "replace")))
    try:
        content = form.model_validate_json(
            msgspec.json.encode(raw)
        )  # JSON, whose lists are tuples to strict models
    except ValidationError as error:
        # A key that is misspelt is also one that is missing.
        fault = min(error.errors(), key=lambda fault: fault["type"] != "extra_forbidden")
        place = _trim(fault["loc"], raw)
        text = f"{_show_place(place)}: {fault['msg'][0].lower()}{fault['msg'][1:]}"
        value = show_value(fault["input"])
        if fault["type"] == "missing":
            text = f"the key {quote_name(str(fault['loc'][-1]))} is missing"
        elif len(value) < LONGEST:
            text += f", not {value}"
        if fault["type"] == "extra_forbidden":
            text += near(str(place[-1]), _keys(form))
        raise StudyError(_locate(path, lines, place, text)) from error
    return Sheet(path, content, lines)


def _locate(path: Path, lines: dict[Place, int], place: Place, text: str, below: int = 0) -> str:
    """``text`` with the file, and the line of ``place`` or of the innermost table around it that has one."""
    around = next((place[:n] for n in range(len(place), 0, -1) if place[:n] in lines), None)
    return f"{path}: line {lines[around] + below}: {text}" if around else f"{path}: {text}"


def _show_place(place: Place) -> str:
    parts = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in place)
    return parts.removeprefix(".") or "the file"


def _trim(loc: Place, raw: Any) -> Place:
    """The place without the names of types, which pydantic adds for alternatives."""
    place: list[int | str] = []
    value: Any = raw
    for part in loc:
        elements: dict[Any, Any] = (
            value if isinstance(value, dict) else dict(enumerate(value if isinstance(value, list) else ()))
        )
        if part in elements:
            value = elements[part]
            place.append(part)
    return tuple(place)


def _keys(form: type[BaseModel]) -> Iterator[str]:
    """All keys of a form and of the forms in it."""
    for name, field in form.model_fields.items():
        yield name
        for kind in _list_kinds(field.annotation):
            if isinstance(kind, type) and issubclass(kind, BaseModel):
                yield from _keys(kind)


def _list_kinds(annotation: Any) -> Iterator[Any]:
    """A type and the types that it is composed of."""
    return chain((annotation,), *(map(_list_kinds, get_args(annotation))))


def _list_lines(text: str) -> Iterator[tuple[Place, int]]:
    """The place and the line of each table and key; keys inside of one-line tables are left out."""
    blank = _LONG_STRING.sub(lambda match: '""' + "\n" * match[0].count("\n"), text)
    table: Place = ()
    counts: dict[Place, int] = {}
    for number, line in enumerate(blank.split("\n"), 1):
        if head := _HEAD.match(line):
            table = _split(head[2])
            if head[1] == "[[":
                counts[table] = counts.get(table, -1) + 1
                table = (*table, counts[table])
            yield table, number
        elif entry := _ENTRY.match(line):
            yield (*table, *_split(entry[1])), number


def _split(key: str) -> Place:
    """The parts of a dotted key."""
    return tuple(part.strip("\"'") for part in re.findall(_KEY, key))
