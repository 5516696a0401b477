"""Reads a substrate from a TOML file: every key is checked against a form, and every error names its line.

A form is a :class:`Form`: its fields, with their types (:class:`msgspec.Meta` for limits) and defaults, are the keys of the
file. Nested tables are forms of their own. What a form cannot express (whether a map is enclosed, say) a substrate's own
reader checks afterwards, and raises :meth:`Sheet.fault`.

>>> from pathlib import Path
>>> from tempfile import TemporaryDirectory
>>> class Pond(Form, kw_only=True):
...     players: int
...     map: str = ""
>>> with TemporaryDirectory() as folder:
...     path = Path(folder, "pond.toml")
...     _ = path.write_text('# A pond\\nplayers = 2\\nmpa = "WWW"')
...     try:
...         read_sheet(path, Pond)
...     except StudyError as error:
...         print(str(error).removeprefix(folder)[1:])
pond.toml: line 3: there is no key 'mpa' here; did you mean map?
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any, Generic, TypeVar, cast, get_args, get_type_hints

import msgspec

from otherminds.core.errors import StudyError
from otherminds.core.text import near, quote_name
from otherminds.core.toml_places import Place, find_line, show_place
from otherminds.core.user_files import MARK, read_bytes, read_toml
from otherminds.gridworlds.grid.rules import View

_FAULT = re.compile(r"(?P<text>.*?)(?: - at `(?P<at>key in )?\$?(?P<path>[^`]*)`)?", re.DOTALL)
_UNKNOWN = re.compile(r"Object contains unknown field `(.*)`")
_MISSING = re.compile(r"Object missing required field `(.*)`")

LARGEST = 1_000_000
"""No number of a file is greater, and none below its negative: sums of payoffs stay exact, and times fit into int32."""
WIDEST = 21
"""Rows and columns of a seat's window: what follows from the map is computed for each of its cells."""
MOST_PLAYERS = 16
"""Players of a substrate."""


