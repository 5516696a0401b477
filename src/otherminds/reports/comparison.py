"""Two runs compared: paired differences of the same scenarios, partners and seeds."""

from __future__ import annotations

from pathlib import Path

import msgspec
from msgspec import Struct, structs

from otherminds.core.display import text_table
from otherminds.core.errors import StudyError
from otherminds.measures.comparing import Difference, compare
from otherminds.measures.episode import Episode, Key, grouped, summarise
from otherminds.measures.references import referred
from otherminds.reports.sheets import FEW_MARK, fixed, marked
from otherminds.studies.plan import StudyPlan, ego
from otherminds.studies.run_dir import results

NAMES = {"functional": "F", "literal": "L"}


class Comparison(Struct, frozen=True):
    """Every difference between two runs; ``models`` are the names of the language models of each."""

    models: tuple[str, str]
    differences: tuple[Difference, ...]

    def __repr__(self) -> str:
        return as_text(self)


def comparison(first: Path, second: Path) -> Comparison:
    """Compares the runs in two folders.

    Minds are matched by name and parameters, without their model; those without a language model are left
    out if any has one.

    Raises:
        StudyError: a folder holds no run, or the two have no cell in common.
    """
    ours, theirs = _cells(first), _cells(second)
    found = compare(ours[1], theirs[1])
    if not found:
        raise StudyError(
            f"{first} and {second} have no scenario with the same mind in common; evaluate both models in one suite"
        )
    return Comparison((ours[0], theirs[0]), tuple(found))


def as_text(one: Comparison) -> str:
    """The differences as a table, and what is sure."""
    first, second = one.models
    rows = [
        (
            found.scenario,
            found.mind,
            NAMES.get(found.score, found.score),
            marked(found.by) if found.by.mean is not None else f"–  {found.by.reason}",
            "–" if found.by.low is None else f"{fixed(found.by.low)} to {fixed(found.by.high)}",
            f"{found.pairs} of {max(found.episodes)}",
            "sure" if found.sure else "estimated" if found.estimated else "",
        )
        for found in one.differences
    ]
    heads = ("scenario", "mind", "score", "difference", "95 % interval", "pairs", "")
    return (
        f"{first} − {second}\n{text_table(heads, rows)}\n"
        f"Paired by partner and seed, over episodes that both scored. {FEW_MARK}: fewer than ten pairs. sure: not 0, corrected for the number of rows "
        "(Holm, 95 %)."
    )


def as_json(one: Comparison) -> str:
    """The comparison as one line of JSON."""
    return msgspec.json.encode(one).decode()


def _cells(folder: Path) -> tuple[str, dict[Key, list[Episode]]]:
    """The models of a run, and its episodes by scenario and mind without the model."""
    plan, records = results(folder)
    models, names = _minds(plan)
    cells = referred(grouped(plan.cells(), map(summarise, records)))
    return ", ".join(models) or str(folder), {
        (key[0], names[key]): list(episodes) for key, episodes in cells.items() if key in names
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
