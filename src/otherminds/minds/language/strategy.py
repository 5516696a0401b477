"""What a prompting strategy promises, and what it works with."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from otherminds.core.contracts import MindContext, Verbalizer
from otherminds.core.data import Ask, Behaviour, Brief, Invalid, Message, Moment, Question, Seat, Turn
from otherminds.core.errors import StudyError
from otherminds.core.model import Decoding
from otherminds.minds.language.answering import Instruction, Written
from otherminds.minds.language.transcript import Transcript


class PromptContext:
    """A strategy's place of work for one episode: the story so far, and the model."""

    def __init__(self, context: MindContext, transcript: Transcript, brief: Brief) -> None:
        assert context.verbalizer is not None, "a language mind has a telling"
        self.context = context
        self.transcript = transcript
        self.brief = brief
        self.verbalizer: Verbalizer = context.verbalizer
        self.moment = Moment(0, None)

    @property
    def other(self) -> Seat:
        """The one other seat, for strategies that demand it (``paired``)."""
        return self.brief.others[0]

    def story(self, preface: str = "", memory: str = "") -> str:
        """Rules, ``preface``, history and ``memory``, ending with a line break: what changes stands last."""
        return self.transcript.text(preface) + (f"{memory}\n" if memory else "")

    def prompt(self, ask: Ask, preface: str = "", memory: str = "") -> str:
        """The story, then the question."""
        return self.story(preface, memory) + ask.text

    def conversation(self, ask: Ask) -> tuple[list[Message], str]:
        """The story as a conversation: the messages so far, and the next one, which puts ``ask``.

        The first message holds the rules; see :meth:`~.transcript.Transcript.messages`.
        """
        *before, last = self.transcript.messages()
        if last.role == "user":
            return before, f"{last.content}\n{ask.text}"
        return [*before, last], ask.text

    def about_other(self) -> Ask:
        """The question what the other does next, put before the own decision.

        For strategies that use the prediction themselves.

        Raises:
            StudyError: there is no other seat, or more than one.
        """
        options = self.brief.behaviours[self.other]
        question = Question(
            f"next:{self.other}", self.brief.seat, "before", "", options, 1 / len(options), about=self.other
        )
        return self.verbalizer.ask(question, self.moment)

    def asks_the_same(self, question: Question) -> bool:
        """Whether ``question`` is that of :meth:`about_other`, before or after the own decision."""
        if question.about != self.other or question.truth_is:
            return False
        behaviours = self.brief.behaviours[self.other]
        return len(question.options) == len(behaviours) and all(o in behaviours for o in question.options)

    def named(self, behaviour: Behaviour) -> str:
        """The other's ``behaviour`` as answers name it, such as ``Option J`` of ``A: Option J``."""
        ask = self.about_other()
        answer = ask.template.format(ask.labels[ask.options.index(behaviour)])
        speaker, colon, _ = ask.template.partition("{}")[0].partition(": ")
        return answer.removeprefix(speaker + colon) if colon else answer

    def examples(self, about: Turn | Question) -> str:
        """Worked examples for a choice or a question, as a preface.

        Raises:
            StudyError: this world has none.
        """
        shown = self.verbalizer.examples(about, self.brief)
        if not shown:
            raise StudyError(
                "this world has no worked examples to show (matrix games have none without payoffs); "
                "use cot, which needs none"
            )
        return "\n\n".join([*shown, "Now it is your turn."])

    def reserve(self, tokens: int) -> None:
        """Keeps ``tokens`` of the context free beside rules, history and question, for memory and replies."""
        self.transcript.reserve(tokens)

    def count(self, text: str) -> int:
        """The model's tokens of ``text``."""
        assert self.context.model is not None, "a language mind has a model"
        return self.context.model.count(text)

    async def best(self, prompt: str, ask: Ask, purpose: str) -> Any:
        """The option whose label the model finds likeliest as the answer's continuation.

        Raises:
            StudyError: the answer is open, so that there are no labels.
        """
        demand_listed(ask)
        scores = await self.context.score(
            f"{prompt}\n{ask.cue}", [f" {label}" for label in ask.labels], purpose
        )
        return ask.options[scores.logprobs.index(max(scores.logprobs))]

    async def written(self, words: str, purpose: str, decoding: Decoding) -> str:
        """Free text of the model, taken as it comes."""
        reply = await self.context.generate([Message("user", words)], purpose, decoding)
        return reply.text

    async def answer(
        self, prompt: str, ask: Ask, instruction: Instruction, how: Written, purpose: str
    ) -> Any | Invalid:
        """An answer in the form asked for; see :meth:`templated`."""
        return (await self.templated(prompt, ask, instruction, how, purpose))[0]

    async def templated(
        self,
        prompt: str,
        ask: Ask,
        instruction: Instruction,
        how: Written,
        purpose: str,
        before: Sequence[Message] = (),
    ) -> tuple[Any | Invalid, str]:
        """An answer in the form asked for, and the whole reply that gave it.

        Drawn anew until one fits, ``how.tries`` times at most. Every answer that
        fits is written out below the instruction: small models copy a form with
        brackets, brackets and all. Where answers are open it is their forms.
        ``before`` are the messages of a conversation that ``prompt`` goes on with.
        """
        answers = "\n".join(ask.template.format(answer) for answer in ask.labels or ask.forms)
        words = f"{prompt}\n{instruction.put(ask)}\n{answers}"
        messages, decoding = [*before, Message("user", words)], how.drawing(ask)
        read: Any | Invalid = Invalid("the model was never asked")
        for attempt in range(how.tries):
            reply = await self.context.generate(messages, purpose, decoding, attempt)
            read = self.verbalizer.read(ask, reply.text)
            if not isinstance(read, Invalid):
                return read, reply.text
        return Invalid(f"{read.reason} in {how.tries} tries", read.raw), read.raw


