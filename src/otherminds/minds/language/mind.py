"""A language model in a seat, by one prompting strategy."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias, get_args

from otherminds.core.contracts import Mind, MindContext, Verbalizer
from otherminds.core.data import Action, Answer, Brief, Invalid, Moment, Question, SkillChoice, Turn
from otherminds.core.errors import StudyError
from otherminds.core.wording import PLAIN
from otherminds.minds.language.options import DEFAULTS, RequestOptions
from otherminds.minds.language.strategy import PromptContext, Strategy, open_answer
from otherminds.minds.language.transcript import Transcript
from otherminds.minds.language.wording import wording

Reader: TypeAlias = Literal["strict", "lenient"]


class LanguageMind(Mind):
    """Perceives the world through its verbalizer and decides by ``strategy``.

    Two switches shorten every prompt (Riemer et al. 2025, table 3): ``history = False``
    leaves out the history, ``payoffs = False`` the payoffs in the rules. With payoffs the
    mind declares the grant ``payoffs``. ``reader`` decides what counts as an answer: a line in the form
    asked for (``strict``), or every clear statement of a choice (``lenient``,
    :mod:`otherminds.replies.lenient`). ``options`` go with every request to the model
    (:mod:`otherminds.minds.language.options`). ``pack`` is the wording of its prompts
    (:mod:`otherminds.minds.language.wording`): a shipped pack's name, or a pack's content.

    Raises:
        StudyError: an unknown reader, options that do not fit the replies of ``strategy``, or an unknown or
            invalid pack.
    """

    suspends = True

    def __init__(
        self,
        strategy: Strategy,
        history: bool = True,
        payoffs: bool = True,
        reader: Reader = "lenient",
        options: RequestOptions = DEFAULTS,
        pack: Any = PLAIN,
    ) -> None:
        if reader not in get_args(Reader):
            raise StudyError(f"replies are read by one of {', '.join(get_args(Reader))}, not {reader!r}")
        if strategy.replies == "nothing" and options != DEFAULTS:
            raise StudyError("this strategy writes no replies; leave out stop, effort and guided")
        if strategy.replies == "reasoning" and options.guided:
            raise StudyError(
                "a guided reply is an answer alone, and this strategy asks for reasoning before it; "
                "leave out guided, or use a strategy such as qa"
            )
        self.strategy = strategy
        self.history = history
        self.reader = reader
        self.options = options
        self.words = wording(pack)
        self.grants = strategy.grants | ({"payoffs"} if payoffs else frozenset[str]())
        self.answers = strategy.literal

    def suits(self, brief: Brief, context: MindContext) -> str | None:
        """It needs a verbalizer, a model, and what its strategy requires."""
        if context.verbalizer is None:
            return "it needs a world with a verbalizer, and this one has none"
        if context.model is None:
            return "it needs a language model; write it as MIND@MODEL"
        if self.strategy.scores and not hasattr(context.model, "score"):
            return (
                "its model cannot score continuations, which LM prompting needs; "
                "use a strategy that asks for text, such as qa"
            )
        if self.strategy.paired and len(brief.others) != 1:
            return (
                f"this strategy predicts one other seat, and there are {len(brief.others)}; "
                "use one that predicts none, such as cot"
            )
        ask = self._apply_frame(context.verbalizer).ask(Turn(), Moment(0, None))
        return (open_answer(ask) if self.strategy.listed else None) or self.options.unfit(ask)

    def begin(self, brief: Brief, context: MindContext) -> None:
        assert context.verbalizer is not None, "a language mind has a verbalizer"
        assert context.model is not None, "a language mind has a model"
        self._context = context
        self._verbalizer = self._apply_frame(context.verbalizer)
        self._transcript = Transcript(brief, self._verbalizer, context.model, self.history)
        lenient = self.reader == "lenient"
        self._prompts = PromptContext(
            context, self._verbalizer, self._transcript, brief, self.words, lenient, self.options
        )
        self._chosen: Any = None
        self._settled: Any = None
        self.strategy.begin(self._prompts)

    async def perceive(self, moment: Moment) -> None:
        self._prompts.moment = moment
        self._transcript.hear(moment, self._context)
        self._settled = self._verbalizer.settled(moment)
        if self._settled is None:
            await self.strategy.perceive(self._prompts, moment)

    async def act(self) -> Action | SkillChoice | Invalid:
        if self._settled is not None:
            return self._settled
        ask = self._verbalizer.ask(Turn(), self._prompts.moment)
        self._chosen = await self.strategy.choose(self._prompts, ask)
        return self._chosen

    async def answer(self, question: Question) -> Answer | Invalid:
        own_choice = (
            self._chosen if question.when == "after" and not isinstance(self._chosen, Invalid) else None
        )
        ask = self._verbalizer.ask(question, self._prompts.moment, own_choice)
        return await self.strategy.predict(self._prompts, ask, question)

    def _apply_frame(self, verbalizer: Verbalizer) -> Verbalizer:
        """``verbalizer`` with the frame of the pack, where the pack has one."""
        return verbalizer.reworded(self.words.frame) if self.words.frame else verbalizer
