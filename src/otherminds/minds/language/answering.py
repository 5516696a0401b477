"""Instructions and decoding for written answers, shared by strategies that answer in a template.

The texts are in prompt packs (:mod:`otherminds.minds.language.wording`).
"""

from __future__ import annotations

from collections.abc import Callable
from math import isfinite
from typing import Any

from msgspec import Struct, structs

from otherminds.core.data import Ask
from otherminds.core.errors import StudyError
from otherminds.core.model import Decoding

MARGIN = 4
"""Tokens of a reply beyond its longest answer."""
SHORT, OPEN_ANSWER = 24, 128
"""Default tokens of a reply without reasoning: where answers are listed, and where they are open."""


class Instruction(Struct, frozen=True):
    """The text between a question and the list of valid answers.

    ``{consider}`` in ``words`` is the subject of reasoning: that of the ask, else ``consider``. ``listed``
    and ``open`` end it, before valid answers and before the forms of open ones.
    """

    words: str
    consider: str
    listed: str
    open: str

    def put(self, ask: Ask) -> str:
        words = self.words.format(consider=ask.consider or self.consider)
        return f"{words} {self.open if ask.forms else self.listed}"


class TemplateSampling(Struct, frozen=True):
    """How an answer in a template is drawn: until one fits, at most ``tries`` times.

    The paper draws without limit; here the default is 3, and 20 follows the paper. Every
    try is recorded; after the last the reply is invalid. The paper does not state its
    temperature and top-p. ``opened`` is the decoding of open answers.
    """

    decoding: Decoding
    tries: int
    opened: Decoding

    def drawing(self, ask: Ask, count: Callable[[str], int]) -> Decoding:
        """The decoding of a reply to ``ask``: long enough for its longest answer, in tokens by ``count``."""
        if ask.forms:
            return self.opened
        longest = max((count(ask.template.format(label)) for label in ask.labels), default=0) + MARGIN
        return structs.replace(self.decoding, max_tokens=max(self.decoding.max_tokens, longest))


def template_sampling(
    tries: int, temperature: float, top_p: float, max_tokens: int | None
) -> TemplateSampling:
    """A :class:`TemplateSampling` from the parameters of a strategy, checked.

    Without ``max_tokens`` a reply has at most ``SHORT`` tokens, an open answer ``OPEN_ANSWER``.

    Raises:
        StudyError: fewer than one try, or an invalid decoding.
    """
    if not _whole(tries):
        raise StudyError(f"a written answer needs at least 1 try, not {tries!r}")
    decoding = reply_decoding(temperature, top_p, SHORT if max_tokens is None else max_tokens)
    opened = structs.replace(decoding, max_tokens=OPEN_ANSWER) if max_tokens is None else decoding
    return TemplateSampling(decoding, tries, opened)


def reply_decoding(temperature: float, top_p: float, max_tokens: int) -> Decoding:
    """A decoding for replies, checked.

    Raises:
        StudyError: it is invalid.
    """
    shares = all(isinstance(x, int | float) and isfinite(x) for x in (temperature, top_p))
    if not (shares and temperature >= 0 and 0 < top_p <= 1 and _whole(max_tokens)):
        raise StudyError(
            "a reply is drawn with temperature ≥ 0, 0 < top_p ≤ 1 and at least 1 token, "
            f"not {temperature!r}, {top_p!r} and {max_tokens!r}"
        )
    return Decoding(temperature, top_p, max_tokens)


def _whole(number: Any) -> bool:
    """Whether a parameter of a study file is a whole number of at least 1."""
    return isinstance(number, int) and not isinstance(number, bool) and number >= 1
