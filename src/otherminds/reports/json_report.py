"""A report and a run for programs: one JSON document, and a table as Parquet, CSV or JSON lines.

``report.schema.json`` beside this file gives the shape of the document.

The table has a row for each recorded episode, a column for each number that reports are made of.

The columns are those of :class:`EpisodeRow`, then one for each registered measure under its name, and two for each
registered ratio (``NAME_over``, ``NAME_under``). A number that is unknown or does not apply is null. Parquet needs
pyarrow (extra ``parquet``)."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Iterator, Sequence
from importlib import import_module
from io import TextIOWrapper
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO, Literal, TypeAlias, get_type_hints

import msgspec
from msgspec import Struct, structs

from otherminds.core.disk import check_file, resolve_path
from otherminds.core.errors import StudyError
from otherminds.measures.basis import Decomposition, ScoreInputs
from otherminds.measures.cells import COLUMNS, Cell
from otherminds.measures.cost import Cost, Took
from otherminds.measures.curves import Band
from otherminds.measures.episode import Episode, summarise
from otherminds.measures.evidence import EpisodeEvidence
from otherminds.measures.intervals import Estimate
from otherminds.measures.registry import NOT_APPLYING, Accuracy, Unknown, measures, ratios
from otherminds.measures.sensitivity import PackComparison
from otherminds.measures.verdict import Kind, Verdict
from otherminds.reports.episodes import line_of
from otherminds.reports.findings import Findings
from otherminds.reports.opening import headline
from otherminds.reports.papers import TableLine, fill_table, papers
from otherminds.reports.sections import accounting, mind_notes, silences
from otherminds.studies.run_dir import WRITTEN, RecordedEpisode, holds_run

DECIMALS = 6
"""Of the numbers of a curve."""


class JsonNumber(Struct, frozen=True, omit_defaults=True):
    """A number with the ends of its 95 % interval. ``reason`` says why one of them is null.

    Where ``mean`` alone is null, the ends are the worst and the best case. ``few``: from fewer than ten episodes.
    """

    mean: float | None
    low: float | None
    high: float | None
    reason: str = ""
    few: bool = False


class VerdictReport(Struct, frozen=True, omit_defaults=True):
    """A verdict about one mind in ``scenarios``: its kind, and in one ``sentence``.

    ``literal`` is L, ``unused_share`` the part of what its right predictions are worth that it did not use, and
    ``functional`` F, over the episodes that count; ``low`` and ``high`` are one-sided 95 % bounds. Of ``planned``
    episodes, ``episodes`` are recorded, ``lost`` of them not scored, and ``distinct`` have other partners, labels or
    orders of options. Of ``answers`` predictions, ``unread`` could not be read. ``place`` names a split of tasks that
    are judged together: ``distinct`` are then tasks.
    """

    kind: Kind
    sentence: str
    mind: str
    scenarios: tuple[str, ...]
    literal: JsonNumber
    unused_share: JsonNumber
    functional: JsonNumber
    planned: int
    episodes: int
    lost: int
    distinct: int
    answers: int
    unread: int
    reason: str = ""
    place: str = ""


class CellReport(Struct, frozen=True, omit_defaults=True):
    """One scenario and one mind: planned = scored + invalid + cut + refused + failed + those that are missing.

    ``measures`` are those that apply in its world, by name; ``reward`` is the mean return, ``invalid_share``
    that of decisions and answers. ``verdict`` is what its episodes show. ``estimated``: an end of its scores is what reference minds did. ``names`` is the set of action
    names, ``decodings`` how replies came about, ``cautions`` what must be said beside the numbers, ``marked``
    the number of episodes with many fallbacks, ``scaffolds`` whose words prompts are made of,
    ``dropped`` the parameters that a server refused, and that were left out or lowered.
    What is empty, false or 0 is left out, from ``cut`` on.
    """

    scenario: str
    mind: str
    planned: int
    scored: int
    invalid: int
    failed: int
    measures: dict[str, JsonNumber]
    reward: float | None
    invalid_share: float | None
    took: Took
    verdict: VerdictReport
    cut: int = 0
    refused: int = 0
    estimated: bool = False
    game: str = ""
    partners: tuple[str, ...] = ()
    names: str = ""
    model: str = ""
    grants: tuple[str, ...] = ()
    decodings: tuple[str, ...] = ()
    cautions: tuple[str, ...] = ()
    marked: int = 0
    scaffolds: tuple[str, ...] = ()
    dropped: tuple[str, ...] = ()


class Line95(Struct, frozen=True):
    """A number for each round, averaged over the five rounds around it (fewer at both ends), with its 95 % band."""

    mean: list[float]
    low: list[float]
    high: list[float]


class CurveReport(Struct, frozen=True):
    """How one mind does in one scenario, round by round; null where that is not known."""

    scenario: str
    mind: str
    regret: Line95 | None
    tom_percent: Line95 | None


class PackNumbers(Struct, frozen=True):
    """The numbers of one prompt pack, by name: ``functional``, ``literal``, ``unused``, ``valid`` (a share)."""

    pack: str
    episodes: int
    scored: int
    measures: dict[str, JsonNumber]


class RangeReport(Struct, frozen=True):
    """The largest mean over packs minus the smallest, and the difference over ``pairs`` of episodes of these two packs."""

    most: str
    least: str
    spread: float
    paired: JsonNumber
    pairs: int


class PackReport(Struct, frozen=True):
    """One mind in one scenario under several prompt packs."""

    scenario: str
    mind: str
    packs: list[PackNumbers]
    ranges: dict[str, RangeReport]


class ReportDocument(Struct, frozen=True, tag_field="document", tag="report"):
    """A run. ``worlds`` holds the rows of tables that only one kind of world has, by its name; ``notes`` are about minds.

    ``silent`` has a sentence about each model of which no reply says anything.
    """

    version: Literal[1]
    title: str
    accounting: str
    headline: str
    verdicts: list[VerdictReport]
    cells: list[CellReport]
    curves: list[CurveReport]
    worlds: dict[str, list[dict[str, Any]]]
    notes: list[str]
    wording: list[PackReport] = []
    silent: list[str] = []


class Value(Struct, frozen=True, omit_defaults=True):
    """A number of a table. ``mark`` refers to a note; ``memory`` is the size of memory where it is the best of several."""

    value: float | None
    half_width: float | None
    mark: str = ""
    memory: str = ""


class PlayedCell(Struct, frozen=True):
    """A cell of the run that is part of a row."""

    scenario: str
    mind: str
    scored: int
    planned: int


class LayoutRow(Struct, frozen=True, omit_defaults=True):
    """A row: one name a head, one value a column (null where there is none); ``cells`` are those of a run."""

    source: Literal["paper", "run"]
    names: tuple[str, ...]
    values: list[Value | None]
    cells: list[PlayedCell] = []


class LayoutReport(Struct, frozen=True, tag_field="document", tag="layout"):
    """One of the paper's tables with a run in it: rows in the paper's order, those of the run that fit none last."""

    version: Literal[1]
    title: str
    accounting: str
    table: int
    caption: str
    heads: tuple[str, ...]
    columns: tuple[str, ...]
    rows: list[LayoutRow]
    notes: list[str]


Document: TypeAlias = ReportDocument | LayoutReport


def as_json(findings: Findings, title: str) -> str:
    """The run as a :class:`ReportDocument`."""
    return _dump(
        ReportDocument(
            version=1,
            title=title,
            accounting=accounting(findings.cells),
            headline=headline(findings.verdicts),
            verdicts=list(map(_verdict, findings.verdicts)),
            cells=[_cell(cell, findings.spent[cell.scenario, cell.mind]) for cell in findings.cells],
            curves=[
                CurveReport(curve.scenario, curve.mind, _line(curve.regret), _line(curve.tom_percent))
                for curve in findings.curves
                if not (isinstance(curve.regret, Unknown) and isinstance(curve.tom_percent, Unknown))
            ],
            worlds={
                name: [msgspec.to_builtins(row) for row in rows] for name, rows in findings.worlds.items()
            },
            notes=mind_notes(findings.cells),
            wording=list(map(_packs, findings.packs)),
            silent=silences(findings.said),
        )
    )


def layout_as_json(table: int, cells: Sequence[Cell], title: str) -> str:
    """One of the paper's tables with the run in it, as a :class:`LayoutReport`."""
    layout = fill_table(table, cells)
    return _dump(
        LayoutReport(
            version=1,
            title=title,
            accounting=accounting(cells),
            table=table,
            caption=layout.caption,
            heads=layout.heads,
            columns=layout.columns,
            rows=list(map(_row, (*layout.lines, *layout.others))),
            notes=list(layout.notes),
        )
    )


