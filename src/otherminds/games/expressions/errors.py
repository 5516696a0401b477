"""What is said of a text that is no program."""

from __future__ import annotations

from otherminds.core.errors import ReplyError

LONGEST = 500


class ParseError(ReplyError):
    """A text is no program; says what is wrong, where, and how to mend it, for whoever wrote the text.

    One line of at most :data:`LONGEST` characters, whatever the text is.
    """

    def __init__(self, text: str) -> None:
        super().__init__(text if len(text) <= LONGEST else f"{text[: LONGEST - 3]}...")
