"""Social prompting: predicts the other first, then acts on that very prediction."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

from otherminds.core.data import Ask, Invalid, Moment, Question
from otherminds.minds.language.answering import template_sampling
from otherminds.minds.language.strategy import PromptContext, Templated
from otherminds.minds.registry import strategies


class Social(Templated):
    """Common part of Social QA and Social LM, which differ in :meth:`foretell`.

    Riemer et al. 2025, section 4.1 and figure 18, after Akata et al. 2023. It predicts when
    a moment brings something new, before the own choice (partner first). The answer to the
    literal question is that prediction; only a question with other options is asked
    separately. An invalid prediction is recorded as the answer, and the choice is made without one.
    """

    listed = True
    paired = True

    def __init__(
        self, tries: int = 3, temperature: float = 0.7, top_p: float = 0.95, max_tokens: int = 24
    ) -> None:
        self.how = template_sampling(tries, temperature, top_p, max_tokens)

    @abstractmethod
    async def foretell(self, prompts: PromptContext, ask: Ask, purpose: str) -> Any | Invalid:
        """An answer to a question about the other."""

    def begin(self, prompts: PromptContext) -> None:
        self._expected: Any | Invalid | None = None
        super().begin(prompts)

    async def perceive(self, prompts: PromptContext, moment: Moment) -> None:
        if moment.last:
            self._expected = None
        elif self._expected is None or prompts.verbalizer.tell(moment):
            self._expected = await self.foretell(prompts, prompts.about_other(), "expect")

    async def choose(self, prompts: PromptContext, ask: Ask) -> Any | Invalid:
        expected = self._expected
        if expected is None or isinstance(expected, Invalid):
            return await super().choose(prompts, ask)
        texts = prompts.words.social
        prompt = prompts.prompt(ask, memory=texts.expected.format(option=prompts.named(expected)))
        return await prompts.answer(prompt, ask, prompts.words.instruction(texts.choose), self.how, "act")

    async def predict(self, prompts: PromptContext, ask: Ask, question: Question) -> Any | Invalid:
        if self._expected is not None and prompts.asks_the_same(question):
            return self._expected
        return await self.foretell(prompts, ask, question.purpose)


@strategies.register("social_lm")
class SocialLM(Social):
    """Social prompting whose prediction is the likeliest continuation, as in LM prompting.

    Riemer et al. 2025, section 4.1 and figures 3 and 18: the sentence of the coming round begins with the
    other player. Needs a model that can score.
    """

    scores = True

    async def foretell(self, prompts: PromptContext, ask: Ask, purpose: str) -> Any | Invalid:
        return await prompts.choose_likeliest(ask, purpose)


@strategies.register("social_qa")
class SocialQA(Social):
    """Social prompting whose prediction is a QA answer.

    Riemer et al. 2025, section 4.1 and figures 5 and 18.
    """

    async def foretell(self, prompts: PromptContext, ask: Ask, purpose: str) -> Any | Invalid:
        return await prompts.answer(prompts.prompt(ask), ask, prompts.words.at_once, self.how, purpose)
