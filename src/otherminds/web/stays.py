"""Where each person is in a protocol. Every event is in ``people.jsonl`` in the folder of the run, a line each.

An event is on the disk before anybody sees what follows from it, so a server that is started again goes on where the person was. The
consent has the hash of its text.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

from otherminds.core.data import Message
from otherminds.core.disk import append_file, read_file, replace_file
from otherminds.core.encoding import encode
from otherminds.core.errors import StudyError
from otherminds.web.protocol import Protocol, Return

EVENTS = "people.jsonl"
AGREE, DECLINE = "I agree", "I do not agree"
GO_ON = "Go on"
DECLINED = "You did not agree, so nothing is recorded of you but this. You can close this page."
SCREENED = "Thank you. This study needs other answers to its questions about the instructions. You can close this page."
INATTENTIVE = (
    "Thank you. This study needs other answers to its questions in between. You can close this page."
)
LATE = "The time for this study is over. Thank you. You can close this page."
ENDED = "turn"
"""The event of the end of a turn, with the digest of its prompt and the time of its reply."""
WITHDRAWING, WITHDRAWN = "withdrawing", "withdrawn"
"""Events of who had its data deleted: before that, and when it is done."""
ERASED = "What was recorded of you in this study was deleted, as you asked."
LEFT = "You did not reply for some time, so the study went on without you. You can close this page."


class Page(NamedTuple):
    """A page that is no turn; without ``buttons`` it is the end. ``number`` counts a person's answers.

    ``check`` is the number of an attention check, which comes in place of an open turn, in its time.
    """

    number: int
    text: str
    buttons: tuple[str, ...] = ()
    check: int | None = None


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

    def read_events(self) -> dict[str, list[Event]]:
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

    def forget(self, label: str, withdrawn: int) -> None:
        """Replaces all events of a person by one that says when it withdrew, and how many records were deleted; once."""
        events = self.read_events().get(label, [])
        if [event.name for event in events] == [WITHDRAWN]:
            return
        lines = read_file(self._path).splitlines(keepends=True)
        kept = [line for line in lines if json.loads(line)["person"] != label]
        line = write_event(label, WITHDRAWN, {"records": withdrawn}, datetime.now(UTC))
        replace_file(self._path, b"".join([*kept, line]), durable=True)

    def add(self, label: str, name: str, detail: Mapping[str, Any]) -> Event:
        """Writes an event to the disk."""
        now = datetime.now(UTC)
        with self._lock:
            self._path.touch(mode=0o600)  # labels and answers are for who runs the study alone
            append_file(self._path, write_event(label, name, detail, now))
        return Event(name, detail, now.timestamp())


def digest_prompt(messages: Sequence[Message]) -> str:
    """What tells a prompt from others: 16 hexadecimal digits."""
    return sha256(encode(tuple(messages))).hexdigest()[:16]


def write_event(label: str, name: str, detail: Mapping[str, Any], at: datetime) -> bytes:
    """The line of an event."""
    when = at.isoformat(timespec="milliseconds")
    entry = {"at": when, "person": label, "event": name, "detail": detail}
    return json.dumps(entry, ensure_ascii=False).encode() + b"\n"


def find_participant(events: Iterable[Event]) -> str:
    """The label under which a recruiter knows the person with these events; empty without one."""
    return next((event.detail["participant"] for event in events if event.name == "joined"), "")


class Stay:
    """Where a person is in a protocol: which page comes next, and what follows from a button. The events so far are given.

    ``read_returns`` reads the returns of its recorded episodes. ``deletion_code`` is shown at the end.
    """

    def __init__(
        self,
        protocol: Protocol,
        label: str,
        journal: Journal,
        events: list[Event],
        read_returns: Callable[[], Sequence[Return]] = tuple,
        deletion_code: str = "",
    ) -> None:
        self._protocol, self._label, self._journal = protocol, label, journal
        self._events = list(events)
        self._read_returns, self._deletion_code = read_returns, deletion_code
        self.joined_at = 0.0
        """When this process gave the seat to a participant, by its own clock."""
        self.recorded = 0
        """How many of its episodes are recorded."""
        self._paid = (-1, "")
        self._began: float | None = None
        """When the first page was shown, by this process's own clock, which nobody sets."""
        if self._events:
            # A clock that was set back in between gives nobody more time than the events themselves tell.
            latest = max(time.time(), *(event.at for event in self._events))
            self._began = time.monotonic() - (latest - self._events[0].at)

    @property
    def participant(self) -> str:
        """The label under which a recruiter knows this person; empty without one."""
        return find_participant(self._events)

    @property
    def is_free(self) -> bool:
        """Whether nobody has begun in this seat."""
        return not self._events

    def join(self, participant: str) -> None:
        """Gives this seat to a participant, once."""
        if self.is_free:
            self._add("joined", {"participant": participant})
            self._began = self.joined_at = time.monotonic()

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
    def is_gone(self) -> bool:
        """Whether nobody is there to see the end: the person dropped out, is late, or withdrew."""
        return self.is_late or self.has_withdrawn or any(event.name == "left" for event in self._events)

    @property
    def has_withdrawn(self) -> bool:
        """Whether this person has asked for the deletion of its data."""
        return any(event.name in (WITHDRAWING, WITHDRAWN) for event in self._events)

    @property
    def refusal(self) -> str:
        """Why this person plays no episode from now on; empty while it may."""
        if self.has_withdrawn:
            return "asked for the deletion of its data"
        if self._has_declined():
            return "did not agree to take part"
        if self._failed_question() is not None:
            return "did not answer the questions about the instructions"
        if self._is_inattentive():
            return "did not pass the attention checks"
        return next((event.detail["reason"] for event in self._events if event.name == "left"), "")

    def page(self, step: int | None = None) -> Page | None:
        """The page that comes before the turn at ``step`` (``None``: no turn is open), or the end of who plays no more; ``None`` if none does."""
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
        for place, check in enumerate(protocol.attention):
            is_due = step is not None and (self.recorded + 1, step + 1) >= (check.episode, check.round)
            if is_due and not self._answers(place, "attention"):
                return Page(number, check.text, tuple(check.options), place)
        return None

    def press(self, number: int, button: str, step: int | None = None) -> None:
        """Takes a button of the page with this number before the turn at ``step``; another number or button changes nothing."""
        page = self.page(step)
        if page is None or page.number != number or button not in page.buttons:
            return
        if page.check is not None:
            is_right = button == self._protocol.attention[page.check].answer
            self._add("attention", {"button": button, "question": page.check, "right": is_right})
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

    @property
    def has_come(self) -> bool:
        """Whether this person has pressed a button, or a turn of it has ended."""
        return any("button" in event.detail or event.name == ENDED for event in self._events)

    @property
    def ended_turns(self) -> int:
        """How many turns have ended, by a reply or without one."""
        return sum(event.name == ENDED for event in self._events)

    def end_turn(self, messages: Sequence[Message], seconds: float | None) -> None:
        """Keeps how long the reply to ``messages`` took from when its page was shown, ``None`` without one; the reply itself is kept as those of models are."""
        self._add(ENDED, {"prompt": digest_prompt(messages), "seconds": seconds})

    def miss_check(self, step: int) -> None:
        """Tells that the time of the turn at ``step`` ended; a check that stood before it counts as failed."""
        page = self.page(step)
        if page is not None and page.check is not None:
            self._add("attention", {"question": page.check, "right": False})

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
        return f"{self._protocol.debrief}{self._describe_bonus()}{code}{self._describe_deletion()}"

    def _ending(self) -> str:
        """What is shown to whom plays no episode from now on."""
        if self.has_withdrawn:
            return ERASED
        if self._has_declined():
            return f"{DECLINED}{self._describe_deletion()}"
        words = LATE if self.is_late else LEFT
        is_screened = self._failed_question() is not None or self._is_inattentive()
        if is_screened:
            words = INATTENTIVE if self._is_inattentive() else SCREENED
        code = self._protocol.screened_code if is_screened else ""
        shown = f"\n\nYour code: {code}" if code else ""
        return f"{words}{self._describe_bonus()}{shown}{self._describe_deletion()}"

    def _describe_deletion(self) -> str:
        """How the person can have its data deleted."""
        code = self._deletion_code
        return (
            f"\n\nTo have your data deleted, send this code to whoever runs the study: {code}" if code else ""
        )

    def _describe_bonus(self) -> str:
        """The bonus in a paragraph; empty without one. It is computed again only after another episode."""
        if self._protocol.bonus is None:
            return ""
        if self._paid[0] != self.recorded:
            self._paid = self.recorded, f"\n\n{self._protocol.bonus.describe(self._read_returns())}"
        return self._paid[1]

    def _add(self, name: str, detail: Mapping[str, Any]) -> None:
        self._events.append(self._journal.add(self._label, name, detail))

    def _pressed(self) -> list[tuple[str, str]]:
        return [(event.name, event.detail["button"]) for event in self._events if "button" in event.detail]

    def _has_declined(self) -> bool:
        return ("consent", DECLINE) in self._pressed()

    def _answers(self, place: int, name: str = "question") -> list[str]:
        return [
            event.detail.get("button", "")
            for event in self._events
            if event.name == name and event.detail["question"] == place
        ]

    def _is_inattentive(self) -> bool:
        failures = sum(event.name == "attention" and not event.detail["right"] for event in self._events)
        allowed = self._protocol.attention_failures
        return allowed is not None and failures > allowed

    def _failed_question(self) -> int | None:
        for place, question in enumerate(self._protocol.questions):
            answers = self._answers(place)
            if question.answer not in answers and len(answers) >= self._protocol.attempts:
                return place
        return None
