"""The numbers and the notes of a table in the paper's layout, as text."""

from __future__ import annotations

from collections.abc import Sequence

from otherminds.matrix.reports.layouts import INCOMPLETE, Layout, TableEntry, TableLine, unique
from otherminds.matrix.reports.matching import action_names, reads_names
from otherminds.matrix.reports.paper import misprints
from otherminds.measures.cells import Cell
from otherminds.reports.sections import mind_notes, of_planned
from otherminds.reports.sheets import Pair, Sheet, fixed

ROUNDS = 100
"""The number of rounds of an episode in the paper."""
PRINTED = "paper"
"""Replaces the number of episodes in printed rows."""
FEW = 6
"""Longer lists of names are replaced by their number."""
CONVENTION = (
    f"Rows marked “{PRINTED}” are as printed; the others are this run, computed by the convention of the printed tables "
    "(the report without --layout uses the true definitions). ±: half of the 95 % interval; for this run by "
    "Student's t, stratified by partner."
)


def number(entry: TableEntry | None) -> Pair:
    """A number with its mark, and half the width of its interval; empty without a number."""
    if entry is None:
        return "", ""
    half = "" if entry.half_width is None else f"±{fixed(entry.half_width, entry.digits)}"
    memory = f"({entry.memory})" if entry.memory else ""
    return f"{entry.mark}{fixed(entry.value, entry.digits)}", " ".join(filter(None, (half, memory)))


def episodes(line: TableLine) -> str:
    """The number of episodes of a row, with the planned number if they differ."""
    return ", ".join(unique(map(of_planned, line.cells))) or PRINTED


def layout_sheet(shown: Layout, cells: Sequence[Cell]) -> Sheet:
    """The table; ``cells`` are all of the run's, as for :func:`layout_notes`."""
    lines = (*shown.lines, *shown.others)
    return Sheet(
        shown.caption,
        (*shown.heads, *shown.columns, "n"),
        tuple((line.names, (*map(number, line.entries), (episodes(line), ""))) for line in lines),
        tuple(layout_notes(shown, cells)),
        inline=True,
        paper=frozenset(i for i, line in enumerate(lines) if not line.cells),
        rule=len(shown.lines) if shown.others else None,
    )


def layout_notes(shown: Layout, cells: Sequence[Cell]) -> list[str]:
    """The notes; ``cells`` are all of the run's, including those without a place in the table."""
    notes = [CONVENTION, *misprints(shown.rows)]
    if any(cell.scored < cell.planned for cell in shown.cells):
        notes.append(f"{INCOMPLETE} not every planned episode was scored; the number is of those that were.")
    return [
        *notes,
        *_best_of(shown),
        *_names(shown),
        *_lengths(shown),
        *_unknown(shown),
        *_absent(shown, cells),
        *unique(f"{caution}." for cell in shown.cells for caution in cell.about.cautions),
        *mind_notes(shown.cells),
    ]


def _best_of(shown: Layout) -> list[str]:
    notes: list[str] = []
    for mind in shown.minds:
        sizes = sorted({size for found in mind.cells.values() for size in found.sizes})
        if sizes:
            notes.append(
                f"{mind.title}: the best of the memory sizes {', '.join(sizes)} by Δ_Functional/T in each game, "
                "as the paper reports it; that size is in brackets. The best of several is also the luckiest."
            )
    return notes


def _names(shown: Layout) -> list[str]:
    """Notes where the run has other action names than the paper."""
    notes: list[str] = []
    for (game, _), names in shown.names.items():
        readers = [cell for cell in shown.cells if cell.about.game == game and reads_names(cell)]
        others = [name for name in unique(map(action_names, readers)) if name not in names]
        if others:
            ours, theirs = ", ".join(others), " and ".join(sorted(names))
            notes.append(f"{game.upper()}: this run's action names are {ours}, the paper's are {theirs}.")
    return unique(notes)


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
    return [f"–: {', '.join(unique(minds))}: {reason}." for reason, minds in found.items()]


def _absent(shown: Layout, cells: Sequence[Cell]) -> list[str]:
    """The scenarios of the run without a place in the table, and the cells without records."""
    placed = {cell.scenario for cell in shown.about(cells)}
    recorded = unique(cell.scenario for cell in cells if cell.about.who)
    others = [name for name in recorded if name not in placed]
    unseen = unique(f"{cell.scenario} ({cell.mind})" for cell in cells if not cell.about.who)
    return [
        f"{told}: {', '.join(names) if len(names) <= FEW else f'{len(names)} {kind} of the run'}."
        for told, names, kind in (
            ("Not in this table", others, "scenarios"),
            ("Nothing recorded yet", unseen, "cells"),
        )
        if names
    ]
