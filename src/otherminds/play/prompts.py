"""Packs the prompts of a conversation as additions to earlier ones.

Each prompt of a conversation begins with the one before, so that storing all in full would let
records grow with the square of the rounds. A packed call names the earlier call whose prompt it
shares a beginning with, and holds the rest. :func:`otherminds.core.record.prompts` unpacks them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from msgspec import to_builtins

from otherminds.core.data import Message, Seat
from otherminds.core.model import Usage
from otherminds.core.record import Call
from otherminds.core.seat_context import CallMade

OPTIONS = ("schema", "choice", "effort", "tools")
"""Options of a request that a call in the record names only where they are used."""
LOOK_BACK = 4
"""The number of earlier calls of a seat that are searched for a shared beginning."""


def shared_beginning(earlier: Sequence[Message], later: Sequence[Message]) -> tuple[int, int]:
    """The shared beginning of two prompts: whole messages, then characters of the next one.

    >>> shared_beginning([Message("user", "abc")], [Message("user", "abd")])
    (0, 2)
    """
    messages = 0
    for old, new in zip(earlier, later, strict=False):
        if old != new:
            if old.role == new.role:
                return messages, _same(old.content, new.content)
            return messages, 0
        messages += 1
    return messages, 0


def _same(first: str, second: str) -> int:
    """The length of the shared beginning of two texts, by bisection."""
    low, high = 0, min(len(first), len(second))
    while low < high:
        middle = (low + high + 1) // 2
        if first[low:middle] == second[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def pack(seat: Seat, calls: Sequence[CallMade], first: int = 0) -> list[Call]:
    """The calls of one seat, packed; ``first`` is the index of the first one in the record."""
    packed: list[Call] = []
    for i, call in enumerate(calls):
        best, size = -1, (0, 0)
        for j in range(max(0, i - LOOK_BACK), i):
            beginning = shared_beginning(calls[j].messages, call.messages)
            if beginning > size:
                best, size = j, beginning
        shared_messages, chars = size
        added = list(call.messages[shared_messages:])
        if chars:
            added[0] = Message(added[0].role, added[0].content[chars:])
        packed.append(_pack_call(seat, call, first + best if best >= 0 else -1, size, tuple(added)))
    return packed


def _pack_call(
    seat: Seat, call: CallMade, base: int, keep: tuple[int, int], added: tuple[Message, ...]
) -> Call:
    reply = call.completion
    usage = reply.usage if reply else call.scores.usage if call.scores else Usage()
    config: dict[str, Any] = {}
    if call.decoding:
        config = {
            name: list(cast("tuple[Any, ...]", value)) if isinstance(value, tuple) else value
            for name, value in to_builtins(call.decoding).items()
            if name not in OPTIONS or value not in (None, "", ())
        }
    return Call(
        seat=seat,
        step=call.step,
        purpose=call.purpose,
        attempt=call.attempt,
        added=added,
        base=base,
        keep_messages=keep[0],
        keep_chars=keep[1],
        config=config,
        reply=reply.text if reply else "",
        reasoning=reply.reasoning if reply else "",
        continuations=call.continuations,
        scores=call.scores.logprobs if call.scores else (),
        form=call.scores.form if call.scores and call.scores.form != "continuation" else "",
        tools=tuple((tool.name, tool.arguments) for tool in reply.tools) if reply else (),
        finish=reply.finish if reply else "stop",
        dropped=reply.dropped if reply else (),
        read=call.read,
        prompt_tokens=usage.prompt,
        completion_tokens=usage.completion,
        estimated_prompt=usage.estimated_prompt,
        estimated_completion=usage.estimated_completion,
    )
