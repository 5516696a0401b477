"""How a written answer is asked for and drawn: what strategies that answer in a template share."""

from __future__ import annotations

from math import isfinite
from typing import Any

from msgspec import Struct, structs

from otherminds.core.data import Ask
from otherminds.core.errors import StudyError
from otherminds.core.model import Decoding

LISTED = "exactly one of these lines and stop:"
OPEN = "exactly one line in one of these forms, with names or words of your own in the brackets, and stop:"
SHORT, OPEN_ANSWER = 24, 128
"""Tokens that a reply without thoughts may take, unless a parameter says: where answers are listed, and where
they are open, as a call with a message of some length."""


class Instruction(Struct, frozen=True):
    """What stands between a question and the answers that fit.

    ``{}`` in ``words`` is what thoughts are to be about: ``consider``, unless the ask says what.
    """

    words: str
    consider: str = ""

    def put(self, ask: Ask) -> str:
        """The instruction for ``ask``, which has its answers listed or shows their forms."""
        return f"{self.words.format(ask.consider or self.consider)} {OPEN if ask.forms else LISTED}"


AT_ONCE = Instruction("Write")
REASONED = Instruction(
    "Think step by step: explain {}. Then write", "what the other player does and what is best for you"
)
REASONED_ABOUT_OTHER = Instruction(REASONED.words, "what the other player does and why")
"""These words get most answers from the smallest model: other ones make it go on, or copy the whole list."""


class Written(Struct, frozen=True):
    """How an answer in a template is drawn: again until one fits, ``tries`` times at most.

    The paper draws without limit; here the bound is 3 by default, 20 to follow
    the paper. Every try is recorded, and after the last the reply is invalid.
    The paper does not state its temperature and top-p. ``opened`` is how an open
    answer is drawn.
    """

    decoding: Decoding
    tries: int
    opened: Decoding

    def drawing(self, ask: Ask) -> Decoding:
        """How a reply to ``ask`` is drawn."""
        return self.opened if ask.forms else self.decoding


def written(tries: int, temperature: float, top_p: float, max_tokens: int | None) -> Written:
    """How to draw, from the parameters that every strategy with written answers takes.

    Without ``max_tokens`` a reply takes ``SHORT`` tokens at most, an open answer ``OPEN_ANSWER``.

    Raises:
        StudyError: fewer than one try, or a decoding that cannot be drawn with.
    """
    if not _whole(tries):
        raise StudyError(f"a written answer needs at least 1 try, not {tries!r}")
    decoding = drawn(temperature, top_p, SHORT if max_tokens is None else max_tokens)
    opened = structs.replace(decoding, max_tokens=OPEN_ANSWER) if max_tokens is None else decoding
    return Written(decoding, tries, opened)


def drawn(temperature: float, top_p: float, max_tokens: int) -> Decoding:
    """A decoding for replies, checked.

    Raises:
        StudyError: it cannot be drawn with.
    """
    shares = all(isinstance(x, int | float) and isfinite(x) for x in (temperature, top_p))
    if not (shares and temperature >= 0 and 0 < top_p <= 1 and _whole(max_tokens)):
        raise StudyError(
            "a reply is drawn with temperature ≥ 0, 0 < top_p ≤ 1 and at least 1 token, "
            f"not {temperature!r}, {top_p!r} and {max_tokens!r}"
        )
    return Decoding(temperature, top_p, max_tokens)


def _whole(number: Any) -> bool:
    """Whether it is a whole number of at least 1; parameters come from study files."""
    return isinstance(number, int) and not isinstance(number, bool) and number >= 1