def schema() -> str:
    """The JSON schema of a document (draft 2020-12): the text of ``report.schema.json``."""
    return json.dumps(msgspec.json.schema(Document), indent=1, ensure_ascii=False) + "\n"


def _dump(document: Document) -> str:
    return msgspec.json.format(msgspec.json.encode(document), indent=1).decode()


def _cell(cell: Cell, cost: Cost) -> CellReport:
    about = cell.about
    columns = {name: getattr(cell, name) for name in COLUMNS}
    applying = {name: estimate for name, estimate in columns.items() if estimate.reason != NOT_APPLYING}
    return CellReport(
        scenario=cell.scenario,
        mind=cell.mind,
        planned=cell.planned,
        scored=cell.scored,
        invalid=cell.invalid,
        failed=cell.failed,
        cut=cell.cut,
        refused=cell.refused,
        measures={name: _number(estimate) for name, estimate in {**cell.more, **applying}.items()},
        reward=cell.reward,
        invalid_share=cell.invalid_share,
        took=cost.took,
        verdict=_verdict(cell.verdict),
        estimated=cell.estimated,
        game=about.game,
        partners=about.partners,
        names=_action_names(cell) if about.game else "",
        model=about.who.model if about.who else "",
        grants=about.grants,
        decodings=about.decodings,
        cautions=about.cautions,
        marked=about.marked,
        scaffolds=about.scaffolds,
        dropped=about.dropped,
    )


