"""Reflexion prompting: the model writes a reflection after each encounter."""

from __future__ import annotations

from collections import deque
from typing import Any

from otherminds.core.data import Ask, Invalid, Moment, Question, Turn
from otherminds.core.errors import StudyError
from otherminds.minds.language.answering import AT_ONCE, drawn, written
from otherminds.minds.language.memory import one_line
from otherminds.minds.language.strategy import PromptContext, Strategy
from otherminds.minds.registry import strategies

SIZES = (1, 2, 3)
LAST = "Reflect on what happened last"
PLAN = "Write down your plan for what comes next, in at most three sentences."
REFLECT = f"{LAST}. What does the other player do, and what would have been best for you? {PLAN}"


@strategies.register("reflexion")
class Reflexion(Strategy):
    """Reflects after each encounter but the last; prompts show the last ``memory`` reflections.

    Riemer et al. 2025, section 4.1 and figures 10 to 12, after Shinn et al. 2024; the
    paper reports the best of the memory sizes 1 to 3. Reflections of at most
    ``reflection_tokens`` come after the history. Choices and the literal form are those of QA.
    """

    def __init__(
        self,
        memory: int = 3,
        tries: int = 3,
        temperature: float = 0.7,
        top_p: float = 0.95,
        max_tokens: int | None = None,
        reflection_tokens: int = 128,
    ) -> None:
        if memory not in SIZES:
            raise StudyError(f"strategy 'reflexion': memory must be 1, 2 or 3, not {memory!r}")
        self.memory = memory
        self.how = written(tries, temperature, top_p, max_tokens)
        self.reflecting = drawn(temperature, top_p, reflection_tokens)

    def begin(self, prompts: PromptContext) -> None:
        self._kept: deque[str] = deque(maxlen=self.memory)
        longest = max(self.how.decoding.max_tokens, self.reflecting.max_tokens)
        prompts.reserve(self.memory * self.reflecting.max_tokens + longest)

    async def perceive(self, prompts: PromptContext, moment: Moment) -> None:
        if not moment.encounters or moment.last:
            return
        consider = prompts.verbalizer.ask(Turn(), moment).consider
        reflect = f"{LAST}, and on {consider}. {PLAN}" if consider else REFLECT
        words = f"{prompts.story(memory=self._shown())}\n{reflect}"
        reflection = one_line(await prompts.written(words, "reflect", self.reflecting))
        if reflection:
            self._kept.append(reflection)

    async def choose(self, prompts: PromptContext, ask: Ask) -> Any | Invalid:
        return await prompts.answer(prompts.prompt(ask, memory=self._shown()), ask, AT_ONCE, self.how, "act")

    async def predict(self, prompts: PromptContext, ask: Ask, question: Question) -> Any | Invalid:
        return await prompts.answer(
            prompts.prompt(ask, memory=self._shown()), ask, AT_ONCE, self.how, "predict"
        )

    def _shown(self) -> str:
        if not self._kept:
            return ""
        return "\n".join(["Your last reflections, oldest first:", *(f"- {text}" for text in self._kept)])
