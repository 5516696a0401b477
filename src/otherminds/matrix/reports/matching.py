"""Matches the minds of a run with the printed rows of the paper."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias

from msgspec import Struct

from otherminds.core.record import SeatSpec
from otherminds.matrix.names import SETS
from otherminds.matrix.published import TABULAR
from otherminds.measures.cells import Cell
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
