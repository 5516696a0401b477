"""A run for programs: a table as Parquet, CSV or JSON lines.

The table has a row for each recorded episode, a column for each number that reports are made of.

The columns are those of :class:`EpisodeRow`, then one for each registered measure under its name, and two for each
registered ratio (``NAME_over``, ``NAME_under``). A number that is unknown or does not apply is null. Parquet needs
pyarrow (extra ``parquet``)."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Iterator, Mapping
from importlib import import_module
from io import TextIOWrapper
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO, get_type_hints

import msgspec
from msgspec import Struct, structs

from otherminds.core.disk import check_file, resolve_path
from otherminds.core.errors import StudyError
from otherminds.measures.basis import Decomposition, ScoreInputs
from otherminds.measures.episode import Episode, summarise
from otherminds.measures.evidence import EpisodeEvidence
from otherminds.measures.registry import Accuracy, Unknown, measures, ratios
from otherminds.reports.episodes import line_of
from otherminds.studies.run_dir import WRITTEN, RecordedEpisode, holds_run

LACKING = "Parquet needs the extra 'parquet': pip install 'otherminds[parquet]'"
GROUP = 10_000
"""Rows of a row group, and rows in memory at a time."""
FORMULA = re.compile(r"""(?:\A|(?<=[;\t\r\n]))(?=["\s]*[=+\-@\uff1d\uff0b\uff0d\uff20]|[\t\r\n])""")
"""Where a formula begins: also behind a separator of cells of other countries, and with the wide signs of East Asian keyboards."""
DECIMAL = re.compile(r"[+-]?\d+(\.\d+)?([eE][+-]?\d+)?", re.ASCII)


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
    """Writes a row for each of ``episodes``; see :func:`write_table`."""
    return write_table(map(row, episodes), columns(), out)


def write_table(rows: Iterator[dict[str, Any]], columns: Mapping[str, Any], out: Path) -> int:
    """Writes ``out`` and returns its number of rows. A file that was there is replaced, save in the folder of a run.

    ``columns`` have their types in Python. A row may lack a column. By its ending it is CSV (``.csv``), JSON lines (``.jsonl``) or Parquet (``.parquet``).

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
                count = write(rows, columns, file)
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


def _write_parquet(rows: Iterator[dict[str, Any]], columns: Mapping[str, Any], file: BinaryIO) -> int:
    """``file`` is open, and no path, which pyarrow might read as an address."""
    pyarrow, parquet = _load_pyarrow()
    schema = pyarrow.schema([(name, _kind(pyarrow, hint)) for name, hint in columns.items()])
    count = 0
    with parquet.ParquetWriter(file, schema, compression="zstd") as writer:
        while group := list(islice(rows, GROUP)):
            writer.write_table(pyarrow.Table.from_pylist(group, schema=schema))
            count += len(group)
    return count


def _write_csv(rows: Iterator[dict[str, Any]], columns: Mapping[str, Any], file: BinaryIO) -> int:
    count = 0
    with TextIOWrapper(file, encoding="utf-8", newline="") as text:
        table = csv.DictWriter(text, [*columns])
        table.writerow({name: disarm_cell(name) for name in columns})
        for values in rows:
            table.writerow({name: disarm_cell(value) for name, value in values.items()})
            count += 1
    return count


def disarm_cell(value: Any) -> Any:
    """``value`` as a cell that no spreadsheet runs: what might be a formula in a text has an apostrophe before it.

    Others write the names of models and the reasons. Source: OWASP, "CSV Injection".

    >>> [disarm_cell(value) for value in ("=1+1", "a;@b", "-2.5", -2.5, "rmax")]
    ["'=1+1", "a;'@b", '-2.5', -2.5, 'rmax']
    """
    return FORMULA.sub("'", value) if isinstance(value, str) and not DECIMAL.fullmatch(value) else value


def _write_lines(rows: Iterator[dict[str, Any]], columns: Mapping[str, Any], file: BinaryIO) -> int:
    lacking, count = dict.fromkeys(columns), 0
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
    """The type of a column: text, int64, bool or float64."""
    return {str: pyarrow.string(), int: pyarrow.int64(), bool: pyarrow.bool_()}.get(hint, pyarrow.float64())
