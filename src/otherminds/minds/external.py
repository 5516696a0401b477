"""A mind whose decisions come from outside: a browser, a trainer, another harness.

The client communicates with the mind over two queues of one event loop::

    mind = ExternalMind(timeout=60)
    episode = asyncio.create_task(play(Setup(scenario, {"ego": mind})))
    episode.add_done_callback(lambda _: mind.close())
    while not isinstance(request := await mind.requests.get(), Closed):
        if isinstance(request, ActionWanted):
            mind.replies.put_nowait(0)
        elif isinstance(request, AnswerWanted):
            mind.replies.put_nowait(request.question.options[0])
    record, clock = await episode

To cancel an episode, cancel its task: the client then gets :class:`EpisodeClosed`. From another
thread, call through ``loop.call_soon_threadsafe``.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import Any, TypeAlias

from msgspec import Struct

from otherminds.core.contracts import Mind, MindContext
from otherminds.core.data import Action, Answer, Brief, Invalid, Moment, Question, SkillChoice
from otherminds.core.errors import ProviderError


class EpisodeStart(Struct, frozen=True):
    """An episode starts. No reply is due."""

    brief: Brief


class Perception(Struct, frozen=True):
    """What the seat perceives at a step. No reply is due."""

    moment: Moment


class ActionWanted(Struct, frozen=True):
    """The reply is the decision at ``step``: an action, a skill choice or ``Invalid``."""

    step: int


class AnswerWanted(Struct, frozen=True):
    """The reply is the answer to ``question``, one of its options where it has some, or ``Invalid``."""

    question: Question


class EpisodeClosed(Struct, frozen=True):
    """The episode is over, failed or cancelled. No reply is due."""


class Departure(Struct, frozen=True):
    """A reply that ends the episode: the client has left."""

    reason: str


Request: TypeAlias = EpisodeStart | Perception | ActionWanted | AnswerWanted | EpisodeClosed


class ExternalMind(Mind):
    """Puts the seat's moments into ``requests``, and takes decisions and answers from ``replies``.

    Every :class:`ActionWanted` and :class:`AnswerWanted` needs one reply. An illegal action,
    skill or option counts as ``Invalid``. The episode fails as the provider's fault if the client
    sends :class:`Departure` or does not reply within ``timeout`` seconds (``None``: no limit).
    ``answers`` is false for a client without questions. One mind plays one episode at a time;
    records name it by its class.
    """

    suspends = True

    def __init__(
        self, timeout: float | None = None, answers: bool = True, grants: Iterable[str] = ()
    ) -> None:
        self.timeout = timeout
        self.answers = answers
        self.grants = frozenset(grants)
        self.requests: asyncio.Queue[Request] = asyncio.Queue()
        self.replies: asyncio.Queue[Any] = asyncio.Queue()

    def begin(self, brief: Brief, context: MindContext) -> None:
        self._brief = brief
        self._context = context
        while not self.replies.empty():
            self.replies.get_nowait()  # late replies of the episode before
        self.requests.put_nowait(EpisodeStart(brief))

    async def perceive(self, moment: Moment) -> None:
        self.requests.put_nowait(Perception(moment))

    async def act(self) -> Action | SkillChoice | Invalid:
        decision = await self._reply(ActionWanted(self._context.step))
        if isinstance(decision, Invalid) or self._legal(decision):
            return decision
        return Invalid("neither an action nor a skill of this seat", repr(decision))

    async def answer(self, question: Question) -> Answer | Invalid:
        answer = await self._reply(AnswerWanted(question))
        if isinstance(answer, Invalid) or not question.options or answer in question.options:
            return answer
        return Invalid("not an option of the question", repr(answer))

    def close(self) -> None:
        """Tells the client that the episode is over. Call it when the task that plays is done."""
        self.requests.put_nowait(EpisodeClosed())

    async def _reply(self, request: ActionWanted | AnswerWanted) -> Any:
        self.requests.put_nowait(request)
        try:
            async with asyncio.timeout(self.timeout):
                reply = await self.replies.get()
        except TimeoutError:
            raise ProviderError(
                f"no reply from outside for seat {self._brief.seat!r} within {self.timeout:g} s"
            ) from None
        if isinstance(reply, Departure):
            raise ProviderError(f"the client of seat {self._brief.seat!r} left: {reply.reason}")
        return reply

    def _legal(self, decision: Any) -> bool:
        if isinstance(decision, SkillChoice):
            return decision.name in self._brief.skills
        try:
            return bool(self._brief.action_space.contains(decision))
        except (TypeError, ValueError, AttributeError):  # spaces raise these for objects of other types
            return False
