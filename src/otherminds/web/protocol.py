"""What a study with people asks of them beside its episodes: consent, instructions, comprehension, limits of time, and the end.

A protocol is a TOML file; :mod:`otherminds.web.stays` follows each person through it.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, model_validator

from otherminds.core.user_files import read_toml
from otherminds.studies.file import Strict, validate_data

THANKS = "This is the end. Thank you. You can close this page."


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
    first shown; then the reply counts as none. ``total_seconds``: time for everything, from the first page. ``missed``: turns in a row
    without a reply after which a person has dropped out. ``drop_out`` says what follows: its episodes fail at once (``cancel``) or after
    ``wait_seconds`` without a reply (``wait``), or the model ``automaton`` plays on for those who share its episodes, which count as lost all
    the same. ``debrief`` and ``code`` are shown at the end, ``screened_code`` to who is screened out.
    """

    consent: str = ""
    no_consent: bool = False
    instructions: str = ""
    questions: tuple[ComprehensionQuestion, ...] = ()
    attempts: Annotated[int, Field(ge=1, le=20)] = 3
    seconds: Annotated[float, Field(gt=0, le=86_400)] | None = None
    total_seconds: Annotated[float, Field(gt=0, le=31_536_000)] | None = None
    missed: Annotated[int, Field(ge=1, le=1_000)] = 3
    drop_out: Literal["cancel", "wait", "automaton"] = "cancel"
    wait_seconds: Annotated[float, Field(gt=0, le=86_400)] | None = None
    automaton: Annotated[str, Field(pattern="^(scripted:[a-z_]+|competent)$")] | None = None
    debrief: str = THANKS
    code: str = ""
    screened_code: str = ""

    @model_validator(mode="after")
    def _check_consent(self) -> Protocol:
        if bool(self.consent.strip()) == self.no_consent:
            raise ValueError("give the text of consent, or no_consent = true, and not both")
        return self

    @model_validator(mode="after")
    def _check_drop_out(self) -> Protocol:
        for policy, key, value in (
            ("wait", "wait_seconds", self.wait_seconds),
            ("automaton", "automaton", self.automaton),
        ):
            if (self.drop_out == policy) != (value is not None):
                raise ValueError(f'{key} belongs to drop_out = "{policy}": give both, or neither')
        if self.drop_out == "wait" and self.seconds is None:
            raise ValueError('drop_out = "wait" needs seconds: without a limit for a turn, nobody drops out')
        return self


NO_CONSENT = Protocol(no_consent=True)
"""The protocol of who plays alone: no page but those of the episodes."""


def read_protocol(path: Path) -> Protocol:
    """The protocol in a file.

    Raises:
        StudyError: it cannot be read, or is none; the text names the key.
    """
    return validate_data(Protocol, read_toml(path))
