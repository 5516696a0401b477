"""Can table 2 of Juneja et al. 2026 be recomputed, and does it bear out what the paper says of it?

Every printed cell is checked against its definition and against the others
(:func:`doubts`); then the sentences that quote the table.
"""

from __future__ import annotations

import sys

from common import arguments, finish, show
from msgspec import Struct

from otherminds.household.measures.passes import RUNS, TASKS, PublishedPass, published, standard_error

HALF = 0.05 + 1e-9
"""Half a unit of the last printed digit."""


def main() -> None:
    options = arguments(__doc__).parse_args()
    rows = published()
    found = doubts(rows)
    shown = [
        (f"{row.split}, {row.measure}", row.model, *recomputed(row)) for row in rows if row.scope == "overall"
    ]
    show(
        f"{len(rows)} printed cells; here the overall ones, from the counts behind them",
        ("split, measure", "model", "runs of 120", "Avg ± SE", "printed", "Pass@3", "Pass^3"),
        shown,
    )
    print(
        "\n".join(found)
        or f"{len(rows)} of {len(rows)} cells agree with their definitions and with one another"
    )
    figures = sentences(rows)
    for text, number in figures.items():
        print(f"{number:g}  {text}")
    finish(options, {"doubts": len(found), **figures})
    sys.exit(bool(found))


def recomputed(row: PublishedPass) -> tuple[str, ...]:
    """The columns of one cell as they follow from whole numbers of runs and tasks."""
    known, tasks = counts(row), TASKS[row.scope]
    if known is None:
        return ("-",) * 5
    rate = known.runs / (RUNS * tasks)
    return (
        str(known.runs),
        f"{100 * rate:.1f} ± {standard_error(rate, RUNS * tasks):.1f}",
        f"{row.avg} ± {row.error}",
        f"{100 * known.some / tasks:.1f}",
        f"{100 * known.every / tasks:.1f}",
    )


def sentences(rows: tuple[PublishedPass, ...]) -> dict[str, float]:
    """Numbers that the paper's text takes from the table, taken from it again."""

    def averages(split: str, measure: str) -> dict[str, float]:
        found = {
            r.model: counts(r) for r in rows if (r.split, r.scope, r.measure) == (split, "overall", measure)
        }
        return {model: 100 * known.runs / 120 for model, known in found.items() if known}

    literal, hard, standard = (
        averages("hard", "literal"),
        averages("hard", "functional"),
        averages("standard", "functional"),
    )
    easier = averages("standard", "literal")
    every = [r.every for r in rows if (r.split, r.scope, r.measure) == ("hard", "overall", "functional")]
    return {
        "models with functional Pass^3 of 0 on the hard split (text: 7)": sum(not number for number in every),
        "mean literal Avg on the hard split (abstract and section 6: 45.0)": round(
            sum(literal.values()) / 7, 2
        ),
        "highest literal Avg on the hard split (section 1: 'up to 45.0')": round(max(literal.values()), 1),
        "models whose functional Avg falls from standard to hard": sum(hard[m] < standard[m] for m in hard),
        "models whose functional Avg stays or rises": sum(hard[m] >= standard[m] for m in hard),
        "models whose literal Avg rises from standard to hard": sum(literal[m] > easier[m] for m in literal),
        "models whose literal Avg exceeds their functional Avg, standard": sum(
            easier[m] > standard[m] for m in easier
        ),
        "models whose literal Avg exceeds their functional Avg, hard": sum(
            literal[m] > hard[m] for m in literal
        ),
    }


class Counts(Struct, frozen=True):
    """The counts of a printed cell: passed runs, and tasks that passed in some run and in all runs."""

    runs: int
    some: int
    every: int


def counts(row: PublishedPass) -> Counts | None:
    """The unique counts that round to the printed numbers; ``None`` if there are none."""
    tasks = TASKS[row.scope]
    found = [_count(row.avg, RUNS * tasks), _count(row.some, tasks), _count(row.every, tasks)]
    runs, some, every = found
    return None if runs is None or some is None or every is None else Counts(runs, some, every)


def doubts(rows: tuple[PublishedPass, ...]) -> list[str]:
    """All contradictions of printed cells to their definitions or to one another.

    The standard error follows from the average and the number of runs; of m tasks that pass in some run, e of
    them in every one, there come m + 2e to 2m + e runs that pass; cooperative and mixed add up to overall.
    """
    found: list[str] = []
    sums: dict[tuple[str, str, str], dict[str, Counts]] = {}
    for row in rows:
        where = f"{row.split}, {row.model}, {row.scope}, {row.measure}"
        known = counts(row)
        if known is None:
            found.append(f"{where}: no counts of {TASKS[row.scope]} tasks round to what is printed")
            continue
        attempts = RUNS * TASKS[row.scope]
        error = standard_error(known.runs / attempts, attempts)
        if abs(error - row.error) > HALF:
            found.append(f"{where}: the standard error is {error:.2f}, printed {row.error}")
        if not known.some + 2 * known.every <= known.runs <= 2 * known.some + known.every:
            found.append(
                f"{where}: {known.runs} runs cannot pass {known.some} tasks once and {known.every} always"
            )
        sums.setdefault((row.split, row.model, row.measure), {})[row.scope] = known
    for (split, model, measure), scopes in sums.items():
        if scopes.keys() == TASKS.keys():
            parts = [scopes["coop"], scopes["mixed"]]
            added = Counts(*(sum(getattr(part, name) for part in parts) for name in Counts.__struct_fields__))
            if added != scopes["overall"]:
                found.append(
                    f"{split}, {model}, {measure}: coop and mixed make {added}, overall is {scopes['overall']}"
                )
    return found


def _count(percent: float, of: int) -> int | None:
    near = [k for k in range(of + 1) if abs(100 * k / of - percent) <= HALF]
    return near[0] if len(near) == 1 else None


if __name__ == "__main__":
    main()
