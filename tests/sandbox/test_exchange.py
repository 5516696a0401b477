"""What comes out of a sandbox is checked before anything of it is written."""

import os
from pathlib import Path

import msgspec
import pytest

from otherminds import StudyError
from otherminds.sandbox.supervised import (
    Contents,
    WorkspaceFile,
    contents,
    longest_answer,
    unpack_answer,
    write_back,
)
from tests.sandbox.conftest import LIMITS

ANSWER = {
    "code": 0,
    "why": "",
    "cut": [False, False],
    "streams": [2, 0],
    "whole": True,
    "folders": ["new", "new/inner"],
    "files": [["new/inner/file", 3, False], ["own", 0, True]],
    "other": [],
}


def answer(*, data: bytes = b"hiabc", **changed: object) -> bytes:
    return b"ready\n" + msgspec.json.encode(ANSWER | changed) + b"\n" + data


def test_an_answer_is_read_and_written(tmp_path: Path) -> None:
    ran, after = unpack_answer(answer(), LIMITS)
    assert after is not None
    write_back(tmp_path, Contents(), after)
    assert (ran.code, ran.stdout) == (0, "hi")
    assert (tmp_path / "new" / "inner" / "file").read_bytes() == b"abc"
    assert os.access(tmp_path / "own", os.X_OK)
    assert contents(tmp_path, LIMITS) == after


def test_a_workspace_that_is_too_large_is_not_kept() -> None:
    ran, after = unpack_answer(answer(whole=False, folders=[], files=[], data=b"hi"), LIMITS)
    assert after is None
    assert "the workspace is as it was" in ran.stderr


@pytest.mark.parametrize(
    "path",
    [
        "/etc/x",
        "../x",
        "..",
        "new/..",
        "new/../../x",
        ".",
        "./x",
        "new//x",
        "",
        "new/",
        "unknown/x",
        "a\nb",
        "a\x1b",
        "own",
        "\u202ea",
    ],
)
def test_paths_that_leave_or_are_not_plain_are_refused(path: str) -> None:
    files = [["new/inner/file", 3, False], ["own", 0, False], [path, 0, False]]
    with pytest.raises(ValueError, match=r"path|beyond"):
        unpack_answer(answer(files=files), LIMITS)
    with pytest.raises(ValueError, match=r"path|beyond"):
        unpack_answer(answer(folders=["new", "new/inner", path]), LIMITS)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"ready\n",
        b"ready\nnothing\n",
        answer(data=b"hiab"),
        answer(data=b"hiabcd"),
        answer(streams=[-1, 3]),
        answer(files=[["own", -1, False]], data=b"h"),
        answer(streams=[LIMITS.output_bytes + 1, 0], files=[], data=b"x" * (LIMITS.output_bytes + 1)),
        answer(files=[["own", LIMITS.file_bytes + 1, False]], data=b"hi" + bytes(LIMITS.file_bytes + 1)),
        answer(folders=[f"f{i}" for i in range(LIMITS.files)]),
        answer(folders=["/".join("d" * i) for i in range(1, 18)], files=[], data=b"hi"),
        answer(other=["\x1b[2J"]),
        answer(other=["x"] * 21),
        answer(code="0"),
        answer()[:-9],
    ],
    ids=str,
)
def test_answers_beyond_the_limits_are_refused(data: bytes) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 - each of its own kind
        unpack_answer(data, LIMITS)


def test_the_largest_answer_is_within_what_is_read() -> None:
    files = [[f"{i:0255}", 0, True] for i in range(LIMITS.files - 1)] + [["large", LIMITS.file_bytes, True]]
    streams = [LIMITS.output_bytes, LIMITS.output_bytes]
    data = bytes(LIMITS.file_bytes + 2 * LIMITS.output_bytes)
    largest = answer(folders=[], files=files, streams=streams, other=["x" * 100] * 20, data=data)
    assert len(largest) <= longest_answer(LIMITS)
    unpack_answer(largest, LIMITS)


def test_links_of_ours_are_neither_sent_nor_written_through(tmp_path: Path) -> None:
    outside, folder = tmp_path / "outside", tmp_path / "folder"
    outside.write_text("outside")
    folder.mkdir()
    (folder / "link").symlink_to(outside)
    (folder / "up").symlink_to(tmp_path)
    assert contents(folder, LIMITS) == Contents()
    write_back(folder, Contents(), Contents((), {WorkspaceFile("link", 3, False): b"new"}))
    assert outside.read_text() == "outside"
    assert (folder / "link").read_text() == "new"


def test_a_fault_of_the_disk_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StudyError, match=r"cannot be written \(Not a directory\); make room"):
        write_back(tmp_path / "file", Contents(), Contents((), {WorkspaceFile("x", 0, False): b""}))
    with pytest.raises(StudyError, match=r"cannot be read \(No such file or directory\)"):
        contents(tmp_path / "none", LIMITS)
