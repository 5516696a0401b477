"""S2A prompting (System 2 Attention): a first call rewrites the prompt, a second answers from that."""

from __future__ import annotations

from typing import Any

from otherminds.core.data import Ask, Invalid, Question
from otherminds.minds.language.answering import Instruction, reply_decoding, template_sampling
from otherminds.minds.language.memory import tame
from otherminds.minds.language.strategy import PromptContext, Templated
from otherminds.minds.language.wording import Wording
from otherminds.minds.registry import strategies


@strategies.register("s2a")
class S2A(Templated):
    """Rewrites rules and history for the question; the answer sees only the rewriting.

    Riemer et al. 2025, section 4.2 and figures 16 and 17, after Weston & Sukhbaatar 2023.
    Any text of at most ``rewrite_tokens`` is a valid rewriting; the second call is that of
    QA. The literal form has its own rewriting.
    """

    def __init__(
        self,
        tries: int = 3,
        temperature: float = 0.7,
        top_p: float = 0.95,
        max_tokens: int | None = None,
        rewrite_tokens: int = 192,
    ) -> None:
        self.how = template_sampling(tries, temperature, top_p, max_tokens)
        self.rewriting = reply_decoding(temperature, top_p, rewrite_tokens)

    def begin(self, prompts: PromptContext) -> None:
        prompts.reserve(max(self.how.decoding.max_tokens, self.rewriting.max_tokens))

    async def choose(self, prompts: PromptContext, ask: Ask) -> Any | Invalid:
        prompt = await self._rewritten(prompts, ask, "rewrite")
        return await prompts.answer(prompt, ask, self.choosing(prompts.words), self.how, "act")

    async def predict(self, prompts: PromptContext, ask: Ask, question: Question) -> Any | Invalid:
        prompt = await self._rewritten(prompts, ask, f"{question.purpose}:rewrite")
        return await prompts.answer(prompt, ask, self.predicting(prompts.words), self.how, question.purpose)

    async def _rewritten(self, prompts: PromptContext, ask: Ask, purpose: str) -> str:
        """A rewriting of rules and history, then the question."""
        words = f"{prompts.prompt(ask)}\n\n{prompts.words.s2a.rewrite}"
        text = await prompts.written(words, purpose, self.rewriting)
        lines = "\n".join(map(tame, text.strip().splitlines()))
        return f"{lines}\n\n{ask.text}"


@strategies.register("s2a_cot")
class S2ACoT(S2A):
    """S2A whose second call reasons before it answers, as CoT does.

    Riemer et al. 2025, section 4.2 and figures 16 and 17, with figures 6 and 7.
    """

    replies = "reasoning"

    def __init__(
        self,
        tries: int = 3,
        temperature: float = 0.7,
        top_p: float = 0.95,
        max_tokens: int = 256,
        rewrite_tokens: int = 192,
    ) -> None:
        super().__init__(tries, temperature, top_p, max_tokens, rewrite_tokens)

    def choosing(self, words: Wording) -> Instruction:
        return words.reasoned

    def predicting(self, words: Wording) -> Instruction:
        return words.reasoned_about_other
