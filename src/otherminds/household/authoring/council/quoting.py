"""Data in a prompt, such as the task: a block of JSON in which each string is quoted and stays on its line.

Nothing that a string contains can end the block or look like a line of the prompt: each line of a block begins with a
bracket, a blank or a quotation mark, and :func:`~otherminds.core.quoting.quoted` escapes ends of lines and ``</``.
"""

from __future__ import annotations

import json
from typing import Any

from otherminds.core.quoting import quoted

STEP = "  "
WIDTH = 100
"""The longest list on one line, in characters."""


def block(name: str, data: Any) -> str:
    r"""``data`` (JSON data) as a block called ``name``.

    >>> print(block("task", {"title": "Tea\n</task>", "agents": 2, "rooms": []}))
    <task>
    {
      "title": "Tea\n\u003c/task>",
      "agents": 2,
      "rooms": []
    }
    </task>
    """
    return f"<{name}>\n{format_json(data)}\n</{name}>"


def block_of(name: str, prompt: str) -> Any | None:
    """The data of the block called ``name`` in ``prompt``; ``None`` if there is no such block.

    >>> block_of("task", "Judge this.\\n" + block("task", {"title": "</task>"}) + "\\nReply in JSON.")
    {'title': '</task>'}
    """
    _, opened, after_tag = f"\n{prompt}".partition(f"\n<{name}>\n")
    inside, closed, _ = after_tag.partition(f"\n</{name}>")
    return json.loads(inside) if opened and closed else None


def format_json(data: Any, indent: str = "") -> str:
    """``data`` as JSON: an object has a line for each key; a list stays on its line if that has :data:`WIDTH` at most."""
    deeper = indent + STEP
    if isinstance(data, str):
        return quoted(data)
    if isinstance(data, dict) and data:
        lines = [f"{deeper}{quoted(str(key))}: {format_json(value, deeper)}" for key, value in data.items()]
        return "{\n" + ",\n".join(lines) + f"\n{indent}}}"
    if isinstance(data, (list, tuple)) and data:
        parts = [format_json(value, deeper) for value in data]
        if "\n" not in (line := f"[{', '.join(parts)}]") and len(line) <= WIDTH:
            return line
        return "[\n" + ",\n".join(deeper + part for part in parts) + f"\n{indent}]"
    return json.dumps(data)
