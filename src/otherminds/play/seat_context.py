"""What a mind can do with a model in its seat, and the prompts of its conversation as the record stores them.

Each prompt of a conversation begins with the one before, so that storing all in full would let
records grow with the square of the rounds. A packed call names the earlier call whose prompt it
shares a beginning with, and holds the rest. :func:`otherminds.core.record.prompts` unpacks them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterable, Sequence
from contextvars import ContextVar
from random import Random
from time import perf_counter
from typing import Any, NamedTuple, TypeVar, cast

import msgspec
from msgspec import to_builtins

from otherminds.core.contracts import Controller, Mind, Verbalizer
from otherminds.core.data import (
    Action,
    Ask,
    Behaviour,
    Brief,
    Encounter,
    Ended,
    Message,
    Moment,
    Notice,
    Seat,
    SkillChoice,
)
from otherminds.core.encoding import derive, encodable, stream
from otherminds.core.errors import OtherMindsError, StudyError
from otherminds.core.model import Completion, Decoding, Model, Reading, ReplyRequest, Scorer, Scores, Usage
from otherminds.core.record import Call

T = TypeVar("T")


class CallKey(NamedTuple):
    """What identifies a model call within its episode."""

    seat: Seat
    step: int
    purpose: str
    attempt: int


current_call: ContextVar[CallKey] = ContextVar("current_call")
"""The key of the call that a model is answering, for models that pass it on to somebody outside."""


class Scene(msgspec.Struct, frozen=True):
    """What the prompt of a call was made from: the verbalizer of the seat, what it was given, and what is asked.

    ``moments`` are those in the transcript of the seat; a strategy may send fewer.
    """

    verbalizer: Verbalizer
    brief: Brief
    moments: tuple[Moment, ...]
    ask: Ask

    def reply(self, label: str) -> str:
        """The answer ``label`` as a model writes it."""
        return self.ask.template.format(label)


current_scene: ContextVar[Scene | None] = ContextVar("current_scene", default=None)
"""The scene of the call that a model is answering, for models that draw it; ``None`` where nothing is asked that can be read."""


class CallMade(msgspec.Struct, frozen=True):
    """One model call; :func:`otherminds.play.seat_context.pack` turns it into a ``Call`` of the record."""

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
        self.notice: Notice | None = None
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


class SeatRuntime:
    """One seat while an episode is played."""

    def __init__(self, seat: Seat, mind: Mind, context: SeatContext, brief: Brief) -> None:
        self.seat, self.mind, self.context, self.brief = seat, mind, context, brief
        self.perceive, self.act, self.answer = mind.perceive, mind.act, mind.answer
        if (
            mind.suspends
        ):  # what fails on its way to the outside; other minds are spared the time that this takes
            self.perceive, self.act, self.answer = map(self.name_seat, (self.perceive, self.act, self.answer))
        self.controller: Controller | None = None
        self.doing: SkillChoice | None = None
        self.ended: Ended | None = None
        self.pending: Action | None = None
        self.moment = Moment(0, None)
        self.met: list[Encounter] = []

    def name_seat(self, call: Callable[..., Coroutine[Any, Any, T]]) -> Callable[..., Coroutine[Any, Any, T]]:
        """``call``, whose errors name this seat."""

        async def named(*given: Any) -> T:
            try:
                return await call(*given)
            except OtherMindsError as error:
                error.seat = self.seat
                raise

        return named


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


OPTIONS = ("schema", "choice", "effort", "tools")
"""Options of a request that a call in the record names only where they are used."""
LOOK_BACK = 4
"""The number of earlier calls of a seat that are searched for a shared beginning."""


def shared_beginning(earlier: Sequence[Message], later: Sequence[Message]) -> tuple[int, int]:
    """The shared beginning of two prompts: whole messages, then characters of the next one.

    >>> shared_beginning([Message("user", "abc")], [Message("user", "abd")])
    (0, 2)
    """
    messages = 0
    for old, new in zip(earlier, later, strict=False):
        if old != new:
            if old.role == new.role:
                return messages, _same(old.content, new.content)
            return messages, 0
        messages += 1
    return messages, 0


def _same(first: str, second: str) -> int:
    """The length of the shared beginning of two texts, by bisection."""
    low, high = 0, min(len(first), len(second))
    while low < high:
        middle = (low + high + 1) // 2
        if first[low:middle] == second[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def pack(seat: Seat, calls: Sequence[CallMade], first: int = 0) -> list[Call]:
    """The calls of one seat, packed; ``first`` is the index of the first one in the record."""
    packed: list[Call] = []
    for i, call in enumerate(calls):
        best, size = -1, (0, 0)
        for j in range(max(0, i - LOOK_BACK), i):
            beginning = shared_beginning(calls[j].messages, call.messages)
            if beginning > size:
                best, size = j, beginning
        shared_messages, chars = size
        added = list(call.messages[shared_messages:])
        if chars:
            added[0] = Message(added[0].role, added[0].content[chars:])
        packed.append(_pack_call(seat, call, first + best if best >= 0 else -1, size, tuple(added)))
    return packed


def _pack_call(
    seat: Seat, call: CallMade, base: int, keep: tuple[int, int], added: tuple[Message, ...]
) -> Call:
    reply = call.completion
    usage = reply.usage if reply else call.scores.usage if call.scores else Usage()
    config: dict[str, Any] = {}
    if call.decoding:
        config = {
            name: list(cast("tuple[Any, ...]", value)) if isinstance(value, tuple) else value
            for name, value in to_builtins(call.decoding).items()
            if name not in OPTIONS or value not in (None, "", ())
        }
    return Call(
        seat=seat,
        step=call.step,
        purpose=call.purpose,
        attempt=call.attempt,
        added=added,
        base=base,
        keep_messages=keep[0],
        keep_chars=keep[1],
        config=config,
        reply=reply.text if reply else "",
        reasoning=reply.reasoning if reply else "",
        continuations=call.continuations,
        scores=call.scores.logprobs if call.scores else (),
        form=call.scores.form if call.scores and call.scores.form != "continuation" else "",
        tools=tuple((tool.name, tool.arguments) for tool in reply.tools) if reply else (),
        finish=reply.finish if reply else "stop",
        dropped=reply.dropped if reply else (),
        read=call.read,
        prompt_tokens=usage.prompt,
        completion_tokens=usage.completion,
        estimated_prompt=usage.estimated_prompt,
        estimated_completion=usage.estimated_completion,
    )
