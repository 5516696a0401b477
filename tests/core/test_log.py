"""Append-only files: a last line that a crash has torn is passed over and removed; anything else is kept or damage."""

from __future__ import annotations

from pathlib import Path

import pytest

from otherminds.core.disk import Log
from otherminds.core.errors import StudyError

WHOLE = b'{"n":0}\n\n{"n":1}\n'
LAST = b'{"n":2}\n'
TORN = [LAST[:n] for n in range(1, len(LAST))] + [
    b"\0" * 40,
    LAST[:5] + b"\0" * 40,
    LAST[:5] + b"\0" * 40 + b"\n",
]
"""Every beginning of a line, blocks of zeros, and both."""
DAMAGE = [b"n", b"[1]", b"null\0", b'"n":2}', b" {"]
"""Ends that no line of a log begins with."""


def kept(log: Log) -> list[bytes]:
    return [line.raw for line in log.lines()]


@pytest.mark.parametrize("tail", TORN)
def test_a_torn_line_is_passed_over_and_then_removed(tail: bytes, tmp_path: Path) -> None:
    log = Log(tmp_path / "log")
    log.path.write_bytes(WHOLE + tail)
    assert kept(log) == [b'{"n":0}\n', b'{"n":1}\n']
    assert log.path.read_bytes() == WHOLE + tail, "reading changes nothing"
    assert log.repair() == len(tail)
    assert log.path.read_bytes() == WHOLE
    log.append([LAST])
    assert (log.repair(), kept(log)) == (0, [b'{"n":0}\n', b'{"n":1}\n', LAST])


@pytest.mark.parametrize("tail", DAMAGE)
def test_an_end_that_is_not_the_beginning_of_a_line_stays_as_damage(tail: bytes, tmp_path: Path) -> None:
    log = Log(tmp_path / "log")
    log.path.write_bytes(WHOLE + tail)
    assert log.repair() == 0
    assert kept(log)[-1] == tail
    assert log.path.read_bytes() == WHOLE + tail


def test_a_line_that_is_torn_before_the_end_is_not_passed_over(tmp_path: Path) -> None:
    log = Log(tmp_path / "log")
    log.path.write_bytes(b'{"n":\0\0\n' + LAST)
    assert kept(log) == [b'{"n":\0\0\n', LAST]


def test_a_file_of_zeros_is_damage_and_a_torn_first_line_is_none(tmp_path: Path) -> None:
    log = Log(tmp_path / "log")
    log.path.write_bytes(b"\0" * 40)
    assert (log.repair(), len(kept(log))) == (0, 1)
    log.path.write_bytes(LAST[:4])
    assert (kept(log), log.repair(), log.path.read_bytes()) == ([], 4, b"")


def test_a_log_that_is_not_there_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(StudyError, match="cannot be read"):
        next(Log(tmp_path / "log").lines())


def test_a_log_that_cannot_be_written_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(StudyError, match=r"log: cannot be written \(No such file or directory\); wait"):
        Log(tmp_path / "none" / "log", advice="wait").append([LAST])
