"""Reads files that users write: TOML and JSON, of bounded size and depth, each with the place of its error.

A byte order mark and the line ends of Windows are accepted. Integers have at most 64 bits, as TOML says and as
records hold them. Data that is nested deeper than :data:`DEEPEST` is refused, since everything that reads it afterwards
recurses; so are keys that are given twice, of which JSON would keep the last.
"""

from __future__ import annotations

import json
import os
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import msgspec

from otherminds.core.disk import check_file
from otherminds.core.errors import OtherMindsError, StudyError
from otherminds.core.text import escape_bytes, quote_name
from otherminds.core.toml_places import KEY, STRING, Place, find_line, find_repeated, show_place

LARGEST = 8 * 2**20
"""Bytes of a file, unpacked."""
LARGEST_TOML = 2 * 2**20
"""Bytes of a TOML file, whose reader is slower."""
DEEPEST = 64
"""Levels of tables and lists."""
MARK = "\ufeff"
"""The byte order mark."""
LEAST, GREATEST = -(2**63), 2**64 - 1
"""Integers that records can hold."""
LONGEST_KEY = 300
"""Characters of a key."""
LONGEST_PLACE = 100
"""Characters of a path that messages show."""

_DEEP_KEY = re.compile(rf"(?P<deep>{KEY}(?:[ \t]*+\.[ \t]*+{KEY}){{{DEEPEST},}})|{STRING}|[\w-]++", re.DOTALL)
_TOML_BRACKETS = re.compile(rf"{STRING}|(?P<open>[\[{{])|(?P<close>[\]}}])", re.DOTALL)
_JSON_BRACKETS = re.compile(r'"(?:[^"\\]|\\.)*+"|(?P<open>[\[{])|(?P<close>[\]}])', re.DOTALL)
_LONG_NUMBER = re.compile(r"[+-]?(?<![\w.])\d(?:\d{18,}|[\d.]*[eE]\+?\d{3,})")
_BYTE = re.compile(r" ?\(byte (\d+)\)")


def check_utf8(path: str) -> None:
    """Checks that a path that a record or a plan will hold is UTF-8, as they are.

    Raises:
        StudyError: it is not.
    """
    if (escaped := escape_bytes(path)) != path:
        raise StudyError(
            f"{escaped}: the path has bytes that are not UTF-8, and records hold none; rename it"
        )


def read_toml(path: Path, kind: str = "") -> dict[str, Any]:
    """The content of a TOML file; ``kind`` is its kind in errors.

    Raises:
        StudyError: there is no such file, or it is not such TOML; the text names the file, and the line if possible.
    """
    where = f"{kind} {path.name!r}" if kind else str(path)
    text = _text(_bytes(path, where, LARGEST_TOML, StudyError), where, StudyError)
    for key in _DEEP_KEY.finditer(text):
        if key["deep"]:
            raise StudyError(
                f"{where}: {_place(text, key.start())}: a key of more than {DEEPEST} parts; shorten it"
            )
    try:
        data = tomllib.loads(text)
    except RecursionError as error:
        raise _nesting_error(where, text, _TOML_BRACKETS, StudyError) from error
    except ValueError as error:  # also a number of more digits than Python converts
        number = None if isinstance(error, tomllib.TOMLDecodeError) else _LONG_NUMBER.search(text)
        fault = f"a number is too large (at {_place(text, number.start())})" if number else str(error)
        if not number and (repeated := find_repeated(text)):
            place, first, second = repeated
            fault = f"the key {quote_name(show_place(place))} is given twice (at line {second}, first at line {first})"
        raise StudyError(f"{where}: not TOML: {fault}; correct the file there") from error
    _check(data, where, StudyError, text)
    return data


def is_file(path: Path) -> bool:
    """Whether there is a file at ``path``; false for what is no path, such as a name of 10,000 characters."""
    try:
        return path.is_file()
    except OSError:
        return False


def is_folder(path: Path) -> bool:
    """Whether there is a folder at ``path``; as :func:`is_file`."""
    try:
        return path.is_dir()
    except OSError:
        return False


def check_kind(path: Path, error: type[OtherMindsError]) -> None:
    """Checks what is at ``path``, as :func:`~otherminds.core.disk.check_file` does, and accepts what is no path.

    For messages about a file that is not there: a named pipe is, and so is a link to nothing.

    Raises:
        error: it is something else than a file.
    """
    if os.path.lexists(path):
        try:
            check_file(path)
        except StudyError as fault:
            raise error(str(fault)) from None


def read_bytes(path: Path, where: str, error: type[OtherMindsError]) -> bytes:
    """The bytes of a file of at most :data:`LARGEST`.

    Raises:
        error: it cannot be read, or is larger.
    """
    return _bytes(path, where, LARGEST, error)


