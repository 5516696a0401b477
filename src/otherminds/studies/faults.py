"""All errors of a study at once, each with its place."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Mapping
from contextlib import contextmanager
from copy import deepcopy
from typing import Any, cast

from pydantic import ValidationError

from otherminds.core.errors import StudyError, TaskError, WorldError
from otherminds.core.near import near
from otherminds.core.plugins import guarded

MOST = 20
"""Errors that a message lists; it counts the others."""
NAME = "name"
LONGEST = 60
"""Characters of a value that a message shows."""


class FaultyStudyError(StudyError):
    """A study with errors. ``faults`` has a line for each, which begins with its place.

    The text is one line for one fault; for several, a line that counts them, and one for each.
    """

    __module__ = "otherminds"

    def __init__(self, faults: Iterable[str], where: str = "") -> None:
        self.faults: tuple[str, ...] = tuple(faults)
        head = f"{where}: " if where else ""
        listed = [f"\n  {fault}" for fault in self.faults[:MOST]]
        ending = [f"\n  and {len(self.faults) - MOST} more"] if len(self.faults) > MOST else []
        several = f"{head}{len(self.faults)} errors:{''.join(listed + ending)}"
        super().__init__(several if len(self.faults) > 1 else head + "".join(self.faults))


class StudyFaults:
    """Collects errors, each once, in the order in which they were found."""

    def __init__(self, faults: Iterable[str] = ()) -> None:
        self.found = list(faults)

    @contextmanager
    def at(self, place: str) -> Generator[None]:
        """Keeps the error of the code that it runs, and goes on after it; ``place`` begins its text."""
        lead = f"{place}: " if place else ""
        try:
            with guarded("it cannot be planned"):
                yield
        except FaultyStudyError as error:
            self.add(f"{lead}{fault}" for fault in error.faults)
        except (StudyError, TaskError, WorldError) as error:
            self.add([f"{lead}{error}"])

    def add(self, faults: Iterable[str]) -> None:
        """Adds the lines that are new."""
        self.found += [fault for fault in dict.fromkeys(faults) if fault not in self.found]

    def check(self, where: str = "") -> None:
        """Raises :class:`FaultyStudyError` if there is a fault."""
        if self.found:
            raise FaultyStudyError(self.found, where)


def faults_of(error: ValidationError, raw: Mapping[str, Any], keys: Iterable[str]) -> list[str]:
    """A line for each error in the form of ``raw``; ``keys`` are suggested for unknown ones."""
    allowed = list(keys)
    lines: list[str] = []
    for fault in error.errors():
        path = _path(fault["loc"], raw, fault["type"] == "missing")
        if path is None:
            continue
        place = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in path)
        input_text = repr(fault["input"])
        hint = _hint(str(path[-1]), allowed) if fault["type"] == "extra_forbidden" and path else ""
        instead = f", not {input_text}" if fault["type"] != "missing" and len(input_text) < LONGEST else ""
        text = fault["msg"].removeprefix("Value error, ")
        lines.append(f"{place.removeprefix('.') or 'the file'}: {text[0].lower()}{text[1:]}{instead}{hint}")
    return list(dict.fromkeys(lines))


def _hint(key: str, allowed: list[str]) -> str:
    return "; it does not belong here" if key in allowed else near(key, allowed)


def without(error: ValidationError, raw: Mapping[str, Any]) -> dict[str, Any] | None:
    """``raw`` without its faulty keys, so that the rest can be checked too.

    ``None`` if a key other than the study's name is missing, or if what is wrong is an element of a list: without it, the places of
    the other elements would be wrong.
    """
    valid = deepcopy(dict(raw))
    for fault in error.errors():
        path = _path(fault["loc"], raw, missing=False)
        if path is None:
            continue
        if fault["loc"] == (NAME,):
            valid[NAME] = "without a name"
            continue
        if fault["type"] == "missing" or not path or isinstance(path[-1], int):
            return None
        within: Any = valid
        for part in path[:-1]:
            within = within[part]
        within.pop(path[-1], None)
    return valid


def _path(loc: tuple[int | str, ...], raw: object, missing: bool) -> list[int | str] | None:
    """The keys and indices in ``loc``, without the names of types.

    The last part of the place of a missing key is not in the data. ``None`` for the error that a table is no text:
    where both are allowed, the table has errors of its own.
    """
    path: list[int | str] = []
    value = raw
    for k, part in enumerate(loc):
        if isinstance(value, Mapping) and part in value:
            value = cast("Mapping[int | str, object]", value)[part]
        elif isinstance(value, list | tuple) and isinstance(part, int) and part < len(value):
            value = cast("list[object]", value)[part]
        elif not (missing and k == len(loc) - 1):
            if part == "str" and isinstance(value, Mapping):
                return None
            continue
        path.append(part)
    return path
