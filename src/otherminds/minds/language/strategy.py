"""What a prompting strategy promises, and what it works with."""

from __future__ import annotations

from typing import Any, Protocol

from otherminds.core.bench import Bench
from otherminds.core.contracts import Decoding
from otherminds.core.data import Ask, Invalid, Message, Moment
from otherminds.minds.language.transcript import Transcript


class Desk:
    """A strategy's place of work for one episode: the story so far, and the model."""

    def __init__(self, bench: Bench, transcript: Transcript) -> None:
        self.bench = bench
        self.transcript = transcript

    def prompt(self, ask: Ask) -> str:
        """Rules, history and the question: everything that changes stands at the end."""
        return f"{self.transcript.text()}{ask.text}"

    async def best(self, ask: Ask, purpose: str) -> Any:
        """The option whose label the model finds likeliest as the answer's continuation."""
        prompt = f"{self.prompt(ask)}\n{ask.cue}"
        scores = await self.bench.score(prompt, [f" {label}" for label in ask.labels], purpose)
        return ask.options[scores.logprobs.index(max(scores.logprobs))]

    async def templated(
        self, ask: Ask, instruction: str, purpose: str, decoding: Decoding, tries: int
    ) -> Any | Invalid:
        """An answer in the form asked for: drawn anew until one fits, ``tries`` times at most.

        Every answer that fits is written out below ``instruction``: small models
        copy a form with brackets, brackets and all.
        """
        telling = self.bench.telling
        assert telling is not None, "a language mind has a telling"
        answers = "\n".join(ask.template.format(label) for label in ask.labels)
        words = f"{self.prompt(ask)}\n{instruction}\n{answers}"
        read: Any | Invalid = Invalid("the model was never asked")
        for attempt in range(tries):
            reply = await self.bench.generate([Message("user", words)], purpose, decoding, attempt)
            read = telling.read(ask, reply.text)
            if not isinstance(read, Invalid):
                return read
        return Invalid(f"{read.reason} in {tries} tries", read.raw)


class Strategy(Protocol):
    """Turns tellings and model calls into decisions and predictions.

    One object serves one seat for many episodes; ``begin`` starts each.
    ``choose`` may keep what it worked out; ``predict`` reads and never writes.
    """

    def begin(self) -> None:
        """An episode starts."""

    async def perceive(self, desk: Desk, moment: Moment) -> None:
        """A moment came; reflect here if the strategy does."""

    async def choose(self, desk: Desk, ask: Ask) -> Any | Invalid:
        """One of ``ask.options``, or why there is none."""
        ...

    async def predict(self, desk: Desk, ask: Ask) -> Any | Invalid:
        """The literal form: one of ``ask.options``, or why there is none."""
        ...
