"""Price files: US dollars per million tokens of each model."""

from __future__ import annotations

import os
from pathlib import Path

import msgspec

from otherminds.core.disk import read_file, replace_file
from otherminds.core.errors import StudyError
from otherminds.core.model import Price
from otherminds.core.user_files import check_kind, read_toml

FORM = 'a table for each model: ["openai:MODEL"] with input = 0.15 and output = 0.60, optionally cached_input'
KEPT = "prices.json"


def load_prices(path: Path) -> dict[str, Price]:
    """Reads a TOML file with a table for each model: ``input``, ``output``, optionally ``cached_input``.

    Raises:
        StudyError: it cannot be read, or is not such a file; the text names the place.
    """
    if not path.is_file():
        check_kind(path, StudyError)
        raise StudyError(f"{path}: no such price file; write one with {FORM}")
    prices: dict[str, Price] = {}
    for name, table in read_toml(path).items():
        try:
            prices |= msgspec.convert({name: table}, dict[str, Price])
        except msgspec.ValidationError as error:
            raise StudyError(f"{path}: {name}: {error}; write {FORM}") from error
    return prices


def keep_prices(folder: Path, prices: dict[str, Price]) -> None:
    """Saves ``prices`` in a run folder, for its cost table.

    Raises:
        StudyError: the file cannot be written.
    """
    if prices:
        replace_file(folder / KEPT, msgspec.json.encode(prices), durable=True)


def kept_prices(folder: Path) -> dict[str, Price]:
    """The prices that are saved in a run folder.

    Raises:
        StudyError: the file is damaged or cannot be read.
    """
    path = folder / KEPT
    if not os.path.lexists(path):
        return {}
    try:
        return msgspec.json.decode(read_file(path), type=dict[str, Price])
    except (ValueError, RecursionError) as error:
        raise StudyError(f"{path}: is damaged ({error}); delete it, or give --prices") from error
