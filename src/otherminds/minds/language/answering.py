"""The two ways of asking for a written answer that strategies share: at once, or after reasoning."""

from __future__ import annotations

from msgspec import Struct

from otherminds.core.contracts import Decoding
from otherminds.core.errors import StudyError

AT_ONCE = "Answer with one of these lines and nothing else:"
REASONED = (
    "First think step by step about what the other player does and what is best for you. "
    "Then end with your answer, as one of these lines:"
)


class Written(Struct, frozen=True):
    """An answer in a template: drawn again until one fits, ``tries`` times at most.

    The paper draws without limit; here the bound is 3 by default, 20 to follow
    the paper. Every try is recorded, and after the last the reply is invalid.
    The paper does not state its temperature and top-p.
    """

    instruction: str
    decoding: Decoding
    tries: int


def written(instruction: str, tries: int, temperature: float, top_p: float, max_tokens: int) -> Written:
    """How to ask, with the parameters that every strategy with written answers takes.

    Raises:
        StudyError: fewer than one try, or a decoding that cannot be drawn with.
    """
    if tries < 1:
        raise StudyError(f"a written answer needs at least 1 try, not {tries}")
    if not (temperature >= 0 and 0 < top_p <= 1 and max_tokens >= 1):
        raise StudyError(
            "a reply is drawn with temperature ≥ 0, 0 < top_p ≤ 1 and max_tokens ≥ 1, "
            f"not {temperature}, {top_p} and {max_tokens}"
        )
    return Written(instruction, Decoding(temperature, top_p, max_tokens), tries)
