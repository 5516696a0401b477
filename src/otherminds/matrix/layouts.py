"""The paper's tables 1 to 4 and 8 to 10 with their printed rows, and the minds of a run matched with them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Literal, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from otherminds.core.record import SeatSpec
from otherminds.matrix.published import METRICS, TABULAR, Metric, printed_entry, published, select_rows
from otherminds.matrix.words import SETS
from otherminds.measures.cells import Cell
from otherminds.reports.papers import PRINTED, Layout, Paper, TableEntry, TableLine, explain_marks, papers
from otherminds.reports.sections import estimate, mind_notes
from otherminds.reports.sheets import grouped_by

YARDSTICK = "rmax"
"""The mind that the paper prints as its tabular learner."""
REFLEXION = "Reflexion"

Spot: TypeAlias = tuple[str, str]
"""A game and a kind of partner."""


class MatchedCell(Struct, frozen=True):
    """The cell of a mind in one game; ``memory`` if it is the best of ``sizes``."""

    cell: Cell
    memory: str = ""
    sizes: tuple[str, ...] = ()


class NamedMind(Struct, frozen=True):
    """A mind of the run as the paper would name it, with its cells by game and partner.

    ``key`` is its strategy, spelt without case and punctuation.
    """

    title: str
    strategy: str
    model: str
    key: str
    cells: dict[Spot, MatchedCell]


def plain(text: str) -> str:
    """A name without case and punctuation.

    >>> plain("Oracle + Max − History") == plain("oracle_max (history)")
    True
    """
    return "".join(character for character in text.casefold() if character.isalnum())


def named_minds(cells: Sequence[Cell], names: Mapping[Spot, frozenset[str]]) -> list[NamedMind]:
    """The minds of a run that have cells where the paper's table has numbers, in the run's order.

    ``names`` are the table's action names in each game with each partner: of
    cells that differ in the names only, the first with such names is used.
    """
    minds: dict[str, dict[Spot, list[Cell]]] = {}
    for cell in cells:
        spot = (cell.about.game, " and ".join(cell.about.partners))
        if spot in names:
            minds.setdefault(cell.mind, {}).setdefault(spot, []).append(cell)
    return [_match_mind(title, by_spot, names) for title, by_spot in minds.items()]


def best_of_memories(minds: Sequence[NamedMind]) -> list[NamedMind]:
    """``minds`` with all memory sizes of Reflexion under one model combined.

    In each game it is the size with the least Δ_Functional, as the paper reports Reflexion (section 4.1).
    """
    sizes = grouped_by(filter(_memory, minds), lambda mind: mind.model)
    merged: list[NamedMind] = []
    for mind in minds:
        if not _memory(mind):
            merged.append(mind)
        elif mind is sizes[mind.model][0]:
            merged.append(_best(sizes[mind.model]))
    return merged


def fit(mind: NamedMind, model: str, strategy: str) -> int:
    """How well a printed row fits a mind: 0 not at all, 1 by strategy, 2 by model too.

    A row that names no strategy is fitted by its model alone.
    """
    same_model = plain(mind.model) == plain(model)
    if not strategy and same_model:
        return 2
    return 0 if mind.key != plain(strategy or model) else 1 + same_model


def action_names(cell: Cell) -> str:
    """The set of action names that a cell has, its scenario's own where the study names none."""
    return cell.about.names or ("neutral" if cell.about.game in SETS["neutral"] else "canonical")


def reads_names(cell: Cell) -> bool:
    """Whether the action names matter to a mind: a tabular learner reads none."""
    return cell.about.who is not None and bool(cell.about.who.model)


def _match_mind(
    title: str, by_spot: Mapping[Spot, Sequence[Cell]], names: Mapping[Spot, frozenset[str]]
) -> NamedMind:
    chosen = {
        spot: MatchedCell(next((cell for cell in rivals if action_names(cell) in names[spot]), rivals[0]))
        for spot, rivals in by_spot.items()
    }
    who = next(iter(chosen.values())).cell.about.who
    assert who is not None, "a cell with a game has a record"
    if who.label:
        strategy, _, model = title.partition("@")
    else:
        strategy, model = title.replace(f"@{who.model}", "", 1), who.model
    return NamedMind(title, strategy.strip(), model.strip() or who.model, _key(strategy, who), chosen)


