"""Errors, typed by whose fault it is, under one root.

A study tells a user *who* must act: the service, the model, the rules, the
task file, the study file, or us. The tree, with ``blame`` in brackets:

    OtherMindsError
    ├── ProviderError [provider]     a language-model service or its files
    │   └── TransientError           the same call may succeed later
    ├── ReplyError [reply]           the words of a model cannot be used
    ├── WorldError [world]           the rules do not have what was asked
    ├── TaskError [task]             a task file cannot be used
    ├── StudyError [study]           a study, an option, a name or a folder
    │   └── UnknownNameError         also a KeyError; the text names near matches
    └── InternalError [ours]         Other Minds, or code plugged into it

All of them are public: ``otherminds.StudyError``. Other modules add subclasses,
never new roots.
"""

from __future__ import annotations


class OtherMindsError(Exception):
    """The root of every error that Other Minds raises on purpose.

    Its text is one line that names what is wrong, where, and how to mend it.
    """

    __module__ = "otherminds"
    blame = "ours"


class ProviderError(OtherMindsError):
    """A language-model service or its files did not do their part.

    ``down`` is true where other calls of the service will fare no better.
    """

    __module__ = "otherminds"
    blame = "provider"
    down = False


class TransientError(ProviderError):
    """A fault of a service that the same call may not meet again.

    ``after`` is how many seconds the service asks to wait, if it does.
    """

    __module__ = "otherminds"

    def __init__(self, text: str, after: float | None = None) -> None:
        super().__init__(text)
        self.after = after


class ReplyError(OtherMindsError):
    """A model's words could not be used."""

    __module__ = "otherminds"
    blame = "reply"


class WorldError(OtherMindsError):
    """Something asked of a world that its rules do not have."""

    __module__ = "otherminds"
    blame = "world"


class TaskError(OtherMindsError):
    """A task file that cannot be used."""

    __module__ = "otherminds"
    blame = "task"


class StudyError(OtherMindsError):
    """A study file, an option or an output folder that cannot be used."""

    __module__ = "otherminds"
    blame = "study"


class UnknownNameError(StudyError, KeyError):
    """A name that nothing is registered under; the text names near matches."""

    __module__ = "otherminds"
    __str__ = Exception.__str__  # that of KeyError adds quotation marks


class InternalError(OtherMindsError):
    """A fault of Other Minds itself, or of code plugged into it."""

    __module__ = "otherminds"
    blame = "ours"