def _action_names(cell: Cell) -> str:
    """The set of action names of a cell, by the first paper that knows it."""
    return next(filter(None, (papers.get(name).action_names(cell) for name in papers)), "")


def _verdict(verdict: Verdict) -> VerdictReport:
    return VerdictReport(
        kind=verdict.kind,
        sentence=verdict.sentence,
        mind=verdict.mind,
        scenarios=verdict.scenarios,
        literal=_number(verdict.literal),
        unused_share=_number(verdict.unused),
        functional=_number(verdict.functional),
        planned=verdict.planned,
        episodes=verdict.episodes,
        lost=verdict.lost,
        distinct=verdict.clusters,
        answers=verdict.answers,
        unread=verdict.unread,
        reason=verdict.reason,
        place=verdict.place,
    )


def _packs(comparison: PackComparison) -> PackReport:
    return PackReport(
        comparison.scenario,
        comparison.mind,
        [
            PackNumbers(
                pack.pack,
                pack.episodes,
                pack.scored,
                {name: _number(estimate) for name, estimate in pack.estimates.items()},
            )
            for pack in comparison.packs
        ],
        {
            name: RangeReport(span.most, span.least, span.spread, _number(span.paired), span.pairs)
            for name, span in comparison.ranges.items()
        },
    )


def _number(estimate: Estimate) -> JsonNumber:
    return JsonNumber(estimate.mean, estimate.low, estimate.high, estimate.reason, estimate.few)


def _line(band: Band | Unknown) -> Line95 | None:
    if isinstance(band, Unknown):
        return None
    return Line95(*([round(x, DECIMALS) for x in part.tolist()] for part in (band.mean, band.low, band.high)))


