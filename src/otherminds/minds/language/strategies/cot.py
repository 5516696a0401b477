"""CoT prompting: reasons first, then answers."""

from __future__ import annotations

from typing import Any

from otherminds.core.data import Ask, Invalid, Question
from otherminds.minds.language.answering import REASONED, REASONED_ABOUT_OTHER, written
from otherminds.minds.language.strategy import Desk, Strategy
from otherminds.minds.registry import strategies


@strategies.register("cot")
class CoT(Strategy):
    """Asks for reasons, then an answer in a template, in one reply.

    Riemer et al. 2025, section 4.1 and figures 6 and 7, after Wei et al. 2022.
    The literal form asks for reasons about the other player in the same way. A
    reply that ends before its answer does not fit, and is drawn again.
    """

    def __init__(
        self, tries: int = 3, temperature: float = 0.7, top_p: float = 0.95, max_tokens: int = 256
    ) -> None:
        self.how = written(tries, temperature, top_p, max_tokens)

    def begin(self, desk: Desk) -> None:
        desk.reserve(self.how.decoding.max_tokens)

    async def choose(self, desk: Desk, ask: Ask) -> Any | Invalid:
        return await desk.answer(desk.prompt(ask), ask, REASONED, self.how, "act")

    async def predict(self, desk: Desk, ask: Ask, question: Question) -> Any | Invalid:
        return await desk.answer(desk.prompt(ask), ask, REASONED_ABOUT_OTHER, self.how, "predict")