def _key(strategy: str, who: SeatSpec) -> str:
    """The strategy that a mind's title names; without a label, what its parameters make of it."""
    if who.mind == YARDSTICK:
        return plain(TABULAR)
    if who.label:
        return plain(strategy)
    left_out = "".join(name for name in ("history", "payoffs") if who.params.get(name) is False)
    memory = who.params.get("memory", "") if plain(who.mind) == plain(REFLEXION) else ""
    return f"{plain(who.mind)}{memory}{left_out}"


def _memory(mind: NamedMind) -> str:
    """The memory size that a mind's key names, if it is one of Reflexion's."""
    size = mind.key.removeprefix(plain(REFLEXION))
    return size if size.isdigit() else ""


def _best(members: Sequence[NamedMind]) -> NamedMind:
    first = members[0]
    if len(members) == 1:
        return NamedMind(first.title, first.strategy, first.model, plain(REFLEXION), first.cells)
    cells: dict[Spot, MatchedCell] = {}
    for spot in dict.fromkeys(spot for mind in members for spot in mind.cells):
        rivals = {_memory(mind): mind.cells[spot].cell for mind in members if spot in mind.cells}
        best = min(rivals, key=lambda size: _regret(rivals[size]))
        cells[spot] = MatchedCell(rivals[best], best, tuple(sorted(rivals)))
    title = f"{REFLEXION}@{first.model}" if first.model else REFLEXION
    return NamedMind(title, REFLEXION, first.model, plain(REFLEXION), cells)


def _regret(cell: Cell) -> float:
    mean = cell.paper_delta_functional.mean
    return float("inf") if mean is None else mean


SOURCE = "Rows of the paper: Riemer et al. 2025, Position: Theory of Mind Benchmarks are Broken for Large Language Models."

Head: TypeAlias = Literal["model", "strategy", "game", "partner"]
HEADS: dict[int, tuple[Head, ...]] = {
    1: ("model",),
    2: ("strategy", "game"),
    3: ("strategy",),
    4: ("model", "game", "partner"),
    8: ("model", "strategy", "game"),
    9: ("model", "strategy", "game"),
    10: ("model", "strategy"),
}
"""The columns that name a row of each table."""
NAMES: dict[Head, str] = {"model": "Model", "strategy": "Prompting", "game": "Game", "partner": "Partner"}
KINDS = {"single": "Single Action", "tit_for_tat": "Tit-For-Tat"}
NO_STRATEGY = "N/A"
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


def fill_table(table: int, cells: Sequence[Cell]) -> Layout:
    """The paper's table with that number, one of :data:`HEADS`, the cells of a run in its columns.

    A cell is placed by its game and its only kind of partner, in the convention of the printed
    numbers (:mod:`otherminds.measures.regret`).
    """
    return _Pivot(table).fill_table(cells)


