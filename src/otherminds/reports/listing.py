"""The list of a run's episodes in any order, of any number: in a temporary database, printed as a stream."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import msgspec
from msgspec import structs

from otherminds.core.display import pad_line
from otherminds.reports.episodes import HEADS, EpisodeLine, Order, row_of
from otherminds.reports.keeping import temporary_database, temporary_faults

COLUMNS = tuple(field.name for field in structs.fields(EpisodeLine))


class EpisodeList:
    """Lines of episodes, ordered and limited by SQLite; see :mod:`otherminds.reports.keeping`.

    ``order`` is from the lowest on, those that have no such number last; at most ``limit`` are shown.

    Raises:
        StudyError: the folder for temporary files is full or cannot be written.
    """

    def __init__(self, lines: Iterable[EpisodeLine], order: Order, limit: int | None) -> None:
        with temporary_faults():
            self._db = temporary_database()
            self._db.execute(f"CREATE TABLE lines ({', '.join(COLUMNS)})")
            self._db.execute("BEGIN")
            places = ", ".join("?" * len(COLUMNS))
            self._db.executemany(f"INSERT INTO lines VALUES ({places})", map(structs.astuple, lines))
            (self.all,) = self._db.execute("SELECT count(*) FROM lines").fetchone()
        self._order = f"ORDER BY {order} IS NULL, {order}, number LIMIT {-1 if limit is None else limit}"
        self.shown = self.all if limit is None else min(limit, self.all)

    def __iter__(self) -> Iterator[EpisodeLine]:
        with temporary_faults():
            for row in self._db.execute(f"SELECT * FROM lines {self._order}"):
                yield EpisodeLine(*row)

    def text(self) -> Iterator[str]:
        """The lines of a table, and why the unscored episodes were not scored."""
        widths = list(map(len, HEADS))
        for line in self:
            widths = [max(width, len(text)) for width, text in zip(widths, row_of(line), strict=True)]
        yield pad_line(HEADS, widths)
        for line in self:
            yield pad_line(row_of(line), widths)
        for line in self:
            if line.reason:
                yield f"{line.number}: {line.reason}"

    def json(self) -> Iterator[str]:
        """The parts of a JSON list of :class:`EpisodeLine`, which are one line together."""
        yield "["
        for n, line in enumerate(self):
            yield ("," if n else "") + msgspec.json.encode(line).decode()
        yield "]\n"

    def close(self) -> None:
        """Frees the room on disk."""
        self._db.close()
