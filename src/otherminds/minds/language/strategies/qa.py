"""QA prompting: an answer in a template."""

from __future__ import annotations

from typing import Any

from otherminds.core.data import Ask, Invalid, Question
from otherminds.minds.language.answering import AT_ONCE, written
from otherminds.minds.language.strategy import Desk, Strategy
from otherminds.minds.registry import strategies


@strategies.register("qa")
class QA(Strategy):
    """Asks for an answer in a template; draws again until one fits.

    Riemer et al. 2025, section 4.1 and figures 4 and 5. One user message through
    the model's chat template; see :class:`~otherminds.minds.language.answering.Written`
    for the parameters.
    """

    def __init__(
        self, tries: int = 3, temperature: float = 0.7, top_p: float = 0.95, max_tokens: int | None = None
    ) -> None:
        self.how = written(tries, temperature, top_p, max_tokens)

    def begin(self, desk: Desk) -> None:
        desk.reserve(self.how.decoding.max_tokens)

    async def choose(self, desk: Desk, ask: Ask) -> Any | Invalid:
        return await desk.answer(desk.prompt(ask), ask, AT_ONCE, self.how, "act")

    async def predict(self, desk: Desk, ask: Ask, question: Question) -> Any | Invalid:
        return await desk.answer(desk.prompt(ask), ask, AT_ONCE, self.how, "predict")
