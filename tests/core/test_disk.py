"""Files are replaced whole or not at all."""

from __future__ import annotations

import errno
import os
import sqlite3
from pathlib import Path

import pytest

from otherminds.core.disk import (
    LARGEST,
    append_file,
    check_file,
    check_tables,
    database_faults,
    is_damaged,
    open_database,
    read_file,
    replace_file,
)
from otherminds.core.errors import StudyError


def test_a_file_is_replaced_whole_and_its_folder_is_made(tmp_path: Path) -> None:
    path = tmp_path / "new" / "file"
    for content in ("ä", b"\xff", ""):
        replace_file(path, content, durable=True)
        assert read_file(path) == (content.encode() if isinstance(content, str) else content)
    assert os.listdir(path.parent) == ["file"]


def test_a_fault_leaves_the_old_file_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(handle: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    path = tmp_path / "file"
    replace_file(path, "old")
    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(StudyError, match=r"file: cannot be written \(No space left on device\)"):
        replace_file(path, "new", durable=True)
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["file"]


def test_what_a_killed_process_left_does_not_matter(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "file.part")
    replace_file(tmp_path / "file", "new")
    assert os.listdir(tmp_path) == ["file"]


def test_a_link_to_a_file_is_one(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("held")
    (tmp_path / "link").symlink_to(tmp_path / "file")
    check_file(tmp_path / "link")
    assert read_file(tmp_path / "link") == b"held"
    check_file(tmp_path / "nothing yet")


def test_a_locked_database_is_not_a_damaged_one(tmp_path: Path) -> None:
    path = tmp_path / "held.sqlite"
    held = open_database(path, 0)
    held.execute("BEGIN EXCLUSIVE")
    other = open_database(path, 0)
    with pytest.raises(sqlite3.Error) as locked:
        other.execute("BEGIN IMMEDIATE")
    assert not is_damaged(locked.value)
    with (
        pytest.raises(StudyError, match="wait until the other process has ended"),
        database_faults(path, "delete it"),
    ):
        other.execute("BEGIN IMMEDIATE")
    other.close()
    held.close()
    path.write_text("text " * 1000)
    third = open_database(path, 0)
    with pytest.raises(StudyError, match=r"not a database.; delete it"), database_faults(path, "delete it"):
        third.execute("PRAGMA user_version=1")
    third.close()


@pytest.mark.parametrize("size", [LARGEST + 1, 2**41])
def test_a_file_that_is_too_large_is_refused_before_memory_is_taken(tmp_path: Path, size: int) -> None:
    path = tmp_path / "file"
    path.touch()
    os.truncate(path, size)  # without blocks on disk
    with pytest.raises(StudyError, match=f"file: has {size} bytes"):
        read_file(path)


@pytest.mark.parametrize(
    "program",
    [
        "CREATE VIEW v AS SELECT 1",
        "CREATE TRIGGER v AFTER INSERT ON t BEGIN DELETE FROM t; END",
        "create  virtual\ttable v using fts5(x)",
    ],
)
def test_a_database_that_holds_programs_is_refused(tmp_path: Path, program: str) -> None:
    path = tmp_path / "file.sqlite"
    database = open_database(path, 1)
    database.execute("CREATE TABLE t (x)")
    database.execute("CREATE INDEX i ON t (x)")
    check_tables(database)
    database.execute(program)
    with pytest.raises(sqlite3.Error, match="'v', which runs by itself"):
        check_tables(database)
    assert database.execute("PRAGMA trusted_schema").fetchone() == (0,)
    database.close()


def test_a_long_value_of_a_database_is_a_fault_of_one_line(tmp_path: Path) -> None:
    path = tmp_path / "file.sqlite"
    with sqlite3.connect(path) as theirs:
        theirs.execute("CREATE TABLE t AS SELECT zeroblob(200000000) AS x")
    theirs.close()
    ours = open_database(path, 1)
    with pytest.raises(StudyError, match="too big"), database_faults(path, "delete it"):
        ours.execute("SELECT x FROM t").fetchone()
    ours.close()


def test_what_is_added_to_a_file_is_whole_and_on_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A disk takes as many bytes at a time as it likes; ``synced`` is what a power cut leaves."""
    path, synced = tmp_path / "log", [b""]
    write = os.write
    monkeypatch.setattr(os, "write", lambda file, content: write(file, content[:3]))
    monkeypatch.setattr(os, "fsync", lambda file: synced.append(path.read_bytes()))
    append_file(path, b"first line\n")
    append_file(path, b"second\n")
    assert path.read_bytes() == synced[-1] == b"first line\nsecond\n"


@pytest.mark.parametrize("fault", [OSError(errno.ENOSPC, "No space left on device"), KeyboardInterrupt()])
def test_a_fault_while_a_file_grows_leaves_it_as_it_was(
    fault: BaseException, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, write = tmp_path / "log", os.write
    append_file(path, b"whole\n")

    def some(file: int, content: memoryview) -> int:
        if len(content) < 8:
            raise fault
        return write(file, content[:4])

    monkeypatch.setattr(os, "write", some)
    with pytest.raises(type(fault)):
        append_file(path, b"half of it\n")
    assert path.read_bytes() == b"whole\n"
