"""Reads back the prompts that a record stores as additions; :mod:`otherminds.play.prompts` packs them."""

from __future__ import annotations

from collections.abc import Sequence

from otherminds.core.data import Message
from otherminds.core.record import Call


def prompts(calls: Sequence[Call]) -> list[tuple[Message, ...]]:
    """The full prompt of every call of a record; undoes :func:`otherminds.play.prompts.pack`."""
    full: list[tuple[Message, ...]] = []
    for call in calls:
        if call.base < 0:
            full.append(call.added)
            continue
        base = full[call.base]
        added = list(call.added)
        if call.keep_chars:
            start = base[call.keep_messages].content[: call.keep_chars]
            added[0] = Message(added[0].role, start + added[0].content)
        full.append(base[: call.keep_messages] + tuple(added))
    return full
