"""The sides of a comparison: the runs in folders, or minds of one run, each with a name and its episodes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from msgspec import Struct, structs

from otherminds.core.encoding import encode
from otherminds.core.errors import StudyError
from otherminds.core.record import EpisodeSpec, Record
from otherminds.core.text import escape_bytes, hint, quote_name, shell_command
from otherminds.measures.episode import Episode, Key, group_by_cell, summarise
from otherminds.studies.plan import StudyPlan, ego
from otherminds.studies.run_dir import results


class Contender(Struct, frozen=True):
    """One side: a name, and its episodes by scenario and mind, with what makes each cell what it is beside the mind."""

    name: str
    cells: dict[Key, list[Episode]]
    settings: dict[Key, bytes]


def read_runs(folders: Sequence[Path]) -> list[Contender]:
    """The runs in ``folders``, called by their models, or by their folders where models are the same.

    Minds are matched by name and parameters, without their model; those without a language model are left
    out if any has one. Where each run has one mind only, they are matched.

    Raises:
        StudyError: a folder holds no run, or has several models with the same mind, of which none can be meant.
    """
    sides = [_contender(*results(folder), folder) for folder in folders]
    minds = [sorted({mind for _, mind in side.cells}) for side in sides]
    if len({*map(tuple, minds)}) > 1 and all(len(names) == 1 for names in minds):
        sides = [_alone(side, names[0]) for side, names in zip(sides, minds, strict=True)]
    if len({side.name for side in sides}) < len(sides):
        sides = [
            structs.replace(side, name=escape_bytes(str(folder)))
            for side, folder in zip(sides, folders, strict=True)
        ]
    return sides


def read_minds(folder: Path, minds: Sequence[str] = ()) -> list[Contender]:
    """Minds of one run, by their names in its report; all of them by default.

    Raises:
        StudyError: the folder holds no run, it has no such mind, or one is named twice.
    """
    plan, records = results(folder)
    names = list(dict.fromkeys(mind for _, mind in plan.cells()))
    for n, mind in enumerate(minds):
        if mind not in names:
            raise StudyError(f"{folder}: has no mind {quote_name(mind)}{hint(mind, names)}")
        if mind in minds[:n]:
            raise StudyError(f"{folder}: the mind {quote_name(mind)} is named twice")
    settings = _settings(plan.episodes)
    cells = group_by_cell(plan.cells(), map(summarise, records))
    return [
        Contender(
            mind,
            {(key[0], ""): list(episodes) for key, episodes in cells.items() if key[1] == mind},
            {(key[0], ""): own for key, own in settings.items() if key[1] == mind},
        )
        for mind in minds or names
    ]


def list_common_cells(contenders: Sequence[Contender]) -> list[Key]:
    """The cells in which all played the same.

    Raises:
        StudyError: there is none; the text says whether scenarios or their settings differ.
    """
    first, *others = contenders
    common = [key for key in first.cells if all(key in other.cells for other in others)]
    same = [key for key in common if all(first.settings[key] == other.settings[key] for other in others)]
    if not same:
        which = " and ".join(
            filter(None, (", ".join(side.name for side in contenders[:-1]), contenders[-1].name))
        )
        raise StudyError(
            f"{which} have no scenario with the same mind in common; evaluate {'both' if len(others) == 1 else 'all'} models in one suite"
            if not common
            else f"{which} have no scenario with the same settings in common: rounds or options differ in {common[0][0]}"
        )
    return same


def _contender(plan: StudyPlan, records: Iterable[Record], folder: Path) -> Contender:
    """A run as one side, called by its models.

    Raises:
        StudyError: it has several models with the same mind, of which none can be meant.
    """
    models, names = _minds(plan)
    if len({(key[0], name) for key, name in names.items()}) < len(names):
        raise StudyError(
            f"{folder}: has several models ({', '.join(models)}); compare its minds: {shell_command('compare', folder)}"
        )
    cells = group_by_cell(plan.cells(), map(summarise, records))
    settings = _settings(plan.episodes)
    return Contender(
        ", ".join(models) or escape_bytes(str(folder)),
        {(key[0], names[key]): list(episodes) for key, episodes in cells.items() if key in names},
        {
            (key[0], names[key]): scenario_settings
            for key, scenario_settings in settings.items()
            if key in names
        },
    )


def _alone(contender: Contender, mind: str) -> Contender:
    """A side with one ``mind``, which is matched with that of the other side whatever it is."""
    return Contender(
        f"{mind} ({contender.name})",
        {(scenario, ""): episodes for (scenario, _), episodes in contender.cells.items()},
        {
            (scenario, ""): scenario_settings
            for (scenario, _), scenario_settings in contender.settings.items()
        },
    )


def _settings(episodes: Iterable[EpisodeSpec]) -> Mapping[Key, bytes]:
    """What must be equal in two cells for their episodes to be comparable: the scenario with its options."""
    return {
        (spec.title, ego(spec).title): encode((spec.scenario, spec.options, spec.ask)) for spec in episodes
    }


def _minds(plan: StudyPlan) -> tuple[list[str], dict[Key, str]]:
    """The models, and each cell's mind without its model: of language minds only, if there are any."""
    seats = {(spec.title, ego(spec).title): ego(spec) for spec in plan.episodes}
    models = list(dict.fromkeys(seat.model for seat in seats.values() if seat.model))
    return models, {
        key: structs.replace(seat, model="", label="").called
        for key, seat in seats.items()
        if seat.model or not models
    }
