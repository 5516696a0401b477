"""Tables of authored pools, beside those of the paper (Juneja et al. 2026, tables 7 and 9, figures 2a and 3)."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean

from otherminds.household.authoring.accounts import (
    PoolAccount,
    acceptance,
    cost,
    cumulative,
    overall,
    pass_rates,
    refusals,
    unsound,
)
from otherminds.household.authoring.authored_pool import failed_by_majority
from otherminds.measures.intervals import Estimate, share_of
from otherminds.reports.sheets import NONE, Pair, Row, Sheet, fixed, interval, percent

PAPER = "paper: Juneja et al. 2026"
POINTS = 10
"""Rows of the table of the cumulative yield, at most."""
RATE = "A task counts by its share of solved runs; the interval (Wilson) is over tasks."
PAPER_ABLATIONS = (
    ("full pipeline", "", "26.7"),
    ("without baseline calibration", "51", ""),
    ("without seed examples", "50", ""),
    ("without secret check", "", "43.5"),
)
"""Table 9: the ablation, the failure rate and the average pass rate, in %."""
ABLATIONS = (
    "failure rate: of the tasks that attempts added, those that fail the calibration or a deciding verdict of the "
    "verifier, which are reported also where they decide nothing.",
    "accepted: attempts whose task was kept. The paper's 50 % without seed examples is a share of attempts, its 51 % a "
    "share of tasks.",
    f"pass rate: of all targets, on the tasks that attempts added. {RATE}",
    f"{PAPER}, table 9.",
)


def generations_sheet(pool: PoolAccount) -> Sheet:
    """The tasks of each generation: their number, parents, depth, and how many the targets failed."""
    failed = failed_by_majority(pool.results)
    rows: list[Row] = []
    for number in sorted({*pool.generations.values()}):
        members = [origin for origin in pool.provenance.values() if origin.generation == number]
        failures = [failed[origin.task_id] for origin in members if origin.task_id in failed]
        authors = ", ".join(sorted({origin.author for origin in members}))
        numbers = (
            str(len(members)),
            fixed(fmean(len(origin.parents) for origin in members), 1),
            fixed(fmean(origin.depth for origin in members), 2),
            str(sum(origin.category == "mixed" for origin in members)),
            f"{sum(failures)}/{len(failures)}" if failures else "–",
        )
        rows.append(((str(number), authors), tuple((text, "") for text in numbers)))
    heads = ("generation", "author", "tasks", "parents", "depth", "mixed", "failed by majority")
    notes = (
        "Generation 0 is what the pool started with. parents: seed tasks that the author was shown, mean. "
        "failed by majority: tasks of which more than half of all runs of all targets failed, of those with results.",
    )
    return Sheet("generations", heads, tuple(rows), notes)


def acceptance_sheet(pool: PoolAccount) -> Sheet:
    """The attempts that passed each stage, and how often tools refused a task there."""
    counts, refused = acceptance(pool.attempts), refusals(pool.attempts)
    total, before = counts["attempts"], counts["attempts"]
    rows: list[Row] = []
    for name, count in counts.items():
        shares = percent(count / total if total else None), percent(count / before if before else None)
        rows.append(((name,), ((str(count), ""), *((share, "") for share in shares))))
        before = count
    words = ", ".join(f"{name} {count}" for name, count in refused.items()) or "none"
    notes = (f"Each attempt counts by its last task. Refusals of tools on the way, all attempts: {words}.",)
    return Sheet("acceptance", ("stage", "attempts", "% of all", "% of those before"), tuple(rows), notes)


def cost_sheet(pool: PoolAccount) -> Sheet:
    """Money and time by attempt and by kept task, beside table 7."""
    costs, counts = cost(pool.attempts), acceptance(pool.attempts)
    seconds = costs.seconds
    time = duration(fmean(seconds)) if seconds else "–"
    span = f"{duration(min(seconds))} to {duration(max(seconds))}" if seconds else ""
    each = costs.seconds_per_kept
    tokens = f"{costs.spent.prompt + costs.spent.completion:,}"
    rows: tuple[Row, ...] = (
        (("US dollars an attempt",), (_money(costs.dollars_per(costs.attempts)), ("0.52", ""))),
        (
            ("US dollars a task that passes generation",),
            (_money(costs.dollars_per(counts["calibrated"])), ("0.74", "")),
        ),
        (("US dollars a kept task",), (_money(costs.dollars_per(costs.kept)), ("9.70", ""))),
        (("wall-clock an attempt",), ((time, span), ("13 min", "6 to 40 min"))),
        (
            ("wall-clock a kept task, one attempt at a time",),
            ((duration(each) if each else "–", ""), ("1 to 2 h", "")),
        ),
        (
            ("attempts a kept task",),
            ((fixed(costs.attempts / costs.kept if costs.kept else None, 1), ""), ("about 13", "")),
        ),
        (("calls of models, all attempts",), ((f"{costs.spent.calls:,}", ""), NONE)),
        (("tokens, all attempts",), ((tokens, ""), NONE)),
    )
    notes = (
        "–: not known, or there is no such task; without a price of a model its dollars are not known. "
        "A task passes generation here with the calibration; only a duplicate is refused after it.",
        f"{PAPER}, table 7 and its text, whose numbers are rounded: by the costs there are 9.70 / 0.52 = 19 attempts a "
        "kept task, not 13, and 0.52 / 0.74 = 70 % of attempts pass generation.",
    )
    return Sheet("cost", ("measure", "this pool", "paper"), rows, notes)


def pass_rate_sheet(pool: PoolAccount) -> Sheet:
    """The pass rate of each target by generation, with its interval (figure 2a)."""
    rates = pass_rates(pool.results, pool.generations)
    numbers = sorted({number for by_generation in rates.values() for number in by_generation})
    rows: tuple[Row, ...] = tuple(
        ((str(number),), tuple(_rate(by_generation.get(number)) for by_generation in rates.values()))
        for number in numbers
    )
    return Sheet("pass rate of targets, %", ("generation", *rates), rows, (RATE,))


def yield_sheet(pool: PoolAccount) -> Sheet:
    """The tasks kept after at most :data:`POINTS` numbers of attempts (figure 3)."""
    yields = cumulative(pool.attempts)
    places = sorted({-(-len(yields) * k // POINTS) for k in range(1, POINTS + 1)} - {0})
    rows: tuple[Row, ...] = tuple(((str(place),), ((str(yields[place - 1]), ""),)) for place in places)
    return Sheet("cumulative yield", ("after attempts", "tasks kept"), rows, ("As figure 3.",))


def ablation_sheet(pools: Sequence[PoolAccount]) -> Sheet:
    """A row for each pool, then those of table 9."""
    rows: list[Row] = []
    for pool in pools:
        added = [task for task in pool.tasks if pool.provenance[task.entry.task_id].attempt]
        bad = sum(unsound(task.entry, pool.provenance[task.entry.task_id]) for task in added)
        counts = acceptance(pool.attempts)
        numbers = (
            (str(len(added)), ""),
            _rate(share_of(bad, len(added))),
            _rate(share_of(counts["kept"], counts["attempts"])),
            _rate(overall(pool.results, pool.written)),
        )
        rows.append(((pool.name,), numbers))
    ours = len(rows)
    rows += [
        ((f"paper: {name}",), (NONE, (failures or "–", ""), NONE, (rate or "–", "")))
        for name, failures, rate in PAPER_ABLATIONS
    ]
    heads = ("ablation", "tasks", "failure rate %", "accepted %", "average pass rate %")
    return Sheet("ablations", heads, tuple(rows), ABLATIONS, paper=frozenset(range(ours, len(rows))))


def _rate(estimate: Estimate | None) -> Pair:
    if estimate is None or estimate.mean is None:
        return NONE
    percentage = estimate.per(0.01)
    return fixed(percentage.mean, 1), interval(percentage, 1)


def duration(seconds: float) -> str:
    """A wall-clock time with its unit.

    >>> duration(2.34), duration(780), duration(9000)
    ('2.3 s', '13.0 min', '2.5 h')
    """
    if seconds < 60:
        return f"{seconds:.1f} s"
    return f"{seconds / 60:.1f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"


def _money(dollars: float | None) -> Pair:
    return fixed(dollars, 2 if not dollars or dollars >= 0.1 else 4), ""
