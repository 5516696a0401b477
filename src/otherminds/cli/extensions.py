"""Commands that the command line finds: entry points in the group ``otherminds.commands``, a function or a group of them as a Typer application."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from otherminds.core.registry import Registry

commands: Registry[Callable[..., Any]] = Registry("command")
