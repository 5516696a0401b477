"""Parameters that a model on a server refuses: left out, renamed or lowered, once, and named in every reply.

OpenAI's reasoning models refuse ``temperature``, ``top_p`` and ``max_tokens``; others take at most five
likeliest tokens, or no ``seed``, ``stop``, JSON schema or tools. A refusal names the parameter.
"""

from __future__ import annotations

import re
from typing import Any

from otherminds.models.faults import RefusedError

LIMIT, NEWER = "max_tokens", "max_completion_tokens"
"""The bound on new tokens, and its name for newer OpenAI models, which refuse the old one."""
LISTED = "top_logprobs"
FEW = 5
"""The likeliest tokens to ask for where a server refuses more and does not say how many it lists."""
TOOLS = "tools"
OPTIONAL = (
    TOOLS,
    "top_p",
    "seed",
    "stop",
    "response_format",
    *("structured_outputs", "regex", "grammar"),
    "reasoning_effort",
    "temperature",
)
"""Parameters without which a request is still of use, in the order in which they are dropped."""
REFUSED = (400, 422)


class Parameters:
    """What one model accepts, as learned from refusals."""

    def __init__(self) -> None:
        self._limit = LIMIT
        self._most_listed: int | None = None
        self._dropped: set[str] = set()

    @property
    def dropped(self) -> tuple[str, ...]:
        """The parameters that are left out or lowered, in alphabetical order."""
        lowered = {LISTED} if self._most_listed is not None else set[str]()
        return tuple(sorted(self._dropped | lowered))

    def adapted(self, request: dict[str, Any]) -> dict[str, Any]:
        """``request`` as the model accepts it.

        >>> Parameters().adapted({"temperature": 0.7, "max_tokens": 24})
        {'temperature': 0.7, 'max_tokens': 24}
        """
        made = {name: value for name, value in request.items() if name not in self._dropped}
        if LIMIT in made:
            made[self._limit] = made.pop(LIMIT)
        if LISTED in made and self._most_listed is not None:
            made[LISTED] = min(made[LISTED], self._most_listed)
        return made

    def learn(self, sent: dict[str, Any], error: RefusedError) -> bool:
        """Whether the refusal of the request ``sent`` tells what to change; then it is changed from now on."""
        if error.status not in REFUSED:
            return False
        if LIMIT in sent and NEWER in error.about:
            self._limit = NEWER
            return True
        if LISTED in sent and _names(LISTED, error):
            now = sent[LISTED]
            said = [int(digits) for digits in re.findall(r"(?<![\d.])\d{1,4}(?![\d.]*\d)", error.about)]
            lower = max((number for number in said if 0 < number < now), default=FEW)
            if lower < now:
                self._most_listed = lower
                return True
        named = [name for name in OPTIONAL if name in sent and _names(name, error)]
        self._dropped.update(named[:1])
        return bool(named)


def _names(parameter: str, error: RefusedError) -> bool:
    """Whether a refusal is about ``parameter``: by its field ``param`` if it has one, else by its text."""
    if error.parameter in (*OPTIONAL, LISTED):
        return error.parameter == parameter
    # vLLM without a parser of tool calls refuses "auto" tool choice, which is the default.
    name = r"tools?|tool[ _](?:choice|calls?|calling|use)" if parameter == TOOLS else parameter
    return re.search(rf"(?<![a-z_])(?:{name})(?![a-z_])", error.about.lower()) is not None
