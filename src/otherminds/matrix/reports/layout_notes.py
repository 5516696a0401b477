"""The notes of a table in the paper's layout."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from otherminds.matrix.reports.matching import NamedMind, Spot, action_names, reads_names
from otherminds.measures.cells import Cell
from otherminds.reports.papers import PRINTED, Layout, explain_marks
from otherminds.reports.sections import mind_notes

ROUNDS = 100
"""The number of rounds of an episode in the paper."""
INCOMPLETE = "‡"
"""Marks numbers of cells with planned episodes that were not scored."""
FEW = 6
"""Longer lists of names are replaced by their number."""
CONVENTION = (
    f"Rows marked “{PRINTED}” are as printed; the others are this run, computed by the convention of the printed tables "
    "(the report without --layout uses the true definitions). ±: half of the 95 % interval; for this run by "
    "Student's t, stratified by partner."
)


def table_notes(
    shown: Layout,
    minds: Iterable[NamedMind],
    names: Mapping[Spot, frozenset[str]],
    cells: Sequence[Cell],
) -> list[str]:
    """The notes of a table with the ``minds`` of a run in it.

    ``names`` are the action names of the paper in each game with each partner; ``cells`` are all of the run's,
    including those without a place in the table.
    """
    notes = [CONVENTION, *explain_marks(shown.lines)]
    if any(cell.scored < cell.planned for cell in shown.cells):
        notes.append(f"{INCOMPLETE} not every planned episode was scored; the number is of those that were.")
    return [
        *notes,
        *_best_of(minds),
        *_names(shown, names),
        *_lengths(shown),
        *_unknown(shown),
        *_absent(shown, cells),
        *dict.fromkeys(f"{caution}." for cell in shown.cells for caution in cell.about.cautions),
        *mind_notes(shown.cells),
    ]


def _best_of(minds: Iterable[NamedMind]) -> list[str]:
    notes: list[str] = []
    for mind in minds:
        sizes = sorted({size for found in mind.cells.values() for size in found.sizes})
        if sizes:
            notes.append(
                f"{mind.title}: the best of the memory sizes {', '.join(sizes)} by Δ_Functional/T in each game, "
                "as the paper reports it; that size is in brackets. The best of several is also the luckiest."
            )
    return notes


def _names(shown: Layout, paper: Mapping[Spot, frozenset[str]]) -> list[str]:
    """Notes where the run has other action names than the paper."""
    notes: list[str] = []
    for (game, _), names in paper.items():
        readers = [cell for cell in shown.cells if cell.about.game == game and reads_names(cell)]
        others = [name for name in dict.fromkeys(map(action_names, readers)) if name not in names]
        if others:
            ours, theirs = ", ".join(others), " and ".join(sorted(names))
            notes.append(f"{game.upper()}: this run's action names are {ours}, the paper's are {theirs}.")
    return list(dict.fromkeys(notes))


def _lengths(shown: Layout) -> list[str]:
    lengths = sorted({n for cell in shown.cells for n in cell.about.rounds} - {ROUNDS})
    theirs = f"the paper's {ROUNDS}: early rounds have another weight"
    return [f"Episodes of this run have {', '.join(map(str, lengths))} rounds, {theirs}."] if lengths else []


def _unknown(shown: Layout) -> list[str]:
    """Why numbers of the run are missing."""
    found: dict[str, list[str]] = {}
    for line in (*shown.lines, *shown.others):
        for entry in line.entries:
            if entry is not None and entry.value is None:
                found.setdefault(entry.reason, []).append(line.cells[0].mind)
    return [f"–: {', '.join(dict.fromkeys(minds))}: {reason}." for reason, minds in found.items()]


def _absent(shown: Layout, cells: Sequence[Cell]) -> list[str]:
    """The scenarios of the run without a place in the table, and the cells without records."""
    placed = {cell.scenario for cell in shown.about(cells)}
    recorded = dict.fromkeys(cell.scenario for cell in cells if cell.about.who)
    others = [name for name in recorded if name not in placed]
    unseen = list(dict.fromkeys(f"{cell.scenario} ({cell.mind})" for cell in cells if not cell.about.who))
    return [
        f"{told}: {', '.join(names) if len(names) <= FEW else f'{len(names)} {kind} of the run'}."
        for told, names, kind in (
            ("Not in this table", others, "scenarios"),
            ("Nothing recorded yet", unseen, "cells"),
        )
        if names
    ]
