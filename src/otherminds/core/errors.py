"""Errors under one root, typed by who is to blame.

The type tells a user what must change: the service, the model, the action, the task file, the
study file, or the software. The tree, with ``blame`` in brackets:

    OtherMindsError
    ├── ProviderError [provider]     a language-model service or its files
    │   └── TransientError           the same call may succeed later
    ├── ReplyError [reply]           the reply of a model cannot be used
    ├── WorldError [world]           an action or option that a world does not have
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

    Its text is one line that says what is wrong, where, and how to correct it. ``seat`` is the one that could not
    act or answer because of it, where an episode failed and this is known.
    """

    __module__ = "otherminds"
    blame = "ours"
    seat = ""


class ProviderError(OtherMindsError):
    """A language-model service or its files failed.

    ``down`` is true where other calls of the service would fail too.
    """

    __module__ = "otherminds"
    blame = "provider"
    down = False


class TransientError(ProviderError):
    """A temporary error of a service; the same call may succeed later.

    ``after`` is the number of seconds that the service asks to wait, if any.
    """

    __module__ = "otherminds"

    def __init__(self, text: str, after: float | None = None) -> None:
        super().__init__(text)
        self.after = after


class ReplyError(OtherMindsError):
    """A model's reply cannot be used."""

    __module__ = "otherminds"
    blame = "reply"


class WorldError(OtherMindsError):
    """An action or an option that a world does not have."""

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
    """An unknown name; the text lists near matches."""

    __module__ = "otherminds"
    __str__ = Exception.__str__  # that of KeyError adds quotation marks


class InternalError(OtherMindsError):
    """An error in Other Minds itself, or in a plugin."""

    __module__ = "otherminds"
    blame = "ours"
