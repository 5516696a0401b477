"""What a mind works with: its random stream, its words, its model, a notebook."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Iterable, Sequence
from random import Random
from time import perf_counter
from typing import Any, TypeVar, cast

import msgspec

from otherminds.core.contracts import Verbalizer
from otherminds.core.data import Behaviour, Message, Seat
from otherminds.core.encoding import encodable
from otherminds.core.errors import OtherMindsError, StudyError
from otherminds.core.model import Completion, Decoding, Model, ReplyRequest, Scorer, Scores
from otherminds.core.seeds import derive, stream

T = TypeVar("T")


class CallMade(msgspec.Struct, frozen=True):
    """One model call as the context saw it; the recorder packs it into a ``Call``."""

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

    def __init__(self, step: int = 0) -> None:
        self.step = step


class SeatContext:
    """The :class:`~otherminds.core.contracts.MindContext` of one seat in one episode; it records calls and notes.

    Outside an episode ``seat`` is a role, and a step is an item that the role works on.
    """

    def __init__(
        self,
        seat: Seat,
        seed: int,
        now: Now,
        verbalizer: Verbalizer | None = None,
        model: Model | None = None,
    ) -> None:
        self.seat = seat
        self.verbalizer = verbalizer
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
        (completion,) = await self.generate_each([ReplyRequest(messages, purpose, decoding, attempt)])
        return completion

    async def generate_each(self, requests: Sequence[ReplyRequest]) -> list[Completion]:
        """Asks for several replies side by side.

        Calls are recorded in the order of ``requests``, whichever reply comes first.

        Raises:
            StudyError: the seat has no model.
            ProviderError: the model did not answer one of them; the replies to the others are recorded.
        """
        model = self._model()

        async def one(request: ReplyRequest) -> CallMade | Exception:
            keyed = msgspec.structs.replace(
                request.decoding, seed=self._key(request.purpose, request.attempt)
            )
            started = perf_counter()
            try:
                completion = encodable(await model.generate(request.messages, keyed))
            except OtherMindsError as error:
                return error
            return self._called(
                request.purpose, request.attempt, tuple(request.messages), started, keyed, completion
            )

        done = await side_by_side(map(one, requests))
        self.calls += [made for made in done if isinstance(made, CallMade)]
        for made in done:
            if isinstance(made, Exception):
                raise made
        return [cast("Completion", cast("CallMade", made).completion) for made in done]

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
        told = tuple(continuations)
        self.calls.append(self._called(purpose, 0, shown, started, continuations=told, scores=scores))
        return scores

    def _key(self, purpose: str, attempt: int) -> int:
        return derive(self._seed, "call", self.seat, self._now.step, purpose, attempt) % 2**31

    def _model(self) -> Model:
        if self.model is None:
            raise StudyError(f"the mind in seat {self.seat!r} needs a language model; name one in the study")
        return self.model

    def _called(
        self,
        purpose: str,
        attempt: int,
        messages: tuple[Message, ...],
        started: float,
        decoding: Decoding | None = None,
        completion: Completion | None = None,
        continuations: tuple[str, ...] = (),
        scores: Scores | None = None,
    ) -> CallMade:
        return CallMade(
            self._now.step,
            purpose,
            attempt,
            messages,
            decoding,
            completion,
            continuations,
            scores,
            perf_counter() - started,
        )


async def side_by_side(waiting: Iterable[Coroutine[Any, Any, T]]) -> list[T]:
    """Waits for all at once, and gives their results in order; without an event loop, one after another.

    A fault is raised when none is left running; of several faults the first in order. A single one is
    waited for without a task of its own.
    """
    waiting = tuple(waiting)
    if len(waiting) == 1:
        return [await waiting[0]]
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return [await one for one in waiting]
    done = await asyncio.gather(*waiting, return_exceptions=True)
    for result in done:
        if isinstance(result, BaseException):
            raise result
    return cast("list[T]", done)
