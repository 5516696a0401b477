"""Keeps a model's thinking apart from its answer."""

from __future__ import annotations

import re

THOUGHT = re.compile(r"<think>(.*?)(?:</think>|\Z)", re.DOTALL)


def split_reasoning(reply: str) -> tuple[str, str]:
    """The answer, and the reasoning that stood in ``<think>`` blocks, closed or not.

    Some chat templates open the block themselves, so that a reply may begin
    inside it: what stands before a lone ``</think>`` is reasoning too.

    >>> split_reasoning("<think>It copies me.</think>A: Option J")
    ('A: Option J', 'It copies me.')
    >>> split_reasoning("It copies me.</think>A: Option J")
    ('A: Option J', 'It copies me.')
    >>> split_reasoning("<think>It may copy")
    ('', 'It may copy')
    """
    opened, closed = reply.find("<think>"), reply.find("</think>")
    if closed >= 0 and not 0 <= opened < closed:
        reply = "<think>" + reply
    thoughts = [thought.strip() for thought in THOUGHT.findall(reply)]
    return THOUGHT.sub("", reply).strip(), "\n".join(thoughts)
