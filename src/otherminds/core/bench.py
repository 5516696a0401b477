"""What a mind works with: its random stream, its words, its model, a notebook."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from time import perf_counter
from typing import Any, cast

import msgspec

from otherminds.core.contracts import Completion, Decoding, Model, Scorer, Scores, Telling
from otherminds.core.data import Behaviour, Message, Seat
from otherminds.core.errors import StudyError
from otherminds.core.record import encode
from otherminds.core.scaffold import Scaffold
from otherminds.core.seeds import derive, stream


class CallMade(msgspec.Struct, frozen=True):
    """One model call as the bench saw it; the recorder packs it into a ``Call``."""

    step: int
    purpose: str
    attempt: int
    messages: tuple[Message, ...]
    decoding: Decoding | None
    completion: Completion | None
    continuations: tuple[str, ...]
    scores: Scores | None
    seconds: float


class Now:
    """The step that is being played; one object shared by the benches of an episode."""

    __slots__ = ("step",)

    def __init__(self) -> None:
        self.step = 0


class Bench:
    """Made by the runner for one seat and one episode.

    A model call is keyed by (seat, step, purpose, attempt): its seed hangs on
    that path, so that one more question shifts no other call's seed.
    """

    def __init__(
        self,
        seat: Seat,
        seed: int,
        now: Now,
        telling: Telling | None = None,
        model: Model | None = None,
        scaffold: Scaffold | None = None,
    ) -> None:
        self.seat = seat
        self.telling = telling
        self.scaffold = scaffold
        self.model = model
        self.calls: list[CallMade] = []
        self.notes: list[tuple[int, str, Any]] = []
        self.foreseen: dict[Seat, Behaviour] = {}
        """What the others do in this step; filled in only for a seat granted ``next_action``."""
        self._seed = seed
        self._now = now
        self._rng: Random | None = None

    @property
    def step(self) -> int:
        """The world step being played."""
        return self._now.step

    @property
    def rng(self) -> Random:
        """This seat's own random stream."""
        if self._rng is None:
            self._rng = stream(self._seed, "mind", self.seat)
        return self._rng

    def note(self, kind: str, data: Any) -> None:
        """Writes ``data`` (JSON) into the record, under ``kind``."""
        self.notes.append((self._now.step, kind, data))

    async def generate(
        self, messages: Sequence[Message], purpose: str, decoding: Decoding, attempt: int = 0
    ) -> Completion:
        """Asks the model for a reply, and records the call.

        Raises:
            StudyError: the seat has no model.
            ProviderError: the model did not answer.
        """
        model = self._model()
        keyed = msgspec.structs.replace(decoding, seed=self._key(purpose, attempt))
        started = perf_counter()
        completion = sound(await model.generate(messages, keyed))
        self._log(purpose, attempt, tuple(messages), started, keyed, completion)
        return completion

    async def score(self, prompt: str, continuations: Sequence[str], purpose: str) -> Scores:
        """Asks the model for the log-probabilities of ``continuations``; records the call.

        Raises:
            StudyError: the seat has no model, or its model cannot score.
            ProviderError: the model did not answer.
        """
        model = self._model()
        if not hasattr(model, "score"):
            raise StudyError(
                f"model {model.spec!r} cannot score continuations, which LM prompting needs; "
                "use a strategy that asks for text, such as qa"
            )
        started = perf_counter()
        scores = await cast(Scorer, model).score(prompt, continuations)
        shown = (Message("user", prompt),)
        self._log(purpose, 0, shown, started, continuations=tuple(continuations), scores=scores)
        return scores

    def _key(self, purpose: str, attempt: int) -> int:
        return derive(self._seed, "call", self.seat, self._now.step, purpose, attempt) % 2**31

    def _model(self) -> Model:
        if self.model is None:
            raise StudyError(f"the mind in seat {self.seat!r} needs a language model; name one in the study")
        return self.model

    def _log(
        self,
        purpose: str,
        attempt: int,
        messages: tuple[Message, ...],
        started: float,
        decoding: Decoding | None = None,
        completion: Completion | None = None,
        continuations: tuple[str, ...] = (),
        scores: Scores | None = None,
    ) -> None:
        seconds = perf_counter() - started
        self.calls.append(
            CallMade(
                self._now.step,
                purpose,
                attempt,
                messages,
                decoding,
                completion,
                continuations,
                scores,
                seconds,
            )
        )


def sound(reply: Completion) -> Completion:
    """A reply as it can be written down: halves of surrogate pairs, which no UTF-8 has, become ``?``."""
    try:
        encode(reply)
    except UnicodeEncodeError:
        return msgspec.convert(_whole(msgspec.to_builtins(reply)), Completion)
    return reply


def _whole(value: Any) -> Any:
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    if isinstance(value, dict):
        return {key: _whole(inside) for key, inside in cast("dict[str, Any]", value).items()}
    if isinstance(value, list | tuple):
        return [_whole(inside) for inside in cast("list[Any]", value)]
    return value
