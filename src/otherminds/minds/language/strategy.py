"""A language model in a seat, by one prompting strategy: the mind, and what strategies work with."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, Protocol, TypeAlias, get_args

from msgspec.structs import replace

from otherminds.core.contracts import Mind, MindContext, Verbalizer
from otherminds.core.data import (
    Action,
    Answer,
    Ask,
    Behaviour,
    Brief,
    Invalid,
    Message,
    Moment,
    Question,
    Seat,
    SkillChoice,
    Turn,
    When,
)
from otherminds.core.errors import StudyError
from otherminds.core.model import Completion, Decoding, Reading, Unfinished
from otherminds.core.wording import PLAIN
from otherminds.minds.language.notices import write_notice
from otherminds.minds.language.requests import (
    DEFAULTS,
    Instruction,
    RequestOptions,
    TemplateSampling,
    Transcript,
)
from otherminds.minds.language.wording import CONTINUATION, Wording, wording
from otherminds.play.seat_context import Scene, current_scene
from otherminds.replies.answers import OtherOption, choice, in_words, none_of, offer_tools
from otherminds.replies.mentions import shown_names, without_supposition

UNANSWERED: dict[Unfinished, str] = {
    "length": "the reply was cut at its budget of tokens before it answered; raise max_tokens",
    "refusal": "the model refused to answer",
    "filter": "a content filter removed the reply",
}
"""Why there is no answer, where the reply did not end by itself."""


class PromptContext:
    """A strategy's access to the transcript, the wording and the model in one episode."""

    def __init__(
        self,
        context: MindContext,
        verbalizer: Verbalizer,
        transcript: Transcript,
        brief: Brief,
        words: Wording,
        lenient: bool = True,
        options: RequestOptions = DEFAULTS,
    ) -> None:
        self.context = context
        self.transcript = transcript
        self.brief = brief
        self.words = words
        self.lenient = lenient
        self.options = options
        self.verbalizer = verbalizer
        self.moment = Moment(0, None)
        self.shown = ""
        """What an intervention shows the mind while it chooses, as a sentence; empty otherwise."""

    @property
    def other(self) -> Seat:
        """The one other seat, for ``paired`` strategies."""
        return self.brief.others[0]

    def story(self, preface: str = "", memory: str = "") -> str:
        """Rules, ``preface``, history, ``memory`` and what is shown, ending with a line break: what changes comes last."""
        return self.transcript.text(preface) + "".join(f"{part}\n" for part in (memory, self.shown) if part)

    def prompt(self, ask: Ask, preface: str = "", memory: str = "") -> str:
        """The story, then the question."""
        return self.story(preface, memory) + ask.text

    def conversation(self, ask: Ask) -> tuple[list[Message], str]:
        """The messages so far (see :meth:`Transcript.messages`), and the next one, which ends with ``ask``."""
        *before, last = self.transcript.messages()
        text = f"{self.shown}\n{ask.text}" if self.shown else ask.text
        if last.role == "user":
            return before, f"{last.content}\n{text}"
        return [*before, last], text

    def question(self, when: When) -> Question:
        """The question what the one other seat does next."""
        options = self.brief.behaviours[self.other]
        chance = 1 / len(options)
        return Question(f"next:{self.other}", self.brief.seat, when, "", options, chance, about=self.other)

    def about_other(self) -> Ask:
        """The question what the other does next, before the own decision."""
        return self.verbalizer.ask(self.question("before"), self.moment)

    def asks_the_same(self, question: Question) -> bool:
        """Whether ``question`` is that of :meth:`about_other`, before or after the own decision."""
        if question.about != self.other or question.truth_is:
            return False
        behaviours = self.brief.behaviours[self.other]
        return len(question.options) == len(behaviours) and all(o in behaviours for o in question.options)

    def named(self, behaviour: Behaviour) -> str:
        """The other's ``behaviour`` as answers name it, such as ``Option J`` in ``A: Option J``."""
        return _name_option(self.about_other(), behaviour)

    def show(self, ask: Ask) -> None:
        """Puts what an intervention shows before the choice ``ask`` into its prompts: :attr:`shown`."""
        notice, brief = self.context.notice, self.brief
        if notice is None:
            self.shown = ""
            return
        mine = brief.behaviours[brief.seat]
        choices = [SkillChoice(name) if name in brief.skills else i for i, name in enumerate(mine)]
        own = [
            _name_option(ask, choice) if choice in ask.options else name
            for choice, name in zip(choices, mine, strict=True)
        ]
        self.shown = write_notice(notice, self.words, own, self.named, brief.behaviours[notice.about])

    def examples(self, about: Turn | Question) -> str:
        """Worked examples for a choice or a question, as a preface.

        Raises:
            StudyError: this world has none.
        """
        examples = self.verbalizer.examples(about, self.brief)
        if not examples:
            raise StudyError(
                "this world has no worked examples to show (matrix games have none without payoffs); "
                "use cot, which needs none"
            )
        return "\n\n".join([*examples, self.words.cot.turn])

    def reserve(self, tokens: int) -> None:
        """Keeps ``tokens`` of the context free for memory and replies."""
        self.transcript.reserve(tokens)

    def count(self, text: str) -> int:
        assert self.context.model is not None, "a language mind has a model"
        return self.context.model.count(text)

    async def choose_likeliest(self, ask: Ask, purpose: str) -> Any:
        """The option whose label has the highest probability after the story.

        The story goes on with ``ask.continuation``, the sentence of the coming round up to the label. It ends
        with a question and the cue of its answer where the world has no such sentence, or the pack asks for
        a question.

        Raises:
            StudyError: the answer is open, without labels.
        """
        if (reason := open_answer(ask)) is not None:
            raise StudyError(reason)
        continuing = self.words.lm.form == CONTINUATION and ask.continuation
        end = ask.continuation if continuing else f"{ask.text}\n{ask.cue}"
        labels = [f" {label}" for label in ask.labels]
        logprobs = (await self.context.score(self.story() + end, labels, purpose)).logprobs
        return ask.options[logprobs.index(max(logprobs))]

    async def written(self, words: str, purpose: str, decoding: Decoding) -> str:
        """Free text of the model."""
        applied = self.options.applied(decoding)
        return (await self.context.generate([Message("user", words)], purpose, applied)).text

    async def answer(
        self, prompt: str, ask: Ask, instruction: Instruction, how: TemplateSampling, purpose: str
    ) -> Any | Invalid:
        """An answer in the form asked for; see :meth:`templated`."""
        return (await self.templated(prompt, ask, instruction, how, purpose))[0]

    async def templated(
        self,
        prompt: str,
        ask: Ask,
        instruction: Instruction,
        how: TemplateSampling,
        purpose: str,
        before: Sequence[Message] = (),
        tools: bool = False,
    ) -> tuple[Any | Invalid, str]:
        """An answer in the form asked for, and the whole reply that gave it, with its tool calls in words.

        Drawn again until one fits, at most ``how.tries`` times. A reply that chooses what is no
        option is an answer, so it is not drawn again: the model is asked once more, with the
        list of valid answers, and what comes then is final. The prompt lists every valid
        answer, since small models copy a form with its brackets; for open answers it lists
        their forms. ``before`` are earlier messages of the conversation. With ``tools`` the
        model may also answer by a call (:mod:`otherminds.replies.answers`).
        """
        words = self.write_question(prompt, ask, instruction)
        messages = [*before, Message("user", words)]
        decoding = self.options.guiding(ask, how.drawing(ask, self.count), self.count)
        if tools:
            decoding = replace(decoding, tools=offer_tools(ask))
        conversation = "\n".join([*(message.content for message in before), words])
        read: Any | Invalid = Invalid("the model was never asked")
        for attempt in range(how.tries):
            reply = await self._generate(ask, messages, purpose, decoding, attempt)
            read, text = self._read_reply(ask, reply, tools, conversation)
            if not isinstance(read, Invalid):
                return read, text
            if read.cause == "option":
                # The reply itself is not shown again: it may quote what another seat wrote.
                again = Message("user", f"{words}\n\n{self.words.answer.again.format(answers=_answers(ask))}")
                reply = await self._generate(ask, [*before, again], purpose, decoding, attempt + 1)
                second, text = self._read_reply(ask, reply, tools, conversation)
                if isinstance(second, Invalid):
                    return Invalid(f"{read.reason}, also when asked again", read.raw, "option"), read.raw
                return second, text
        return Invalid(f"{read.reason} in {how.tries} tries", read.raw, read.cause), read.raw

    async def _generate(
        self, ask: Ask, messages: Sequence[Message], purpose: str, decoding: Decoding, attempt: int
    ) -> Completion:
        """A reply to ``ask``; models that draw it find what the prompt was made from."""
        scene = current_scene.set(Scene(self.verbalizer, self.brief, self.transcript.moments, ask))
        try:
            return await self.context.generate(messages, purpose, decoding, attempt)
        finally:
            current_scene.reset(scene)

    def write_question(self, prompt: str, ask: Ask, instruction: Instruction) -> str:
        """``prompt``, the instruction how to answer ``ask``, and the list of valid answers."""
        return f"{prompt}\n{instruction.put(ask)}\n{_answers(ask)}"

    def _read_reply(
        self, ask: Ask, reply: Completion, tools: bool, conversation: str
    ) -> tuple[Any | Invalid, str]:
        """What ``reply`` answers, and its words; the record says which of both readers found an answer."""
        words, (read, reader) = reply.text, self._read_text(ask, reply.text, conversation)
        if tools and reply.tools:
            read, words = self._read_calls(ask, reply, read)
            reader = _reading(read) if isinstance(read, Invalid) else "strict"
        if isinstance(read, Invalid) and reply.finish in UNANSWERED:
            reader, read = "none", Invalid(UNANSWERED[reply.finish], read.raw, reply.finish)
        self.context.mark_read(reader)
        return read, words

    def _read_text(self, ask: Ask, text: str, conversation: str) -> tuple[Any | Invalid, Reading]:
        """What ``text`` answers to the reader in use, and which of both found an answer.

        Names of options count as labels where ``conversation``, the whole prompt, shows them beside these.
        """
        strict = self.verbalizer.read(ask, text)
        if not isinstance(strict, Invalid):
            return strict, "strict"
        statement = without_supposition(text, ask.supposed) if ask.supposed else text
        names = shown_names(conversation, ask.labels, ask.names) if ask.names else {}
        answer = choice(statement, ask.labels, ask.whose, names) if ask.labels else None
        if isinstance(answer, str):
            return ask.options[ask.labels.index(answer)] if self.lenient else strict, "lenient"
        if isinstance(answer, OtherOption) and strict.cause == "reply":
            strict = none_of(answer, text)
        return strict, _reading(strict)

    def _read_calls(
        self, ask: Ask, reply: Completion, text_answer: Any | Invalid
    ) -> tuple[Any | Invalid, str]:
        """What the calls of ``reply`` answer, whose text answers ``text_answer``, and both in words; read strictly."""
        words = in_words(ask, reply, self.verbalizer)
        if isinstance(words, Invalid):
            return words, reply.text
        read = self.verbalizer.read(ask, words)
        if isinstance(read, Invalid) or isinstance(text_answer, Invalid) or text_answer == read:
            return read, words
        return Invalid("the text and the tool call differ", words), words


