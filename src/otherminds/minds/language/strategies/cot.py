"""CoT prompting: reasons first, then answers; and CoT 3-Shot, in which three ideal thought processes come first."""

from __future__ import annotations

from typing import Any

from otherminds.core.data import Ask, Invalid, Question, Turn, When
from otherminds.minds.language.answering import REASONED, REASONED_ABOUT_OTHER, written
from otherminds.minds.language.strategy import PromptContext, Strategy
from otherminds.minds.registry import strategies

ASKED: tuple[When, ...] = ("before", "after")
"""When a prediction of the other can be asked for."""


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

    def begin(self, prompts: PromptContext) -> None:
        prompts.reserve(self.how.decoding.max_tokens)

    async def choose(self, prompts: PromptContext, ask: Ask) -> Any | Invalid:
        return await prompts.answer(prompts.prompt(ask), ask, REASONED, self.how, "act")

    async def predict(self, prompts: PromptContext, ask: Ask, question: Question) -> Any | Invalid:
        return await prompts.answer(prompts.prompt(ask), ask, REASONED_ABOUT_OTHER, self.how, "predict")


@strategies.register("cot_3shot")
class CoT3Shot(CoT):
    """CoT after three worked examples of the world's own telling.

    Riemer et al. 2025, section 4.2 and figure 13; the examples fit the world's
    action names and payoffs. They stand between rules and history, so that each
    prompt still extends the one before. The literal form has examples of its
    own, of predictions; the paper shows none. Both are built once an episode,
    where one other seat is to be predicted.
    """

    def begin(self, prompts: PromptContext) -> None:
        super().begin(prompts)
        self._choices = prompts.examples(Turn())
        self._predictions = {question.when: prompts.examples(question) for question in _questions(prompts)}
        # No prompt shows both.
        prompts.reserve(max(prompts.count(shown) for shown in (self._choices, *self._predictions.values())))

    async def choose(self, prompts: PromptContext, ask: Ask) -> Any | Invalid:
        return await prompts.answer(prompts.prompt(ask, self._choices), ask, REASONED, self.how, "act")

    async def predict(self, prompts: PromptContext, ask: Ask, question: Question) -> Any | Invalid:
        kept = ""
        if self._predictions and prompts.asks_the_same(question):
            kept = self._predictions.get(question.when, "")
        prompt = prompts.prompt(ask, kept or prompts.examples(question))
        return await prompts.answer(prompt, ask, REASONED_ABOUT_OTHER, self.how, "predict")


def _questions(prompts: PromptContext) -> list[Question]:
    """What the one other seat does next, as it can be asked; none where there are more seats."""
    brief = prompts.brief
    if len(brief.others) != 1 or not brief.behaviours.get(prompts.other):
        return []
    options = brief.behaviours[prompts.other]
    return [
        Question(
            f"next:{prompts.other}", brief.seat, when, "", options, 1 / len(options), about=prompts.other
        )
        for when in ASKED
    ]
