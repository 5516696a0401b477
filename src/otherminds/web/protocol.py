"""What a study with people asks of them beside its episodes: consent, instructions, comprehension, limits of time, and the end.

A protocol is a TOML file; :mod:`otherminds.web.stays` follows each person through it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Literal, NamedTuple

from pydantic import Field, field_validator, model_validator

from otherminds.core.disk import read_file, replace_file
from otherminds.core.errors import StudyError
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


class AttentionCheck(ComprehensionQuestion):
    """A question that shows whether a person still reads, put once: before ``round`` of the person's ``episode``, both from 1."""

    episode: Annotated[int, Field(ge=1, le=1_000)] = 1
    round: Annotated[int, Field(ge=1, le=100_000)] = 1


class Return(NamedTuple):
    """The points of an episode, and whether it was scored."""

    points: float
    is_scored: bool


class Bonus(Strict):
    """What a person is paid beside its fee: ``per_point`` for each point of its episodes, from 0 to ``at_most``."""

    per_point: Annotated[float, Field(gt=0, le=1e6)]
    at_most: Annotated[float, Field(gt=0, le=1e6)]
    currency: Annotated[str, Field(pattern="^[A-Z]{3}$")]

    def pay(self, returns: Sequence[Return]) -> float:
        """The bonus for a person's episodes, to the cent. One that was not scored earns nothing, and what it had lost stays lost.

        >>> Bonus(per_point=0.01, at_most=5, currency="EUR").pay([Return(120.0, True), Return(90.0, False), Return(-20.0, False)])
        1.0
        """
        points = sum(own.points if own.is_scored else min(0.0, own.points) for own in returns)
        return round(min(max(self.per_point * points, 0.0), self.at_most), 2)

    def describe(self, returns: Sequence[Return]) -> str:
        """The bonus in words, with its rule and with what was lost."""
        scored = sum(own.is_scored for own in returns)
        return (
            f"Your bonus: {self.pay(returns):.2f} {self.currency}. The rule: {self.per_point:g} {self.currency} for each point of your "
            f"episodes that were scored ({scored}), from 0 to {self.at_most:.2f} {self.currency}; an episode that was not scored "
            f"({len(returns) - scored}) earns nothing, and points that were lost in it count."
        )


class Join(Strict):
    """One link for everybody, ``/join?PARAMETER=LABEL``, which gives each new participant a free seat.

    ``pattern`` is what a label has to be, as a regular expression; a label is never anything but 1 to 64 letters, digits, ".", "_" and "-".
    ``full_code`` is shown when no seat is free.
    """

    parameter: Annotated[str, Field(pattern="^[A-Za-z][A-Za-z0-9_]{0,39}$")]
    pattern: str = ".*"
    full_code: str = ""

    @field_validator("pattern")
    @classmethod
    def _check_pattern(cls, pattern: str) -> str:
        try:
            re.compile(pattern)
        except re.error as error:
            raise ValueError(f"{pattern!r} is no regular expression ({error})") from None
        return pattern


class Protocol(Strict):
    """The pages around the episodes of a study; ``consent`` is empty only with ``no_consent``.

    ``attempts``: answers to each question, after which a person is screened out. ``seconds``: time for a turn, from when it is
    first shown; then the reply counts as none. ``arrival_seconds``: time until a turn is shown to its person, who else has dropped out; it
    does not run for a seat that nobody has taken by the link for everybody. ``total_seconds``: time for everything, from the first page. ``missed``: turns in a row
    without a reply after which a person has dropped out. ``drop_out`` says what follows: its episodes fail at once (``cancel``) or after
    ``wait_seconds`` without a reply (``wait``), or the model ``automaton`` plays on for those who share its episodes, which count as lost all
    the same. A person who gives more than ``attention_failures`` wrong answers to the checks in ``attention`` is screened out; without it, they are
    only recorded. ``debrief``, ``bonus`` and ``code`` are shown at the end, ``screened_code`` to who is screened out. ``join`` is the link for everybody.
    """

    consent: str = ""
    no_consent: bool = False
    instructions: str = ""
    questions: tuple[ComprehensionQuestion, ...] = ()
    attempts: Annotated[int, Field(ge=1, le=20)] = 3
    attention: tuple[AttentionCheck, ...] = ()
    attention_failures: Annotated[int, Field(ge=0, le=1_000)] | None = None
    seconds: Annotated[float, Field(gt=0, le=86_400)] | None = None
    arrival_seconds: Annotated[float, Field(gt=0, le=31_536_000)] | None = None
    total_seconds: Annotated[float, Field(gt=0, le=31_536_000)] | None = None
    missed: Annotated[int, Field(ge=1, le=1_000)] = 3
    drop_out: Literal["cancel", "wait", "automaton"] = "cancel"
    wait_seconds: Annotated[float, Field(gt=0, le=86_400)] | None = None
    automaton: Annotated[str, Field(pattern="^(scripted:[a-z_]+|competent)$")] | None = None
    bonus: Bonus | None = None
    join: Join | None = None
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

    @model_validator(mode="after")
    def _check_attention(self) -> Protocol:
        if self.attention_failures is not None and not self.attention:
            raise ValueError("attention_failures needs [[attention]]: there is no check that could be failed")
        return self


NO_CONSENT = Protocol(no_consent=True)
"""The protocol of who plays alone: no page but those of the episodes."""


KEPT = "protocol.json"


def keep_protocol(folder: Path, protocol: Protocol) -> None:
    """Keeps ``protocol`` in the folder of a run, so that all of its people have the same, and what they are paid can be computed later.

    Raises:
        StudyError: the run began with another one, or the file cannot be read or written.
    """
    path, text = folder / KEPT, protocol.model_dump_json(indent=1, exclude_defaults=True)
    if not path.exists():
        replace_file(path, text, durable=True)
    elif kept_protocol(folder) != protocol:
        raise StudyError(
            f"{path}: people of this run had another protocol; choose another --out, or undo the change"
        )


def kept_protocol(folder: Path) -> Protocol:
    """The protocol of the run in ``folder``.

    Raises:
        StudyError: the run has no people, or the file is damaged.
    """
    path = folder / KEPT
    if not path.exists():
        raise StudyError(
            f"{folder}: holds no study with people ({KEPT} is missing); give the --out of `otherminds host`"
        )
    try:
        return Protocol.model_validate_json(read_file(path))
    except ValueError:
        raise StudyError(f"{path}: is damaged; restore it") from None


def read_protocol(path: Path) -> Protocol:
    """The protocol in a file.

    Raises:
        StudyError: it cannot be read, or is none; the text names the key.
    """
    return validate_data(Protocol, read_toml(path))
