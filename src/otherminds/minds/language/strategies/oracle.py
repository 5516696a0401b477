"""Oracle prompting: is told what the other does in this very step."""

from __future__ import annotations

from typing import Any

from otherminds.core.data import Ask, Invalid
from otherminds.minds.language.answering import AT_ONCE, Instruction, written
from otherminds.minds.language.strategy import PromptContext, Strategy
from otherminds.minds.registry import strategies

KNOWN = "You know for certain what the other player does next: {}."


@strategies.register("oracle")
class Oracle(Strategy):
    """Is told the other's true next action, then asked as by QA.

    Riemer et al. 2025, section 4.2 and figure 14. It holds the grant
    ``next_action``, so it plays only where actions are behaviours, and it has no
    literal form. Where the other's decision was unreadable, nothing is told.
    """

    grants = frozenset({"next_action"})
    literal = False
    listed = True
    instruction = AT_ONCE

    def __init__(
        self, tries: int = 3, temperature: float = 0.7, top_p: float = 0.95, max_tokens: int = 24
    ) -> None:
        self.how = written(tries, temperature, top_p, max_tokens)

    def begin(self, prompts: PromptContext) -> None:
        prompts.reserve(self.how.decoding.max_tokens)

    async def choose(self, prompts: PromptContext, ask: Ask) -> Any | Invalid:
        told = prompts.context.foreseen.get(prompts.other)
        if told is None:
            return await prompts.answer(prompts.prompt(ask), ask, AT_ONCE, self.how, "act")
        prompt = prompts.prompt(ask, memory=KNOWN.format(prompts.named(told)))
        return await prompts.answer(prompt, ask, self.instruction, self.how, "act")


@strategies.register("oracle_max")
class OracleMax(Oracle):
    """Oracle that stresses the own gain, given what the other does.

    Riemer et al. 2025, section 4.2 and figure 15. With ``history = false`` it is
    the paper's Oracle + Max − History, with ``payoffs = false`` its Oracle + Max
    − Payoffs (table 3).
    """

    instruction = Instruction(
        "You know what the other player does, so maximise your own gain: choose what brings you the most. Write"
    )
