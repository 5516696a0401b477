"""Prints to a terminal, with the control characters of tables and bars and none of any text."""

from __future__ import annotations

from collections.abc import Iterable
from typing import IO

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment

from otherminds.core.quoting import plain


class Terminal(Console):
    """Rich's console for texts of any origin: without markup, highlighting and emoji codes.

    Every text that is printed through it, in a line, a table or a bar, is made :func:`~otherminds.core.quoting.plain`;
    colours and movements of the cursor are those of its own styles. It writes to ``file``, else to standard
    output, or to ``stderr``. ``width`` in columns is that of the terminal by default; ``colour`` switches colours
    on or off, by default they are on in a terminal.
    """

    def __init__(
        self,
        file: IO[str] | None = None,
        *,
        stderr: bool = False,
        width: int | None = None,
        colour: bool | None = None,
        soft_wrap: bool = False,
    ) -> None:
        super().__init__(
            file=file,
            stderr=stderr,
            width=width,
            soft_wrap=soft_wrap,
            force_terminal=colour,
            color_system={True: "standard", False: None, None: "auto"}[colour],
            highlight=False,
            emoji=False,
            markup=False,
            legacy_windows=None if file is None else False,
        )

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        for segment in super().render(renderable, options):
            yield segment if segment.control else Segment(plain(segment.text), segment.style)
