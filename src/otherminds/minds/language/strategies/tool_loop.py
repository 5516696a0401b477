"""The tool-calling loop: one growing conversation, in which each reply thinks and then acts."""

from __future__ import annotations

from typing import Any

from otherminds.core.data import Ask, Invalid, Question
from otherminds.minds.language.answering import REASONED, REASONED_ABOUT_OTHER, written
from otherminds.minds.language.memory import kept
from otherminds.minds.language.strategy import PromptContext, Strategy
from otherminds.minds.registry import strategies


@strategies.register("tool_loop")
class ToolLoop(Strategy):
    """Goes on with the same conversation turn by turn: what is told, thoughts and one action, and so on.

    After ReAct (Yao et al. 2023). Juneja et al. 2026 do not print the prompt of the agents
    that they evaluate; the form of a turn, thoughts and then one call, is that of their
    authoring agent (appendix F). The rules are the system message; what was told and asked
    are the user's; replies that could be read stand as they were, bounded by
    :func:`~otherminds.minds.language.memory.kept`. The answers or forms that fit stand at the
    end of the last message alone. When the context is full, the older half of the
    conversation gives way to the telling's summary. The literal form goes on with the
    same conversation, and leaves it as it was.

    Actions are read from text: no server's own form of tool calls is used. It plays in every
    world that asks what to do, whether options are listed or open.
    """

    def __init__(
        self, tries: int = 3, temperature: float = 0.7, top_p: float = 0.95, max_tokens: int = 320
    ) -> None:
        self.how = written(tries, temperature, top_p, max_tokens)

    def begin(self, prompts: PromptContext) -> None:
        prompts.reserve(self.how.decoding.max_tokens)

    async def choose(self, prompts: PromptContext, ask: Ask) -> Any | Invalid:
        before, prompt = prompts.conversation(ask)
        made, reply = await prompts.templated(prompt, ask, REASONED, self.how, "act", before)
        if not isinstance(made, Invalid):
            prompts.transcript.keep(ask.text, kept(reply))
        return made

    async def predict(self, prompts: PromptContext, ask: Ask, question: Question) -> Any | Invalid:
        before, prompt = prompts.conversation(ask)
        return (await prompts.templated(prompt, ask, REASONED_ABOUT_OTHER, self.how, "predict", before))[0]