def _row(line: TableLine) -> LayoutRow:
    return LayoutRow(
        source="run" if line.cells else "paper",
        names=line.names,
        values=[
            entry and Value(entry.value, entry.half_width, entry.mark, entry.memory) for entry in line.entries
        ],
        cells=[PlayedCell(cell.scenario, cell.mind, cell.scored, cell.planned) for cell in line.cells],
    )


LACKING = "Parquet needs the extra 'parquet': pip install 'otherminds[parquet]'"
GROUP = 10_000
"""Rows of a row group, and rows in memory at a time."""


class EpisodeRow(Struct, frozen=True):
    """The columns that every export has.

    ``number`` is the place in the plan, ``id`` the hash of the episode; ``replay`` takes both. ``world`` is the family
    of the scenario, ``seconds`` wall-clock time, ``rounds`` the number of steps. ``blame`` and ``reason`` say why an
    episode was not scored. ``f`` and ``l`` are F and L of this episode alone, from their parts: ``f_over``/``f_under``
    are R − B and I − B; ``l_told``, ``l_blind`` and ``l_known`` the shares of right predictions of the mind, of the
    best predictor that never looks at the partner, and of one that knows its policy. ``regret`` to ``luck`` are payoff
    a round. ``settled_l`` to ``settled_reach`` are what verdicts are computed from
    (:class:`~otherminds.measures.evidence.EpisodeEvidence`), and ``design`` is the labels and order of the episode.
    """

    number: int
    id: str
    scenario: str
    world: str
    mind: str
    model: str
    partner: str
    seed: int
    outcome: str
    blame: str
    reason: str
    reward: float
    rounds: int
    f: float | None
    f_over: float | None
    f_under: float | None
    l: float | None  # noqa: E741 - the name of the score L in the report's form
    l_told: float | None
    l_blind: float | None
    l_known: float | None
    regret: float | None
    unknowable: float | None
    foresight: float | None
    mistaken: float | None
    unused: float | None
    luck: float | None
    design: str
    settled_l: float | None
    settled_unused: float | None
    settled_reach: float | None
    calls: int
    invalid: int
    prompt_tokens: int
    completion_tokens: int
    cached_tokens: int
    seconds: float


def export(episodes: Iterable[RecordedEpisode], out: Path) -> int:
    """Writes ``out`` and returns its number of rows. A file that was there is replaced, save in the folder of a run.

    By its ending it is CSV (``.csv``), JSON lines (``.jsonl``) or Parquet (``.parquet``).

    Raises:
        StudyError: another ending, a file that a run has or writes, pyarrow is lacking for Parquet, or the file cannot be
            written.
    """
    check_file(out)
    write = {".csv": _write_csv, ".jsonl": _write_lines, ".parquet": _write_parquet}.get(out.suffix)
    if write is None:
        raise StudyError(f"{out}: no table is written with this ending; name a .parquet, .csv or .jsonl file")
    resolved = resolve_path(out)
    for run in filter(holds_run, resolved.parents):
        if resolved.exists() or resolved.relative_to(run).parts[0] in WRITTEN:
            raise StudyError(
                f"{out}: is a file of the run in {run}, or would be read as one; choose another --out"
            )
    if write is _write_parquet:
        _load_pyarrow()
    part = out.with_name(out.name + ".part")
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        try:
            with part.open("wb") as file:
                count = write(map(row, episodes), file)
            part.replace(out)
        except BaseException:
            part.unlink(missing_ok=True)
            raise
    except OSError as error:
        raise StudyError(f"{out}: cannot be written ({error.strerror}); choose another --out") from None
    return count


def _load_pyarrow() -> tuple[Any, Any]:
    try:
        return import_module("pyarrow"), import_module("pyarrow.parquet")
    except ImportError as error:
        raise StudyError(f"{LACKING} ({error})") from None


def _write_parquet(rows: Iterator[dict[str, Any]], file: BinaryIO) -> int:
    """``file`` is open, and no path, which pyarrow might read as an address."""
    pyarrow, parquet = _load_pyarrow()
    schema = pyarrow.schema([(name, _kind(pyarrow, hint)) for name, hint in columns().items()])
    count = 0
    with parquet.ParquetWriter(file, schema, compression="zstd") as writer:
        while group := list(islice(rows, GROUP)):
            writer.write_table(pyarrow.Table.from_pylist(group, schema=schema))
            count += len(group)
    return count


