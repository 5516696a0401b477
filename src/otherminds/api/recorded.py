"""The recorded episodes of runs, ``records``, and a row for each of their rounds and seats, ``rounds``."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from importlib import import_module
from itertools import chain, islice
from pathlib import Path
from typing import Any, TypeAlias, get_type_hints

from msgspec import structs

from otherminds.api import public
from otherminds.core.errors import StudyError
from otherminds.core.record import Record
from otherminds.reports.rounds import RoundRow, round_rows
from otherminds.studies.run_dir import plan_in, recorded, results

Folder: TypeAlias = str | os.PathLike[str]


class Records(Sequence[Record]):
    """Records of folders, read anew in each pass and one at a time.

    A pass has the episodes that were recorded when it reached their folder, so that a run may still be writing. A slice
    is an iterator, and is lazy too. ``len`` reads lines and decodes no record; an index reads the records before it.
    """

    def __init__(self, folders: Sequence[Path]) -> None:
        self._folders = folders

    def __iter__(self) -> Iterator[Record]:
        return chain.from_iterable(results(folder)[1] for folder in self._folders)

    def __len__(self) -> int:
        return sum(1 for folder in self._folders for _ in recorded(folder, plan_in(folder)))

    def __getitem__(self, index: int | slice) -> Any:
        places = range(len(self))[index]
        if isinstance(places, int):
            return next(islice(self, places, None))
        if places.step < 0:
            raise StudyError("records are read in their order; take a slice with a positive step")
        return islice(self, places.start, places.stop, places.step)

    def __repr__(self) -> str:
        recorded, planned = len(self), sum(len(plan_in(folder).episodes) for folder in self._folders)
        lacking = f"; {recorded} of {planned} planned episodes are recorded" if recorded < planned else ""
        return f"<{recorded} records of {', '.join(map(str, self._folders))}{lacking}>"


class Rounds(Iterable[RoundRow]):
    """Rows of rounds, computed anew in each pass; in memory is one episode at a time.

    ``columns``, ``to_pandas`` and ``to_polars`` hold the whole table.
    """

    def __init__(self, records: Iterable[Record]) -> None:
        self._records = records

    def __iter__(self) -> Iterator[RoundRow]:
        return chain.from_iterable(map(round_rows, self._records))

    def columns(self) -> dict[str, list[Any]]:
        """A list for each field of `RoundRow`, by name; a missing value is ``None``."""
        columns: dict[str, list[Any]] = {name: [] for name in RoundRow.__struct_fields__}
        for row in self:
            for column, value in zip(columns.values(), structs.astuple(row), strict=True):
                column.append(value)
        return columns

    def to_pandas(self) -> Any:
        """A ``pandas.DataFrame``; whole numbers that may be missing have the type ``Int64``.

        Raises:
            StudyError: pandas is not installed.
        """
        frame = _load("pandas").DataFrame(self.columns())
        kinds = {int: "int64", int | None: "Int64", float | None: "float64"}
        hints = get_type_hints(RoundRow).items()
        return frame.astype({name: kinds[hint] for name, hint in hints if hint in kinds})

    def to_polars(self) -> Any:
        """A ``polars.DataFrame``.

        Raises:
            StudyError: polars is not installed.
        """
        return _load("polars").DataFrame(self.columns(), schema=get_type_hints(RoundRow))


@public
def records(*folders: Folder) -> Records:
    """The recorded episodes of one or several runs, in the order of storage, those of shards too.

    Args:
        folders: Output folders of runs.

    Returns:
        A lazy sequence of `Record`: iterate, take ``len``, an index or a slice.

    Raises:
        StudyError: a folder holds no study. While reading: a record is damaged, or another version wrote it.
    """
    for folder in folders:
        plan_in(Path(folder))
    return Records([Path(folder) for folder in folders])


@public
def rounds(source: Folder | Record | Iterable[Record]) -> Rounds:
    """A row for each round and seat: prediction, best reply to it, behaviours, payoff, and Q of each option.

    Args:
        source: The output folder of a run, a record, or records.

    Returns:
        Rows that can be iterated, or turned into a table by ``columns()``, ``to_pandas()`` or ``to_polars()``.

    Raises:
        StudyError: as `records`.
    """
    if isinstance(source, Record):
        return Rounds([source])
    if isinstance(source, str | os.PathLike):
        return Rounds(records(source))
    return Rounds(list(source) if isinstance(source, Iterator) else source)


def _load(name: str) -> Any:
    try:
        return import_module(name)
    except ImportError as error:
        raise StudyError(
            f"the table needs {name} ({error}): pip install {name}; columns() needs nothing"
        ) from None
