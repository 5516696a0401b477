"""The sentence that opens a report: which mind surely does not use what it says, and how sure that is."""

from __future__ import annotations

from collections.abc import Sequence

from otherminds.measures.cells import Cell, in_question, sure, testable
from otherminds.reports.sheets import fixed, interval

NONE_TESTABLE = (
    "No cell can show whether knowledge of the partner is left unused: that takes both a literal and a "
    "functional score with exact ends. The notes say what is missing."
)
MEANING = (
    "unused: the payoff a round that a mind loses by not acting on its own predictions. "
    "L, the literal score, is what it says: 1 predicts as one who knows the partner, 0 as one who knows "
    "the population but never looks at the partner. F, the functional score, is what it does: 1 plays as "
    "if it knew the partner, 0 as the best plan fixed in advance. The gap is L − F. Below 0 is worse than "
    "not looking."
)


def headline(cells: Sequence[Cell]) -> str:
    """The surest finding in a sentence, with its interval and n; or that nothing is sure.

    It is about language models where the study has any, and about all minds else.
    """
    asked = [cell for cell in in_question(cells) if testable(cell)]
    if not asked:
        return NONE_TESTABLE
    who = "language model" if asked[0].about.who is not None and asked[0].about.who.model else "mind"
    episodes = _episodes(asked)
    found = sure(cells)
    if not found:
        return (
            f"No {who} surely leaves unused what it knows: in none of {len(asked)} cells do the intervals of L and "
            f"of what is left unused both lie above 0, corrected for their number (Holm, 95 %; {episodes} a cell)."
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
            + _planning(top)
        )
    return (
        f"{finding} Sure, corrected for the number of cells (Holm, 95 %), in {len(found)} of {len(asked)} "
        f"cells of {'language models' if who == 'language model' else 'minds'} that can show it."
    )


def _planning(cell: Cell) -> str:
    if cell.foresight.mean is None:
        return ""
    return (
        f" No prediction matters in one round of this game; {fixed(cell.foresight.mean)} a round is lost or "
        "won by planning ahead (foresight)."
    )


def _episodes(cells: Sequence[Cell]) -> str:
    counts = sorted({cell.scored for cell in cells})
    return f"n = {counts[0]}" if len(counts) == 1 else f"n = {counts[0]} to {counts[-1]}"
