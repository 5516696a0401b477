"""Files are replaced whole or not at all."""

from __future__ import annotations

import errno
import os
import sqlite3
from pathlib import Path

import pytest

from otherminds.core.disk import (
    check_file,
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
