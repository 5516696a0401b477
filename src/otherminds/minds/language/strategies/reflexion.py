"""Reflexion prompting: the model writes a reflection after each encounter."""

from __future__ import annotations

from collections import deque

from otherminds.core.data import Ask, Moment, Turn
from otherminds.core.errors import StudyError
from otherminds.minds.language.answering import reply_decoding, template_sampling
from otherminds.minds.language.memory import one_line
from otherminds.minds.language.strategy import PromptContext, Templated
from otherminds.minds.registry import strategies

SIZES = (1, 2, 3)


@strategies.register("reflexion")
class Reflexion(Templated):
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
        self.how = template_sampling(tries, temperature, top_p, max_tokens)
        self.reflecting = reply_decoding(temperature, top_p, reflection_tokens)

    def begin(self, prompts: PromptContext) -> None:
        self._kept: deque[str] = deque(maxlen=self.memory)
        longest = max(self.how.decoding.max_tokens, self.reflecting.max_tokens)
        prompts.reserve(self.memory * self.reflecting.max_tokens + longest)

    async def perceive(self, prompts: PromptContext, moment: Moment) -> None:
        if not moment.encounters or moment.last:
            return
        consider = prompts.verbalizer.ask(Turn(), moment).consider
        texts = prompts.words.reflexion
        reflect = texts.reflect_on.format(consider=consider) if consider else texts.reflect
        words = f"{prompts.story(memory=self._shown(prompts))}\n{reflect}"
        reflection = one_line(await prompts.written(words, "reflect", self.reflecting))
        if reflection:
            self._kept.append(reflection)

    def prompt(self, prompts: PromptContext, ask: Ask) -> str:
        return prompts.prompt(ask, memory=self._shown(prompts))

    def _shown(self, prompts: PromptContext) -> str:
        if not self._kept:
            return ""
        return "\n".join([prompts.words.reflexion.shown, *(f"- {text}" for text in self._kept)])
