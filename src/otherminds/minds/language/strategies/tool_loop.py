"""The tool-calling loop: one growing conversation, in which each reply thinks and then acts."""

from __future__ import annotations

from typing import Any

from otherminds.core.data import Ask, Invalid, Question
from otherminds.minds.language.answering import REASONED, REASONED_ABOUT_OTHER, written
from otherminds.minds.language.memory import kept
from otherminds.minds.language.strategy import PromptContext, Templated
from otherminds.minds.registry import strategies


@strategies.register("tool_loop")
class ToolLoop(Templated):
    """One conversation over the whole episode; each reply has reasoning, then one action.

    After ReAct (Yao et al. 2023). Juneja et al. 2026 do not print the prompt of the agents
    that they evaluate; the form of a turn, reasoning and then one call, is that of their
    authoring agent (appendix F). The rules are the system message; moments and questions are
    user messages; valid replies follow as they were, bounded by
    :func:`~otherminds.minds.language.memory.kept`. Only the last message lists the valid
    answers or forms. When the context is full, the verbalizer's summary replaces the older
    half of the conversation. The literal form continues the same conversation without changing it.

    Actions are parsed from text, not from a server's tool calls. It plays in every world,
    whether options are listed or open.
    """

    replies = "reasoning"

    def __init__(
        self, tries: int = 3, temperature: float = 0.7, top_p: float = 0.95, max_tokens: int = 320
    ) -> None:
        self.how = written(tries, temperature, top_p, max_tokens)

    async def choose(self, prompts: PromptContext, ask: Ask) -> Any | Invalid:
        before, prompt = prompts.conversation(ask)
        made, reply = await prompts.templated(prompt, ask, REASONED, self.how, "act", before)
        if not isinstance(made, Invalid):
            prompts.transcript.keep(ask.text, kept(reply))
        return made

    async def predict(self, prompts: PromptContext, ask: Ask, question: Question) -> Any | Invalid:
        before, prompt = prompts.conversation(ask)
        return (await prompts.templated(prompt, ask, REASONED_ABOUT_OTHER, self.how, "predict", before))[0]
