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
from collections.abc import Sequence
from concurrent.futures import Future
from typing import NamedTuple

from otherminds.api.sessions import Turn, describe_turn
from otherminds.core.data import Message
from otherminds.core.errors import StudyError
from otherminds.core.model import Completion, Decoding, Usage
from otherminds.models.registry import models
from otherminds.models.wrapper import make_completion

KIND = "person"
LABEL = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,39}")
LONGEST_REPLY = 4_000
"""Characters of a reply; a form sends no more."""
UNPRINTABLE = re.compile(
    r"[^\n\t\x20-\x7e\x80-\U0010ffff]|[\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff]"
)
"""Control characters, and marks that change the direction of text: no reply needs them, and pages would show another text."""


class OpenTurn(NamedTuple):
    """A turn that waits for a person; ``number`` counts the turns of the seat from 1."""

    number: int
    turn: Turn
    asked_at: float
    reply: Future[str]


class Chair:
    """The place of one person: at most one turn is open. Every method may be called from any thread."""

    def __init__(self, label: str) -> None:
        self.label = label
        self.farewell = ""
        """What the person is shown once the study needs nothing more from it."""
        self.has_left = False
        """Whether it has been shown."""
        self._changed = threading.Condition()
        self._open: OpenTurn | None = None
        self._count = 0

    @property
    def open_turn(self) -> OpenTurn | None:
        """The turn that waits for a reply."""
        return self._open

    def ask(self, turn: Turn) -> Future[str]:
        """Opens a turn; its reply will be the result."""
        with self._changed:
            self._count += 1
            self._open = OpenTurn(self._count, turn, time.monotonic(), Future())
            self._changed.notify_all()
            return self._open.reply

    def withdraw(self, reply: Future[str]) -> None:
        """Closes the turn of ``reply``, if it is still open."""
        with self._changed:
            if self._open is not None and self._open.reply is reply:
                self._open = None
            self._changed.notify_all()

    def answer(self, number: int, text: str) -> bool:
        """Replies to turn ``number``; false if that turn is not open: it was answered before, perhaps in another tab."""
        with self._changed:
            waiting = self._open
            if waiting is None or waiting.number != number:
                return False
            self._open = None
            waiting.reply.set_result(UNPRINTABLE.sub("", text)[:LONGEST_REPLY])
            return True

    def dismiss(self, words: str) -> None:
        """Ends the stay of the person with ``words``."""
        with self._changed:
            self.farewell = words
            self._changed.notify_all()

    def wait(self, seconds: float) -> OpenTurn | None:
        """The open turn, or ``None`` if none is opened within ``seconds`` or the person has been dismissed."""
        with self._changed:
            self._changed.wait_for(lambda: self._open is not None or bool(self.farewell), seconds)
            return self._open


class Desk:
    """The chairs of the people of one study, by label."""

    def __init__(self, labels: Sequence[str]) -> None:
        self.chairs = {label: Chair(label) for label in labels}


_desk: Desk | None = None


def open_desk(labels: Sequence[str]) -> Desk:
    """Makes the desk of this process: only one study with people can run in it."""
    global _desk  # noqa: PLW0603 - models are opened by their names alone, so the desk is found by the process
    _desk = Desk(labels)
    return _desk


class Person:
    """The model whose replies a person writes. Tokens are words."""

    context = 2**31
    concurrency = 1

    def __init__(self, label: str, chair: Chair) -> None:
        self.spec = f"{KIND}:{label}"
        self._chair = chair

    async def generate(self, messages: Sequence[Message], decoding: Decoding) -> Completion:
        reply = self._chair.ask(describe_turn(messages))
        try:
            text = await asyncio.wrap_future(reply)
        finally:
            self._chair.withdraw(reply)
        return make_completion(
            text, Usage(sum(self.count(message.content) for message in messages), self.count(text))
        )

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
