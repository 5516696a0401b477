"""An authored pool as a dataset for a hub: JSON lines, Parquet, and a card.

``tasks`` has a split for each generation, ``results`` one split, ``runs``: a file for each, under ``jsonl/`` and
``parquet/``. All but names and numbers are JSON texts, so that files of both forms have the same columns in every split.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib import import_module
from io import BytesIO
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import msgspec

import otherminds
from otherminds.core.disk import replace_file
from otherminds.core.errors import StudyError
from otherminds.household.authoring.accounts import PoolAccount, acceptance
from otherminds.household.authoring.results import TaskProvenance
from otherminds.household.pool.store import PooledTask, task_json

Rows: TypeAlias = Sequence[dict[str, Any]]
LACKING = "Parquet needs the extra 'parquet': pip install 'otherminds[parquet]'; or give --no-parquet"


class DatasetColumn(NamedTuple):
    """A column of the dataset's tasks: what it is ``about``, and its value for a task."""

    about: str
    read: Callable[[PooledTask, TaskProvenance], Any]


COLUMNS: Mapping[str, DatasetColumn] = {
    "task_id": DatasetColumn("the name of the task", lambda pooled, _: pooled.entry.task_id),
    "category": DatasetColumn("`cooperative` or `mixed`", lambda pooled, _: pooled.task.category),
    "depth": DatasetColumn("the depth of knowledge of the goal, as assigned", lambda _, origin: origin.depth),
    "agents": DatasetColumn("the number of agents", lambda pooled, _: pooled.task.num_agents),
    "pattern": DatasetColumn(
        "the functional pattern that the author declares", lambda pooled, _: pooled.entry.pattern
    ),
    "mechanics": DatasetColumn(
        "the kinds of mechanics in the task",
        lambda pooled, _: sorted({binding.mechanic_type for binding in pooled.task.mechanic_bindings}),
    ),
    "generation": DatasetColumn("0: what the pool started with", lambda _, origin: origin.generation),
    "author": DatasetColumn("the model or script that wrote it", lambda _, origin: origin.author),
    "parents": DatasetColumn("the seed tasks that the author was shown", lambda _, origin: [*origin.parents]),
    "turns": DatasetColumn(
        "turns of the central plan with all secrets public; 0: not known",
        lambda pooled, _: pooled.task.calibration.turns if pooled.task.calibration else 0,
    ),
    "structure": DatasetColumn("SHA-256 of the task up to names", lambda pooled, _: pooled.entry.structure),
    "sha256": DatasetColumn(
        "SHA-256 of the task file in canonical JSON", lambda pooled, _: pooled.entry.sha256
    ),
    "verdicts": DatasetColumn(
        "JSON: the verdicts of the verifier, each with its status and a sentence",
        lambda pooled, _: _json(pooled.entry.verdicts),
    ),
    "judgements": DatasetColumn(
        "JSON: the scores of the judges, criterion by criterion", lambda _, origin: _json(origin.judgements)
    ),
    "levels": DatasetColumn(
        "JSON: runs, of 3, that each reference team solves", lambda pooled, _: _json(pooled.entry.levels)
    ),
    "task": DatasetColumn("JSON: the task file", lambda pooled, _: task_json(pooled.task).decode()),
}
RESULTS: Mapping[str, str] = {
    "task_id": "the task",
    "target": "the model or team under test",
    "run": "the number of the run, from 0",
    "solved": "whether the physical goal was reached",
    "patterns": "the patterns of the failure",
}
"""The columns of results, each with what it is about."""


def export(pool: PoolAccount, out: Path, licence: str, *, parquet: bool) -> None:
    """Writes the dataset into the folder ``out``, which is new or empty; the card is written last.

    Raises:
        StudyError: pyarrow is lacking, or the folder is not empty or cannot be written.
    """
    if parquet:
        _module("pyarrow")
    try:
        in_use = out.exists() and any(out.iterdir())
    except OSError as error:
        raise StudyError(f"{out}: cannot be used ({error.strerror}); choose another folder") from None
    if in_use:
        raise StudyError(f"{out}: is not empty; choose another folder")
    splits = _splits(pool)
    for (name, split), rows in splits.items():
        replace_file(
            out / "jsonl" / name / f"{split}.jsonl",
            b"".join(msgspec.json.encode(row) + b"\n" for row in rows),
        )
        if parquet:
            replace_file(out / "parquet" / name / f"{split}.parquet", _parquet(rows))
    counts = {key: len(rows) for key, rows in splits.items()}
    replace_file(out / "README.md", card(pool, licence, counts, "parquet" if parquet else "jsonl"))


