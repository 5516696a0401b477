"""The counter of vague names."""

from __future__ import annotations

import ast
import doctest
from pathlib import Path

import pytest

from tests.cases import for_each
from tools import names

SOURCES = {
    "found = 1": ["found"],
    "for one in rows: pass": ["one"],
    "[some for some, cell in rows]": ["some", "cell"],
    "def f(told, /, *, kept=1): pass": ["told", "kept"],
    "with a as held: pass": ["held"],
    "if (seen := 1): pass": ["seen"],
    "f(made=1); x.known = 2": [],
}


@for_each("source", SOURCES)
def test_every_way_to_assign_is_seen(source: str) -> None:
    assert [*names.assigned_names(ast.parse(source))] == SOURCES[source]


def test_participles_are_told_from_verbs_and_nouns() -> None:
    assert doctest.testmod(names).failed == 0
    assert [name for name in ("told", "_shown", "expired") if not names.is_participle(name)] == []
    assert [
        name
        for name in ("seed", "feed", "read_task", "bed", "speed", "write_rows")
        if names.is_participle(name)
    ] == []


def test_shares_above_the_limits_fail(monkeypatch: pytest.MonkeyPatch) -> None:
    """The counts are those of one package, whatever the folder: parsing all of them takes seconds."""
    counts = names.count_names(Path("src/otherminds/play"))
    monkeypatch.setattr(names.sys, "argv", ["names.py", "src/otherminds/play"])
    monkeypatch.setattr(names, "count_names", lambda folder: counts)
    for limit, code in ((1.0, 0), (0.0, 1)):
        monkeypatch.setattr(names, "MOST_VARIABLES", limit)
        with pytest.raises(SystemExit) as ended:
            names.main()
        assert int(ended.value.code or 0) == code
