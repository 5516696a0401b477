"""Dictionaries with the slips of the pen that language models make, read where there is one way to read them.

Beyond what :mod:`otherminds.core.replies` reads: Python comments, a missing comma before a
key, typographic quotes, and apostrophes that are not escaped (*don't*, *players' boxes*). Nothing
is guessed: two strings side by side, a quoted word in a string of the same quotes, a bare
word, a bracket that never closes, a key twice and a string over the end of a line stay unreadable.
"""

from __future__ import annotations

import re
from typing import Any, cast

from otherminds.core.replies import OPENING, Syntax, blocks, loaded, spans

LONGEST = 100_000
"""Letters of a reply that is read with slips; of a longer one only what is well-formed is read."""
COMMENT = r"\#(?!\d)[^\n]*+"
LETTER = r"[^\W_]"


def _string(opening: str, closing: str, apostrophe: str = "") -> str:
    """A string on one line, up to the first ``closing`` quote that is no apostrophe in or behind a word."""
    inside = rf"|(?<={LETTER}){apostrophe}(?={LETTER})|(?<=s){apostrophe}(?= {LETTER})" if apostrophe else ""
    return rf"[{opening}](?:[^{closing}\\\n\r]++|\\.{inside})*+[{closing}]"


STRING = "|".join(
    [_string('"', '"'), _string("'", "'", "'"), _string("“”„", "”“"), _string("‘’‚", "’‘", "’")],
)
SLIPS = Syntax(
    opening=OPENING,
    piece=re.compile(rf"{STRING}|{COMMENT}|[\[\](){{}}\"'\\]", re.DOTALL),
    token=re.compile(
        rf"(?:[ \t\n\r\f]|{COMMENT})*+(?:(?P<string>{STRING})|(?P<number>-?\d[\d.eE+-]*+)|"
        r"(?P<name>True|False|None|true|false|null)\b|(?P<mark>[\[\](){},:]))",
        re.DOTALL,
    ),
    commas=True,
)


def dictionaries(reply: str) -> tuple[dict[str, Any] | str, ...]:
    """Every dictionary in ``reply``, in order; what stands between brackets and cannot be read as text.

    Fenced or bare; reasoning is not read. What is well-formed is read as
    :func:`~otherminds.core.replies.blocks` reads it.

    >>> dictionaries("{'they_play': 'rock'  # they always do\\n 'i_play': ‘paper’}")
    ({'they_play': 'rock', 'i_play': 'paper'},)
    >>> dictionaries("{'i_play': 'rock'} or rather {'i_play': 'rock' 'paper'}")
    ({'i_play': 'rock'}, "{'i_play': 'rock' 'paper'}")
    """
    if len(reply) > LONGEST:
        return tuple(cast("dict[str, Any]", block) for block in blocks(reply) if isinstance(block, dict))
    found = [(span, loaded(span, SLIPS) if closed else None) for span, closed in spans(reply, SLIPS)]
    return tuple(span if block is None else block for span, block in found if not isinstance(block, list))
