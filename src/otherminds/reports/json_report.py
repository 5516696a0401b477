"""A report for programs: a JSON list with one object for each cell."""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from typing import Any

import msgspec

from otherminds.measures.cells import COLUMNS, Cell
from otherminds.measures.certainty import sure
from otherminds.measures.cost import Cost
from otherminds.measures.curves import Band, Curve
from otherminds.measures.episode import Key
from otherminds.measures.intervals import Estimate
from otherminds.measures.registry import NOT_APPLYING
from otherminds.reports.findings import Findings
from otherminds.reports.layout_words import layout_notes
from otherminds.reports.layouts import Line, layout
from otherminds.reports.matching import action_names
from otherminds.reports.sections import accounting

PROFILE = ("best_before", "best_after")
ESTIMATES = tuple(name for name in COLUMNS if name not in PROFILE)
DECIMALS = 6
"""Of the numbers of a curve."""


def as_json(found: Findings) -> str:
    """The cells in their order; a number that is not known is null.

    Each has ``scenario``, ``mind``, ``planned``, ``scored``, ``invalid``,
    ``failed``; the estimates that apply in its world (``mean``, ``low``, ``high``, and a ``reason``
    where one of them is null); ``invalid_share`` and ``reward``; ``sure``: whether it surely leaves
    unused what it knows, corrected for the number of cells; ``estimated``: whether an end of its
    scores is what reference minds did; then

    - ``game``, ``partners`` (kinds), ``names`` (the set of action names), ``model``,
      ``grants``, ``decodings`` (how replies came about, in words), ``cautions`` (what must be said
      beside the numbers), ``marked`` (episodes in which more than a fifth of requests ended in a fallback),
      ``scaffolds`` (whose words the prompts of minds that reason in steps are made of);
    - ``best_before``, ``best_after``: estimates of the share of best responses
      before, and from, the first correct prediction;
    - ``cost``: ``episodes`` (recorded), ``calls``, ``calls_an_episode``,
      ``prompt_tokens``, ``cached_tokens`` (of these), ``completion_tokens``,
      ``dollars``, ``seconds_an_episode``, ``seconds_a_call``, ``reask_share``,
      ``invalid_share``; sums over cells are those of a mind or of the run;
    - ``curves``: ``regret`` and ``tom_percent``, each null or ``mean``, ``low``,
      ``high``, lists with a number a round, averaged over the five rounds around it
      (fewer at both ends); null where nothing was scored;
    - of a mind that played in the household ``team``, its rows there, one a ``scope``: ``tasks``, ``runs``, ``functional`` and
      ``literal`` (``avg``, ``error``, ``some``: Pass@3, ``every``: Pass^3, in per cent, of ``attempts``),
      ``unknowing``, ``entitled``, ``score``, ``left_out``, ``private``, ``turns``, ``traffic`` (messages, summed over runs), ``patterns`` (runs
      that show each, and those of them that failed);

    and the measures that others added, under their names.
    """
    curves = {(curve.scenario, curve.mind): curve for curve in found.curves}
    certain = {(cell.scenario, cell.mind) for cell in sure(found.cells)}
    plain: list[dict[str, Any]] = []
    for cell in found.cells:
        key = (cell.scenario, cell.mind)
        one = {**_plain(cell, certain), "cost": _cost(found.spent[key]), "curves": _curves(curves.get(key))}
        rows = [msgspec.to_builtins(team) for team in found.teams if team.mind == cell.mind]
        one |= {"team": rows} if rows else {}
        plain.append(one | {name: _estimate(more) for name, more in cell.more.items() if name not in one})
    return _dump(plain)


def layout_as_json(table: int, cells: Sequence[Cell], title: str) -> str:
    """One of the paper's tables with a run in it, as an object.

    ``title`` (of the run), ``table``, ``caption``, ``accounting``, ``heads`` and ``columns`` (names), ``rows``
    and ``notes``. A row has ``source`` (``paper`` or ``run``), ``names`` (one a
    head), ``values`` (one a column, null where there is none) and, of a run,
    ``cells``: ``scenario``, ``mind``, ``scored``, ``planned``. A value has
    ``value``, ``half_width`` (of the 95 % interval), ``mark`` and ``memory``. Rows
    stand in the paper's order, the run's that fit no row of it last.
    """
    shown = layout(table, cells)
    return _dump(
        {
            "title": title,
            "table": table,
            "caption": shown.caption,
            "accounting": accounting(cells),
            "heads": shown.heads,
            "columns": shown.columns,
            "rows": [_row(line) for line in (*shown.lines, *shown.others)],
            "notes": layout_notes(shown, cells),
        }
    )


def _dump(plain: Any) -> str:
    return json.dumps(plain, indent=2, ensure_ascii=False, allow_nan=False)


def _plain(cell: Cell, certain: Collection[Key]) -> dict[str, Any]:
    plain: dict[str, Any] = {
        "scenario": cell.scenario,
        "mind": cell.mind,
        "planned": cell.planned,
        "scored": cell.scored,
        "invalid": cell.invalid,
        "failed": cell.failed,
    }
    estimates = {name: getattr(cell, name) for name in (*ESTIMATES, *PROFILE)}
    plain |= {name: _estimate(one) for name, one in estimates.items() if one.reason != NOT_APPLYING}
    about = cell.about
    return plain | {
        "invalid_share": cell.invalid_share,
        "reward": cell.reward,
        "game": about.game or None,
        "partners": about.partners,
        "names": action_names(cell) if about.game else None,
        "model": about.who.model or None if about.who else None,
        "grants": about.grants,
        "decodings": about.decodings,
        "cautions": about.cautions,
        "marked": about.marked,
        "scaffolds": about.scaffolds,
        "estimated": cell.estimated,
        "sure": (cell.scenario, cell.mind) in certain,
    }


def _estimate(found: Estimate) -> dict[str, float | str | None]:
    plain: dict[str, float | str | None] = {"mean": found.mean, "low": found.low, "high": found.high}
    if found.reason:
        plain["reason"] = found.reason
    return plain


def _cost(cost: Cost) -> dict[str, float | None]:
    return {
        "episodes": cost.episodes,
        "calls": cost.calls,
        "calls_an_episode": cost.calls_an_episode,
        "prompt_tokens": cost.usage.prompt,
        "cached_tokens": cost.usage.cached,
        "completion_tokens": cost.usage.completion,
        "dollars": cost.money,
        "seconds_an_episode": cost.seconds,
        "seconds_a_call": cost.call_seconds,
        "reask_share": cost.reasks,
        "invalid_share": cost.invalid,
    }


def _curves(curve: Curve | None) -> dict[str, dict[str, list[float]] | None] | None:
    return None if curve is None else {"regret": _band(curve.regret), "tom_percent": _band(curve.tom_percent)}


def _band(band: Any) -> dict[str, list[float]] | None:
    if not isinstance(band, Band):
        return None
    return {
        name: [round(number, DECIMALS) for number in getattr(band, name).tolist()]
        for name in ("mean", "low", "high")
    }


def _row(line: Line) -> dict[str, Any]:
    row: dict[str, Any] = {
        "source": "run" if line.cells else "paper",
        "names": line.names,
        "values": [
            entry
            and {
                "value": entry.value,
                "half_width": entry.half_width,
                "mark": entry.mark,
                "memory": entry.memory,
            }
            for entry in line.entries
        ],
    }
    if line.cells:
        row["cells"] = [
            {"scenario": cell.scenario, "mind": cell.mind, "scored": cell.scored, "planned": cell.planned}
            for cell in line.cells
        ]
    return row
