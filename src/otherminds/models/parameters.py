"""Parameters that a model on a server refuses: left out, renamed or lowered, once, and named in every reply.

OpenAI's reasoning models refuse ``temperature``, ``top_p`` and ``max_tokens``; others take at most five
likeliest tokens, or no ``seed``, ``stop``, JSON schema or tools. A refusal names the parameter.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, TypeVar

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
UNNAMED = re.compile(
    r"(?i)extra (?:fields?|inputs?|parameters?)|(?:unknown|unexpected|unrecognized) (?:fields|parameters)"
)
"""How servers refuse parameters without naming them; then all that are optional are left out."""
NOT_KNOWN = re.compile(
    r"(?i)unknown|unrecogni[sz]ed|unexpected|unsupported|not (?:supported|permitted|allowed)|extra|forbidden"
)
"""How servers refuse the name of a parameter, and not its value."""
WORDS: Mapping[str, str] = MappingProxyType({TOOLS: "tools?|tool[ _](?:choice|calls?|calling|use)"})
"""How refusals name parameters, where they do not name them as they are: patterns, in lower case. vLLM without
a parser of tool calls refuses the choice of tools."""
T = TypeVar("T")


class Parameters:
    """What one model accepts, as learned from refusals.

    ``optional`` parameters may be left out, the first ones first; ``listed`` is the number of likeliest tokens.
    ``words`` are patterns like :data:`WORDS`.
    """

    def __init__(
        self,
        optional: Sequence[str] = OPTIONAL,
        listed: str = LISTED,
        words: Mapping[str, str] = WORDS,
    ) -> None:
        self._optional = optional
        self._listed = listed
        self._words = words
        self._limit = LIMIT
        self._most_listed: int | None = None
        self._dropped: set[str] = set()

    @property
    def dropped(self) -> tuple[str, ...]:
        """The parameters that are left out or lowered, in alphabetical order."""
        lowered = {self._listed} if self._most_listed is not None else set[str]()
        return tuple(sorted(self._dropped | lowered))

    def adapted(self, request: dict[str, Any]) -> dict[str, Any]:
        """``request`` as the model accepts it.

        >>> Parameters().adapted({"temperature": 0.7, "max_tokens": 24})
        {'temperature': 0.7, 'max_tokens': 24}
        """
        accepted = {name: value for name, value in request.items() if name not in self._dropped}
        if LIMIT in accepted:
            accepted[self._limit] = accepted.pop(LIMIT)
        if self._listed in accepted and self._most_listed is not None:
            accepted[self._listed] = min(accepted[self._listed], self._most_listed)
        return accepted

    async def agreed(self, request: dict[str, Any], post: Callable[[dict[str, Any]], Awaitable[T]]) -> T:
        """What ``post`` returns for ``request`` as the model accepts it.

        Raises:
            RefusedError: the request is refused, and not for one of its parameters.
        """
        while True:
            body = self.adapted(request)
            try:
                return await post(body)
            except RefusedError as error:
                if not self.learn(body, error) and self.adapted(body) == body:
                    raise

    def learn(self, sent: dict[str, Any], error: RefusedError) -> bool:
        """Whether the refusal of the request ``sent`` tells what to change; then it is changed from now on."""
        if error.status not in REFUSED:
            return False
        if LIMIT in sent and (NEWER in error.about or (self._names(LIMIT, error) and _unknown(error))):
            self._limit = NEWER
            return True
        if self._listed in sent and self._names(self._listed, error):
            now = sent[self._listed]
            numbers = [int(digits) for digits in re.findall(r"(?<![\d.])\d{1,4}(?![\d.]*\d)", error.about)]
            lower = max((number for number in numbers if 0 < number < now), default=FEW)
            if lower < now:
                self._most_listed = lower
                return True
        refused = [name for name in self._optional if name in sent and self._names(name, error)]
        if not refused and not error.parameter and UNNAMED.search(error.about):
            refused = [name for name in self._optional if name in sent]
            self._dropped.update(refused)
        self._dropped.update(refused[:1])
        return bool(refused)

    def _names(self, parameter: str, error: RefusedError) -> bool:
        """Whether a refusal is about ``parameter``: by its field ``param`` if it has one, else by its text."""
        if error.parameter in (*self._optional, self._listed):
            return error.parameter == parameter
        words = self._words.get(parameter, parameter.lower())
        return re.search(rf"(?<![a-z_])(?:{words})(?![a-z_])", error.about.lower()) is not None


def _unknown(error: RefusedError) -> bool:
    return NOT_KNOWN.search(error.about) is not None
