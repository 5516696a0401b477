"""CoT prompting: reasoning, then an answer; and CoT 3-Shot, with three worked examples."""

from __future__ import annotations

from typing import Any

from otherminds.core.data import Ask, Invalid, Question, Turn, When
from otherminds.minds.language.answering import Instruction, template_sampling
from otherminds.minds.language.strategy import PromptContext, Templated
from otherminds.minds.language.wording import Wording
from otherminds.minds.registry import strategies

ASKED: tuple[When, ...] = ("before", "after")
"""When a question about the other can be asked."""


@strategies.register("cot")
class CoT(Templated):
    """Asks for reasoning, then an answer in a template, in one reply.

    Riemer et al. 2025, section 4.1 and figures 6 and 7, after Wei et al. 2022. The literal
    form asks for reasoning about the other player. A truncated reply is drawn again.
    """

    replies = "reasoning"

    def __init__(
        self, tries: int = 3, temperature: float = 0.7, top_p: float = 0.95, max_tokens: int = 256
    ) -> None:
        self.how = template_sampling(tries, temperature, top_p, max_tokens)

    def choosing(self, words: Wording) -> Instruction:
        return words.reasoned

    def predicting(self, words: Wording) -> Instruction:
        return words.reasoned_about_other


@strategies.register("cot_3shot")
class CoT3Shot(CoT):
    """CoT after three worked examples of the world's verbalizer.

    Riemer et al. 2025, section 4.2 and figure 13; the examples use the world's action
    names and payoffs. They come between rules and history, so that each prompt still
    extends the one before. The literal form has examples of predictions; the paper shows
    none. Both are built once per episode if there is one other seat.
    """

    def begin(self, prompts: PromptContext) -> None:
        super().begin(prompts)
        self._choices = prompts.examples(Turn())
        brief = prompts.brief
        moments = ASKED if len(brief.others) == 1 and brief.behaviours.get(prompts.other) else ()
        self._predictions = {when: prompts.examples(prompts.question(when)) for when in moments}
        # No prompt shows both.
        prompts.reserve(
            max(prompts.count(examples) for examples in (self._choices, *self._predictions.values()))
        )

    async def choose(self, prompts: PromptContext, ask: Ask) -> Any | Invalid:
        prompt = prompts.prompt(ask, self._choices)
        return await prompts.answer(prompt, ask, self.choosing(prompts.words), self.how, "act")

    async def predict(self, prompts: PromptContext, ask: Ask, question: Question) -> Any | Invalid:
        prepared = ""
        if self._predictions and prompts.asks_the_same(question):
            prepared = self._predictions.get(question.when, "")
        prompt = prompts.prompt(ask, prepared or prompts.examples(question))
        return await prompts.answer(prompt, ask, self.predicting(prompts.words), self.how, question.purpose)
