"""The result of an evaluation in one line of JSON, and as text."""

from __future__ import annotations

from pathlib import Path

import msgspec
from msgspec import Struct

from otherminds.core.errors import StudyError
from otherminds.core.record import OUTCOMES
from otherminds.measures.cells import Cell, in_question
from otherminds.measures.decomposition import TERMS
from otherminds.measures.intervals import Estimate, together
from otherminds.reports.chapters import headline
from otherminds.reports.findings import Findings
from otherminds.reports.sections import silences
from otherminds.reports.sheets import ENDS, FEW_MARK, fixed
from otherminds.studies.evaluation import Chosen, held_in
from otherminds.studies.run_dir import holds_run

SCORES = {"literal": "L, what it says", "functional": "F, what it does", "gap": "gap, L − F"}


class MeanScore(Struct, frozen=True, omit_defaults=True):
    """A number with its 95 % interval; ``cells`` is the number of cells that it is a mean of, ``few`` says that fewer than ten episodes are behind it."""

    mean: float | None
    low: float | None
    high: float | None
    cells: int = 1
    reason: str = ""
    few: bool = False


class EvaluatedCell(Struct, frozen=True):
    """One scenario: ``unused`` in payoff a round, ``n`` scored episodes of ``planned``."""

    scenario: str
    n: int
    planned: int
    unused: MeanScore
    literal: MeanScore
    functional: MeanScore
    gap: MeanScore
    reward: float | None


class Evaluated(Struct, frozen=True):
    """The scores of one model in one suite: means over its cells with equal weights.

    ``lost`` says where 1 − F comes from, over the cells in which predictions matter: 1 − F = unknowable +
    foresight + mistaken + unused − luck, each as a share of what knowing the partner can win. ``unused`` is
    that part of it that was lost by not acting on the own predictions. ``invalid_share``: of decisions and answers;
    ``strict_share`` and ``lenient_share``: of replies that each reader reads. ``seconds`` are those of all
    episodes, added up. ``headline`` is the verdict in a sentence. ``silent`` says it where no reply of
    the model says anything.
    """

    suite: str
    size: str
    model: str
    mind: str
    unused: MeanScore
    literal: MeanScore
    functional: MeanScore
    gap: MeanScore
    lost: dict[str, MeanScore]
    planned: int
    scored: int
    invalid: int
    cut: int
    refused: int
    failed: int
    missing: int
    invalid_share: float | None
    strict_share: float | None
    lenient_share: float | None
    calls: int
    prompt_tokens: int
    cached_tokens: int
    completion_tokens: int
    dollars: float | None
    seconds: float
    headline: str
    cells: tuple[EvaluatedCell, ...]
    silent: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return as_text(self)


def evaluated(found: Findings, held: Chosen) -> Evaluated:
    """The result of the evaluation ``held``, whose run has ``found``; its cells have one language mind."""
    cells = in_question(found.cells)
    spent = found.by_mind[cells[0].mind]
    counts = {name: sum(getattr(cell, name) for cell in cells) for name in ("planned", "missing", *OUTCOMES)}
    divided = [cell for cell in cells if cell.unused.mean is not None] or cells[:1]
    lost = {name: _mean([_share(cell, name) for cell in divided]) for name in TERMS}
    who = next((cell.about.who for cell in cells if cell.about.who is not None), None)
    return Evaluated(
        suite=held.suite,
        size=held.size,
        model=held.model,
        mind=who.mind if who else "",
        unused=lost["unused"],
        literal=_mean([cell.literal for cell in cells]),
        functional=_mean([cell.functional for cell in cells]),
        gap=_mean([cell.gap for cell in cells]),
        lost=lost,
        **counts,
        invalid_share=spent.invalid,
        strict_share=spent.strict,
        lenient_share=spent.lenient,
        calls=spent.calls,
        prompt_tokens=spent.usage.prompt,
        cached_tokens=spent.usage.cached,
        completion_tokens=spent.usage.completion,
        dollars=spent.money,
        seconds=round((spent.seconds or 0.0) * spent.episodes, 3),
        headline=headline(found.cells),
        cells=tuple(map(_cell, cells)),
        silent=tuple(silences(found.said)),
    )


def run_in(out: Path) -> tuple[Path, str]:
    """The run folder of an evaluation folder and its size; a run folder is its own, without a size.

    Raises:
        StudyError: the folder holds neither.
    """
    held = held_in(out)
    if held is not None:
        return out / held.size, held.size
    if holds_run(out):
        return out, ""
    raise StudyError(f"{out}: holds no evaluation and no run; give the --out of one")


def as_line(one: Evaluated) -> str:
    """The result as one line of JSON."""
    return msgspec.json.encode(one).decode()


def as_text(one: Evaluated) -> str:
    """The result in a few lines."""
    lines = [
        *one.silent,
        f"{one.model} in {one.suite} {one.size} ({one.mind}): {one.scored} of {one.planned} episodes scored"
        + "".join(
            f", {getattr(one, name)} {name}"
            for name in ("invalid", "cut", "refused", "failed", "missing")
            if getattr(one, name)
        ),
        f"  unused {_shown(one.unused)}   of what knowing the partner can win, lost by not acting on its own predictions",
    ]
    lines += [f"  {words:<22} {_shown(getattr(one, name))}" for name, words in SCORES.items()]
    if one.unused.mean is not None:
        parts = ", ".join(f"{name} {fixed(part.mean, 2)}" for name, part in one.lost.items())
        cells = "cell" if one.unused.cells == 1 else f"{one.unused.cells} cells"
        where = f"over the {cells} in which predictions matter"
        lines.append(f"  1 − F = unknowable + foresight + mistaken + unused − luck, {where}: {parts}")
    return "\n".join([*lines, f"  {ENDS} {FEW_MARK}: fewer than ten episodes.", f"  {one.headline}"])


def _shown(score: MeanScore) -> str:
    if score.mean is None:
        return f"–  ({score.reason})"
    interval = "" if score.low is None else f" [{fixed(score.low, 2)}, {fixed(score.high, 2)}]"
    return f"{fixed(score.mean, 2)}{FEW_MARK if score.few else ''}{interval}"


def _cell(cell: Cell) -> EvaluatedCell:
    scores = {name: _score(getattr(cell, name)) for name in ("unused", "literal", "functional", "gap")}
    return EvaluatedCell(cell.scenario, cell.scored, cell.planned, reward=cell.reward, **scores)


def _share(cell: Cell, term: str) -> Estimate:
    """A part of regret as a share of what knowing the partner can win."""
    found: Estimate = getattr(cell, term)
    if found.mean is None or cell.winnable is None:
        return Estimate(None, reason=found.reason or "the ends of F are not exact")
    return found.per(cell.winnable)


def _mean(found: list[Estimate]) -> MeanScore:
    one = together(found)
    return _score(one, sum(estimate.mean is not None for estimate in found))


def _score(one: Estimate, cells: int = 1) -> MeanScore:
    return MeanScore(one.mean, one.low, one.high, cells, one.reason, one.few)
