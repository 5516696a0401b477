"""Commands of single worlds. A module here registers a group of them as a Typer application."""

from __future__ import annotations

import typer

from otherminds.core.registry import Registry

commands: Registry[typer.Typer] = Registry(
    "command", "otherminds.cli.worlds", fits=lambda thing: isinstance(thing, typer.Typer)
)
