"""One conversation that only grows: every prompt begins with the whole of the one before, and the reply to it."""

from __future__ import annotations

from typing import Any

from otherminds.core.data import Ask, Invalid, Question
from otherminds.minds.language.answering import template_sampling
from otherminds.minds.language.strategy import PromptContext, Templated
from otherminds.minds.registry import strategies


@strategies.register("chat")
class Chat(Templated):
    """A conversation in which each reply is an answer alone, and every message stays as it was sent.

    It is of neither paper: trainers of policies over many turns need prompts that only grow, so that their token masks
    and caches stay valid. The rules are the system message. Moments and the question what to do are user
    messages, each with its list of valid answers; valid replies follow in full. A question about another seat
    continues the conversation without changing it. When the context is full, the verbalizer's summary replaces the
    older half.
    """

    def __init__(
        self, tries: int = 3, temperature: float = 1.0, top_p: float = 1.0, max_tokens: int | None = None
    ) -> None:
        self.how = template_sampling(tries, temperature, top_p, max_tokens)

    async def choose(self, prompts: PromptContext, ask: Ask) -> Any | Invalid:
        before, prompt = prompts.conversation(ask)
        instruction = self.choosing(prompts.words)
        choice, reply = await prompts.templated(prompt, ask, instruction, self.how, "act", before)
        if not isinstance(choice, Invalid):
            prompts.transcript.keep(prompts.write_question(ask.text, ask, instruction), reply)
        return choice

    async def predict(self, prompts: PromptContext, ask: Ask, question: Question) -> Any | Invalid:
        before, prompt = prompts.conversation(ask)
        instruction = self.predicting(prompts.words)
        return (await prompts.templated(prompt, ask, instruction, self.how, question.purpose, before))[0]
