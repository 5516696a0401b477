"""Oracle prompting: the prompt contains what the other does in this step."""

from __future__ import annotations

from typing import Any

from otherminds.core.data import Ask, Invalid
from otherminds.minds.language.answering import Instruction, template_sampling
from otherminds.minds.language.strategy import PromptContext, Strategy
from otherminds.minds.language.wording import Wording
from otherminds.minds.registry import strategies


@strategies.register("oracle")
class Oracle(Strategy):
    """QA with the other's true next action in the prompt.

    Riemer et al. 2025, section 4.2 and figure 14. Its grant ``next_action`` limits it to
    worlds whose actions are behaviours, and it has no literal form. Where the other's
    decision is invalid, the prompt is that of QA.
    """

    grants = frozenset({"next_action"})
    literal = False
    listed = True

    def __init__(
        self, tries: int = 3, temperature: float = 0.7, top_p: float = 0.95, max_tokens: int = 24
    ) -> None:
        self.how = template_sampling(tries, temperature, top_p, max_tokens)

    def begin(self, prompts: PromptContext) -> None:
        prompts.reserve(self.how.decoding.max_tokens)

    async def choose(self, prompts: PromptContext, ask: Ask) -> Any | Invalid:
        coming = prompts.context.foreseen.get(prompts.other)
        if coming is None:
            return await prompts.answer(prompts.prompt(ask), ask, prompts.words.at_once, self.how, "act")
        sentence = prompts.words.oracle.known.format(option=prompts.named(coming))
        prompt = prompts.prompt(ask, memory=sentence)
        return await prompts.answer(prompt, ask, self.choosing(prompts.words), self.how, "act")

    def choosing(self, words: Wording) -> Instruction:
        """The instruction of a choice where the other's next action is known."""
        return words.at_once


@strategies.register("oracle_max")
class OracleMax(Oracle):
    """Oracle with the instruction to maximise the own gain.

    Riemer et al. 2025, section 4.2 and figure 15. With ``history = false`` it is Oracle +
    Max − History, with ``payoffs = false`` Oracle + Max − Payoffs (table 3).
    """

    def choosing(self, words: Wording) -> Instruction:
        return words.instruction(words.oracle.maximise)
