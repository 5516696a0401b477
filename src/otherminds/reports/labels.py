"""Long names of minds in figures and tables, and what scenarios belong together."""

from __future__ import annotations

import re
from textwrap import wrap

ROOM = 30
"""Letters in a line of a label."""
LINES = 3
"""Of longer labels the end is kept, which tells parameters apart."""


def wrapped(name: str, room: int = ROOM) -> str:
    """A name in lines of about ``room`` letters, broken where its parts end; of too many, the inner ones go.

    >>> print(wrapped("hm@openai:a-model-of-today(alpha=0.3, top_k=5)"))
    hm
    @openai:a-model-of-today
    (alpha=0.3, top_k=5)
    """
    parts = [part.strip() for part in re.split(r"(?=[@(])", name)]
    if len(name) <= room:
        return name
    lines = [line for part in parts for line in wrap(re.sub(r"([:/,])(?=\S)", "\\1\u200b ", part), room)]
    lines = [line.replace("\u200b ", "").replace("\u200b", "") for line in lines]
    if len(lines) > LINES:
        lines = [*lines[: LINES - 2], lines[LINES - 2][: room - 1] + "…", lines[-1]]
    return "\n".join(lines)


def substrate(scenario: str) -> str:
    """The family that a scenario is of: rewards of two families are not to be averaged.

    >>> substrate("rws-repeated-0-v1"), substrate("rps-mixed-v1 [neutral]")
    ('rws-repeated', 'rps')
    """
    found = re.match(r"(.+)-[^-]+-v\d+", scenario)
    return found[1] if found else scenario


def number(scenario: str) -> int | None:
    """The number of a scenario in its substrate, where it has one.

    >>> number("rws-repeated-7-v1"), number("rws-repeated-mixture-v1")
    (7, None)
    """
    found = re.match(r".+-(\d+)-v\d+$", scenario)
    return int(found[1]) if found else None
