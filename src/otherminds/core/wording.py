"""Texts and tables that packages ship as data, read and checked: named texts with named fields, and printed results.

A kind of text is a struct whose attributes are annotated ``Annotated[str, Fields("rounds")]``. The
names are the fields that a text may use, as ``{rounds}``; a plain ``str`` has none. A text with a default
may be left out.

Results of papers are the rows of a package's ``published.csv``."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Set
from importlib.resources import files
from string import Formatter
from typing import Any, TypeVar, cast, get_type_hints

import msgspec
from msgspec import Struct
from msgspec.structs import fields

from otherminds.core.encoding import digest
from otherminds.core.errors import InternalError, StudyError

T = TypeVar("T", bound=Struct)
PACK = "pack"
"""The parameter of a mind that names or contains its prompt pack."""
PLAIN = "plain"
"""The default pack."""


class Fields:
    """The names of the fields that a text may use."""

    def __init__(self, *names: str) -> None:
        self.names = names


def texts(kind: type[T], table: Any, where: str) -> T:
    """A ``kind`` from a table of texts; ``where`` names the table in errors.

    Raises:
        StudyError: a key is unknown or missing, a value is no text, or a text has a field that it may not use.
    """
    if not isinstance(table, Mapping):
        raise StudyError(f"{where}: it must be a table of texts, not {table!r}")
    by_key = cast("Mapping[str, Any]", table)
    declared = get_type_hints(kind, include_extras=True)
    optional = {field.name for field in fields(kind) if not field.required}
    _check_keys(where, by_key, declared, "texts", optional)
    for key, text in by_key.items():
        if not isinstance(text, str):
            raise StudyError(f"{where}.{key}: it must be a text in quotation marks, not {text!r}")
        allowed = [
            name for constraint in getattr(declared[key], "__metadata__", ()) for name in constraint.names
        ]
        _check_fields(f"{where}.{key}", text, allowed)
    return kind(**by_key)


def tables(
    present: Mapping[str, Any], declared: Mapping[str, Any], where: str, optional: Set[str] = frozenset()
) -> None:
    """Checks that ``present`` has the tables ``declared``, of which it may lack the ``optional``, and no others.

    Raises:
        StudyError: a table is unknown or missing.
    """
    _check_keys(where, present, declared, "tables", optional)


def name_value(value: Any) -> str:
    """A parameter in a few characters: what has a name and content as its name and the beginning of its digest.

    >>> name_value(3), name_value({"name": "mine", "texts": {}})
    ('3', 'mine#e6d31231')
    """
    contents: Mapping[str, Any] = cast("Mapping[str, Any]", value) if isinstance(value, Mapping) else {}
    return f"{contents['name']}#{digest(contents)[:8]}" if "name" in contents else str(cast("object", value))


def _check_keys(
    where: str,
    present: Mapping[str, Any],
    declared: Mapping[str, Any],
    kind: str,
    optional: Set[str] = frozenset(),
) -> None:
    for key in present:
        if key not in declared:
            raise StudyError(f"{where}: there is no {key!r}; its {kind} are {', '.join(declared)}")
    missing = [key for key in declared if key not in present and key not in optional]
    if missing:
        raise StudyError(f"{where}: {', '.join(missing)} missing; its {kind} are {', '.join(declared)}")


def _check_fields(where: str, text: str, allowed: list[str]) -> None:
    """Checks that every field of ``text`` is one of ``allowed``, without index, conversion or format."""
    may = f"it may use {', '.join(f'{{{name}}}' for name in allowed)}" if allowed else "it has no fields"
    hint = f"{may}; write {{{{ and }}}} for braces"
    try:
        parts = list(Formatter().parse(text))
    except ValueError as error:
        raise StudyError(f"{where}: {error}; {hint}") from error
    for _, name, form, conversion in parts:
        if name is not None and (name not in allowed or form or conversion):
            field = name + (f"!{conversion}" if conversion else "") + (f":{form}" if form else "")
            raise StudyError(f"{where}: unknown field {{{field}}}; {hint}")


Row = TypeVar("Row", bound=msgspec.Struct)


def printed(package: str, kind: type[Row]) -> tuple[Row, ...]:
    """Every row of the ``published.csv`` of ``package``, in its order; columns are the fields of ``kind``.

    Raises:
        InternalError: the file is damaged; the text names the line.
    """
    reader = csv.DictReader(files(package).joinpath("published.csv").read_text(encoding="utf-8").splitlines())
    rows: list[Row] = []
    for line in reader:
        try:
            rows.append(msgspec.convert(line, kind, strict=False))
        except msgspec.ValidationError as error:
            raise InternalError(
                f"{package}: published.csv, line {reader.line_num}, cannot be read: {error}"
            ) from error
    return tuple(rows)
