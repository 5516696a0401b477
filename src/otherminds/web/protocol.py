"""What a study with people asks of them beside its episodes: consent, instructions, comprehension, limits of time, and the end.

A protocol is a TOML file. What each person saw and answered is kept in ``people.jsonl`` in the folder of the run, a line an event, with
the hash of the text that was consented to; a server that is started again reads it, and nobody passes a page twice.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Annotated, Any, NamedTuple

from pydantic import Field, model_validator

from otherminds.core.disk import append_file, read_file, replace_file
from otherminds.core.errors import StudyError
from otherminds.core.user_files import read_toml
from otherminds.studies.file import Strict, validate_data

EVENTS = "people.jsonl"
AGREE, DECLINE = "I agree", "I do not agree"
GO_ON = "Go on"
THANKS = "This is the end. Thank you. You can close this page."
DECLINED = "You did not agree, so nothing is recorded of you but this. You can close this page."
SCREENED = "Thank you. This study needs other answers to its questions about the instructions. You can close this page."


class ComprehensionQuestion(Strict):
    """A question about the instructions, with its options and the right one."""

    text: Annotated[str, Field(min_length=1)]
    options: Annotated[list[str], Field(min_length=2, max_length=12)]
    answer: str

    @model_validator(mode="after")
    def _check_answer(self) -> ComprehensionQuestion:
        if self.answer not in self.options:
            raise ValueError(f"the answer {self.answer!r} is none of the options")
        return self


class Protocol(Strict):
    """The pages around the episodes of a study; ``consent`` is empty only with ``no_consent``.

    ``attempts``: answers to each question, after which a person is screened out. ``seconds``: time for a turn, from when it is
    first shown; then the reply counts as none. ``missed``: turns in a row without a reply after which a person has left, and its
    episodes fail. ``debrief`` and ``code`` are shown at the end, ``screened_code`` to who is screened out.
    """

    consent: str = ""
    no_consent: bool = False
    instructions: str = ""
    questions: tuple[ComprehensionQuestion, ...] = ()
    attempts: Annotated[int, Field(ge=1, le=20)] = 3
    seconds: Annotated[float, Field(gt=0, le=86_400)] | None = None
    missed: Annotated[int, Field(ge=1, le=1_000)] = 3
    debrief: str = THANKS
    code: str = ""
    screened_code: str = ""

    @model_validator(mode="after")
    def _check_consent(self) -> Protocol:
        if bool(self.consent.strip()) == self.no_consent:
            raise ValueError("give the text of consent, or no_consent = true, and not both")
        return self


NO_CONSENT = Protocol(no_consent=True)
"""The protocol of who plays alone: no page but those of the episodes."""


def read_protocol(path: Path) -> Protocol:
    """The protocol in a file.

    Raises:
        StudyError: it cannot be read, or is none; the text names the key.
    """
    return validate_data(Protocol, read_toml(path))


class Page(NamedTuple):
    """A page before the first turn or after the last one; without ``buttons`` it is the end. ``number`` counts a person's events."""

    number: int
    text: str
    buttons: tuple[str, ...] = ()


class Journal:
    """The events of all people of a study, in a file."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / EVENTS
        self._lock = threading.Lock()

    def read(self) -> dict[str, list[tuple[str, Any]]]:
        """The events of each person, by label: what happened and its detail.

        Raises:
            StudyError: a line of the file is damaged.
        """
        events: dict[str, list[tuple[str, Any]]] = {}
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
                events.setdefault(entry["person"], []).append((entry["event"], entry["detail"]))
            except (ValueError, TypeError, KeyError):
                raise StudyError(
                    f"{self._path}, line {number}: is damaged; restore the file, or delete the line"
                ) from None
        return events

    def add(self, label: str, event: str, detail: object) -> None:
        """Writes an event to the disk."""
        entry = {
            "at": datetime.now(UTC).isoformat(timespec="milliseconds"),
            "person": label,
            "event": event,
            "detail": detail,
        }
        with self._lock:
            append_file(self._path, json.dumps(entry, ensure_ascii=False).encode() + b"\n")


class Stay:
    """Where a person is in a protocol: which page comes next, and what follows from a button. The events so far are given."""

    def __init__(
        self, protocol: Protocol, label: str, journal: Journal, events: list[tuple[str, Any]]
    ) -> None:
        self._protocol, self._label, self._journal = protocol, label, journal
        self._events = list(events)

    @property
    def refusal(self) -> str:
        """Why this person plays no episode; empty while it may."""
        if ("consent", DECLINE) in self._events_by_button():
            return "did not agree to take part"
        if self._failed_question() is not None:
            return "did not answer the questions about the instructions"
        return ""

    def page(self) -> Page | None:
        """The page before the first turn, or the end of who plays no episode; ``None`` once the episodes are to be played."""
        protocol, number = self._protocol, len(self._events)
        passed = {name for name, _ in self._events_by_button()}
        if protocol.consent and "consent" not in passed:
            return Page(number, protocol.consent, (AGREE, DECLINE))
        if self.refusal:
            words = DECLINED if ("consent", DECLINE) in self._events_by_button() else SCREENED
            code = protocol.screened_code if words is SCREENED else ""
            return Page(number, f"{words}\n\nYour code: {code}" if code else words)
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
        passed = {name for name, _ in self._events_by_button()}
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

    def farewell(self) -> str:
        """What is shown after the last episode."""
        code = f"\n\nYour code: {self._protocol.code}" if self._protocol.code else ""
        return f"{self._protocol.debrief}{code}"

    def _add(self, event: str, detail: Mapping[str, Any]) -> None:
        self._journal.add(self._label, event, detail)
        self._events.append((event, detail))

    def _events_by_button(self) -> list[tuple[str, str]]:
        return [(event, detail["button"]) for event, detail in self._events]

    def _answers(self, place: int) -> list[str]:
        return [
            detail["button"]
            for event, detail in self._events
            if event == "question" and detail["question"] == place
        ]

    def _failed_question(self) -> int | None:
        for place, question in enumerate(self._protocol.questions):
            answers = self._answers(place)
            if question.answer not in answers and len(answers) >= self._protocol.attempts:
                return place
        return None
