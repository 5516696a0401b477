"""Where the tables and keys of a TOML text are, so that an error about a value can name its line.

>>> list(list_places('a = 1\\n[[bots]]\\nname = "x"'))
[(('a',), 1), (('bots',), 2), (('bots', 0), 2), (('bots', 0, 'name'), 3)]
"""

from __future__ import annotations

import re
from collections.abc import Iterator

Place = tuple[str | int, ...]
"""Where a value is in a file: keys, and numbers of elements from 0."""

KEY = r"""(?:[\w-]++|"(?:[^"\\\n]|\\.)*+"|'[^'\n]*+')"""
"""A key, bare or quoted."""
STRING = r'''"""(?:[^\\]|\\.)*?"""|\'\'\'.*?\'\'\'|"(?:[^"\\\n]|\\.)*+"|'[^'\n]*+'|#[^\n]*+'''
"""A string or a comment: what is in it is no bracket and no key."""
_DOTTED = rf"({KEY}(?:\s*\.\s*{KEY})*)"
_HEAD = re.compile(rf"\s*(\[\[?)\s*{_DOTTED}\s*\]\]?")
_ENTRY = re.compile(rf"\s*{_DOTTED}\s*=")
_TOKEN = re.compile(rf"(?P<string>{STRING})|(?P<open>[\[{{])|(?P<close>[\]}}])|(?P<end>\n)", re.DOTALL)


def list_places(text: str) -> Iterator[tuple[Place, int]]:
    """The place and the line of each table and key, as often as it is given; keys inside of ``{}`` are left out."""
    table: Place = ()
    counts: dict[Place, int] = {}
    for number, line in _list_beginnings(text):
        if head := _HEAD.match(line):
            table = _split(head[2])
            if head[1] == "[[":
                if table not in counts:
                    yield table, number
                counts[table] = counts.get(table, -1) + 1
                table = (*table, counts[table])
            yield table, number
        elif entry := _ENTRY.match(line):
            yield (*table, *_split(entry[1])), number


def find_line(text: str, place: Place) -> int | None:
    """The line of ``place``, or of the innermost table around it that has one."""
    lines = dict(list_places(text))
    around = next((place[:n] for n in range(len(place), 0, -1) if place[:n] in lines), None)
    return lines[around] if around else None


def find_repeated(text: str) -> tuple[Place, int, int] | None:
    """The first table or key that is given twice, and both lines; ``None`` if there is none."""
    lines: dict[Place, int] = {}
    for place, line in list_places(text):
        if place in lines:
            return place, lines[place], line
        lines[place] = line
    return None


def show_place(place: Place) -> str:
    """A place as messages have it.

    >>> show_place(("scenarios", 0, "bots"))
    'scenarios[0].bots'
    """
    parts = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in place)
    return parts.removeprefix(".") or "the file"


def _list_beginnings(text: str) -> Iterator[tuple[int, str]]:
    """The lines on which a statement begins, with their numbers: those inside of no string, list or table in braces."""
    lines = text.split("\n")
    number, depth = 1, 0
    yield number, lines[0]
    for token in _TOKEN.finditer(text):
        depth += bool(token["open"]) - bool(token["close"])
        number += token[0].count("\n")
        if token["end"] and not depth:
            yield number, lines[number - 1]


def _split(key: str) -> Place:
    """The parts of a dotted key."""
    return tuple(part.strip("\"'") for part in re.findall(KEY, key))
