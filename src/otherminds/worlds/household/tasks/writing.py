"""Task files written: JSON with short lists on one line, and one field of a file changed without touching the rest."""

from __future__ import annotations

import json
import os
import re
import tempfile
from pathlib import Path
from typing import Any

WIDTH = 110
SPACE = re.compile(r"[ \t\r\n]*")


def written(value: Any, depth: int = 0) -> str:
    """JSON with two spaces a level; what fits on a line, and holds no mapping that is no leaf, is on one.

    >>> print(written({"agents": ["agent_0", "agent_1"], "turns": 4}))
    {
      "agents": ["agent_0", "agent_1"],
      "turns": 4
    }
    """
    line = json.dumps(value, ensure_ascii=False)
    value = list(value) if isinstance(value, tuple) else value
    if not isinstance(value, dict | list) or not value:
        return line
    if depth and len(line) + 2 * depth <= WIDTH and _leaf(value):
        return line
    lead = "  " * (depth + 1)
    if isinstance(value, list):
        parts = [f"{lead}{written(one, depth + 1)}" for one in value]
        return "[\n" + ",\n".join(parts) + f"\n{'  ' * depth}]"
    parts = [
        f"{lead}{json.dumps(key, ensure_ascii=False)}: {written(one, depth + 1)}"
        for key, one in value.items()
    ]
    return "{\n" + ",\n".join(parts) + f"\n{'  ' * depth}}}"


def _leaf(value: Any) -> bool:
    """Whether nothing in ``value`` holds more than scalars, and no list holds lists."""
    inner = list(value.values() if isinstance(value, dict) else value)
    nested = [one for one in inner if isinstance(one, dict | list | tuple)]
    if isinstance(value, list) and nested:
        return False
    deeper = (deep for one in nested for deep in (one.values() if isinstance(one, dict) else one))
    return not any(isinstance(deep, dict | list | tuple) for deep in deeper)


def with_field(text: str, name: str, value: Any) -> str:
    """The text of a JSON object in which the field ``name`` has another value; a new field comes last.

    >>> with_field('{"a": 1,  "b": [2]}', "b", 3)
    '{"a": 1,  "b": 3}'
    """
    read = json.JSONDecoder()
    at = SPACE.match(text, text.index("{") + 1).end()  # pyright: ignore[reportOptionalMemberAccess]
    end = at
    while text[at] != "}":
        key, at = read.raw_decode(text, at)
        begin = text.index(":", at) + 1
        begin += len(SPACE.match(text, begin)[0])  # pyright: ignore[reportOptionalSubscript]
        _, end = read.raw_decode(text, begin)
        if key == name:
            return text[:begin] + written(value, 1) + text[end:]
        at = SPACE.match(text, end).end()  # pyright: ignore[reportOptionalMemberAccess]
        if text[at] == ",":
            at = SPACE.match(text, at + 1).end()  # pyright: ignore[reportOptionalMemberAccess]
    comma = "," if end > text.index("{") + 1 else ""
    return f"{text[:end]}{comma}\n  {json.dumps(name)}: {written(value, 1)}{text[end:]}"


def replace(path: Path, text: str) -> None:
    """Writes a file whole or not at all.

    Raises:
        OSError: it cannot be written; what was there before is there still.
    """
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
        Path(name).chmod(path.stat().st_mode & 0o777 if path.exists() else 0o644)
        Path(name).replace(path)
    except OSError:
        Path(name).unlink(missing_ok=True)
        raise
