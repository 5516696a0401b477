"""Printed numbers are read as they stand; a damaged file is told with its line."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec import Struct

from otherminds.core import wording as module
from otherminds.core.errors import InternalError
from otherminds.core.wording import printed


class Row(Struct, frozen=True):
    name: str
    value: float
    doubt: str = ""


@pytest.fixture
def shelf(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(module, "files", lambda package: tmp_path)
    return tmp_path / "published.csv"


def test_rows_come_in_their_order_with_their_types(shelf: Path) -> None:
    shelf.write_text("name,value,doubt\nb,1.5,\na,2,misprint\n")
    assert printed("printed_shelf", Row) == (Row("b", 1.5), Row("a", 2.0, "misprint"))


@pytest.mark.parametrize("line", ["b,much,", "b", "b,1.5,,more"])
def test_a_damaged_line_is_named(shelf: Path, line: str) -> None:
    shelf.write_text(f"name,value,doubt\na,1,\n{line}\n")
    with pytest.raises(InternalError, match=r"printed_shelf: published.csv, line 3, cannot be read"):
        printed("printed_shelf", Row)
