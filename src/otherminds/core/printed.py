"""Reads printed results of papers from a shipped ``published.csv``."""

from __future__ import annotations

import csv
from importlib.resources import files
from typing import TypeVar

import msgspec

from otherminds.core.errors import InternalError

Row = TypeVar("Row", bound=msgspec.Struct)


def printed(package: str, kind: type[Row]) -> tuple[Row, ...]:
    """Every row of the ``published.csv`` of ``package``, in its order; columns are the fields of ``kind``.

    Raises:
        InternalError: the file is damaged; the text names the line.
    """
    reader = csv.DictReader(files(package).joinpath("published.csv").read_text(encoding="utf-8").splitlines())
    rows: list[Row] = []
    for line in reader:
        try:
            rows.append(msgspec.convert(line, kind, strict=False))
        except msgspec.ValidationError as error:
            raise InternalError(
                f"{package}: published.csv, line {reader.line_num}, cannot be read: {error}"
            ) from error
    return tuple(rows)
