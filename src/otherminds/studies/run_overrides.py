"""Arguments of a run that override its study file, and the addresses of models."""

from __future__ import annotations

import re
from collections.abc import Callable
from inspect import signature
from pathlib import Path
from typing import TypeVar

from msgspec import Struct

from otherminds.core.errors import StudyError
from otherminds.core.text import quote_name
from otherminds.core.wording import PACK
from otherminds.minds.language.wording import resolve_pack
from otherminds.minds.registry import minds, strategies
from otherminds.models.registry import identity, shown
from otherminds.studies.file import CellEntry, MindEntry, SeatEntry, StudyFaults, StudyFile

E = TypeVar("E", bound=SeatEntry)
PLACE = "MODEL"
"""The placeholder in a study file for the models of ``--model``."""


class RunOverrides(Struct, frozen=True):
    """Values that override those of the study file.

    ``models`` replace :data:`PLACE`. ``reply_tokens`` is the maximal length of their replies.
    ``minds`` play tasks that are run without a study file. ``splits`` replace the scenarios of a study.
    ``interventions`` are the arms of every cell.
    """

    models: tuple[str, ...] = ()
    rounds: int | None = None
    episodes: int | None = None
    reply_tokens: int | None = None
    minds: tuple[str, ...] = ()
    splits: tuple[str, ...] = ()
    interventions: tuple[str, ...] = ()

    @property
    def playing(self) -> list[str]:
        """``minds``; a prompting strategy without a model has :data:`PLACE` if there are ``models``."""
        return [_map_seats(mind, self._add_place) for mind in self.minds]

    @property
    def specs(self) -> tuple[str, ...]:
        """The models that are named here, as the user wrote them."""
        each = (text for mind in self.minds for text in split_seats(mind).values())
        return (*self.models, *(text.partition("@")[2] for text in each))

    def arguments(self) -> list[str]:
        """The options of ``otherminds run`` that these overrides are; tokens in addresses are left out.

        >>> RunOverrides(("openai:m@https://gateway.example/token-4711/v1",), episodes=3).arguments()
        ['--model', 'openai:m@https://gateway.example/…/v1', '--episodes', '3']
        """
        options = (
            *(("--mind", _map_seats(mind, _shown_mind)) for mind in self.minds),
            *(("--model", shown(model)) for model in self.models),
            *(("--split", split) for split in self.splits),
            *(("--intervention", arm) for arm in self.interventions),
            ("--rounds", self.rounds),
            ("--episodes", self.episodes),
            ("--reply-tokens", self.reply_tokens),
        )
        return [word for name, value in options if value is not None for word in (name, str(value))]

    def _add_place(self, mind: str) -> str:
        ask = bool(self.models) and "@" not in mind and mind in strategies
        return f"{mind}@{PLACE}" if ask else mind


SEAT = re.compile(r"[A-Za-z]\w*=")
"""What begins the mind of one seat in a text."""


def split_seats(text: str) -> dict[str, str]:
    """The minds in ``text`` by seat; a mind without seats has the seat ``""``.

    Raises:
        StudyError: a seat is given twice.

    >>> split_seats("ego=qa@A,partner_0=qa@B"), split_seats("qa@A")
    ({'ego': 'qa@A', 'partner_0': 'qa@B'}, {'': 'qa@A'})
    """
    if not SEAT.match(text):
        return {"": text}
    seats: dict[str, str] = {}
    for part in re.split(rf",(?={SEAT.pattern})", text):
        seat, _, mind = part.partition("=")
        if seat in seats:
            raise StudyError(f"{quote_name(text)}: seat {seat!r} is given twice")
        if not mind:
            raise StudyError(f"{quote_name(text)}: no mind is given for seat {seat!r}")
        seats[seat] = mind
    return seats


def entry_of(entry: str | MindEntry) -> MindEntry:
    """``"rmax"``, ``"lm@smollm2"``, ``"ego=qa@A,partner_0=qa@B"``, or a table.

    Raises:
        StudyError: a seat is given twice.
    """
    if isinstance(entry, MindEntry):
        return entry
    seats = split_seats(entry)
    return _read_entry(entry, MindEntry) if "" in seats else MindEntry(seats={**seats})


def team_of(entry: MindEntry) -> list[SeatEntry]:
    """The entry, and those of the seats that have a mind of their own."""
    seated = (*entry.seats.values(), entry.players)
    return [entry, *(member for members in seated for member in members_of(members))]


def members_of(seated: str | SeatEntry | list[str | SeatEntry]) -> list[SeatEntry]:
    """The minds that play in one seat in turn, each ``"cot@smollm2"`` or a table."""
    entries = seated if isinstance(seated, list) else [seated]
    return [entry if isinstance(entry, SeatEntry) else _read_entry(entry, SeatEntry) for entry in entries]


def _map_seats(text: str, change: Callable[[str], str]) -> str:
    """``text`` with the mind of every seat changed."""
    return ",".join(
        f"{seat}={change(mind)}" if seat else change(mind) for seat, mind in split_seats(text).items()
    )


def _shown_mind(entry: str) -> str:
    mind, at, model = entry.partition("@")
    return f"{mind}{at}{shown(model)}"


def _read_entry(entry: str, kind: type[E]) -> E:
    mind, _, model = entry.partition("@")
    return kind(mind=mind, model=model)


