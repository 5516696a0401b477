"""The implementation of :class:`~otherminds.core.contracts.MindContext`."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Iterable, Sequence
from contextvars import ContextVar
from random import Random
from time import perf_counter
from typing import Any, NamedTuple, TypeVar, cast

import msgspec

from otherminds.core.contracts import Verbalizer
from otherminds.core.data import Behaviour, Message, Seat
from otherminds.core.encoding import encodable
from otherminds.core.errors import OtherMindsError, StudyError
from otherminds.core.model import Completion, Decoding, Model, Reading, ReplyRequest, Scorer, Scores
from otherminds.core.seeds import derive, stream

T = TypeVar("T")


class CallKey(NamedTuple):
    """What identifies a model call within its episode."""

    seat: Seat
    step: int
    purpose: str
    attempt: int


current_call: ContextVar[CallKey] = ContextVar("current_call")
"""The key of the call that a model is answering, for models that pass it on to somebody outside."""


class CallMade(msgspec.Struct, frozen=True):
    """One model call; :func:`otherminds.play.prompts.pack` turns it into a ``Call`` of the record."""

    step: int
    purpose: str
    attempt: int
    messages: tuple[Message, ...]
    decoding: Decoding | None
    completion: Completion | None
    seconds: float
    continuations: tuple[str, ...] = ()
    scores: Scores | None = None
    read: Reading = ""


class Now:
    """The step that is being played; the contexts of an episode share one."""

    __slots__ = ("step",)

    def __init__(self, step: int = 0) -> None:
        self.step = step


class SeatContext:
    """The context of one seat in one episode; it keeps calls and notes for the record.

    Its methods are documented in :class:`~otherminds.core.contracts.MindContext`. Outside an
    episode ``seat`` is a role, and a step is an item that the role works on.
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
        self._seed = seed
        self._now = now
        self._rng: Random | None = None

    @property
    def step(self) -> int:
        return self._now.step

    @property
    def rng(self) -> Random:
        if self._rng is None:
            self._rng = stream(self._seed, "mind", self.seat)
        return self._rng

    def note(self, kind: str, data: Any) -> None:
        self.notes.append((self._now.step, kind, data))

    def mark_read(self, read: Reading) -> None:
        self.calls[-1] = msgspec.structs.replace(self.calls[-1], read=read)

    async def generate(
        self, messages: Sequence[Message], purpose: str, decoding: Decoding, attempt: int = 0
    ) -> Completion:
        (completion,) = await self.generate_each([ReplyRequest(messages, purpose, decoding, attempt)])
        return completion

    async def generate_each(self, requests: Sequence[ReplyRequest]) -> list[Completion]:
        model = self._model()

        async def call_model(request: ReplyRequest) -> CallMade | Exception:
            keyed = msgspec.structs.replace(
                request.decoding, seed=self._key(request.purpose, request.attempt)
            )
            current_call.set(CallKey(self.seat, self.step, request.purpose, request.attempt))
            started = perf_counter()
            try:
                completion = encodable(await model.generate(request.messages, keyed))
            except OtherMindsError as error:
                return error
            messages, seconds = tuple(request.messages), perf_counter() - started
            return CallMade(self.step, request.purpose, request.attempt, messages, keyed, completion, seconds)

        done = await side_by_side(map(call_model, requests))
        self.calls += [call for call in done if isinstance(call, CallMade)]
        for call in done:
            if isinstance(call, Exception):
                raise call
        return [cast("Completion", cast("CallMade", call).completion) for call in done]

    async def score(self, prompt: str, continuations: Sequence[str], purpose: str) -> Scores:
        model = self._model()
        if not hasattr(model, "score"):
            raise StudyError(
                f"model {model.spec!r} cannot score continuations, which LM prompting needs; "
                "use a strategy that asks for text, such as qa"
            )
        started = perf_counter()
        scores = await cast(Scorer, model).score(prompt, continuations)
        messages, seconds = (Message("user", prompt),), perf_counter() - started
        self.calls.append(
            CallMade(self.step, purpose, 0, messages, None, None, seconds, tuple(continuations), scores)
        )
        return scores

    def _key(self, purpose: str, attempt: int) -> int:
        return derive(self._seed, "call", self.seat, self._now.step, purpose, attempt) % 2**31

    def _model(self) -> Model:
        if self.model is None:
            raise StudyError(f"the mind in seat {self.seat!r} needs a language model; name one in the study")
        return self.model


async def side_by_side(waiting: Iterable[Coroutine[Any, Any, T]]) -> list[T]:
    """Awaits all at the same time and returns their results in order; without an event loop, one after another.

    An error is raised once all have finished; of several errors the first in order. A single coroutine is
    awaited without a task of its own.
    """
    waiting = tuple(waiting)
    if len(waiting) == 1:
        return [await waiting[0]]
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return [await coroutine for coroutine in waiting]
    done = await asyncio.gather(*waiting, return_exceptions=True)
    for result in done:
        if isinstance(result, BaseException):
            raise result
    return cast("list[T]", done)