def _write_csv(rows: Iterator[dict[str, Any]], file: BinaryIO) -> int:
    count = 0
    with TextIOWrapper(file, encoding="utf-8", newline="") as text:
        table = csv.DictWriter(text, [*columns()])
        table.writeheader()
        for values in rows:
            table.writerow(values)
            count += 1
    return count


def _write_lines(rows: Iterator[dict[str, Any]], file: BinaryIO) -> int:
    lacking, count = dict.fromkeys(columns()), 0
    for values in rows:
        file.write(msgspec.json.encode(lacking | values) + b"\n")
        count += 1
    return count


def columns() -> dict[str, Any]:
    """The columns of an export in their order, each with its type in Python."""
    parts = (f"{name}_{end}" for name in ratios for end in ("over", "under"))
    return {**get_type_hints(EpisodeRow), **dict.fromkeys((*measures, *parts), float | None)}


def row(recorded: RecordedEpisode) -> dict[str, Any]:
    """The row of an episode, by column; columns that it lacks are null."""
    episode = summarise(recorded.record, recorded.timing)
    by_column = structs.asdict(_fixed_columns(recorded, episode))
    by_column |= {name: float(value) for name, value in _known_values(episode.values)}
    for name, (over, under) in _known_values(episode.ratios):
        by_column |= {f"{name}_over": float(over), f"{name}_under": float(under)}
    return by_column


def _known_values(values: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    return ((name, value) for name, value in values.items() if not isinstance(value, Unknown))


def _fixed_columns(recorded: RecordedEpisode, episode: Episode) -> EpisodeRow:
    basis, usage = episode.basis, episode.usage
    line = line_of(recorded.record, basis.share, basis.accuracy, recorded.number)
    return EpisodeRow(
        number=recorded.number,
        id=recorded.record.spec.hash,
        scenario=line.scenario,
        world=line.world,
        mind=line.mind,
        model=episode.about.who.model if episode.about.who else "",
        partner=line.partner,
        seed=line.seed,
        outcome=line.outcome,
        blame=episode.outcome.blame,
        reason=line.reason,
        reward=episode.reward,
        rounds=episode.length,
        f=line.score,
        l=line.literal,
        calls=episode.tries[0],
        invalid=episode.replies[0],
        prompt_tokens=usage.prompt,
        completion_tokens=usage.completion,
        cached_tokens=usage.cached,
        seconds=recorded.timing.seconds,
        **_ends(basis),
        **_settled_columns(episode.evidence),
    )


def _ends(basis: ScoreInputs) -> dict[str, float | None]:
    """The parts of F, L and regret."""
    over, under = (None, None) if isinstance(basis.share, Unknown) else basis.share
    accuracy = basis.accuracy if isinstance(basis.accuracy, Accuracy) else None
    parts = basis.parts if isinstance(basis.parts, Decomposition) else None
    return {
        "f_over": over,
        "f_under": under,
        **{f"l_{name}": accuracy and getattr(accuracy, name) for name in ("told", "blind", "known")},
        **{
            name: parts and getattr(parts, name)
            for name in ("regret", "unknowable", "foresight", "mistaken", "unused", "luck")
        },
    }


def _settled_columns(evidence: EpisodeEvidence | Unknown) -> dict[str, Any]:
    """What verdicts are computed from."""
    if isinstance(evidence, Unknown):
        return {"design": "", "settled_l": None, "settled_unused": None, "settled_reach": None}
    return {
        "design": evidence.design,
        "settled_l": evidence.literal,
        "settled_unused": evidence.unused,
        "settled_reach": evidence.reach,
    }


def _kind(pyarrow: Any, hint: Any) -> Any:
    """The type of a column: text, int64 or float64."""
    return {str: pyarrow.string(), int: pyarrow.int64()}.get(hint, pyarrow.float64())
