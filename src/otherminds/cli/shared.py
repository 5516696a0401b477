"""What commands share: the one way to standard output and standard error, options, and commands found by entry points.

Names, titles and replies come from files and servers of others, and appear in tables, in errors of our own and of
the library that reads the arguments. The streams themselves may lack characters, be full, be closed, or lose their
reader. So the standard streams are replaced, and not each place that prints is changed.

An entry point in the group ``otherminds.commands`` is a command (a function), a group of commands (a Typer application), or
a :class:`RenamedCommand`."""

from __future__ import annotations

import errno
import io
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Annotated, Any, NamedTuple, TextIO, TypeAlias

import typer
from typer.models import OptionInfo

from otherminds.core.encoding import read_seed
from otherminds.core.errors import OtherMindsError, StudyError
from otherminds.core.registry import Registry
from otherminds.core.text import escape_missing, plain, shell_command

RULE = str.maketrans("─━", "--")
"""What the lines of a table become where the output has no such characters."""


class OutputError(OtherMindsError):
    """Standard output cannot be written; ``left`` is true where its reader has gone."""

    def __init__(self, error: OSError) -> None:
        super().__init__(f"the output cannot be written: {error.strerror}")
        self.left = error.errno == errno.EPIPE


class Stream(io.TextIOBase):
    """A standard stream that holds every character, and whose faults are an :class:`OutputError` or nothing.

    A character that the encoding lacks is written as JSON escapes it, so that JSON stays the same JSON. After a fault
    nothing more is written. Where the output is the result of a command, each later use raises the fault again, since
    a library may catch it once; where it is ``progress``, it is ignored, since a run that is paid for goes on without
    its listener. ``None`` is a stream that was closed before Python started.
    """

    def __init__(self, stream: TextIO | None, *, progress: bool = False) -> None:
        self._stream = stream
        self._progress = progress
        self._fault: OutputError | None = None

    @property
    def encoding(self) -> str:  # pyright: ignore[reportIncompatibleVariableOverride]
        return getattr(self._stream, "encoding", None) or "utf-8"

    @property
    def errors(self) -> str | None:  # pyright: ignore[reportIncompatibleVariableOverride]
        return getattr(self._stream, "errors", None)

    def write(self, text: str, /) -> int:
        if text:
            self._use(lambda stream: stream.write(escape_missing(text, self.encoding)))
        return len(text)

    def flush(self) -> None:
        if self._stream is not None or self._fault is not None:
            self._use(lambda stream: stream.flush())

    def isatty(self) -> bool:
        return self._stream is not None and self._stream.isatty()

    def fileno(self) -> int:
        return super().fileno() if self._stream is None else self._stream.fileno()

    def writable(self) -> bool:
        return True

    def _use(self, act: Callable[[TextIO], object]) -> None:
        if self._fault is None:
            try:
                if self._stream is None:
                    raise OSError(errno.EBADF, os.strerror(errno.EBADF))
                act(self._stream)
            except OSError as error:
                self._fault = OutputError(error)
                with suppress(OSError):  # what Python still holds would fail again when it exits
                    os.dup2(os.open(os.devnull, os.O_WRONLY), self.fileno())
        if self._fault is not None and not self._progress:
            raise self._fault


class Guarded(io.TextIOBase):
    """A stream that makes every text :func:`~otherminds.core.text.plain` on its way to ``rich_proxied_file``.

    Rich's consoles look for an attribute of this name and write to it. Those of Other Minds are
    :class:`~otherminds.studies.progress.Terminal`, which makes texts plain itself and adds colours.
    """

    def __init__(self, stream: TextIO | Stream) -> None:
        self.rich_proxied_file = stream

    @property
    def encoding(self) -> str:  # pyright: ignore[reportIncompatibleVariableOverride]
        return self.rich_proxied_file.encoding or "utf-8"

    @property
    def errors(self) -> str | None:  # pyright: ignore[reportIncompatibleVariableOverride]
        return self.rich_proxied_file.errors

    def write(self, text: str, /) -> int:
        self.rich_proxied_file.write(plain(text))
        return len(text)

    def flush(self) -> None:
        self.rich_proxied_file.flush()

    def isatty(self) -> bool:
        return self.rich_proxied_file.isatty()

    def fileno(self) -> int:
        return self.rich_proxied_file.fileno()

    def writable(self) -> bool:
        return True


