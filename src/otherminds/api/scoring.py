"""Results: ``score`` for one mind in one scenario, ``report`` for a whole run."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from math import isnan, nan
from pathlib import Path
from typing import TypeAlias

from otherminds.api import public
from otherminds.core.errors import StudyError
from otherminds.core.model import Price
from otherminds.core.record import OUTCOMES, Record
from otherminds.core.text import html_table, text_table
from otherminds.measures.basis import SCORES
from otherminds.measures.cells import COLUMNS, Cell, tabulate
from otherminds.measures.cost import Cost
from otherminds.measures.episode import Key
from otherminds.measures.intervals import Estimate
from otherminds.measures.registry import NOT_APPLYING, ego
from otherminds.measures.verdict import Verdict
from otherminds.reports.findings import findings, findings_of
from otherminds.studies.access import kept_prices
from otherminds.studies.run_dir import played as recorded

LETTERS = {"functional": "functional (F)", "literal": "literal (L)"}
COUNTS = ("planned", *OUTCOMES, "missing")
COST_COLUMNS = (
    *("strict_share", "lenient_share", "calls", "prompt_tokens", "cached_tokens", "completion_tokens"),
    *("dollars", "seconds_an_episode"),
)
"""Those of :class:`~otherminds.measures.cost.Took` that a row has."""
Value: TypeAlias = str | int | float | bool


@dataclass(frozen=True, repr=False, eq=False)
class Score(Mapping[str, Estimate]):
    """The scores of one mind in one scenario, by name, each with its 95 % interval.

    ``score["functional"]`` is F, ``score["literal"]`` L and ``score["gap"]`` their difference;
    ``unknowable``, ``foresight``, ``mistaken``, ``unused`` and ``luck`` are the parts of the
    regret; the other measures that apply in the world follow (see Measures in the documentation). Each is an
    `Estimate`; where its ``mean`` is ``None`` or it has no interval, its ``reason`` says why.

    Attributes:
        scenario: The name of the scenario.
        mind: The name of the mind.
        episodes: The number of records.
        scored: How many of them were scored; estimates are over these.
        returns: The mean return of a scored episode, ``None`` without any.
        repeated: How many records were given once more; each counts once.
    """

    scenario: str
    mind: str
    episodes: int
    scored: int
    returns: float | None
    estimates: Mapping[str, Estimate]
    repeated: int = 0

    def __getitem__(self, name: str) -> Estimate:
        return self.estimates[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.estimates)

    def __len__(self) -> int:
        return len(self.estimates)

    def __repr__(self) -> str:
        return "\n".join((self._title(), text_table(*self._table()), *reasons(self)))

    def _repr_html_(self) -> str:
        return html_table(self._title(), *self._table(), reasons(self))

    def _title(self) -> str:
        mean = "" if self.returns is None else f", mean return {self.returns:g}"
        played = f"{self.scored} of {self.episodes} episodes scored"
        again = f" ({self.repeated} given more than once, and counted once)" if self.repeated else ""
        return f"Score of {self.mind} in {self.scenario}: {played}{mean}{again}"

    def _table(self) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
        rows = [
            (LETTERS.get(name, name), _number(estimate.mean), _interval(estimate))
            for name, estimate in self.items()
        ]
        return ("measure", "mean", "95 % interval"), rows


class Report(list[dict[str, Value]]):
    """Rows of a table: one flat mapping for each scenario and mind, all with the same keys.

    ``pandas.DataFrame(rows)`` and ``polars.DataFrame(rows)`` take it as it is. A measure
    ``name`` has the columns ``name``, ``name_low`` and ``name_high`` (the 95 % interval). A
    number that is not known, or does not apply in a world, is NaN, so that every column has one
    type; ``reasons`` says why. ``verdict`` is what the episodes of the row show, from ``settled_literal`` (L in
    informative rounds of the second half) and ``unused_share``, whose intervals are one-sided 95 % bounds.

    Attributes:
        verdicts: One `Verdict` for each mind, over all of its scenarios; language models first. ``sentence``
            says it in one sentence.
    """

    def __init__(self, rows: Iterable[dict[str, Value]], verdicts: tuple[Verdict, ...] = ()) -> None:
        super().__init__(rows)
        self.verdicts = verdicts

    def __repr__(self) -> str:
        return text_table(*self._table())

    def _repr_html_(self) -> str:
        notes = dict.fromkeys(str(row["reasons"]) for row in self if row["reasons"])
        return html_table(f"{len(self)} rows", *self._table(), tuple(notes))

    def _table(self) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
        shown = ("scenario", "mind", "planned", "scored", "reward", "unused", "literal", "functional", "gap")
        columns = tuple(name for name in shown if all(name in row for row in self))  # scores that apply here
        return columns, [tuple(_number(row[name]) for name in columns) for row in self]


@public
def score(records: Record | Iterable[Record]) -> Score:
    """Scores one record, or the records of one mind in one scenario.

    One episode seldom has F and L: they are means over the population that the scenario refers
    to, and one episode meets one of its members. The score then says which ones are missing.
    Play the scenario with as many seeds as its population needs, or run a study.

    Args:
        records: A record, or records of one mind in one scenario. Of equal records (equal ``hash``) one counts.

    Raises:
        StudyError: there is no record, or they are of several scenarios or minds.

    Examples:
        >>> import otherminds as om
        >>> one = om.score(om.play("rps-mixed-v1", "nash", options={"rounds": 10}))
        >>> one["functional"].mean is None
        True
    """
    given = [records] if isinstance(records, Record) else list(records)
    played = list({record.hash: record for record in given}.values())
    if not played:
        raise StudyError("there is no record to score")
    cell, *others = tabulate(_count_cells(played), played)
    if others:
        names = ", ".join(f"{cell.mind} in {cell.scenario}" for cell in (cell, *others))
        raise StudyError(f"the records are of {names}; score them one by one, or give them to report")
    return Score(
        cell.scenario,
        cell.mind,
        len(played),
        cell.scored,
        cell.reward,
        _estimates(cell),
        len(given) - len(played),
    )


@public
def report(
    source: str | os.PathLike[str] | Iterable[Record], prices: Mapping[str, Price] | None = None
) -> Report:
    """The table of a run, computed anew from its records. No model is called.

    Args:
        source: The output folder of a run, or records.
        prices: US dollars for a million tokens, by model. Those of the run, if not given.

    Returns:
        The verdicts (``.verdicts``), and a row for each scenario and mind: the number of episodes by outcome, the mean return
        (``reward``), the estimates of every measure, and what the model calls took.

    Raises:
        StudyError: the folder holds no study.
    """
    if isinstance(source, str | os.PathLike):
        folder = Path(source)
        plan, episodes = recorded(folder)
        timed = ((episode.record, episode.timing) for episode in episodes)
        run_findings = findings_of(plan.cells(), timed, prices or kept_prices(folder), curves=False)
    else:
        played = list(source)
        run_findings = findings(_count_cells(played), played, prices or {}, {}, curves=False)
    by_cell = [_estimates(cell) for cell in run_findings.cells]
    names = tuple(dict.fromkeys(name for estimates in by_cell for name in estimates))
    return Report(
        (
            _row(cell, run_findings.spent[cell.scenario, cell.mind]) | _columns(estimates, names)
            for cell, estimates in zip(run_findings.cells, by_cell, strict=True)
        ),
        run_findings.verdicts,
    )


def reasons(estimates: Mapping[str, Estimate]) -> tuple[str, ...]:
    """Why numbers or intervals are missing: one sentence for each reason, after the names it holds for."""
    by_reason: dict[str, list[str]] = {}
    for name, estimate in estimates.items():
        if estimate.reason:
            by_reason.setdefault(estimate.reason, []).append(name)
    most = max(by_reason, key=lambda reason: len(by_reason[reason]), default="")
    if by_reason and sum(map(len, by_reason.values())) == len(estimates):
        by_reason[most] = ["all others"] if len(by_reason) > 1 else ["all"]
    listed = sorted(by_reason, key=lambda reason: reason == most)
    return tuple(f"{', '.join(by_reason[reason])}: {reason}." for reason in listed)


def _count_cells(records: Iterable[Record]) -> dict[Key, int]:
    return Counter((record.spec.title, record.spec.seats[ego(record)].title) for record in records)


def _estimates(cell: Cell) -> dict[str, Estimate]:
    """The estimates that apply in the world of a cell: the scores first."""
    candidates = {name: getattr(cell, name) for name in dict.fromkeys((*SCORES, *COLUMNS))} | cell.more
    return {name: estimate for name, estimate in candidates.items() if estimate.reason != NOT_APPLYING}


def _row(cell: Cell, cost: Cost) -> dict[str, Value]:
    about, took = cell.about, cost.took
    return {
        "scenario": cell.scenario,
        "mind": cell.mind,
        "model": about.who.model if about.who else "",
        "game": about.game,
        "partners": ", ".join(about.partners),
        "grants": ", ".join(about.grants),
        **{name: getattr(cell, name) for name in COUNTS},
        "reward": _number_or_nan(cell.reward),
        "invalid_share": _number_or_nan(cell.invalid_share),
        **{name: nan if (value := getattr(took, name)) is None else value for name in COST_COLUMNS},
        "verdict": cell.verdict.words,
        **_bound_columns("unused_share", cell.verdict.unused),
        **_bound_columns("settled_literal", cell.verdict.literal),
        "estimated": cell.estimated,
    }


def _columns(estimates: Mapping[str, Estimate], names: Iterable[str]) -> dict[str, Value]:
    row: dict[str, Value] = {"reasons": " ".join(reasons(estimates))}
    for name in names:
        row |= _bound_columns(name, estimates.get(name, Estimate(None)))
    return row


def _bound_columns(name: str, estimate: Estimate) -> dict[str, Value]:
    return {
        name: _number_or_nan(estimate.mean),
        f"{name}_low": _number_or_nan(estimate.low),
        f"{name}_high": _number_or_nan(estimate.high),
    }


def _number_or_nan(number: float | None) -> float:
    return nan if number is None else float(number)


def _number(value: Value | None) -> str:
    if isinstance(value, float):
        return "–" if isnan(value) else f"{value:.3f}"
    return "–" if value is None else str(value)


def _interval(estimate: Estimate) -> str:
    return (
        "–" if estimate.low is None or estimate.high is None else f"{estimate.low:.3f} to {estimate.high:.3f}"
    )
