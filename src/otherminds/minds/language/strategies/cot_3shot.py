"""CoT 3-Shot prompting: three ideal thought processes stand before the history."""

from __future__ import annotations

from typing import Any

from otherminds.core.data import Ask, Invalid, Question, Turn
from otherminds.minds.language.answering import REASONED, REASONED_ABOUT_OTHER
from otherminds.minds.language.strategies.cot import CoT
from otherminds.minds.language.strategy import Desk
from otherminds.minds.registry import strategies


@strategies.register("cot_3shot")
class CoT3Shot(CoT):
    """CoT after three worked examples of the world's own telling.

    Riemer et al. 2025, section 4.2 and figure 13; the examples fit the world's
    action names and payoffs. They stand between rules and history, so that each
    prompt still extends the one before. The literal form has examples of its
    own, of predictions; the paper shows none.
    """

    def begin(self, desk: Desk) -> None:
        super().begin(desk)
        self._examples = desk.examples(Turn(0))
        desk.reserve(desk.count(self._examples))

    async def choose(self, desk: Desk, ask: Ask) -> Any | Invalid:
        return await desk.answer(desk.prompt(ask, self._examples), ask, REASONED, self.how, "act")

    async def predict(self, desk: Desk, ask: Ask, question: Question) -> Any | Invalid:
        prompt = desk.prompt(ask, desk.examples(question))
        return await desk.answer(prompt, ask, REASONED_ABOUT_OTHER, self.how, "predict")