@contextmanager
def guard_output() -> Iterator[None]:
    """Guards standard output and standard error."""
    streams = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = Guarded(Stream(sys.stdout)), Guarded(Stream(sys.stderr, progress=True))
    try:
        yield
    finally:
        sys.stdout, sys.stderr = streams


def fill_descriptors() -> None:
    """Opens those of the three standard descriptors that are closed, so that no file of a run becomes one of them.

    What is written to them fails, as it would if they were closed.
    """
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.set_inheritable(os.open(os.devnull, os.O_RDONLY if number else os.O_WRONLY), True)


def drawn(text: str) -> None:
    """Prints what a :class:`~otherminds.studies.progress.Terminal` has drawn, with its colours."""
    stream = sys.stdout.rich_proxied_file if isinstance(sys.stdout, Guarded) else sys.stdout
    ruled = escape_missing("─", stream.encoding or "utf-8") == "─"
    stream.write((text if ruled else text.translate(RULE)) + "\n")


def follow_up(*words: str | Path) -> str:
    """``otherminds WORDS`` as one line for a shell, in characters that both streams have."""
    encodings = {stream.encoding or "utf-8" for stream in (sys.stdout, sys.stderr)}
    return shell_command(*words, encoding=encodings.pop() if len(encodings) == 1 else "ascii")


Out = Annotated[
    Path,
    typer.Option("--out", "-o", help="Output folder. A run that was stopped resumes in the same folder."),
]
MaxCost = Annotated[
    float | None,
    typer.Option(min=0, help="Stop when the study has cost this many US dollars; requires --prices."),
]
MaxTokens = Annotated[int | None, typer.Option(min=0, help="Stop when the study has used this many tokens.")]
Prices = Annotated[Path | None, typer.Option(help="Price file (TOML): US dollars per million tokens.")]
AllowHost = Annotated[
    list[str] | None,
    typer.Option(
        "--allow-host",
        metavar="HOST",
        help="A server that models may be asked at, with their API key: HOST, HOST:PORT, or HOST=VARIABLE for the key in "
        "another environment variable than usual; http://HOST also without encryption. Repeatable. A study names servers, and cannot allow them.",
    ),
]


def listed(names: str) -> tuple[str, ...]:
    """The names in a list with commas.

    >>> listed("smollm2, scripted_judge,")
    ('smollm2', 'scripted_judge')
    """
    return tuple(filter(None, map(str.strip, names.split(","))))


def known_name(names: Callable[[], Iterable[str]]) -> Callable[[str], str]:
    """What reads an option whose value is one of ``names``, which are looked up when the option is given."""

    def check_name(value: str) -> str:
        choices = tuple(names())
        if value not in choices:
            raise typer.BadParameter(f"{value!r} is none of {', '.join(choices)}")
        return value

    return check_name


def seed_option(about: str, bits: int = 63) -> OptionInfo:
    """An option ``--seed`` of at most ``bits`` bits, which refuses others with the sentence of every seed."""

    def check(value: str) -> int:
        try:
            return read_seed(value, bits)
        except StudyError as error:
            raise typer.BadParameter(str(error)) from error

    return typer.Option("--seed", metavar="SEED", parser=check, help=about)


class RenamedCommand(NamedTuple):
    """The ``old`` words of a command that has the words ``new`` now; help texts leave it out."""

    old: str
    new: str

    def add_to(self, app: typer.Typer) -> None:
        """Has the last word of ``old`` answer with the new words and exit code 2, whatever follows it."""
        settings = {"ignore_unknown_options": True, "allow_extra_args": True}
        name = self.old.rpartition(" ")[2]

        @app.command(name, hidden=True, add_help_option=False, context_settings=settings)
        def answer() -> None:
            raise StudyError(
                f"`otherminds {self.old}` is now `otherminds {self.new}`; see `otherminds {self.new} --help`"
            )


Command: TypeAlias = Callable[..., Any] | typer.Typer | RenamedCommand
commands: Registry[Command] = Registry(
    "command", accepts=lambda component: callable(component) or isinstance(component, RenamedCommand)
)


def add_commands(app: typer.Typer) -> None:
    """Adds the commands of all entry points."""
    for name in commands:
        command = commands.get(name)
        if isinstance(command, RenamedCommand):
            command.add_to(app)
        elif isinstance(command, typer.Typer):
            app.add_typer(command, name=name)
        else:
            app.command(name)(command)


def examples(*calls: str) -> str:
    """The end of a help text: calls that work as they stand, one a line."""
    return "\b\nExamples:\n" + "\n".join(f"  {call}" for call in calls)
