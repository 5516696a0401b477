"""Commands that are found by entry points, and names that commands once had.

An entry point in the group ``otherminds.commands`` is a command (a function), a group of commands (a Typer application), or
a :class:`RenamedCommand`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, TypeAlias

import typer

from otherminds.core.errors import StudyError
from otherminds.core.registry import Registry


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
    "command", fits=lambda component: callable(component) or isinstance(component, RenamedCommand)
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
