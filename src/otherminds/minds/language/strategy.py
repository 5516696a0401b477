"""What a prompting strategy promises, and what it works with."""

from __future__ import annotations

from typing import Any, Protocol

from otherminds.core.bench import Bench
from otherminds.core.contracts import Decoding, Telling
from otherminds.core.data import Ask, Brief, Invalid, Message, Moment, Question
from otherminds.core.errors import StudyError
from otherminds.minds.language.answering import Written
from otherminds.minds.language.transcript import Transcript


class Desk:
    """A strategy's place of work for one episode: the story so far, and the model."""

    def __init__(self, bench: Bench, transcript: Transcript, brief: Brief) -> None:
        assert bench.telling is not None, "a language mind has a telling"
        self.bench = bench
        self.transcript = transcript
        self.brief = brief
        self.telling: Telling = bench.telling

    def prompt(self, ask: Ask, preface: str = "", memory: str = "") -> str:
        """Rules, ``preface``, history, ``memory`` and the question: what changes stands at the end."""
        remembered = f"{memory}\n" if memory else ""
        return f"{self.transcript.text(preface)}{remembered}{ask.text}"

    def about_other(self) -> Ask:
        """The question what the other will do in this step, put before the own decision.

        For strategies that use the prediction themselves.

        Raises:
            StudyError: there is no other seat, or more than one.
        """
        if len(self.brief.others) != 1:
            raise StudyError(f"this strategy predicts one other seat, and there are {len(self.brief.others)}")
        other = self.brief.others[0]
        options = self.brief.behaviours[other]
        question = Question(
            f"next:{other}", self.brief.seat, "before", "", options, 1 / len(options), about=other
        )
        return self.telling.ask(question, self.bench.step)

    async def best(self, prompt: str, ask: Ask, purpose: str) -> Any:
        """The option whose label the model finds likeliest as the answer's continuation."""
        scores = await self.bench.score(
            f"{prompt}\n{ask.cue}", [f" {label}" for label in ask.labels], purpose
        )
        return ask.options[scores.logprobs.index(max(scores.logprobs))]

    async def written(self, words: str, purpose: str, decoding: Decoding) -> str:
        """Free text of the model, taken as it comes."""
        reply = await self.bench.generate([Message("user", words)], purpose, decoding)
        return reply.text

    async def templated(self, prompt: str, ask: Ask, how: Written, purpose: str) -> tuple[Any | Invalid, str]:
        """An answer in the form asked for, and the whole reply that gave it.

        Drawn anew until one fits, ``how.tries`` times at most. Every answer that
        fits is written out below the instruction: small models copy a form with
        brackets, brackets and all.
        """
        answers = "\n".join(ask.template.format(label) for label in ask.labels)
        words = f"{prompt}\n{how.instruction}\n{answers}"
        read: Any | Invalid = Invalid("the model was never asked")
        for attempt in range(how.tries):
            reply = await self.bench.generate([Message("user", words)], purpose, how.decoding, attempt)
            read = self.telling.read(ask, reply.text)
            if not isinstance(read, Invalid):
                return read, reply.text
        return Invalid(f"{read.reason} in {how.tries} tries", read.raw), read.raw


class Strategy(Protocol):
    """Turns tellings and model calls into decisions and predictions.

    One object serves one seat for many episodes; ``begin`` starts each.
    ``perceive`` and ``choose`` may keep what they worked out; ``predict`` reads
    and never writes. ``grants`` are privileges beside the payoffs; ``literal``
    is false for strategies without a literal form.
    """

    grants: frozenset[str] = frozenset()
    literal: bool = True

    def begin(self) -> None:
        """An episode starts: whatever was kept is forgotten."""

    async def perceive(self, desk: Desk, moment: Moment) -> None:
        """A moment came; reflect or predict here if the strategy does."""

    async def choose(self, desk: Desk, ask: Ask) -> Any | Invalid:
        """One of ``ask.options``, or why there is none."""
        ...

    async def predict(self, desk: Desk, ask: Ask) -> Any | Invalid:
        """The literal form: one of ``ask.options``, or why there is none."""
        ...
