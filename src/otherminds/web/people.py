"""People as models: ``person:LABEL`` in a study is answered by whoever opens that person's link.

A person sits where a model would, behind the same prompting strategy. So prompts, questions, readers, records, scores and
verdicts are those of models; replies of unfinished episodes are kept as those of models are, and an interrupted study goes on at the
same turn. The run and the web server are two threads; a :class:`Desk` is all that they share.
"""

from __future__ import annotations

import asyncio
import re
import threading
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from typing import NamedTuple

from msgspec.structs import replace

from otherminds.api.sessions import Turn, describe_turn
from otherminds.core.data import Message
from otherminds.core.errors import ProviderError, StudyError
from otherminds.core.model import SUBSTITUTE, Completion, Decoding, Usage
from otherminds.models.registry import models, open_model
from otherminds.models.wrapper import make_completion
from otherminds.play.seat_context import Scene, current_scene
from otherminds.web.protocol import Protocol
from otherminds.web.stays import Page, Stay

KIND = "person"
LABEL = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,39}")
LONGEST_REPLY = 4_000
"""Characters of a reply; a form sends no more."""
UNPRINTABLE = re.compile(
    r"[^\n\t\x20-\x7e\x80-\U0010ffff]|[\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff]"
)
"""Control characters, and marks that change the direction of text: no reply needs them, and pages would show another text."""
LOOK = 0.2
"""Seconds between two looks at a person's time."""
ARRIVAL = 30.0
"""Seconds after which the time of an open turn begins for a person who has come before, also if its page is not asked for."""
GLANCE = 0.02
"""Seconds between two looks of a page for the next turn."""


class AbsenceError(ProviderError):
    """A person who is to reply has dropped out, or never took part."""

    blame = "person"


class OpenTurn(NamedTuple):
    """A turn that waits for a person; ``number`` counts the turns of the seat from 1, and ``scene`` is what a form is drawn from."""

    number: int
    turn: Turn
    reply: Future[str]
    scene: Scene | None


