"""Hostile files of every kind that native code unpacks are read or refused in one line that names them.

``benchmarks/hardening_native.py --part files`` does the same with all copies, and measures memory.
"""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from otherminds.core.errors import OtherMindsError
from tests.cases import thinned
from tests.hostile_files import DOORS

EACH = 211
"""One of so many copies of each kind is tried, and all of those whose name says what they attack."""
NAMED = (
    "a ",
    "an ",
    "gzip in",
    "lists, ",
    "many ",
    "twice",
    "header ",
    "answers",
    "other columns",
    "weights",
)


@pytest.mark.parametrize("kind", DOORS)
def test_a_copy_is_read_or_refused_in_one_line(kind: str, tmp_path: Path) -> None:
    door = DOORS[kind]
    path = tmp_path / f"mutated.{door.ending}"
    path.write_bytes(door.sound())
    assert door.read(path), "else all copies would be refused for another reason"
    tried = refused = 0
    for number, (name, data) in enumerate(door.copies(Random(0))):
        if number % EACH and not (name.startswith(NAMED) and "byte" not in name):
            continue
        tried += 1
        for old in tmp_path.iterdir():
            old.unlink()
        path.write_bytes(data)
        try:
            door.read(path)
        except OtherMindsError as error:
            refused += 1
            said = str(error)
            assert "\n" not in said, name
            assert "mutated" in said, name
            assert len(said) < 5_000, name
    assert refused > tried // 4, "most copies are damaged"


@pytest.mark.parametrize("kind", thinned(DOORS, 4))
def test_copies_are_always_the_same(kind: str) -> None:
    first, again = (
        [
            (name, hash(data))
            for (name, data), _ in zip(DOORS[kind].copies(Random(0)), range(60), strict=False)
        ]
        for _ in range(2)
    )
    assert first == again
