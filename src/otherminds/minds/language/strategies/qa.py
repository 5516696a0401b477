"""QA prompting: an answer in a template."""

from __future__ import annotations

from typing import Any

from otherminds.core.contracts import Decoding
from otherminds.core.data import Ask, Invalid, Moment
from otherminds.core.errors import StudyError
from otherminds.minds.language.strategy import Desk, Strategy
from otherminds.minds.registry import strategies

INSTRUCTION = "Answer with one of these lines and nothing else:"


@strategies.register("qa")
class QA(Strategy):
    """Asks for an answer in a template; draws again until one fits.

    Riemer et al. 2025, section 4.1 and figures 4 and 5. The paper draws without
    limit; here ``tries`` bounds it (3 by default, 20 to follow the paper), every
    try is recorded, and after the last one the reply is invalid. One user
    message through the model's chat template; the paper does not state its
    ``temperature`` and ``top_p``.
    """

    def __init__(
        self, tries: int = 3, temperature: float = 0.7, top_p: float = 0.95, max_tokens: int = 24
    ) -> None:
        if tries < 1:
            raise StudyError(f"qa needs at least 1 try, not {tries}")
        self.tries = tries
        self.decoding = Decoding(temperature, top_p, max_tokens)

    def begin(self) -> None:
        """Nothing is kept from round to round."""

    async def perceive(self, desk: Desk, moment: Moment) -> None:
        """The transcript is all it needs."""

    async def choose(self, desk: Desk, ask: Ask) -> Any | Invalid:
        return await desk.templated(ask, INSTRUCTION, "act", self.decoding, self.tries)

    async def predict(self, desk: Desk, ask: Ask) -> Any | Invalid:
        return await desk.templated(ask, INSTRUCTION, "predict", self.decoding, self.tries)
