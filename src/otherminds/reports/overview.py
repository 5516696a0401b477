"""Tables over all cells and over episodes: returns, parts of regret, hypotheses, published rewards, and costs.

Reward against cost is per 1,200 steps. Sweeps of a parameter have a table of their own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from msgspec import Struct

from otherminds.core.encoding import encode
from otherminds.core.record import SeatSpec
from otherminds.measures.cells import Cell
from otherminds.measures.cost import Cost, EpisodeCost, Spread, per_1200, spread
from otherminds.measures.curves import ValidationWindow
from otherminds.measures.intervals import Estimate
from otherminds.reports.episodes import substrate
from otherminds.reports.findings import Findings
from otherminds.reports.papers import explain_marks, printed_rewards
from otherminds.reports.sections import (
    PARTS,
    estimate,
    keys,
    mark,
    marks,
    models_first,
    name_mind,
    name_score,
    of_planned,
    present,
)
from otherminds.reports.sheets import (
    BREAK,
    HEADS,
    HYPHEN,
    Pair,
    Row,
    Sheet,
    fixed,
    grouped_by,
    pair,
    percent,
    spread_pair,
    trim_sheet,
)

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
    present_cells = present(group_by_scenario(cells))
    scores = (name_score(name, present_cells) for name in ("F", "L"))
    heads = ("scenario", "mind", PER_EPISODE, PER_1200, *scores, "invalid %", "unusable %", "n")
    rows = tuple(map(_cell_row, present_cells))
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


def _cell_row(cell: Cell) -> Row:
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
    rows = [
        ((mark(mind, mind in fallen),), _cost_row(cost, findings)) for mind, cost in findings.by_mind.items()
    ]
    if len(rows) > 1:
        rows.append((("in all",), _cost_row(findings.total, findings)))
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


def _cost_row(cost: Cost, findings: Findings) -> tuple[Pair, ...]:
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
