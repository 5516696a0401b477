"""The parts of a report that concern all scenarios: the headline, and chapters such as returns and costs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypeAlias

from msgspec import Struct

from otherminds.measures.cells import Cell, in_question, sure, testable
from otherminds.measures.intervals import ROUNDING, Estimate
from otherminds.reports.costs import spending_sheet, sweep_sheet, sweeps
from otherminds.reports.findings import Findings, world_reports
from otherminds.reports.overview import around, overview, printed, regret_parts, thinking
from otherminds.reports.sheets import Sheet, fixed, interval, trimmed
from otherminds.reports.wording import wording_sheet

NONE_TESTABLE = (
    "No cell can show whether knowledge of the partner is left unused: that takes both a literal and a "
    "functional score with exact ends. The notes say what is missing."
)
MEANING = (
    "unused: the payoff a round that a mind loses by not acting on its own predictions. "
    "L, the literal score, is what it says: 1 predicts as one who knows the partner, 0 as one who knows "
    "the population but never looks at the partner. F, the functional score, is what it does: 1 plays as "
    "if it knew the partner, 0 as the best plan fixed in advance. The gap is L − F. Below 0 is worse than "
    "not looking. [a, b] is a 95 % interval."
)
FEW = 10
"""Below this number of episodes an interval says too little for a conclusion."""


def headline(cells: Sequence[Cell]) -> str:
    """The most certain finding in a sentence, with its interval and n, or that nothing is sure.

    It concerns language models if the study has any, else all minds.
    """
    asked = [cell for cell in in_question(cells) if testable(cell)]
    if not asked:
        return NONE_TESTABLE
    counts = [cell.scored for cell in asked]
    who = "language model" if asked[0].about.who is not None and asked[0].about.who.model else "mind"
    episodes = " to ".join(map(str, sorted({min(counts), max(counts)})))
    found = sure(cells)
    if not found:
        return (
            f"No {who} surely leaves unused what it knows: in none of {len(asked)} cells do the intervals of L "
            "and of what is left unused both lie above 0, corrected for their number "
            f"(Holm, 95 %; n = {episodes} a cell)."
        )
    top = found[0]
    where = f"in {top.scenario} (n = {top.scored})"
    knows = f"it predicts its partner with L = {fixed(top.literal.mean, 2)} {interval(top.literal, 2)}"
    if top.unused.mean is not None:
        finding = (
            f"“{top.mind}” does not use what it says: {where} {knows} and loses {fixed(top.unused.mean)} a round "
            f"{interval(top.unused)} by not acting on its own predictions."
        )
    else:
        finding = (
            f"“{top.mind}” says more than it does: {where} {knows} and plays with F = "
            f"{fixed(top.functional.mean, 2)}, a gap of {fixed(top.gap.mean, 2)} {interval(top.gap, 2)}."
        )
        if top.foresight.mean is not None:
            finding += (
                f" No prediction matters in one round of this game; {fixed(top.foresight.mean)} a round is lost "
                "or won by planning ahead (foresight)."
            )
    return (
        f"{finding} Sure, corrected for the number of cells (Holm, 95 %), in {len(found)} of {len(asked)} "
        f"cells of {'language models' if who == 'language model' else 'minds'} that can show it."
    )


def in_a_sentence(cell: Cell) -> str:
    """What one mind says and does in one scenario, with n, intervals and what follows from them.

    With fewer than :data:`FEW` scored episodes, or where no interval can be computed, no interval is shown and
    nothing is concluded.
    """
    n, who = cell.scored, f"“{cell.mind}” in {cell.scenario}"
    said, done = cell.literal, cell.functional
    if said.mean is None or done.mean is None:
        why = said.reason or done.reason
        return f"Nothing can be said about {who}: {why} (n = {n} of {cell.planned} episodes)."
    if n < FEW or _width(said) <= ROUNDING or _width(done) <= ROUNDING:
        few = f"n = {n} {'episode is' if n == 1 else 'episodes are'} too few to tell this from chance"
        return f"{who}: what it says scores L = {fixed(said.mean, 2)} and what it does F = {fixed(done.mean, 2)}, but {few}."
    numbers = (
        f"{who}: what it says scores L = {fixed(said.mean, 2)} {interval(said, 2)} and what it does "
        f"F = {fixed(done.mean, 2)} {interval(done, 2)} (n = {n} episodes, 95 % intervals)"
    )
    if said.low is None or said.low <= 0:
        return (
            f"{numbers}; there is no evidence that it predicts its partner better than a predictor that never observes "
            "the partner, so nothing follows about whether it uses what it knows."
        )
    lead, name = cell.lead, "a round" if cell.lead is cell.unused else "as the gap L − F"
    if lead.mean is not None and lead.low is not None and lead.low > 0:
        return (
            f"{numbers}; it predicts its partner better than a predictor that never observes the partner, and leaves "
            f"{fixed(lead.mean)} {interval(lead)} {name} unused."
        )
    return (
        f"{numbers}; it predicts its partner better than a predictor that never observes the partner, and there is no "
        "evidence that it leaves unused what it says."
    )


def _width(found: Estimate) -> float:
    """The width of an interval; 0 without one."""
    return 0.0 if found.low is None or found.high is None else found.high - found.low


Part: TypeAlias = Literal["returns", "worlds", "regret", "validation", "spending", "sweeps", "wording"]
"""The figures of a chapter."""


class Chapter(Struct, frozen=True):
    """``sheets`` are shown with the figures of ``part``; ``wide`` ones on the page only."""

    title: str
    part: Part
    sheets: tuple[Sheet, ...]
    wide: tuple[Sheet, ...] = ()


def chapters(found: Findings) -> list[Chapter]:
    """The chapters that a run has data for, in their order."""
    cells = found.cells
    worlds = [(world_reports.get(name), rows) for name, rows in found.worlds.items()]
    known: tuple[tuple[str, Part, tuple[Sheet | None, ...], tuple[Sheet | None, ...]], ...] = (
        ("Returns", "returns", (overview(cells), printed([cell.scenario for cell in cells])), ()),
        *((world.title, "worlds", world.sheets(rows), ()) for world, rows in worlds),
        ("Where regret comes from", "regret", (regret_parts(cells),), ()),
        ("Hypotheses", "validation", (thinking(cells),), (around(found.around),)),
        ("Cost against reward", "spending", (spending_sheet(found.runs),), ()),
        ("Wording", "wording", (wording_sheet(found.packs),), ()),
        ("Sweeps", "sweeps", (sweep_sheet(sweeps(found.runs)),), ()),
    )
    made = [Chapter(title, part, _known(sheets), _known(wide)) for title, part, sheets, wide in known]
    return [chapter for chapter in made if chapter.sheets]


def arranged(found: Findings) -> tuple[list[Chapter], list[Chapter]]:
    """The chapters before and after the scenarios' tables.

    Chapters of worlds come first, then returns in gridworlds; in matrix games the scenarios come first.
    """
    grid = any("reward_per_1200_steps" in cell.more for cell in found.cells)
    first = "worlds" if found.worlds else "returns" if grid else ""
    made = chapters(found)
    return [one for one in made if one.part == first], [one for one in made if one.part != first]


def _known(sheets: tuple[Sheet | None, ...]) -> tuple[Sheet, ...]:
    return tuple(trimmed(sheet) for sheet in sheets if sheet is not None and sheet.rows)
