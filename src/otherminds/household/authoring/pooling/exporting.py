"""An authored pool as a dataset for a hub: JSON lines, Parquet, and a card.

``tasks`` has a split for each generation, ``results`` one split, ``runs``: a file for each, under ``jsonl/`` and
``parquet/``. All but names and numbers are JSON texts, so that files of both forms have the same columns in every split.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module
from io import BytesIO
from pathlib import Path
from typing import Any, TypeAlias

import msgspec
from msgspec import Struct

from otherminds.core.disk import replace_file
from otherminds.core.errors import StudyError
from otherminds.household.authoring.pooling.accounts import PoolAccount
from otherminds.household.authoring.pooling.card import card
from otherminds.household.authoring.pooling.lines import Provenance
from otherminds.household.pool.entry import PooledTask, task_json
from otherminds.household.pool.store import line_of

Rows: TypeAlias = Sequence[Struct]
LACKING = "Parquet needs the extra 'parquet': pip install 'otherminds[parquet]'; or give --no-parquet"


class TaskRow(Struct, frozen=True):
    """A task of the dataset. ``turns`` is T*, 0 where it is not known; ``task`` is the task file, as JSON."""

    task_id: str
    category: str
    depth: int
    agents: int
    pattern: str
    mechanics: tuple[str, ...]
    generation: int
    author: str
    parents: tuple[str, ...]
    turns: int
    structure: str
    sha256: str
    verdicts: str
    judgements: str
    levels: str
    task: str


def export(pool: PoolAccount, out: Path, licence: str, *, parquet: bool) -> None:
    """Writes the dataset into the folder ``out``, which is new or empty; the card is written last.

    Raises:
        StudyError: pyarrow is lacking, or the folder is not empty or cannot be written.
    """
    if parquet:
        _module("pyarrow")
    try:
        taken = out.exists() and any(out.iterdir())
    except OSError as error:
        raise StudyError(f"{out}: cannot be used ({error.strerror}); choose another folder") from None
    if taken:
        raise StudyError(f"{out}: is not empty; choose another folder")
    splits = _splits(pool)
    for (name, split), rows in splits.items():
        replace_file(out / "jsonl" / name / f"{split}.jsonl", b"".join(map(line_of, rows)))
        if parquet:
            replace_file(out / "parquet" / name / f"{split}.parquet", _parquet(rows))
    counts = {key: len(rows) for key, rows in splits.items()}
    replace_file(out / "README.md", card(pool, licence, counts, "parquet" if parquet else "jsonl"))


def _splits(pool: PoolAccount) -> Mapping[tuple[str, str], Rows]:
    """The rows by the name of the table and that of the split; a table without rows is left out."""
    found: dict[tuple[str, str], list[Struct]] = {}
    for pooled in pool.tasks:
        origin = pool.provenance[pooled.entry.task_id]
        found.setdefault(("tasks", f"generation_{origin.generation}"), []).append(_row(pooled, origin))
    if pool.results:
        found["results", "runs"] = [*pool.results]
    return {
        key: found[key] for key in sorted(found, key=lambda key: (key[0] != "tasks", len(key[1]), key[1]))
    }


def _row(pooled: PooledTask, origin: Provenance) -> TaskRow:
    entry, task = pooled.entry, pooled.task
    return TaskRow(
        entry.task_id,
        task.category,
        origin.depth,
        task.num_agents,
        entry.pattern,
        tuple(sorted({one.mechanic_type for one in task.mechanic_bindings})),
        origin.generation,
        origin.author,
        origin.parents,
        task.calibration.turns if task.calibration else 0,
        entry.structure,
        entry.sha256,
        _json(entry.verdicts),
        _json(origin.judgements),
        _json(entry.levels),
        task_json(task).decode(),
    )


def _json(value: object) -> str:
    return msgspec.json.encode(value, order="deterministic").decode()


def _parquet(rows: Rows) -> bytes:
    pyarrow, parquet = _module("pyarrow"), _module("pyarrow.parquet")
    columns: list[dict[str, Any]] = [msgspec.to_builtins(row) for row in rows]
    texts = pyarrow.list_(pyarrow.string())
    kinds = {str: pyarrow.string(), int: pyarrow.int64(), bool: pyarrow.bool_(), list: texts, tuple: texts}
    schema = pyarrow.schema([(name, kinds[type(value)]) for name, value in columns[0].items()])
    out = BytesIO()
    parquet.write_table(pyarrow.Table.from_pylist(columns, schema=schema), out)
    return out.getvalue()


def _module(name: str) -> Any:
    try:
        return import_module(name)
    except ImportError as error:
        raise StudyError(f"{LACKING} ({error})") from None
