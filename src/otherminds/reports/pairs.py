"""The chapter of a report on pairs of minds."""

from __future__ import annotations

from otherminds.measures.pairs import PairRow, pair_rows
from otherminds.reports.findings import Rows, WorldChapter, world_reports
from otherminds.reports.sheets import NONE, Pair, Row, Sheet, fixed, pair, percent

HEADS = (
    "scenario",
    "player",
    "seat",
    "payoff",
    "L raw",
    "chance",
    "states",
    "bits",
    "best reply",
    "F fitted",
)
NOTE = (
    "A mind sits in each seat, and its policy is not known: there is no verdict, and no F, L or unused share. Payoff: per round, or "
    "per duel. L raw: share of predictions that were right; chance: that of guesses. The other columns are about automata of at "
    "most 2 states that were fitted to the other's play by exact search. States: the number that predicts held-out episodes best; "
    "bits: log-likelihood of a held-out choice. Best reply: payoff per round of the best reply to the automata that are at least "
    "1/20 as likely as the best one. F fitted: 1 for that payoff, 0 for the best single behaviour; it bounds F only if the other "
    "is such an automaton. –: fewer than two episodes, or the best reply is hardly better than the best single behaviour."
)


def _write_sheets(rows: Rows) -> tuple[Sheet, ...]:
    return (Sheet("pairs of minds", HEADS, tuple(map(_write_row, rows)), (NOTE,)),)


def _write_row(row: PairRow) -> Row:
    fitted = row.fitted
    figures: tuple[Pair, ...] = (NONE,) * 4
    if fitted is not None:
        score = NONE if fitted.score is None else (_format_range(fitted.score), "")
        figures = (
            (str(fitted.states), ""),
            (fixed(fitted.held_out, 2), ""),
            (_format_range(fitted.best_reply), ""),
            score,
        )
    guessed = NONE if row.right.mean is None else (percent(row.chance, 0), "")
    numbers = (pair(row.payoff, 2), pair(row.right, 2), guessed, *figures)
    return (row.scenario, row.player, row.seat), numbers


def _format_range(ends: tuple[float, float]) -> str:
    return " to ".join(dict.fromkeys(fixed(end, 2) for end in ends))


world_reports.add("pairs", WorldChapter("Pairs of minds", pair_rows, _write_sheets, frozenset))