def fill(study: StudyFile, overrides: RunOverrides) -> StudyFile:
    """``study`` with the overrides of a run.

    Raises:
        StudyError: a model is missing, or given and not needed.
    """
    values = {
        "rounds": overrides.rounds,
        "episodes": overrides.episodes,
        "interventions": [*overrides.interventions] or None,
    }
    changed = {name: value for name, value in values.items() if value is not None}
    cells: list[CellEntry] = []
    needed = False
    for cell in study.cells:
        minds: list[MindEntry] = []
        for entry in map(entry_of, cell.minds):
            if all(member.model != PLACE for member in team_of(entry)):
                minds.append(entry)
                continue
            needed = True
            for model in overrides.models:
                label = f"{entry.label}@{identity(model)}" if entry.label else ""
                filled = _each(
                    entry, lambda member, model=model: _fill_member(member, model, overrides.reply_tokens)
                )
                minds.append(filled.model_copy(update={"label": label}))
        if minds:
            cells.append(cell.model_copy(update={"minds": minds, **dict.fromkeys(changed)}))
    if needed and not overrides.models:
        raise StudyError("this study needs a model: add --model, such as --model smollm2")
    if overrides.models and not needed:
        raise StudyError(f"no mind of this study has the model {PLACE}; leave out --model")
    return study.model_copy(update={"cells": cells, **changed})


def split_addresses(study: StudyFile) -> tuple[StudyFile, dict[str, str]]:
    """``study`` with models by name only, and the full specs of those with an address, by name."""
    access: dict[str, str] = {}
    cells: list[CellEntry] = []
    for cell in study.cells:
        minds = [entry_of(entry) for entry in cell.minds]
        for member in (member for entry in minds for member in team_of(entry)):
            name = identity(member.model)
            if access.setdefault(name, member.model) != member.model:
                raise StudyError(
                    f"model {name!r} has two addresses, {shown(access[name])} and {shown(member.model)}; "
                    "name both servers in one, with a comma between their URLs"
                )
        by_name = [_each(entry, _name_model) for entry in minds]
        cells.append(cell.model_copy(update={"minds": by_name}))
    moved = {name: spec for name, spec in access.items() if name != spec}
    return study.model_copy(update={"cells": cells}), moved


def embed_packs(study: StudyFile, folder: Path, faults: StudyFaults) -> StudyFile:
    """``study`` with prompt packs that are files of ``folder`` replaced by their content.

    A file that cannot be read or is no pack is added to ``faults``, and left out.
    """

    def embed_pack(member: SeatEntry, place: str) -> SeatEntry:
        if PACK not in member.params or member.mind not in strategies:
            return member
        params = {key: value for key, value in member.params.items() if key != PACK}
        with faults.at(place):
            params[PACK] = resolve_pack(member.params[PACK], folder)
        return member.model_copy(update={"params": params})

    return _every(study, embed_pack)


def pin_files(study: StudyFile, folder: Path, faults: StudyFaults) -> StudyFile:
    """``study`` with the hashes of the files of ``folder`` that minds play (:meth:`~otherminds.core.contracts.Mind.pinned`).

    The errors of files that cannot be read or are damaged are added to ``faults``.
    """

    def pin_member(member: SeatEntry, place: str) -> SeatEntry:
        pin = getattr(minds.get(member.mind), "pinned", None) if member.mind in minds else None
        params = member.params
        if pin is not None:
            with faults.at(place):
                params = dict(pin(params, folder))
        return member.model_copy(update={"params": params})

    return _every(study, pin_member)


def _every(study: StudyFile, change: Callable[[SeatEntry, str], SeatEntry]) -> StudyFile:
    """``study`` with ``change`` applied to every seat of every mind, with the mind's place in the file."""
    cells: list[CellEntry] = []
    for c, cell in enumerate(study.cells):
        entries = [
            _each(entry_of(entry), lambda member, place=f"cells[{c}].minds[{m}]": change(member, place))
            for m, entry in enumerate(cell.minds)
        ]
        cells.append(cell.model_copy(update={"minds": entries}))
    return study.model_copy(update={"cells": cells})


def _each(entry: MindEntry, change: Callable[[SeatEntry], SeatEntry]) -> MindEntry:
    """``entry`` with ``change`` applied to every seat of its team."""
    seats: dict[str, str | SeatEntry | list[str | SeatEntry]] = {}
    for seat, seated in entry.seats.items():
        members = [change(member) for member in members_of(seated)]
        seats[seat] = [*members] if isinstance(seated, list) else members[0]
    changed, players = change(entry), [change(member) for member in members_of(entry.players)]
    return entry.model_copy(
        update={"model": changed.model, "params": changed.params, "seats": seats, "players": players}
    )


def _fill_member(member: SeatEntry, model: str, tokens: int | None) -> SeatEntry:
    """``member`` with ``model`` in place of the placeholder; ``tokens`` where its strategy has a maximal length."""
    if member.model != PLACE:
        return member
    limited = tokens is not None and "max_tokens" in signature(strategies.get(member.mind)).parameters
    params = {**member.params, "max_tokens": tokens} if limited else member.params
    return member.model_copy(update={"model": model, "params": params})


def _name_model(member: SeatEntry) -> SeatEntry:
    return member.model_copy(update={"model": identity(member.model)})