class _Pivot:
    """One table's printed numbers by row and column.

    A table of one metric has a column for each game, the others one for each metric. ``blocks`` are the games
    and partners that the columns of a row belong to: all of the table's in the first case, one in the second.
    """

    def __init__(self, table: int) -> None:
        self.table = table
        self.heads = HEADS[table]
        self.rows = tuple(row for row in published() if row.table == table)
        self.metrics: list[Metric] = list(dict.fromkeys(row.metric for row in self.rows))
        sets: dict[Spot, set[str]] = {}
        for row in self.rows:
            sets.setdefault((row.game, row.partner), set()).add(row.names)
        self.names = {spot: frozenset(names) for spot, names in sets.items()}
        """The paper's action names in each game with each partner."""
        self.by_game = len(self.metrics) == 1
        self.blocks: list[list[Spot]] = [list(sets)] if self.by_game else [[spot] for spot in sets]

    def fill_table(self, cells: Sequence[Cell]) -> Layout:
        """The layout with the minds of a run, each under the row it fits."""
        minds = named_minds(cells, self.names)
        if any(row.strategy == REFLEXION for row in self.rows):
            minds = best_of_memories(minds)
        lines: list[TableLine] = []
        others: list[TableLine] = []
        for block in self.blocks:
            printed = self._collect_printed(block)
            under: dict[tuple[str, str], list[TableLine]] = {key: [] for key in printed}
            for mind in minds:
                line = self._run_line(mind, block)
                if line is not None:
                    last = max(reversed(printed), key=lambda key, mind=mind: fit(mind, *key))
                    (under[last] if fit(mind, *last) else others).append(line)
            for key, entries in printed.items():
                lines += [TableLine(self._labels(*key, block[0]), entries), *under[key]]
        games, metrics = [game.upper() for game, _ in self.blocks[0]], [METRICS[m].name for m in self.metrics]
        layout = Layout(
            caption=self._caption(),
            heads=tuple(NAMES[head] for head in self.heads),
            columns=tuple(games if self.by_game else metrics),
            lines=tuple(lines),
            others=tuple(others),
            source=SOURCE,
        )
        return replace(layout, notes=tuple(table_notes(layout, minds, self.names, cells)))

    def _caption(self) -> str:
        """The caption: what all numbers of the table have in common."""
        parts = [METRICS[metric].name for metric in self.metrics if self.by_game]
        for head in NAMES:
            values = list(dict.fromkeys(getattr(row, head) for row in self.rows if row.model != TABULAR))
            if head not in self.heads and len(values) == 1 and values[0]:
                parts.append(_spell_name(head, values[0]))
        return ": ".join(filter(None, (f"Table {self.table} of the paper", ", ".join(parts))))

    def _collect_printed(self, block: Sequence[Spot]) -> dict[tuple[str, str], tuple[TableEntry | None, ...]]:
        """The printed numbers of a block by model and strategy, in the paper's order."""
        entries: dict[tuple[str, str], dict[tuple[Spot, Metric], TableEntry]] = {}
        for row in self.rows:
            if (row.game, row.partner) in block:
                numbers = entries.setdefault((row.model, row.strategy), {})
                numbers[(row.game, row.partner), row.metric] = printed_entry(row)
        columns: list[tuple[Spot, Metric]] = [(spot, metric) for spot in block for metric in self.metrics]
        return {key: tuple(numbers.get(column) for column in columns) for key, numbers in entries.items()}

    def _run_line(self, mind: NamedMind, block: Sequence[Spot]) -> TableLine | None:
        """A mind's numbers in a block; ``None`` if it has none."""
        matches = [mind.cells.get(spot) for spot in block]
        available = [match for match in matches if match is not None]
        if not available:
            return None
        sizes = {match.memory for match in available}
        size = sizes.pop() if len(sizes) == 1 else ""  # one size for the whole row is part of its name
        entries = tuple(
            _estimate_entry(match, metric, size_in_name=bool(size)) if match else None
            for match in matches
            for metric in self.metrics
        )
        both = "model" in self.heads and "strategy" in self.heads and mind.model
        title = (mind.strategy if both else mind.title) + (f" ({size})" if size else "")
        names = self._labels(mind.model if both else title, title if both else "", block[0])
        return TableLine(names, entries, tuple(match.cell for match in available))

    def _labels(self, model: str, strategy: str, spot: Spot) -> tuple[str, ...]:
        """The names of a row. An agent without a strategy is named in the first column that the table has."""
        label = strategy or (NO_STRATEGY if "model" in self.heads else model)
        values: dict[Head, str] = {"model": model, "strategy": label, "game": spot[0], "partner": spot[1]}
        return tuple(_spell_name(head, values[head]) for head in self.heads)


def _estimate_entry(match: MatchedCell, metric: Metric, *, size_in_name: bool) -> TableEntry:
    """The run's number for a metric; its memory size is left out where the row's name has it."""
    number = estimate(match.cell, METRICS[metric])
    half = None if number.low is None or number.high is None else (number.high - number.low) / 2
    mark = INCOMPLETE if match.cell.scored < match.cell.planned else ""
    return TableEntry(
        number.mean, half, METRICS[metric].digits, mark, "" if size_in_name else match.memory, number.reason
    )


