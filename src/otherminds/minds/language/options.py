"""RequestOptions of requests that every prompting strategy takes: where replies end, how much to reason, guided replies."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, Literal, TypeAlias

from msgspec import Struct, ValidationError, convert
from msgspec.structs import replace

from otherminds.core.data import Ask
from otherminds.core.errors import StudyError
from otherminds.core.model import Decoding, Effort

Guided: TypeAlias = Literal["", "schema", "choice"]
"""What a server guarantees about answers: nothing, the JSON schema of the question, or one of the listed answers."""


class RequestOptions(Struct, frozen=True, forbid_unknown_fields=True):
    """What every request asks for beside the sampling of its strategy.

    They change answers, so they are parameters of a mind and part of an episode's identity.

    Attributes:
        stop: Texts at which a reply ends. OpenAI takes four at most.
        effort: How much the model reasons, where it takes that.
        guided: What the server guarantees about replies that answer a question.
    """

    stop: tuple[str, ...] = ()
    effort: Effort = ""
    guided: Guided = ""

    def applied(self, decoding: Decoding) -> Decoding:
        """``decoding`` of a free text, with these options."""
        return replace(decoding, stop=self.stop, effort=self.effort)

    def guiding(self, ask: Ask, decoding: Decoding, count: Callable[[str], int]) -> Decoding:
        """``decoding`` of an answer to ``ask``; with a schema, long enough for the longest listed answer.

        The text of a schema has as many tokens as any object with its listed values, or more.
        """
        applied = self.applied(decoding)
        if self.guided == "choice":
            return replace(applied, choice=tuple(ask.template.format(label) for label in ask.labels))
        if self.guided == "schema" and ask.schema is not None:
            longest = max(applied.max_tokens, count(json.dumps(ask.schema)))
            return replace(applied, schema=ask.schema, max_tokens=longest)
        return applied

    def unfit(self, ask: Ask) -> str | None:
        """Why answers to ``ask`` cannot be guided in this way; ``None`` if they can."""
        if self.guided == "choice" and not ask.labels:
            return "its answers are open here, and guided = 'choice' needs listed ones; use guided = 'schema'"
        if self.guided == "schema" and ask.schema is None:
            return "this world has no JSON schema of answers; use guided = 'choice'"
        return None


DEFAULTS = RequestOptions()


def check_options(params: Mapping[str, Any]) -> RequestOptions:
    """The options among the parameters of a strategy.

    Raises:
        StudyError: a value of another type, or an empty text to stop at.
    """
    try:
        options = convert(params, RequestOptions)
    except ValidationError as error:
        raise StudyError(
            f"options of requests: {error}; stop is a list of texts, effort none, minimal, low, medium or high, "
            "guided schema or choice"
        ) from None
    if not all(options.stop):
        raise StudyError("options of requests: a reply cannot stop at an empty text; leave it out of stop")
    return options