def _splits(pool: PoolAccount) -> Mapping[tuple[str, str], Rows]:
    """The rows by the name of the table and that of the split; a table without rows is left out."""
    rows: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for pooled in pool.tasks:
        origin = pool.provenance[pooled.entry.task_id]
        rows.setdefault(("tasks", f"generation_{origin.generation}"), []).append(
            {name: column.read(pooled, origin) for name, column in COLUMNS.items()}
        )
    if pool.results:
        rows["results", "runs"] = [*map(msgspec.to_builtins, pool.results)]
    return {key: rows[key] for key in sorted(rows, key=lambda key: (key[0] != "tasks", len(key[1]), key[1]))}


def _json(value: object) -> str:
    return msgspec.json.encode(value, order="deterministic").decode()


def _parquet(rows: Rows) -> bytes:
    pyarrow, parquet = _module("pyarrow"), _module("pyarrow.parquet")
    texts = pyarrow.list_(pyarrow.string())
    kinds = {str: pyarrow.string(), int: pyarrow.int64(), bool: pyarrow.bool_(), list: texts, tuple: texts}
    schema = pyarrow.schema([(name, kinds[type(value)]) for name, value in rows[0].items()])
    out = BytesIO()
    parquet.write_table(pyarrow.Table.from_pylist([*rows], schema=schema), out)
    return out.getvalue()


def _module(name: str) -> Any:
    try:
        return import_module(name)
    except ImportError as error:
        raise StudyError(f"{LACKING} ({error})") from None


def card(pool: PoolAccount, licence: str, counts: Mapping[tuple[str, str], int], form: str) -> str:
    """The text of ``README.md``. ``counts`` are the rows by table and split; ``form`` is that of the files to load."""
    return "\n".join([*_head(pool, licence, counts, form), *_body(pool, counts)]) + "\n"


def _head(pool: PoolAccount, licence: str, counts: Mapping[tuple[str, str], int], form: str) -> Iterator[str]:
    """The front matter; texts in it are JSON strings, which YAML reads as such."""
    yield "---"
    yield f"pretty_name: {json.dumps(f'Household tasks: {pool.name}')}"
    yield f"license: {json.dumps(licence)}"
    yield "language: [en]"
    yield "tags: [theory-of-mind, multi-agent, household-tasks]"
    yield "configs:"
    for table in dict.fromkeys(table for table, _ in counts):
        yield f"- config_name: {table}"
        yield "  data_files:"
        for split in (split for name, split in counts if name == table):
            yield f"  - split: {split}"
            yield f"    path: {form}/{table}/{split}.{form}"
    yield "---"


def _body(pool: PoolAccount, counts: Mapping[tuple[str, str], int]) -> Iterator[str]:
    yield f"# Household tasks: {_plain(pool.name)}\n"
    yield (
        "Tasks for teams of agents of which each knows a part of what the team must know. They were written by the "
        f"authors below, checked, and exported by Other Minds {otherminds.__version__}.\n"
    )
    yield "## Splits\n\n| table | split | rows |\n|---|---|---|"
    yield from (f"| {table} | {split} | {count} |" for (table, split), count in counts.items())
    authors = Counter(origin.author for origin in pool.provenance.values())
    yield "\n| author | tasks |\n|---|---|"
    yield from (f"| {_plain(author)} | {count} |" for author, count in authors.most_common())
    yield "\n## Features\n\n| tasks | |\n|---|---|"
    yield from (f"| `{name}` | {about} |" for name, (about, _) in COLUMNS.items())
    if ("results", "runs") in counts:
        yield "\n| results | |\n|---|---|"
        yield from (f"| `{name}` | {about} |" for name, about in RESULTS.items())
    yield "\n## How the tasks were verified\n"
    yield (
        "No attempt added a task whose structure, which is the task up to names, the pool had. Every task has the "
        "verdicts of a verifier; a status that begins with `proved` is a proof. The attempts passed these stages, each "
        "by its last task:\n"
    )
    yield "| stage | attempts |\n|---|---|"
    yield from (f"| {name} | {count} |" for name, count in acceptance(pool.attempts).items())
    yield "\nVerdicts of all tasks:\n\n| verdict | status | tasks |\n|---|---|---|"
    counts_by_verdict = Counter(
        (verdict.name, verdict.status) for task in pool.tasks for verdict in task.entry.verdicts
    )
    yield from (
        f"| {_plain(name)} | {_plain(status)} | {count} |"
        for (name, status), count in sorted(counts_by_verdict.items())
    )


def _plain(text: str) -> str:
    """A name in a cell of a table: no markup, no line break."""
    return "".join(
        character if character.isalnum() or character in " _.:@=,()-" else "?" for character in text
    )
