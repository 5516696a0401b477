"""The drawn form of a turn: tables, maps and buttons in place of the text that a language model is sent.

A wing registers a function that makes the form of a :class:`~otherminds.play.seat_context.Scene`, and gives data alone; the pages
turn it into HTML. A form shows what the messages of its turn say and nothing else. So it is made from what the verbalizer made
the text from, after :func:`cut_scene` has left out what the messages do not have, and each of its buttons sends a reply that a model
could write."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Iterator, Sequence
from typing import ClassVar, Literal, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from otherminds.core.data import Message
from otherminds.core.errors import OtherMindsError
from otherminds.core.registry import Registry, guarded
from otherminds.play.seat_context import Scene

Colour: TypeAlias = Literal[
    "plain", "red", "green", "blue", "yellow", "brown", "grey", "violet", "orange", "black", "wall", "dim"
]
"""What a square looks like; ``wall`` and ``dim`` are the ground of a map."""
BLANK = re.compile(r"\n\s*\n\s*")
LOG = logging.getLogger("otherminds")


class Button(Struct, frozen=True):
    """A button called ``name`` that sends ``reply``, as a model would write it."""

    name: str
    reply: str


class Table(Struct, frozen=True):
    """A table with a title. The first cell of a row is its head."""

    kind: ClassVar[str] = "table"

    title: str
    head: tuple[str | Button, ...]
    rows: tuple[tuple[str | Button, ...], ...]


class Square(Struct, frozen=True):
    """A square of a map with a ``text``; with a ``reply``, a button that sends it.

    ``kind`` says what its colour means, in the legend and to screen readers, which read ``name`` in place of the text if there is one. A
    text of one letter or sign is not read beside a kind.
    """

    text: str = ""
    kind: str = ""
    colour: Colour = "plain"
    reply: str = ""
    name: str = ""

    @property
    def spoken(self) -> str:
        """What a screen reader reads."""
        text = self.name or ("" if self.sign and self.kind else self.text)
        return ", ".join(part for part in (text, self.kind) if part)

    @property
    def sign(self) -> str:
        """The text, if it is a letter or a sign."""
        return self.text if len(self.text) == 1 and not self.text.isdigit() else ""


class Board(Struct, frozen=True):
    """A map with a title: rows of squares; rows and columns may have names."""

    kind: ClassVar[str] = "board"

    title: str
    rows: tuple[tuple[Square, ...], ...]
    columns: tuple[str, ...] = ()
    row_names: tuple[str, ...] = ()

    @property
    def legend(self) -> tuple[Square, ...]:
        """Each kind of square, once, with the letter or sign that stands on it."""
        kinds = (
            Square(square.sign, square.kind, square.colour)
            for row in self.rows
            for square in row
            if square.kind
        )
        return tuple(dict.fromkeys(kinds))


class Box(Struct, frozen=True):
    """A title with what belongs to it: lines, buttons, and boxes in it. ``colour`` marks what the title says.

    A ``folded`` box shows its title until it is opened.
    """

    kind: ClassVar[str] = "box"

    title: str
    parts: tuple[str | Button | Box, ...]
    colour: Colour = "plain"
    folded: bool = False


TEXT = "\ue000"
"""Stands in the reply of a button beside a field for what is written there; a character that no text has a use for."""


class Writing(Struct, frozen=True):
    """A field for a line of text, and buttons whose replies have :data:`TEXT` in its place."""

    kind: ClassVar[str] = "writing"

    title: str
    buttons: tuple[Button, ...]


Part: TypeAlias = Table | Board | Box | Writing


class Form(Struct, frozen=True):
    """A drawn turn. Options for which it has no button get one below it.

    ``drawn`` are the parts of the messages that it shows whole; all other text of the turn stands above it.
    """

    parts: tuple[Part, ...]
    drawn: tuple[str, ...] = ()

    def leave_out(self, text: str) -> str:
        """``text`` without what is drawn."""
        for part in self.drawn:
            text = text.replace(part.strip(), "", 1) if part.strip() else text
        return BLANK.sub("\n\n", text).strip()


FormMaker: TypeAlias = Callable[[Scene], Form | None]
forms: Registry[FormMaker] = Registry("form")
"""The functions that make forms; each returns ``None`` for scenes that are not of its world."""


def draw_form(scene: Scene | None, messages: Sequence[Message]) -> Form | None:
    """The form of a turn in which a model is sent ``messages``; ``None`` where it is shown as text.

    A function of a package that raises an error is passed over with one line in the log: a person can go on with the text.
    """
    scene = None if scene is None else cut_scene(scene, messages)
    if scene is None:
        return None
    for name in forms:
        try:
            with guarded(f"form {name!r} is left out"):
                form = forms.get(name)(scene)
        except OtherMindsError as error:
            LOG.warning("otherminds: %s", error)
            continue
        if form is not None:
            return form
    return None


def cut_scene(scene: Scene, messages: Sequence[Message]) -> Scene | None:
    """``scene`` with the moments whose text stands in ``messages``; ``None`` if the rules or the question do not.

    Strategies differ in what they send: some leave out the history, or sum it up.
    """
    conversation = "\n".join(message.content for message in messages)
    if scene.ask.text not in conversation or scene.verbalizer.rules(scene.brief).strip() not in conversation:
        return None
    moments = [moment for moment in scene.moments if scene.verbalizer.tell(moment).strip() in conversation]
    return replace(scene, moments=tuple(moments))


def list_buttons(form: Form) -> Iterator[Button]:
    """The buttons of a form that send a whole reply, in the order of the page."""
    for part in form.parts:
        yield from _list_buttons_of(part)


def _list_buttons_of(part: Part | str | Button) -> Iterator[Button]:
    if isinstance(part, Button):
        yield part
    elif isinstance(part, Table):
        yield from (cell for row in (part.head, *part.rows) for cell in row if isinstance(cell, Button))
    elif isinstance(part, Board):
        squares = (square for row in part.rows for square in row if square.reply)
        yield from (Button(square.spoken, square.reply) for square in squares)
    elif isinstance(part, Box):
        for inside in part.parts:
            yield from _list_buttons_of(inside)
