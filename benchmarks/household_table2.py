"""Can table 2 of Juneja et al. 2026 be recomputed, and does it bear out what the paper says of it?

Every printed cell is checked against its definition and against the others
(:func:`otherminds.measures.household.published.doubts`); then the sentences that quote the table.
"""

from __future__ import annotations

import sys

from common import arguments, finish, show

from otherminds.measures.household.passes import RUNS, standard_error
from otherminds.measures.household.published import TASKS, PublishedPass, counts, doubts, published


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


if __name__ == "__main__":
    main()
