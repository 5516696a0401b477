"""Where each person is in a protocol. Every event is in ``people.jsonl`` in the folder of the run, a line each.

An event is on the disk before anybody sees what follows from it, so a server that is started again goes on where the person was. The
consent has the hash of its text.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Mapping
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

from otherminds.core.disk import append_file, read_file, replace_file
from otherminds.core.errors import StudyError
from otherminds.web.protocol import Protocol

EVENTS = "people.jsonl"
AGREE, DECLINE = "I agree", "I do not agree"
GO_ON = "Go on"
DECLINED = "You did not agree, so nothing is recorded of you but this. You can close this page."
SCREENED = "Thank you. This study needs other answers to its questions about the instructions. You can close this page."
LATE = "The time for this study is over. Thank you. You can close this page."
LEFT = "You did not reply for some time, so the study went on without you. You can close this page."


class Page(NamedTuple):
    """A page before the first turn or after the last one; without ``buttons`` it is the end. ``number`` counts a person's answers."""

    number: int
    text: str
    buttons: tuple[str, ...] = ()


class Event(NamedTuple):
    """What happened to a person; ``detail`` says more. ``at`` is the time of the system's clock in seconds."""

    name: str
    detail: Mapping[str, Any]
    at: float


class Journal:
    """The events of all people of a study, in a file."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / EVENTS
        self._lock = threading.Lock()

    def read(self) -> dict[str, list[Event]]:
        """The events of each person, by label, in their order.

        Raises:
            StudyError: a line of the file is damaged.
        """
        events: dict[str, list[Event]] = {}
        if not self._path.exists():
            return events
        content = read_file(self._path)
        whole = content[: content.rfind(b"\n") + 1]
        if (
            whole != content
        ):  # the last line was cut off when the server was killed, before anybody saw what follows from it
            replace_file(self._path, whole, durable=True)
        for number, line in enumerate(whole.splitlines(), 1):
            try:
                entry = json.loads(line)
                at = datetime.fromisoformat(entry["at"]).timestamp()
                event = Event(str(entry["event"]), {**entry["detail"]}, at)
                events.setdefault(entry["person"], []).append(event)
            except (ValueError, TypeError, KeyError):
                raise StudyError(
                    f"{self._path}, line {number}: is damaged; restore the file, or delete the line"
                ) from None
        return events

    def add(self, label: str, name: str, detail: Mapping[str, Any]) -> Event:
        """Writes an event to the disk."""
        now = datetime.now(UTC)
        entry = {
            "at": now.isoformat(timespec="milliseconds"),
            "person": label,
            "event": name,
            "detail": detail,
        }
        with self._lock:
            append_file(self._path, json.dumps(entry, ensure_ascii=False).encode() + b"\n")
        return Event(name, detail, now.timestamp())


class Stay:
    """Where a person is in a protocol: which page comes next, and what follows from a button. The events so far are given."""

    def __init__(self, protocol: Protocol, label: str, journal: Journal, events: list[Event]) -> None:
        self._protocol, self._label, self._journal = protocol, label, journal
        self._events = list(events)
        self._began: float | None = None
        """When the first page was shown, by this process's own clock, which nobody sets."""
        if self._events:
            # A clock that was set back in between gives nobody more time than the events themselves tell.
            latest = max(time.time(), *(event.at for event in self._events))
            self._began = time.monotonic() - (latest - self._events[0].at)

    def begin(self) -> None:
        """Tells that a page was shown: the time for the whole study begins, once."""
        if self._began is None and self._protocol.total_seconds is not None:
            self._began = time.monotonic()
            self._add("begun", {})

    @property
    def seconds_left(self) -> float | None:
        """The time left for the whole study; ``None`` without a limit, or before the first page."""
        limit, began = self._protocol.total_seconds, self._began
        return None if limit is None or began is None else limit - (time.monotonic() - began)

    @property
    def is_late(self) -> bool:
        """Whether the time for the whole study is over."""
        left = self.seconds_left
        return left is not None and left <= 0

    @property
    def is_away(self) -> bool:
        """Whether the others wait for this person to come back."""
        return (
            next((event.name for event in reversed(self._events) if event.name in ("away", "back")), "")
            == "away"
        )

    @property
    def refusal(self) -> str:
        """Why this person plays no episode from now on; empty while it may."""
        if self._has_declined():
            return "did not agree to take part"
        if self._failed_question() is not None:
            return "did not answer the questions about the instructions"
        return next((event.detail["reason"] for event in self._events if event.name == "left"), "")

    def page(self) -> Page | None:
        """The page before the first turn, or the end of who plays no episode; ``None`` once the episodes are to be played."""
        protocol, number = self._protocol, len(self._pressed())
        passed = {name for name, _ in self._pressed()}
        if self.refusal or self.is_late:
            return Page(number, self._ending())
        if protocol.consent and "consent" not in passed:
            return Page(number, protocol.consent, (AGREE, DECLINE))
        if protocol.instructions and "instructions" not in passed:
            return Page(number, protocol.instructions, (GO_ON,))
        for place, question in enumerate(protocol.questions):
            answers = self._answers(place)
            if question.answer not in answers:
                again = "That is not right. Please read the instructions again.\n\n" if answers else ""
                text = f"{again}{protocol.instructions}\n\n{question.text}" if again else question.text
                return Page(number, text, tuple(question.options))
        return None

    def press(self, number: int, button: str) -> None:
        """Takes a button of the page with this number; another number or button changes nothing."""
        page = self.page()
        if page is None or page.number != number or button not in page.buttons:
            return
        passed = {name for name, _ in self._pressed()}
        if self._protocol.consent and "consent" not in passed:
            self._add(
                "consent", {"button": button, "sha256": sha256(self._protocol.consent.encode()).hexdigest()}
            )
        elif self._protocol.instructions and "instructions" not in passed:
            self._add("instructions", {"button": button})
        else:
            place = next(
                i for i, q in enumerate(self._protocol.questions) if q.answer not in self._answers(i)
            )
            self._add(
                "question",
                {
                    "button": button,
                    "question": place,
                    "right": button == self._protocol.questions[place].answer,
                },
            )

    def leave(self, reason: str) -> None:
        """Ends the part of this person: it has dropped out, for good."""
        self._add("left", {"reason": reason, "drop_out": self._protocol.drop_out})

    def step_away(self) -> None:
        """Tells that the others wait for this person from now on."""
        if not self.is_away:
            self._add("away", {})

    def come_back(self) -> None:
        """Tells that this person replies again."""
        if self.is_away:
            self._add("back", {})

    def farewell(self) -> str:
        """What is shown after the last episode."""
        code = f"\n\nYour code: {self._protocol.code}" if self._protocol.code else ""
        return f"{self._protocol.debrief}{code}"

    def _ending(self) -> str:
        """What is shown to whom plays no episode from now on."""
        if self._has_declined():
            return DECLINED
        if self._failed_question() is not None:
            code = self._protocol.screened_code
            return f"{SCREENED}\n\nYour code: {code}" if code else SCREENED
        return LATE if self.is_late else LEFT

    def _add(self, name: str, detail: Mapping[str, Any]) -> None:
        self._events.append(self._journal.add(self._label, name, detail))

    def _pressed(self) -> list[tuple[str, str]]:
        return [(event.name, event.detail["button"]) for event in self._events if "button" in event.detail]

    def _has_declined(self) -> bool:
        return ("consent", DECLINE) in self._pressed()

    def _answers(self, place: int) -> list[str]:
        return [
            event.detail["button"]
            for event in self._events
            if event.name == "question" and event.detail["question"] == place
        ]

    def _failed_question(self) -> int | None:
        for place, question in enumerate(self._protocol.questions):
            answers = self._answers(place)
            if question.answer not in answers and len(answers) >= self._protocol.attempts:
                return place
        return None
