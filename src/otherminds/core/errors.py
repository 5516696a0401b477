"""Errors, typed by whose fault it is, under one root.

A study tells a user *who* must act: the service, the model, the rules, the
task file, the study file, or us.
"""

from __future__ import annotations


class OtherMindsError(Exception):
    """The root of every error that Other Minds raises on purpose.

    Its text is one line that names what is wrong, where, and how to mend it.
    """

    blame = "ours"


class ProviderError(OtherMindsError):
    """A language-model service or its files did not do their part.

    ``down`` is true where other calls of the service will fare no better.
    """

    blame = "provider"
    down = False


class TransientError(ProviderError):
    """A fault of a service that the same call may not meet again.

    ``after`` is how many seconds the service asks to wait, if it does.
    """

    def __init__(self, text: str, after: float | None = None) -> None:
        super().__init__(text)
        self.after = after


class ReplyError(OtherMindsError):
    """A model's words could not be used."""

    blame = "reply"


class WorldError(OtherMindsError):
    """Something asked of a world that its rules do not have."""

    blame = "world"


class TaskError(OtherMindsError):
    """A task file that cannot be used."""

    blame = "task"


class StudyError(OtherMindsError):
    """A study file, an option or an output folder that cannot be used."""

    blame = "study"


class InternalError(OtherMindsError):
    """A fault of Other Minds itself, or of code plugged into it."""

    blame = "ours"
