"""Tables over all cells: returns, parts of regret, hypotheses, and published rewards."""

from __future__ import annotations

from collections.abc import Sequence

from otherminds.measures.cells import Cell
from otherminds.measures.curves import ValidationWindow
from otherminds.measures.intervals import Estimate
from otherminds.reports.papers import explain_marks, printed_rewards
from otherminds.reports.sections import (
    PARTS,
    estimate,
    keys,
    mark,
    marks,
    models_first,
    name_mind,
    of_planned,
    present,
)
from otherminds.reports.sheets import HEADS, Pair, Row, Sheet, fixed, pair, percent

PER_EPISODE, PER_1200 = "reward per episode", "reward per 1,200 steps"
OVERVIEW = f"{PER_EPISODE}: the mean return."
SEVERAL_LENGTHS = f"Episodes differ in length; “{PER_1200}” corrects for that."
UNUSABLE = "Unusable: model replies that could not be read."
REGRET = (
    "In payoff a round; Δ_Functional/T = unknowable + foresight + mistaken + unused − luck. Unknowable: what could not be "
    "known in advance. Foresight: the gain of planning and exploring over acting on the best prediction. Mistaken: the "
    "cost of wrong predictions. Unused: the loss by not acting on the own prediction; below 0 the mind did better than "
    "its prediction. Luck: mean 0. In gridworlds a round is an encounter, with the payoff of the game's matrix. "
    "Best responses: their share before → from the first correct prediction."
)
THINKING = (
    "For minds that note hypotheses, and validate some or call a model. Fallbacks: per encounter, where no reply was usable. "
    "Validated: encounters with a validated hypothesis. Until: encounters before the first validation, or all of them "
    "without one. Reward per encounter: before → after the first validation. Calls per encounter, without plans: while "
    "no hypothesis is validated → while one is."
)


def overview(cells: Sequence[Cell]) -> Sheet:
    """Returns, scores and unusable replies: a row for each scenario and mind."""
    heads = ("scenario", "mind", PER_EPISODE, PER_1200, "F", "L", "invalid %", "unusable %", "n")
    present_cells = present(group_by_scenario(cells))
    rows = tuple(map(_row, present_cells))
    scaled = [cell for cell in present_cells if _of(cell, "reward_per_1200_steps").mean is not None]
    about = [
        *([SEVERAL_LENGTHS] if any(len(cell.about.rounds) > 1 for cell in scaled) else []),
        *(
            [UNUSABLE]
            if any(_of(cell, "unusable_replies").mean is not None for cell in present_cells)
            else []
        ),
    ]
    notes = (" ".join([OVERVIEW, *about]), *_marks(present_cells))
    return Sheet("returns", heads, rows, notes, cells=keys(present_cells))


def regret_parts(cells: Sequence[Cell]) -> Sheet | None:
    """The parts of regret, and best responses before and after the first right prediction; ``None`` without any."""
    rows: list[Row] = []
    decomposed = [cell for cell in group_by_scenario(cells) if cell.foresight.mean is not None]
    for cell in decomposed:
        parts = tuple(pair(estimate(cell, column), column.digits) for column in PARTS)
        before, after = (fixed(score.mean, 2) for score in (cell.best_before, cell.best_after))
        rows.append(((cell.scenario, name_mind(cell)), (*parts, (f"{before} → {after}", ""))))
    heads = ("scenario", "mind", *(HEADS.get(column.name, column.name) for column in PARTS), "best responses")
    notes = (REGRET, *_marks(cells))
    return (
        Sheet("where regret comes from", heads, tuple(rows), notes, cells=keys(decomposed)) if rows else None
    )


def group_by_scenario(cells: Sequence[Cell]) -> list[Cell]:
    """Cells by scenario, in the order in which scenarios first come; language models first in each."""
    order = {name: i for i, name in enumerate(dict.fromkeys(cell.scenario for cell in cells))}
    return sorted(models_first(cells), key=lambda cell: order[cell.scenario])


def thinking(cells: Sequence[Cell]) -> Sheet | None:
    """Validation of hypotheses, for the minds that noted some; ``None`` if none did."""
    measured = ("validated_share", "calls_while_not_validated")
    noting = [cell for cell in cells if any(_of(cell, name).mean is not None for name in measured)]
    counts = ("unusable %", "fallbacks", "validated %", "until")
    heads = ("scenario", "mind", *counts, "reward, before → after", "calls, before → after")
    rows = tuple(_thinking_row(cell) for cell in noting)
    notes = (THINKING, *_marks(noting))
    return Sheet("hypotheses", heads, rows, notes, cells=keys(noting)) if rows else None


def around(windows: Sequence[ValidationWindow]) -> Sheet | None:
    """Rewards around the first validation, as in the figure; ``None`` without notes of hypotheses."""
    if not windows:
        return None
    offsets = tuple(f"{offset:+d}".replace("-", "−") for offset in windows[0].offsets)
    rows: list[Row] = []
    for window in windows:
        numbers = (
            (f"{window.validated} of {window.streams}", ""),
            *(pair(point, 2) for point in window.rewards),
        )
        rows.append(((window.scenario, mark(window.mind, window.marked)), numbers))
    note = "Validated: the number of tracks (a partner in an episode) with a validated hypothesis, of all."
    notes = (note, *marks(any(window.marked for window in windows)))
    heads = ("scenario", "mind", "validated", *offsets)
    return Sheet("around the first validation", heads, tuple(rows), notes)


def print_published(scenarios: Sequence[str]) -> list[Sheet]:
    """The published rewards of the scenarios, a table for each paper that has some."""
    sheets: list[Sheet] = []
    for rewards in map(printed_rewards.get, printed_rewards):
        lines = {name: line for name in dict.fromkeys(scenarios) if (line := rewards.select_row(name))}
        if lines:
            heads = ("scenario", "there", *rewards.methods)
            rows = tuple(((name, *line.names), line.pairs) for name, line in lines.items())
            notes = (rewards.note, *explain_marks(lines.values()))
            sheets.append(Sheet("published, not comparable", heads, rows, notes, half=rewards.half))
    return sheets


def _marks(cells: Sequence[Cell]) -> tuple[str, ...]:
    return marks(any(cell.about.marked for cell in cells))


def _row(cell: Cell) -> Row:
    return (cell.scenario, name_mind(cell)), (
        pair(_of(cell, "reward_per_episode"), 1),
        pair(_of(cell, "reward_per_1200_steps"), 1),
        pair(cell.functional, 2),
        pair(cell.literal, 2),
        (percent(cell.invalid_share), ""),
        (percent(_of(cell, "unusable_replies").mean), ""),
        (of_planned(cell), ""),
    )


def _thinking_row(cell: Cell) -> Row:
    def change(before: str, after: str, digits: int) -> Pair:
        return f"{fixed(_of(cell, before).mean, digits)} → {fixed(_of(cell, after).mean, digits)}", ""

    return (cell.scenario, name_mind(cell)), (
        (percent(_of(cell, "unusable_replies").mean), ""),
        (fixed(_of(cell, "fallbacks_an_encounter").mean, 2), ""),
        (percent(_of(cell, "validated_share").mean, 0), ""),
        pair(_of(cell, "encounters_until_validation"), 1),
        change("reward_before_validation", "reward_after_validation", 2),
        change("calls_while_not_validated", "calls_while_validated", 1),
    )


def _of(cell: Cell, name: str) -> Estimate:
    return cell.more.get(name, Estimate(None))
