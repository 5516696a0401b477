"""A language model in a seat, by one prompting strategy."""

from __future__ import annotations

from typing import Any

from otherminds.core.contracts import Mind, MindContext
from otherminds.core.data import Action, Answer, Brief, Invalid, Moment, Question, SkillChoice, Turn
from otherminds.minds.language.strategy import PromptContext, Strategy, open_answer
from otherminds.minds.language.transcript import Transcript


class LanguageMind(Mind):
    """Hears the world through its telling and decides by ``strategy``.

    Two switches leave something out of every prompt (Riemer et al. 2025, table 3):
    without ``history`` what was told, without ``payoffs`` the payoffs that the
    rules name. With them it declares the grant ``payoffs``.
    """

    suspends = True

    def __init__(self, strategy: Strategy, history: bool = True, payoffs: bool = True) -> None:
        self.strategy = strategy
        self.history = history
        self.grants = strategy.grants | ({"payoffs"} if payoffs else frozenset[str]())
        self.answers = strategy.literal

    def suits(self, brief: Brief, context: MindContext) -> str | None:
        """It needs a telling and a model, and what its strategy says beside them."""
        if context.verbalizer is None:
            return "it needs a world that is told in words, and this one has no telling"
        if context.model is None:
            return "it needs a language model; write it as MIND@MODEL"
        if self.strategy.paired and len(brief.others) != 1:
            return (
                f"this strategy predicts one other seat, and there are {len(brief.others)}; "
                "use one that predicts none, such as cot"
            )
        return open_answer(context.verbalizer.ask(Turn(), Moment(0, None))) if self.strategy.listed else None

    def begin(self, brief: Brief, context: MindContext) -> None:
        assert context.verbalizer is not None, "a language mind has a telling"
        assert context.model is not None, "a language mind has a model"
        self._context = context
        self._telling = context.verbalizer
        self._transcript = Transcript(brief, context.verbalizer, context.model, self.history)
        self._desk = PromptContext(context, self._transcript, brief)
        self._chosen: Any = None
        self._settled: Any = None
        self.strategy.begin(self._desk)

    async def perceive(self, moment: Moment) -> None:
        self._desk.moment = moment
        self._transcript.hear(moment, self._context)
        self._settled = self._telling.settled(moment)
        if self._settled is None:
            await self.strategy.perceive(self._desk, moment)

    async def act(self) -> Action | SkillChoice | Invalid:
        if self._settled is not None:
            return self._settled
        ask = self._telling.ask(Turn(), self._desk.moment)
        self._chosen = await self.strategy.choose(self._desk, ask)
        return self._chosen

    async def answer(self, question: Question) -> Answer | Invalid:
        shown = self._chosen if question.when == "after" and not isinstance(self._chosen, Invalid) else None
        ask = self._telling.ask(question, self._desk.moment, shown)
        return await self.strategy.predict(self._desk, ask, question)