def _spell_name(head: Head, value: str) -> str:
    """A row's name as the paper spells it."""
    if head == "game":
        return value.upper()
    return KINDS[value] if head == "partner" else value


def table_notes(
    layout: Layout,
    minds: Iterable[NamedMind],
    names: Mapping[Spot, frozenset[str]],
    cells: Sequence[Cell],
) -> list[str]:
    """The notes of a table with the ``minds`` of a run in it.

    ``names`` are the action names of the paper in each game with each partner; ``cells`` are all of the run's,
    including those without a place in the table.
    """
    notes = [CONVENTION, *explain_marks(layout.lines)]
    if any(cell.scored < cell.planned for cell in layout.cells):
        notes.append(f"{INCOMPLETE} not every planned episode was scored; the number is of those that were.")
    return [
        *notes,
        *_best_of(minds),
        *_names(layout, names),
        *_lengths(layout),
        *_unknown(layout),
        *_absent(layout, cells),
        *dict.fromkeys(f"{caution}." for cell in layout.cells for caution in cell.about.cautions),
        *mind_notes(layout.cells),
    ]


def _best_of(minds: Iterable[NamedMind]) -> list[str]:
    return [
        f"{mind.title}: the best of the memory sizes {', '.join(sizes)} by Δ_Functional/T in each game, "
        "as the paper reports it; that size is in brackets. The best of several is also the luckiest."
        for mind in minds
        if (sizes := sorted({size for cell in mind.cells.values() for size in cell.sizes}))
    ]


def _names(layout: Layout, paper: Mapping[Spot, frozenset[str]]) -> list[str]:
    """Notes where the run has other action names than the paper."""
    notes: list[str] = []
    for (game, _), names in paper.items():
        readers = [cell for cell in layout.cells if cell.about.game == game and reads_names(cell)]
        others = [name for name in dict.fromkeys(map(action_names, readers)) if name not in names]
        if others:
            ours, theirs = ", ".join(others), " and ".join(sorted(names))
            notes.append(f"{game.upper()}: this run's action names are {ours}, the paper's are {theirs}.")
    return list(dict.fromkeys(notes))


def _lengths(layout: Layout) -> list[str]:
    lengths = sorted({n for cell in layout.cells for n in cell.about.rounds} - {ROUNDS})
    theirs = f"the paper's {ROUNDS}: early rounds have another weight"
    return [f"Episodes of this run have {', '.join(map(str, lengths))} rounds, {theirs}."] if lengths else []


def _unknown(layout: Layout) -> list[str]:
    """Why numbers of the run are missing."""
    minds_by_reason: dict[str, list[str]] = {}
    for line in (*layout.lines, *layout.others):
        for entry in line.entries:
            if entry is not None and entry.value is None:
                minds_by_reason.setdefault(entry.reason, []).append(line.cells[0].mind)
    return [f"–: {', '.join(dict.fromkeys(minds))}: {reason}." for reason, minds in minds_by_reason.items()]


def _absent(layout: Layout, cells: Sequence[Cell]) -> list[str]:
    """The scenarios of the run without a place in the table, and the cells without records."""
    placed = {cell.scenario for cell in layout.about(cells)}
    recorded = dict.fromkeys(cell.scenario for cell in cells if cell.about.who)
    others = [name for name in recorded if name not in placed]
    unseen = list(dict.fromkeys(f"{cell.scenario} ({cell.mind})" for cell in cells if not cell.about.who))
    return [
        f"{heading}: {', '.join(names) if len(names) <= FEW else f'{len(names)} {kind} of the run'}."
        for heading, names, kind in (
            ("Not in this table", others, "scenarios"),
            ("Nothing recorded yet", unseen, "cells"),
        )
        if names
    ]


papers.add("riemer_2025", Paper(SOURCE, tuple(HEADS), fill_table, select_rows, action_names))
