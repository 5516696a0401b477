"""Plans + Insights prompting: each reply updates two texts that the next prompts show."""

from __future__ import annotations

from typing import Any

from otherminds.core.data import Ask, Invalid
from otherminds.minds.language.answering import Instruction, written
from otherminds.minds.language.memory import fields
from otherminds.minds.language.strategy import PromptContext, Templated
from otherminds.minds.registry import strategies

FIELDS = ("Plans", "Insights")
UPDATED = Instruction(
    "Reply with these two lines, filled in:\n"
    "Plans: what you plan to do\n"
    "Insights: what you have learnt about {}\n"
    "Then write",
    "the other player",
)
"""A form to fill in, since the smallest model does not follow a description of one."""


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
        self.how = written(tries, temperature, top_p, max_tokens)

    def begin(self, prompts: PromptContext) -> None:
        self._kept: dict[str, str] = {}
        prompts.reserve((1 + len(FIELDS)) * self.how.decoding.max_tokens)

    async def choose(self, prompts: PromptContext, ask: Ask) -> Any | Invalid:
        made, reply = await prompts.templated(self.prompt(prompts, ask), ask, UPDATED, self.how, "act")
        if not isinstance(made, Invalid):
            self._kept |= fields(reply, FIELDS, ask)
        return made

    def prompt(self, prompts: PromptContext, ask: Ask) -> str:
        shown = [f"Your {name.lower()}: {self._kept[name]}" for name in FIELDS if name in self._kept]
        return prompts.prompt(ask, memory="\n".join(shown))