def _answers(ask: Ask) -> str:
    """The valid answers to ``ask``, or the forms of open ones, each on a line of its own."""
    return "\n".join(ask.template.format(answer) for answer in ask.labels or ask.forms)


def _name_option(ask: Ask, option: Any) -> str:
    """An option as answers name it, without the speaker of the template."""
    answer = ask.template.format(ask.labels[ask.options.index(option)])
    speaker, colon, _ = ask.template.partition("{}")[0].partition(": ")
    return answer.removeprefix(speaker + colon) if colon else answer


def _reading(read: Invalid) -> Reading:
    return "other" if read.cause == "option" else "none"


def open_answer(ask: Ask) -> str | None:
    """Why a strategy that needs listed options cannot answer ``ask``; ``None`` where it can."""
    if not ask.forms:
        return None
    return (
        "this strategy needs options that can be listed, and here an answer is open "
        f"(such as {ask.forms[0]}); use one whose answers are free text, such as cot or tool_loop"
    )


class Strategy(Protocol):
    """Turns texts of the verbalizer and model calls into decisions and predictions.

    One object serves one seat for many episodes; ``begin`` starts each. ``perceive`` and
    ``choose`` may keep results; ``predict`` changes nothing. ``grants`` are privileges
    beside the payoffs; ``literal`` is false for strategies without a literal form;
    ``listed`` is true for those that need listed options; ``paired`` for those that
    predict the one other seat; ``scores`` for those that need a model that can score. ``replies`` says
    what a written reply is: an answer alone, reasoning and an answer, or nothing where no reply is written.
    """

    grants: frozenset[str] = frozenset()
    literal: bool = True
    listed: bool = False
    paired: bool = False
    scores: bool = False
    replies: Literal["answer", "reasoning", "nothing"] = "answer"

    def begin(self, prompts: PromptContext) -> None:
        """An episode starts; forget the one before.

        Raises:
            StudyError: this world lacks what the strategy needs.
        """

    async def perceive(self, prompts: PromptContext, moment: Moment) -> None:
        """A moment arrived; reflect or predict here if the strategy does."""

    async def choose(self, prompts: PromptContext, ask: Ask) -> Any | Invalid:
        """One of ``ask.options``, the answer to an open ``ask``, or why there is none."""
        ...

    async def predict(self, prompts: PromptContext, ask: Ask, question: Question) -> Any | Invalid:
        """The literal form: the answer to ``question``, which ``ask`` has in words, or why there is none."""
        return Invalid("this strategy has no literal form")