class Chair:
    """The place of one person: at most one turn is open. Every method may be called from any thread.

    ``protocol`` says how long a turn waits for a reply, and ``stay`` where the person is in the pages around the episodes.
    """

    def __init__(self, label: str, protocol: Protocol, stay: Stay) -> None:
        self.label, self.protocol, self.stay = label, protocol, stay
        self.farewell = ""
        """What the person is shown once the study needs nothing more from it."""
        self.has_seen_end = False
        """Whether it has been shown."""
        self.companions: tuple[Chair, ...] = ()
        """The chairs of those who have an episode with this person."""
        self.turns = asyncio.Lock()
        """Held while a turn is open, since two episodes may ask one person at the same time."""
        self._lock = threading.Lock()
        self._open: OpenTurn | None = None
        self._shown_at: float | None = None
        self._opened_at = 0.0
        self._away_since = (
            time.monotonic() if stay.is_away else None
        )  # after a restart, the wait begins again
        # After a restart the same turn has the same number, so that a form in a tab that was left open fits no other one.
        self._count = stay.ended_turns
        self._missed = 0
        self._has_come = stay.has_come

    @property
    def open_turn(self) -> OpenTurn | None:
        """The turn that waits for a reply."""
        return self._open

    @property
    def absence(self) -> str:
        """Why no reply will come from this person; empty while it may."""
        return self.stay.refusal

    @property
    def seconds_left(self) -> float | None:
        """The time left for the open turn; ``None`` without a limit, or before the turn is shown."""
        limit, begun = self.protocol.seconds, self._begun_at
        turn = None if limit is None or begun is None else limit - (time.monotonic() - begun)
        wait = self.seconds_of_wait
        limits = (self.stay.seconds_left, self._seconds_to_arrive, turn if wait is None else wait)
        return min((left for left in limits if left is not None), default=None)

    @property
    def _begun_at(self) -> float | None:
        """When the time of the open turn began: when it was shown, or :data:`ARRIVAL` seconds after it was opened for who left the page."""
        if self._shown_at is not None or self._open is None or not self._has_come:
            return self._shown_at
        page = self.page()
        reads_on = page is not None and page.check is None
        return None if reads_on else self._opened_at + ARRIVAL

    @property
    def _seconds_to_arrive(self) -> float | None:
        """The time for which the open turn waits to be shown; ``None`` once it was, or without a limit."""
        limit = self.protocol.arrival_seconds
        expects_nobody = self.protocol.join is not None and self.stay.is_free
        if limit is None or self._open is None or self._shown_at is not None or expects_nobody:
            return None
        return limit - (time.monotonic() - max(self._opened_at, self.stay.joined_at))

    @property
    def seconds_of_wait(self) -> float | None:
        """The time for which the others still wait for this person; ``None`` while it replies."""
        since, limit = self._away_since, self.protocol.wait_seconds
        return None if since is None or limit is None else limit - (time.monotonic() - since)

    @property
    def longest_wait(self) -> float | None:
        """The time for which this person may have to wait for another one who does not reply; ``None`` if all do."""
        return max(
            (
                wait
                for chair in self.companions
                if (wait := chair.seconds_of_wait) is not None and not chair.absence
            ),
            default=None,
        )

    def page(self) -> Page | None:
        """The page that this person sees in place of a turn; ``None`` if it is the turn's."""
        waiting = self._open
        return self.stay.page(None if waiting is None else waiting.turn.step)

    def show_page(self, page: Page) -> None:
        """Tells that ``page`` was sent. A check takes its time from the turn that it stands before, which so ends if nobody answers."""
        self.stay.begin()
        self.has_seen_end = not page.buttons
        waiting = self._open
        if page.check is not None and waiting is not None:
            self.show(waiting.number)

    def press(self, number: int, button: str) -> None:
        """Takes a button of the page with this number. After a check, the turn has its whole time."""
        with self._lock:
            page = self.page()
            if page is None:
                return
            self._has_come = True
            self.stay.press(number, button, None if self._open is None else self._open.turn.step)
            if page.check is not None and self.page() != page:
                self._shown_at = time.monotonic()

    def ask(self, turn: Turn, scene: Scene | None = None) -> Future[str]:
        """Opens a turn; its reply will be the result."""
        with self._lock:
            self._count += 1
            self._opened_at = time.monotonic()
            self._open, self._shown_at = OpenTurn(self._count, turn, Future(), scene), None
            return self._open.reply

    def show(self, number: int) -> None:
        """Tells that the page of turn ``number`` was sent: its time begins, once."""
        self.stay.begin()
        with self._lock:
            if self._open is not None and self._open.number == number and self._shown_at is None:
                self._shown_at = time.monotonic()

    def answer(self, number: int, text: str) -> bool:
        """Replies to turn ``number``; false if that turn is not open: it was answered before, perhaps in another tab."""
        with self._lock:
            waiting = self._open
            if waiting is None or waiting.number != number:
                return False
            begun = self._shown_at
            self._open, self._missed, self._away_since, self._has_come = None, 0, None, True
            self.stay.come_back()
            self.stay.end_turn(waiting.turn.messages, None if begun is None else time.monotonic() - begun)
            waiting.reply.set_result(UNPRINTABLE.sub("", text)[:LONGEST_REPLY])
            return True

    def close(self, reply: Future[str], *, missed: bool = False) -> None:
        """Closes the turn of ``reply``, if it is still open; ``missed``: its time is over."""
        with self._lock:
            if self._open is None or self._open.reply is not reply:
                return
            arrival = self._seconds_to_arrive
            if missed:
                self.stay.miss_check(self._open.turn.step)
                self.stay.end_turn(self._open.turn.messages, None)
            self._open = None
            if missed and arrival is not None and arrival <= 0:
                self.stay.leave(f"did not come to a turn within {self.protocol.arrival_seconds:g} s")
                return
            self._missed += missed
            if not missed or (self._missed < self.protocol.missed and self._away_since is None):
                return
            if self.protocol.drop_out == "wait" and self._away_since is None and not self.stay.is_late:
                self._away_since = time.monotonic()
                self.stay.step_away()
            elif self.stay.is_late:
                self.stay.leave(f"had no time left: {self.protocol.total_seconds:g} s from the first page")
            else:
                self.stay.leave(f"gave no reply to {self._missed} turns in a row")

    def dismiss(self, words: str) -> None:
        """Ends the stay of the person with ``words``."""
        self.farewell = words

    async def wait(self, seconds: float) -> OpenTurn | None:
        """The open turn, or ``None`` if none is opened within ``seconds`` or the person has been dismissed.

        It looks again and again, since the turn is opened by another thread, and a thread for each page that waits would be many.
        """
        end = time.monotonic() + seconds
        while self._open is None and not self.farewell and time.monotonic() < end:
            await asyncio.sleep(GLANCE)
        return self._open


