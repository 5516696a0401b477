"""The tool-calling loop: one growing conversation, in which each reply thinks and then acts."""

from __future__ import annotations

import json
from typing import Any

from msgspec import to_builtins

from otherminds.core.data import Ask, Invalid, Moment, Question, Turn
from otherminds.core.errors import StudyError
from otherminds.minds.language.answering import Instruction, template_sampling
from otherminds.minds.language.memory import shorten_reply
from otherminds.minds.language.strategy import PromptContext, Templated
from otherminds.minds.language.wording import Wording
from otherminds.minds.registry import strategies
from otherminds.replies.tool_calls import offer_tools


@strategies.register("tool_loop")
class ToolLoop(Templated):
    """One conversation over the whole episode; each reply has reasoning, then one action.

    After ReAct (Yao et al. 2023). Juneja et al. 2026 do not print the prompt of the agents
    that they evaluate; the form of a turn, reasoning and then one call, is that of their
    authoring agent (appendix F). The rules are the system message; moments and questions are
    user messages; valid replies follow as they were, bounded by
    :func:`~otherminds.minds.language.memory.shorten_reply`. Only the last message lists the valid
    answers or forms. When the context is full, the verbalizer's summary replaces the older
    half of the conversation. The literal form continues the same conversation without changing it.

    With ``tools`` the model may also answer by a native tool call: one of the world's actions, or
    ``answer`` with the question's JSON schema. The written forms remain in the prompt, for models without
    tools, and the conversation keeps a call in its written form. It plays in every world, whether options
    are listed or open.

    Raises:
        StudyError: ``tools`` is neither true nor false.
    """

    replies = "reasoning"

    def __init__(
        self,
        tries: int = 3,
        temperature: float = 0.7,
        top_p: float = 0.95,
        max_tokens: int = 320,
        tools: bool = False,
    ) -> None:
        if not isinstance(tools, bool):
            raise StudyError(f"strategy 'tool_loop': tools must be true or false, not {tools!r}")
        self.how = template_sampling(tries, temperature, top_p, max_tokens)
        self.tools = tools

    def choosing(self, words: Wording) -> Instruction:
        return words.instruction(words.cot.call, words.cot.own) if self.tools else words.reasoned

    def predicting(self, words: Wording) -> Instruction:
        return (
            words.instruction(words.cot.call, words.cot.other) if self.tools else words.reasoned_about_other
        )

    def begin(self, prompts: PromptContext) -> None:
        super().begin(prompts)
        if not self.tools:
            return
        tools = offer_tools(prompts.verbalizer.ask(Turn(), Moment(0, None)))
        if not tools:
            raise StudyError("this world has no tools or JSON schema of answers; leave out tools")
        prompts.reserve(sum(prompts.count(json.dumps(to_builtins(tool))) for tool in tools))

    async def choose(self, prompts: PromptContext, ask: Ask) -> Any | Invalid:
        before, prompt = prompts.conversation(ask)
        instruction = self.choosing(prompts.words)
        choice, reply = await prompts.templated(prompt, ask, instruction, self.how, "act", before, self.tools)
        if not isinstance(choice, Invalid):
            prompts.transcript.keep(ask.text, shorten_reply(reply))
        return choice

    async def predict(self, prompts: PromptContext, ask: Ask, question: Question) -> Any | Invalid:
        before, prompt = prompts.conversation(ask)
        instruction, how, tools = self.predicting(prompts.words), self.how, self.tools
        return (await prompts.templated(prompt, ask, instruction, how, question.purpose, before, tools))[0]