class Templated(Strategy):
    """A strategy whose choices and predictions are answers in a template, drawn by ``how``.

    Subclasses set ``how`` and may override :meth:`prompt` and the instructions.
    """

    how: TemplateSampling

    def choosing(self, words: Wording) -> Instruction:
        """The instruction of a choice."""
        return words.at_once

    def predicting(self, words: Wording) -> Instruction:
        """The instruction of a prediction."""
        return words.at_once

    def begin(self, prompts: PromptContext) -> None:
        prompts.reserve(self.how.decoding.max_tokens)

    async def choose(self, prompts: PromptContext, ask: Ask) -> Any | Invalid:
        return await prompts.answer(
            self.prompt(prompts, ask), ask, self.choosing(prompts.words), self.how, "act"
        )

    async def predict(self, prompts: PromptContext, ask: Ask, question: Question) -> Any | Invalid:
        return await prompts.answer(
            self.prompt(prompts, ask), ask, self.predicting(prompts.words), self.how, question.purpose
        )

    def prompt(self, prompts: PromptContext, ask: Ask) -> str:
        """The prompt without the instruction: the story, then the question."""
        return prompts.prompt(ask)


MESSAGE_TOKENS, MESSAGE_LENGTH = 160, 500
"""The most tokens of a reply that is a message, and the characters of it that are sent."""
Reader: TypeAlias = Literal["strict", "lenient"]