class Desk:
    """The chairs of the people of one study, by label."""

    def __init__(self, chairs: Mapping[str, Chair]) -> None:
        self.chairs = dict(chairs)


_desk: Desk | None = None


def open_desk(chairs: Mapping[str, Chair]) -> Desk:
    """Makes the desk of this process: only one study with people can run in it."""
    global _desk  # noqa: PLW0603 - models are opened by their names alone, so the desk is found by the process
    _desk = Desk(chairs)
    return _desk


class Person:
    """The model whose replies a person writes. Tokens are words.

    A turn whose time is over has an empty reply, which is none: never an action. Once the person has dropped out, an automaton may
    play on; its replies say so, and no episode with one of them is scored.
    """

    context = 2**31
    concurrency = 1

    def __init__(self, label: str, chair: Chair) -> None:
        self.spec = f"{KIND}:{label}"
        self._chair = chair

    async def generate(self, messages: Sequence[Message], decoding: Decoding) -> Completion:
        async with self._chair.turns:
            text = await self._ask(describe_turn(messages))
        if text is None:
            return await self._replace(messages, decoding)
        read = sum(self.count(message.content) for message in messages)
        return make_completion(text, Usage(read, self.count(text)))

    async def _ask(self, turn: Turn) -> str | None:
        """The reply, empty if its time is over; ``None`` if this person replies no more."""
        if self._chair.absence:
            return None
        reply = self._chair.ask(turn, current_scene.get())
        is_late = False
        try:
            waiting = asyncio.wrap_future(reply)
            while not self._chair.absence and not is_late:
                await asyncio.wait({waiting}, timeout=LOOK)
                if waiting.done():
                    return waiting.result()
                left = self._chair.seconds_left
                is_late = left is not None and left <= 0
        finally:
            self._chair.close(reply, missed=is_late)
        # The turn that is missed may be the one by which the person has dropped out.
        return None if self._chair.absence else ""

    async def _replace(self, messages: Sequence[Message], decoding: Decoding) -> Completion:
        """The reply of the automaton that the protocol names for who has dropped out; none in the name of who had its data deleted."""
        why, automaton = f"{self.spec} {self._chair.absence}", self._chair.protocol.automaton
        if automaton is None or self._chair.stay.has_withdrawn:
            raise AbsenceError(why)
        reply = await open_model(automaton).generate(messages, decoding)
        return replace(reply, finish=SUBSTITUTE, reasoning=f"{why}; {automaton} plays on")

    def count(self, text: str) -> int:
        return len(text.split())


@models.register(KIND)
def open_person(label: str) -> Person:
    """The person called ``label``.

    Raises:
        StudyError: it is no label, or nobody can sit down, since no server runs in this process.
    """
    if LABEL.fullmatch(label) is None:
        raise StudyError(f"{KIND}:{label}: a person is named by 1 to 40 letters, digits, '.', '_' and '-'")
    if _desk is None or label not in _desk.chairs:
        raise StudyError(
            f"{KIND}:{label}: people play under `otherminds host STUDY` or `otherminds play SCENARIO`"
        )
    return Person(label, _desk.chairs[label])
