"""Plans + Insights prompting: each reply updates two texts that the next prompts show."""

from __future__ import annotations

from typing import Any

from otherminds.core.data import Ask, Invalid
from otherminds.minds.language.answering import template_sampling
from otherminds.minds.language.memory import fields
from otherminds.minds.language.strategy import PromptContext, Templated
from otherminds.minds.registry import strategies

FIELDS = PLANS, INSIGHTS = "Plans", "Insights"


@strategies.register("plans_insights")
class PlansInsights(Templated):
    """Each choice also updates plans and insights, which the next prompts show.

    Riemer et al. 2025, section 4.1 and figures 8 and 9, after Fish et al. 2024.
    They come after the history. A valid reply without one of them keeps the one before;
    an invalid reply changes neither. The literal form shows them and asks for the answer alone.
    """

    replies = "reasoning"

    def __init__(
        self, tries: int = 3, temperature: float = 0.7, top_p: float = 0.95, max_tokens: int = 256
    ) -> None:
        self.how = template_sampling(tries, temperature, top_p, max_tokens)

    def begin(self, prompts: PromptContext) -> None:
        self._kept: dict[str, str] = {}
        prompts.reserve((1 + len(FIELDS)) * self.how.decoding.max_tokens)

    async def choose(self, prompts: PromptContext, ask: Ask) -> Any | Invalid:
        texts = prompts.words.plans_insights
        update = prompts.words.instruction(texts.update, texts.other)
        choice, reply = await prompts.templated(self.prompt(prompts, ask), ask, update, self.how, "act")
        if not isinstance(choice, Invalid):
            self._kept |= fields(reply, FIELDS, ask)
        return choice

    def prompt(self, prompts: PromptContext, ask: Ask) -> str:
        texts, memory = prompts.words.plans_insights, self._kept
        lines = [texts.plans.format(plans=memory[PLANS])] if PLANS in memory else []
        lines += [texts.insights.format(insights=memory[INSIGHTS])] if INSIGHTS in memory else []
        return prompts.prompt(ask, memory="\n".join(lines))