class LanguageMind(Mind):
    """Perceives the world through its verbalizer and decides by ``strategy``.

    Two switches shorten every prompt (Riemer et al. 2025, table 3): ``history = False``
    leaves out the history, ``payoffs = False`` the payoffs in the rules. With payoffs the
    mind declares the grant ``payoffs``. ``reader`` decides what counts as an answer: a line in the form
    asked for (``strict``), or every clear statement of a choice (``lenient``,
    :mod:`otherminds.replies.answers`). ``options`` go with every request to the model
    (:mod:`otherminds.minds.language.requests`). ``pack`` is the wording of its prompts
    (:mod:`otherminds.minds.language.wording`): a shipped pack's name, or a pack's content.

    Raises:
        StudyError: an unknown reader, options that do not fit the replies of ``strategy``, or an unknown or
            invalid pack.
    """

    suspends = True
    notices = True

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

    async def message(self) -> str:
        invitation = self._verbalizer.invite()
        if not invitation:
            return ""
        messages = [*self._transcript.messages(), Message("user", invitation)]
        decoding = self.options.applied(Decoding(max_tokens=MESSAGE_TOKENS))
        reply = await self._context.generate(messages, "message", decoding)
        self._transcript.keep(invitation, reply.text)
        return "" if reply.finish in ("refusal", "filter") else reply.text.strip()[:MESSAGE_LENGTH]

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
        self._prompts.show(ask)
        self._chosen = await self.strategy.choose(self._prompts, ask)
        self._prompts.shown = ""
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
