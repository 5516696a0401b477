"""Tables over episodes: what minds cost, reward against cost (per 1,200 steps), and sweeps of a parameter."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from msgspec import Struct

from otherminds.core.encoding import encode
from otherminds.core.record import SeatSpec
from otherminds.measures.cost import Cost, EpisodeCost, Spread, spread
from otherminds.measures.returns import per_1200
from otherminds.reports.episodes import substrate
from otherminds.reports.findings import Findings
from otherminds.reports.overview import PER_1200, PER_EPISODE
from otherminds.reports.sections import mark, marks
from otherminds.reports.sheets import (
    BREAK,
    HEADS,
    HYPHEN,
    Pair,
    Row,
    Sheet,
    fixed,
    grouped_by,
    percent,
    spread_pair,
    trim_sheet,
)

Amount: TypeAlias = Callable[[EpisodeCost], float | None]
METRICS: dict[str, Amount] = {
    "model calls": lambda run: run.calls,
    "tokens read": lambda run: run.usage.prompt,
    "tokens written": lambda run: run.usage.completion,
    "US dollars": lambda run: run.money,
}
MEANING = (
    "Of all recorded episodes, scored or not. Below: model calls an episode; tokens read that were cached; "
    "seconds a call. Seconds are wall-clock means: episodes side by side wait for each other. Re-asks: calls "
    "that asked for the same thing again. Answers that were kept from earlier calls count as if asked for, episodes that were played again once."
)

READERS = (
    "Lenient %, strict: the share of replies to a question or a choice in which each reader finds an answer, "
    "whichever of both decided."
)
GUESSED = "Some {} are estimated from the bytes sent and read, from above, because a server stated no tokens or too few"


def cost_sheet(findings: Findings) -> Sheet | None:
    """A row for each mind and one for all; ``None`` where no cost is known."""
    if not findings.total.calls and findings.total.seconds is None:
        return None
    dollars = ("US\ndollars",) if findings.priced else ()
    tokens = ("tokens read,\ncached", "tokens\nwritten", *dollars)
    readers = ("lenient %,\nstrict",) if findings.total.lenient is not None else ()
    heads = (
        f"epi{HYPHEN}sodes",
        "calls,\nan episode",
        *tokens,
        "seconds,\na call",
        f"re-{BREAK}asks %",
        *readers,
    )
    fallen = {cell.mind for cell in findings.cells if cell.about.marked}
    rows = [((mark(mind, mind in fallen),), _row(cost, findings)) for mind, cost in findings.by_mind.items()]
    if len(rows) > 1:
        rows.append((("in all",), _row(findings.total, findings)))
    notes = [MEANING, *([READERS] if readers else []), *marks(bool(fallen))]
    unpriced = [mind for mind, cost in findings.by_mind.items() if cost.calls and cost.money is None]
    if findings.priced and unpriced:
        notes.append(f"No price was given for the model of {', '.join(unpriced)}.")
    if guessed := {mind: cost.estimated for mind, cost in findings.by_mind.items() if cost.estimated}:
        shares = ", ".join(f"{percent(share)} % of {mind}" for mind, share in guessed.items())
        notes.append(f"{GUESSED.format('dollars' if findings.priced else 'tokens')}: {shares}.")
    sheet = Sheet("what it took", ("mind", *heads, HEADS["invalid %"]), tuple(rows), tuple(notes))
    # Who gives prices looks for dollars, even where no model was called.
    return sheet if findings.priced else trim_sheet(sheet)


def _row(cost: Cost, findings: Findings) -> tuple[Pair, ...]:
    usage = cost.usage
    called = bool(cost.calls)
    return (
        (f"{cost.episodes:,}", ""),
        (f"{cost.calls:,}", _brief(cost.calls_an_episode) if called else ""),
        (f"{usage.prompt:,}" if called else "–", f"{usage.cached:,}" if called else ""),
        (f"{usage.completion:,}" if called else "–", ""),
        *([(_brief(cost.money, 4, 2), "")] if findings.priced else []),
        (_brief(cost.seconds), _brief(cost.call_seconds) if called else ""),
        (percent(cost.reasks), ""),
        *([(percent(cost.lenient), percent(cost.strict))] if findings.total.lenient is not None else []),
        (percent(cost.invalid), ""),
    )


def _brief(number: float | None, below: int = 3, above: int = 1) -> str:
    """A number with more decimals below 1 than above."""
    return fixed(number, below if number is not None and number < 1 else above)


def spending_sheet(runs: Sequence[EpisodeCost]) -> Sheet | None:
    """Reward against cost: a row for each family of scenarios and mind."""
    measured = metrics(runs)
    rows: list[Row] = []
    for family, of_family in families(runs).items():
        for mind, mine in grouped_by(of_family, lambda run: run.mind).items():
            spent = (
                spread_pair(spread(numbers(mine, METRICS[name])), 2 if name == "US dollars" else 0)
                for name in measured
            )
            reward = spread_pair(spread(numbers(mine, lambda run: run.reward)))
            names = (family, mark(mind, any(run.marked for run in mine)))
            rows.append((names, (*spent, reward, (str(len(mine)), ""))))
    heads = ("scenarios", "mind", *(f"{name} per 1,200 steps" for name in measured), PER_1200, "n")
    note = "Means over all episodes of all scenarios of a family, taken together."
    notes = (note, *marks(any(run.marked for run in runs)))
    return Sheet("cost against reward", heads, tuple(rows), notes) if rows else None


def families(runs: Sequence[EpisodeCost]) -> dict[str, list[EpisodeCost]]:
    """The runs by family of scenarios, for families in which a model was called and rewards are per step."""
    by_family = grouped_by(runs, lambda run: substrate(run.scenario))
    return {
        family: of_family
        for family, of_family in by_family.items()
        if any(run.calls and run.steps for run in of_family)
    }


def metrics(runs: Sequence[EpisodeCost]) -> list[str]:
    """The metrics that are not zero; dollars only where prices are known."""
    return [name for name, amount in METRICS.items() if any(amount(run) for run in runs)]


def numbers(runs: Sequence[EpisodeCost], amount: Amount) -> list[float]:
    """Amounts per 1,200 steps, of the runs that have one."""
    rates = [per_1200(amount(run), run.steps) for run in runs]
    return [number for number in rates if number is not None]


FEWEST = 3
"""The least number of values of a swept parameter."""
POOLED = "means are over all episodes, taken together,"


class Point(Struct, frozen=True):
    """One value of the parameter, with the rewards of its episodes; ``marked``: some have many fallbacks."""

    value: float
    per_1200: Spread
    per_episode: Spread
    marked: bool = False


class Sweep(Struct, frozen=True):
    """One mind under several values of ``parameter``, in the scenarios of one family."""

    parameter: str
    family: str
    mind: str
    scenarios: tuple[str, ...]
    points: tuple[Point, ...]


def sweeps(runs: Sequence[EpisodeCost]) -> list[Sweep]:
    """The sweeps of a run: minds that differ in one number only, with at least three values."""
    groups: dict[tuple[str, str, bytes], dict[float, list[EpisodeCost]]] = {}
    titles: dict[bytes, str] = {}
    for run in runs:
        for name, value in run.who.params.items():
            if isinstance(value, bool) or not isinstance(value, int | float):
                continue
            others = {k: v for k, v in run.who.params.items() if k != name}
            same_mind = SeatSpec(run.who.mind, others, run.who.model)
            key = (name, substrate(run.scenario), encode(same_mind))
            groups.setdefault(key, {}).setdefault(float(value), []).append(run)
            titles[key[2]] = same_mind.title
    swept = {key: by_value for key, by_value in groups.items() if len(by_value) >= FEWEST}
    curves = [_sweep(key, titles[key[2]], by_value) for key, by_value in swept.items()]
    return [sweep for sweep in curves if sweep.points]


def sweep_sheet(sweeps: Sequence[Sweep]) -> Sheet | None:
    """A row for each value of each sweep; ``None`` without sweeps."""
    rows: list[Row] = []
    for sweep in sweeps:
        for point in sweep.points:
            names = (sweep.parameter, sweep.family, sweep.mind, mark(f"{point.value:g}", point.marked))
            rewards = spread_pair(point.per_episode), spread_pair(point.per_1200)
            rows.append((names, (*rewards, (str(point.per_1200.n), ""))))
    fallen = any(point.marked for sweep in sweeps for point in sweep.points)
    heads = ("parameter", "scenarios", "mind", "value", PER_EPISODE, PER_1200, "n")
    pooling = [f"{s.parameter}, {s.mind}: {POOLED} of {', '.join(s.scenarios)}." for s in sweeps]
    return Sheet("sweeps", heads, tuple(rows), (*dict.fromkeys(pooling), *marks(fallen))) if rows else None


def _sweep(key: tuple[str, str, bytes], title: str, by_value: dict[float, list[EpisodeCost]]) -> Sweep:
    """The curve over the scenarios that every value was played in."""
    played = [{run.scenario for run in of_value} for of_value in by_value.values()]
    shared = set[str].intersection(*played)
    points: list[Point] = []
    for value, of_value in sorted(by_value.items()):
        compared = [run for run in of_value if run.scenario in shared]
        normalised = spread([run.normalised for run in compared if run.normalised is not None])
        plain = spread([run.reward for run in compared])
        if normalised is not None and plain is not None:
            points.append(Point(value, normalised, plain, any(run.marked for run in compared)))
    return Sweep(key[0], key[1], title, tuple(sorted(shared)), tuple(points))