class Form(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The keys of a file or of a table in it: others are errors, and no value is converted to another type."""


F = TypeVar("F", bound=Form)


@dataclass(frozen=True)
class Sheet(Generic[F]):
    """A file that was read: its path and its ``content``."""

    path: Path
    content: F

    def fault(self, place: Place, text: str, below: int = 0) -> StudyError:
        """The error that the value at ``place`` has, ``below`` lines under its key: ``text`` says what was expected."""
        return StudyError(_locate(self.path, place, text, below))

    def list_map_faults(self, drawing: str, allowed: str) -> Iterator[StudyError]:
        """An error for each character of ``drawing``, the value of the key ``map``, that is not ``allowed``."""
        lines = drawing.strip("\n").split("\n")
        skipped = 1 + len(drawing) - len(drawing.lstrip("\n")) if len(lines) > 1 else 0
        for y, line in enumerate(lines):
            for x, char in enumerate(line):
                if char not in allowed:
                    text = (
                        f"the map has {char!r} in column {x + 1}; it may have {', '.join(map(repr, allowed))}"
                    )
                    yield self.fault(("map",), text, skipped + y)

    def list_size_faults(self, drawing: str, most: int, view: View) -> Iterator[StudyError]:
        """An error where ``drawing``, the value of ``map``, has more than ``most`` cells, or ``view`` is too wide."""
        lines = drawing.strip("\n").split("\n")
        width, height = max(map(len, lines)), len(lines)
        if width * height > most:
            text = f"the map has {width} x {height} cells; it may have {most:,} at most"
            yield self.fault(("map",), text)
        if max(view.shape) > WIDEST:
            high, wide = view.shape
            text = f"the window has {wide} x {high} cells; it may have {WIDEST} x {WIDEST} at most"
            yield self.fault(("view",), text)


def read_sheet(path: Path, form: type[F]) -> Sheet[F]:
    """The content of the TOML file at ``path`` as a ``form``.

    Raises:
        StudyError: there is no such file, it is no TOML, or a key or value is none of the form's. The text is one line,
            with the file, the line and what was expected.
    """
    raw = read_toml(path)
    for place, text in _list_number_faults(raw):
        raise StudyError(_locate(path, place, text))
    try:
        return Sheet(path, msgspec.convert(raw, form))
    except msgspec.ValidationError as error:
        fault = _FAULT.fullmatch(str(error))
        assert fault is not None
        place = _find_place(raw, form, fault["path"] or "")
        expected = fault["text"].replace("`object`", "`table`")
        text = f"{show_place(place)}: {expected[0].lower()}{expected[1:]}"
        if unknown := _UNKNOWN.fullmatch(fault["text"]):
            place = (*place, unknown[1])
            text = f"there is no key {quote_name(unknown[1])} here{near(unknown[1], _keys(form))}"
        elif missing := _MISSING.fullmatch(fault["text"]):
            text = f"the key {quote_name(missing[1])} is missing"
        raise StudyError(_locate(path, place, text)) from error


def _find_place(raw: dict[str, Any], form: type[Form], path: str) -> Place:
    """The place that msgspec calls ``path``, in which it leaves out the keys of tables that are no forms."""
    place: Place = ()
    value: Any = raw
    for part in re.findall(r"\.([^.\[]+)|\[(\d+|\.\.\.)\]", path):
        key: str | int = part[0] or part[1]
        if key == "...":
            key = next(key for key in value if _is_faulty(raw, form, path, place, key))
        elif not part[0]:
            key = int(key)
        place = (*place, key)
        value = value[key]
    return place


def _is_faulty(raw: dict[str, Any], form: type[Form], path: str, place: Place, key: str) -> bool:
    """Whether the fault at ``path`` is in ``key`` of the table at ``place``: it stays if no other key is left there."""
    try:
        msgspec.convert(_keep_alone(raw, place, key), form)
    except msgspec.ValidationError as error:
        return path in str(error)
    return False


def _keep_alone(value: Any, place: Place, key: str) -> Any:
    """``value`` with nothing but ``key`` in the table at ``place``."""
    if not place:
        return {key: cast("Mapping[str, Any]", value)[key]}
    first, *rest = place
    if isinstance(value, list):
        return [
            _keep_alone(entry, tuple(rest), key) if n == first else entry for n, entry in enumerate(value)
        ]
    return {**value, first: _keep_alone(value[first], tuple(rest), key)}


def _list_number_faults(value: Any, place: Place = ()) -> Iterator[tuple[Place, str]]:
    """The place of each number that no substrate can have, and what is wrong with it."""
    if isinstance(value, dict):
        for key, entry in cast("dict[str, Any]", value).items():
            yield from _list_number_faults(entry, (*place, key))
    elif isinstance(value, list):
        for number, entry in enumerate(cast("list[Any]", value)):
            yield from _list_number_faults(entry, (*place, number))
    elif isinstance(value, int | float) and not -LARGEST <= value <= LARGEST:  # nan is not within either
        yield place, f"{show_place(place)}: a number is from -{LARGEST:,} to {LARGEST:,}, not {value:g}"


def _locate(path: Path, place: Place, text: str, below: int = 0) -> str:
    """``text`` with the file, and the line of ``place`` or of the innermost table around it that has one."""
    content = read_bytes(path, str(path), StudyError).decode("utf-8", "replace").removeprefix(MARK)
    line = find_line(content, place)
    return f"{path}: line {line + below}: {text}" if line else f"{path}: {text}"


def _keys(form: type[Form]) -> Iterator[str]:
    """All keys of a form and of the forms in it."""
    for name, annotation in get_type_hints(form).items():
        yield name
        for kind in _list_kinds(annotation):
            if isinstance(kind, type) and issubclass(kind, Form):
                yield from _keys(kind)


def _list_kinds(annotation: Any) -> Iterator[Any]:
    """A type and the types that it is composed of."""
    return chain((annotation,), *(map(_list_kinds, get_args(annotation))))
