"""The TOML file of a kitchen: its keys, what each may be, and what a file may leave out.

``map`` and ``cooking`` make a kitchen, with ``name`` if it is not that of the file, and ``players`` if they are not two. The
defaults are the numbers of Melting Pot's *collaborative cooking*; without ``cooks`` and ``scenarios`` they are those of its
kitchens for two.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Literal, TypeAlias

from msgspec import Meta, field

from otherminds.core.errors import StudyError
from otherminds.core.text import hint, quote_name
from otherminds.core.toml_places import Place
from otherminds.gridworlds.grid.rules import View
from otherminds.gridworlds.grid.substrate_file import MOST_PLAYERS, Form, Sheet, read_sheet

CHARACTERS = " #ODTC"
"""How the map draws floor, a counter, a dispenser of tomatoes or of dishes, the place of delivery, a pot, by number."""
SPAWN, VOID = "P", "x"
"""Floor on which an avatar may start, and cells outside of the kitchen, which no avatar can reach."""

Role: TypeAlias = Literal["alone", "supply", "serve", "share"]
"""A division of labour.

``alone`` does everything, as if the partner did nothing. ``supply`` brings tomatoes and ``serve`` soups, and
nothing else. ``share`` does everything too, but from a room that is not for serving it leaves that to its
partner, as long as it is seen done.
"""
ROLES: tuple[Role, ...] = ("alone", "supply", "serve", "share")

MOST_CELLS = 200
"""Cells of a map. Cooks look up the way from each pose to each cell, for each of which a search is made."""
PATIENCE = 2
"""The steps for which cooks wait for somebody who stands in their way, unless their kitchen says otherwise."""

Count = Annotated[int, Meta(ge=0)]
Positive = Annotated[int, Meta(ge=1)]


class ViewForm(Form, frozen=True, kw_only=True):
    """The window of a seat, in cells to its left, right, forward and backward."""

    left: Count = 2
    right: Count = 2
    forward: Positive = 3
    backward: Count = 1

    @property
    def window(self) -> View:
        """The window as the rules have it."""
        return View(self.left, self.right, self.forward, self.backward)


class CookForm(Form, frozen=True, kw_only=True):
    """A scripted cook; :class:`~otherminds.gridworlds.cooking.rules.CookPolicy` says what each number means."""

    serving: Role = "alone"
    supplying: Role = "alone"
    idle: Annotated[float, Meta(ge=0, le=1)] = 0.0
    patience: Positive = PATIENCE


class ScenarioForm(Form, frozen=True, kw_only=True):
    """A numbered scenario: the ``cooks`` that the others are drawn from, what these ``are``, and the seats under test."""

    are: str
    cooks: Annotated[tuple[str, ...], Meta(min_length=1)]
    focal: Positive = 1


BLIND = "blind"
"""The entry of ``best`` for the roles that are best if the partner is unknown."""
IDLE = 0.5  # The share of steps in which an apprentice does nothing
COOKS = {
    "apprentice_0": CookForm(serving="serve", supplying="supply", idle=IDLE),
    "apprentice_1": CookForm(serving="share", supplying="share", idle=IDLE),
    "chef_0": CookForm(serving="serve", supplying="supply"),
    "chef_1": CookForm(serving="share", supplying="share"),
    "noop_bot": CookForm(idle=1.0),
}
"""The stand-ins of kitchens for two, by Melting Pot's names. Those with 0 keep to what their room is for; those with 1
also do what the other leaves undone."""
SCENARIOS = (
    ScenarioForm(are="a skilled chef", cooks=("chef_0", "chef_1")),
    ScenarioForm(are="a semi-skilled apprentice", cooks=("apprentice_0", "apprentice_1")),
    ScenarioForm(are="a partner who does nothing", cooks=("noop_bot",)),
)


class KitchenForm(Form, frozen=True, kw_only=True):
    """The file of one kitchen; :class:`~otherminds.gridworlds.cooking.rules.Rules` says what each number means."""

    name: Annotated[str, Meta(pattern=r"^[a-z][a-z0-9_-]*$")] = ""
    map: str
    players: Annotated[int, Meta(ge=1, le=MOST_PLAYERS)] = 2
    view: ViewForm = ViewForm()
    cooking: Positive
    capacity: Annotated[int, Meta(ge=1, le=3)] = 3
    pay: float = 20.0
    cooldown: Count = 1
    maximum: Positive = 1000
    cooks: dict[str, CookForm] = field(default_factory=lambda: dict(COOKS))
    scenarios: tuple[ScenarioForm, ...] = SCENARIOS
    best: dict[str, tuple[Role, Role]] = field(default_factory=dict[str, tuple[Role, Role]])


def read_form(path: Path) -> Sheet[KitchenForm]:
    """The file at ``path``, checked.

    Raises:
        StudyError: it is no such file; the text names the file, the line and what was expected.
    """
    sheet = read_sheet(path, KitchenForm)
    for error in _list_faults(sheet):
        raise error
    return sheet


def _list_faults(sheet: Sheet[KitchenForm]) -> Iterator[StudyError]:
    form = sheet.content
    yield from sheet.list_size_faults(form.map, MOST_CELLS, form.view.window)
    yield from sheet.list_map_faults(form.map, CHARACTERS + SPAWN + VOID)
    if "noop_bot" in form.cooks and form.cooks["noop_bot"].idle != 1.0:
        yield sheet.fault(("cooks", "noop_bot"), "noop_bot does nothing: its idle must be 1.0")
    if form.best and form.best.keys() != {*form.cooks, BLIND}:
        text = f"best must have an entry for each of cooks, and one for {BLIND!r}"
        yield sheet.fault(("best",), text)
    for number, scenario in enumerate(form.scenarios):
        place: Place = ("scenarios", number)
        for cook in scenario.cooks:
            if cook not in form.cooks:
                text = f"there is no cook {quote_name(cook)}{hint(cook, form.cooks)}"
                yield sheet.fault((*place, "cooks"), text)
        if scenario.focal >= max(form.players, 2):
            text = f"of {form.players} players at most {form.players - 1} can be under test, not {scenario.focal}"
            yield sheet.fault((*place, "focal"), text)
