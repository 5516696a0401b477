"""QA prompting: an answer in a template."""

from __future__ import annotations

from typing import Any

from otherminds.core.data import Ask, Invalid, Question
from otherminds.minds.language.answering import AT_ONCE, written
from otherminds.minds.language.strategy import PromptContext, Strategy
from otherminds.minds.registry import strategies


@strategies.register("qa")
class QA(Strategy):
    """Asks for an answer in a template; draws again until one fits.

    Riemer et al. 2025, section 4.1 and figures 4 and 5. One user message through the
    model's chat template. Parameters: :class:`~otherminds.minds.language.answering.Written`.
    """

    def __init__(
        self, tries: int = 3, temperature: float = 0.7, top_p: float = 0.95, max_tokens: int | None = None
    ) -> None:
        self.how = written(tries, temperature, top_p, max_tokens)

    def begin(self, prompts: PromptContext) -> None:
        prompts.reserve(self.how.decoding.max_tokens)

    async def choose(self, prompts: PromptContext, ask: Ask) -> Any | Invalid:
        return await prompts.answer(prompts.prompt(ask), ask, AT_ONCE, self.how, "act")

    async def predict(self, prompts: PromptContext, ask: Ask, question: Question) -> Any | Invalid:
        return await prompts.answer(prompts.prompt(ask), ask, AT_ONCE, self.how, "predict")