def demand_listed(ask: Ask) -> None:
    """Checks that ``ask`` lists its options.

    Raises:
        StudyError: its answer is open.
    """
    if (reason := open_answer(ask)) is not None:
        raise StudyError(reason)


def open_answer(ask: Ask) -> str | None:
    """Why a strategy that needs listed options cannot answer ``ask``; ``None`` where it can."""
    if not ask.forms:
        return None
    return (
        "this strategy needs options that can be listed, and here an answer is open "
        f"(such as {ask.forms[0]}); use one whose answers are free text, such as cot or tool_loop"
    )


class Strategy(Protocol):
    """Turns tellings and model calls into decisions and predictions.

    One object serves one seat for many episodes; ``begin`` starts each.
    ``perceive`` and ``choose`` may keep what they worked out; ``predict`` reads
    and never writes. ``grants`` are privileges beside the payoffs; ``literal``
    is false for strategies without a literal form; ``listed`` is true for those
    that need options that can be listed, which an open ask has none of; ``paired``
    for those that predict the one other seat.
    """

    grants: frozenset[str] = frozenset()
    literal: bool = True
    listed: bool = False
    paired: bool = False

    def begin(self, prompts: PromptContext) -> None:
        """An episode starts: whatever was kept is forgotten.

        Raises:
            StudyError: this world lacks what the strategy needs.
        """

    async def perceive(self, prompts: PromptContext, moment: Moment) -> None:
        """A moment came; reflect or predict here if the strategy does."""

    async def choose(self, prompts: PromptContext, ask: Ask) -> Any | Invalid:
        """One of ``ask.options``, what an open ``ask`` was answered with, or why there is none."""
        ...

    async def predict(self, prompts: PromptContext, ask: Ask, question: Question) -> Any | Invalid:
        """The literal form: ``question`` as ``ask`` puts it; one of its options, or why there is none."""
        return Invalid("this strategy has no literal form")