def json_value(data: bytes, where: str, error: type[OtherMindsError]) -> Any:
    """The value in JSON ``data``; ``where`` names the file in errors.

    Raises:
        error: it is not JSON, nested too deeply, or has a number that is too large or a key that is given twice.
    """
    text = _text(data, f"{where}: not JSON", error)
    try:
        value = msgspec.json.decode(text)
    except RecursionError as fault:
        raise _nesting_error(where, text, _JSON_BRACKETS, error) from fault
    except (msgspec.DecodeError, UnicodeError) as fault:
        raise error(
            f"{where}: not JSON: {_locate_fault(text, str(fault))}; mend the file's syntax"
        ) from fault
    _check(value, where, error)
    twice = json.loads(text, object_pairs_hook=_pairs)
    for path, element in _walk(twice):
        if isinstance(element, _Twice):
            raise error(
                f"{where}: {_name_place(path)}: the key {quote_name(element.key)} is given twice; keep one"
            )
    return value


def _bytes(path: Path, where: str, most: int, error: type[OtherMindsError]) -> bytes:
    try:
        check_file(path)
        with path.open("rb") as file:
            data = file.read(most + 1)
    except StudyError as fault:
        raise error(str(fault)) from None
    except FileNotFoundError as fault:
        raise error(f"{where}: there is no file {path}") from fault
    except (OSError, ValueError) as fault:  # ValueError: a path with a NUL
        why = fault.strerror if isinstance(fault, OSError) else str(fault)
        raise error(f"{where}: {str(path)!a} cannot be read ({why})") from fault
    if len(data) > most:
        raise error(f"{where}: larger than {most // 2**20} MiB, the most such a file may have; divide it")
    return data


def _text(data: bytes, where: str, error: type[OtherMindsError]) -> str:
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as fault:
        line = data.count(b"\n", 0, fault.start) + 1
        raise error(f"{where}: not UTF-8 text (line {line}, byte {fault.start}); save it as UTF-8") from fault
    return text.removeprefix(MARK).replace("\r\n", "\n")


def _locate_fault(text: str, fault_text: str) -> str:
    """What is wrong with JSON, by line and column instead of the number of a byte."""
    if position := _BYTE.search(fault_text):
        at = len(text.encode()[: int(position[1])].decode("utf-8", "ignore"))
        return f"{_BYTE.sub('', fault_text)} ({_place(text, at)})"
    if number := _LONG_NUMBER.search(text):
        return f"a number is too large ({_place(text, number.start())})"
    return fault_text


def _place(text: str, at: int) -> str:
    start = text.rfind("\n", 0, at) + 1
    return f"line {text.count(chr(10), 0, at) + 1}, column {at - start + 1}"


def _nesting_error(
    where: str, text: str, brackets: re.Pattern[str], error: type[OtherMindsError]
) -> OtherMindsError:
    """The error of data that is nested too deeply, with the place of the first bracket beyond."""
    depth = 0
    for bracket in brackets.finditer(text):
        depth += bool(bracket["open"]) - bool(bracket["close"])
        if depth > DEEPEST:
            return error(f"{where}: {_place(text, bracket.start())}: nested more than {DEEPEST} levels deep")
    return error(f"{where}: nested more than {DEEPEST} levels deep")


def _check(data: object, where: str, error: type[OtherMindsError], toml: str = "") -> None:
    """Checks what users' files may hold; with the text of the ``toml`` an error names the line."""
    for path, value in _walk(data):
        fault = ""
        if isinstance(value, int) and not LEAST <= value <= GREATEST:
            fault = "a number is too large; it has at most 64 bits"
        elif isinstance(path[-1], str) and len(path[-1]) > LONGEST_KEY:
            fault = f"a key of more than {LONGEST_KEY} characters; shorten it"
        elif isinstance(value, dict | list) and len(path) > DEEPEST:
            fault = f"nested more than {DEEPEST} levels deep"
        if fault:
            line = find_line(toml, cast("Place", tuple(path[1:])))
            raise error(f"{where}: {f'line {line}: ' if line else ''}{_name_place(path)}: {fault}")


def _walk(data: object) -> Iterator[tuple[list[object], object]]:
    """Every value in ``data`` with its path, which is valid until the next one; outer values first.

    The first element of a path is ``None``, for ``data`` itself.
    """
    path: list[object] = []
    within: list[Iterator[tuple[object, object]]] = [iter([(None, data)])]
    while within:
        entry = next(within[-1], None)
        del path[len(within) - 1 :]
        if entry is None:
            within.pop()
            continue
        path.append(entry[0])
        yield path, entry[1]
        if len(within) > DEEPEST:
            continue
        if isinstance(entry[1], dict):
            within.append(iter(cast("dict[object, object]", entry[1]).items()))
        elif isinstance(entry[1], list):
            within.append(iter(enumerate(cast("list[object]", entry[1]))))


def _name_place(path: list[object]) -> str:
    """A path as messages have it, cut: ``cells[0].minds[1]``."""
    parts = (f"[{part}]" if isinstance(part, int) else f".{part}" for part in path[1:])
    place = "".join(parts).removeprefix(".")
    return ascii(f"{place[:LONGEST_PLACE]}...")[1:-1] if len(place) > LONGEST_PLACE else place or "top level"


class _Twice(dict[str, Any]):
    """An object in which ``key`` is given twice."""

    key = ""


def _pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    entries = dict(pairs)
    if len(entries) == len(pairs):
        return entries
    marked = _Twice(entries)
    names = [name for name, _ in pairs]
    marked.key = next(name for k, name in enumerate(names) if name in names[:k])
    return marked
