"""The TOML file of an *in the matrix* substrate: its keys, what each may be, and what a file may leave out.

Six keys make a substrate: ``classes``, ``symbols``, ``colours``, ``row``, ``map``, and ``name`` if it is not that of the file. The
defaults are the numbers of Melting Pot's repeated prisoner's dilemma; without ``bots`` there is one for each class, which
always plays it.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, Literal

from msgspec import Meta, field

from otherminds.core.errors import StudyError
from otherminds.core.text import hint, quote_name
from otherminds.core.toml_places import Place
from otherminds.games.registry import partners
from otherminds.gridworlds.grid.rules import View
from otherminds.gridworlds.grid.substrate_file import MOST_PLAYERS, Form, Sheet, read_sheet

COLOURS = (
    *("yellow", "purple", "blue", "green", "red"),
    *("darkred", "darkgreen", "darkblue", "skyblue", "salmon"),
)
"""The colours of resources that there are sprites of, in the order of the sprites."""
WALL, CHANCE, FLOOR = "W", "a", " "
"""Characters of a map: a wall, a resource of a class that chance draws, and floor (inside) or void (outside)."""

SIDES = ("row", "column")
MOST_CELLS = 2_500
"""Cells of a map. Distances and windows are tables of the square of that."""

Number = int | float
Count = Annotated[int, Meta(ge=0)]
Positive = Annotated[int, Meta(ge=1)]
Chance = Annotated[float, Meta(ge=0, le=1)]
Players = Annotated[int, Meta(ge=2, le=MOST_PLAYERS)]
Row = Annotated[tuple[Number, ...], Meta(min_length=2)]
Payoffs = Annotated[tuple[Row, ...], Meta(min_length=2)]


class ViewForm(Form, frozen=True, kw_only=True):
    """The window of a seat, in cells to its left, right, forward and backward."""

    left: Count = 2
    right: Count = 2
    forward: Count = 3
    backward: Count = 1

    @property
    def window(self) -> View:
        """The window as the rules have it."""
        return View(self.left, self.right, self.forward, self.backward)


class EndingForm(Form, frozen=True, kw_only=True):
    """When an episode ends: with probability ``chance`` every ``interval`` steps from ``minimum`` on, and at ``maximum``.

    With ``first_duel`` it also ends once a duel was paid.
    """

    chance: Chance = 0.1
    minimum: Count = 1000
    interval: Positive = 100
    maximum: Positive = 5000
    first_duel: bool = False


class BotForm(Form, frozen=True, kw_only=True):
    """A bot: a partner family of :mod:`otherminds.games`, and the margin by which it raises each class.

    In ``params`` the name of a class stands for its number. ``margins`` is one number for all classes, or one for each.
    """

    family: str
    params: dict[str, Any] = field(default_factory=dict[str, Any])
    margins: Positive | tuple[Positive, ...] = 5
    gullible: bool = False


class ScenarioForm(Form, frozen=True, kw_only=True):
    """A numbered scenario: the ``bots`` that the others are drawn from, and what these ``do``, in words.

    The first ``focal`` seats are under test. ``players`` and ``roles`` are those of the substrate if they are left out.
    """

    do: str
    bots: Annotated[tuple[str, ...], Meta(min_length=1)]
    focal: Positive = 1
    players: Players | None = None
    roles: tuple[Literal["row", "column"], ...] = ()


class MatrixForm(Form, frozen=True, kw_only=True):
    """The file of one substrate; :class:`~otherminds.gridworlds.in_the_matrix.rules.Rules` says what each number means."""

    name: Annotated[str, Meta(pattern=r"^[a-z][a-z0-9_-]*$")] = ""
    map: str
    spawn: Annotated[str, Meta(min_length=1, max_length=1)] = "P"
    symbols: str
    classes: Annotated[tuple[str, ...], Meta(min_length=2)]
    colours: tuple[str, ...]
    row: Payoffs
    column: Payoffs | None = None
    players: Players = 2
    view: ViewForm = ViewForm()
    looks: Literal["alike", "roles", "readable", "palette"] = "alike"
    roles: tuple[Literal["row", "column"], ...] = ()
    random_ties: bool = False
    regrowth: Chance = 0.02
    delay: Count = 10
    respawn: Count = 5
    refill: bool = True
    freeze: Count = 16
    cooldown: Count = 2
    health: Positive = 3
    ending: EndingForm = EndingForm()
    bounds: tuple[Number, ...] = ()
    bots: dict[str, BotForm] = field(default_factory=dict[str, BotForm])
    scenarios: tuple[ScenarioForm, ...] = ()


def read_form(path: Path) -> Sheet[MatrixForm]:
    """The file at ``path``, checked.

    Raises:
        StudyError: it is no such file; the text names the file, the line and what was expected.
    """
    sheet = read_sheet(path, MatrixForm)
    for error in _list_faults(sheet):
        raise error
    return sheet


def _list_faults(sheet: Sheet[MatrixForm]) -> Iterator[StudyError]:
    form = sheet.content
    kinds = len(form.classes)
    for key, needed in (("symbols", form.symbols), ("colours", form.colours)):
        if len(needed) != kinds:
            yield sheet.fault((key,), f"{key} must be {kinds}, one for each of classes, not {len(needed)}")
    for number, colour in enumerate(form.colours):
        if colour not in COLOURS:
            text = f"there is no sprite of colour {quote_name(colour)}{hint(colour, COLOURS)}"
            yield sheet.fault(("colours", number), text)
    for number, name in enumerate(form.classes):
        if not name.isprintable() or not name or name != " ".join(name.split()):
            text = f"a class is named by words with single spaces between them, not {quote_name(name)}"
            yield sheet.fault(("classes", number), text)
    for key, several in (("classes", form.classes), ("symbols", form.symbols)):
        if len({*several}) < len(several):
            yield sheet.fault((key,), f"{key} must differ from each other")
    for key, matrix in (("row", form.row), ("column", form.column)):
        if matrix and (len(matrix) != kinds or any(len(line) != kinds for line in matrix)):
            yield sheet.fault(
                (key,), f"{key} must be {kinds} lists of {kinds} payoffs, one for each of classes"
            )
    if form.roles and len(form.roles) != form.players:
        yield sheet.fault(("roles",), f"roles must be {form.players}, one for each of the players")
    if bool(form.roles) != (form.looks == "roles"):
        yield sheet.fault(("looks",), 'looks must be "roles" where players have roles, and only there')
    yield from _list_map_faults(sheet)
    if form.ending.minimum > form.ending.maximum:
        text = f"minimum must be at most maximum, {form.ending.maximum}, not {form.ending.minimum}"
        yield sheet.fault(("ending", "minimum"), text)
    if list(form.bounds) != sorted(form.bounds) or len(form.bounds) > 4:
        yield sheet.fault(("bounds",), "bounds must be at most 4 numbers in ascending order")
    for name, bot in form.bots.items():
        yield from _list_bot_faults(sheet, name, bot)
    for number, scenario in enumerate(form.scenarios):
        players = scenario.players or form.players
        if scenario.focal >= players:
            text = f"focal must be below {players}, the number of players, so that a seat is left for a bot"
            yield sheet.fault(("scenarios", number, "focal"), text)
        if scenario.roles and (len(scenario.roles) != players or not form.roles):
            text = f"roles must be {players}, one for each of the players, where the substrate has roles too"
            yield sheet.fault(("scenarios", number, "roles"), text)
        for bot in scenario.bots:
            if bot not in form.bots:
                place: Place = ("scenarios", number, "bots")
                yield sheet.fault(place, f"there is no bot {quote_name(bot)}{hint(bot, form.bots)}")


def _list_map_faults(sheet: Sheet[MatrixForm]) -> Iterator[StudyError]:
    form = sheet.content
    allowed = WALL + CHANCE + FLOOR + form.spawn + form.symbols
    if len({*allowed}) < len(allowed):
        text = f"symbols and spawn must differ from each other, and from {WALL!r}, {CHANCE!r} and {FLOOR!r}"
        yield sheet.fault(("symbols",), text)
    yield from sheet.list_size_faults(form.map, MOST_CELLS, form.view.window)
    yield from sheet.list_map_faults(form.map, allowed)


def _list_bot_faults(sheet: Sheet[MatrixForm], name: str, bot: BotForm) -> Iterator[StudyError]:
    kinds = len(sheet.content.classes)
    if bot.family not in partners:
        text = f"there is no partner family {quote_name(bot.family)}{hint(bot.family, partners)}"
        yield sheet.fault(("bots", name, "family"), text)
    if isinstance(bot.margins, tuple) and len(bot.margins) != kinds:
        yield sheet.fault(
            ("bots", name, "margins"), f"margins must be one number, or {kinds}, one for each of classes"
        )
