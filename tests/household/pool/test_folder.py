"""A pool's folder has one writer, keeps its settings, and is as it was after a fault."""

from __future__ import annotations

import errno
from pathlib import Path

import pytest

from otherminds.core import disk
from otherminds.core.errors import StudyError, TaskError
from otherminds.household.pool.folder import PoolWriter
from otherminds.household.pool.store import LEDGER, REJECTED, SECONDS, read_pool
from tests.household.pool.pooled import CERTIFICATE, STEPS, contents, pooled


def test_a_second_writer_is_refused_until_the_first_has_ended(tmp_path: Path) -> None:
    writer = PoolWriter(tmp_path / "pool", {"seed": 0})
    with pytest.raises(StudyError, match="another run is writing here"):
        PoolWriter(tmp_path / "pool", {"seed": 0})
    writer.release()
    PoolWriter(tmp_path / "pool", {"seed": 0}).release()


def test_a_pool_with_other_settings_is_refused_and_the_difference_named(tmp_path: Path) -> None:
    PoolWriter(tmp_path / "pool", {"seed": 0, "depth": None}).release()
    with pytest.raises(StudyError, match="made with depth any, seed 0, not with depth 3, seed 1"):
        PoolWriter(tmp_path / "pool", {"seed": 1, "depth": 3})
    PoolWriter(tmp_path / "pool", {"seed": 0, "depth": None}).release()


def test_a_folder_with_other_files_is_refused(tmp_path: Path) -> None:
    (tmp_path / "letter.txt").write_text("dear")
    with pytest.raises(StudyError, match="is not empty and holds no pool; choose another folder"):
        PoolWriter(tmp_path, {"seed": 0})
    with pytest.raises(StudyError, match="cannot be used"):
        PoolWriter(tmp_path / "letter.txt", {"seed": 0})
    assert [path.name for path in tmp_path.iterdir()] == ["letter.txt"]


def test_what_a_writer_leaves_that_was_killed_at_its_start_is_no_other_file(tmp_path: Path) -> None:
    PoolWriter(tmp_path / "pool", {"seed": 0}).release()
    (tmp_path / "pool" / "pool.json").rename(tmp_path / "pool" / "pool.json.part")
    PoolWriter(tmp_path / "pool", {"seed": 1}).release()


@pytest.mark.parametrize(
    "tail",
    [b"{", b'{"seed": 3, "ver', b"\0" * 512, b'{"seed"' + b"\0" * 512],
    ids=["1", "16", "zeros", "both"],
)
def test_incomplete_last_lines_are_removed(tail: bytes, tmp_path: Path) -> None:
    folder = tmp_path / "pool"
    writer = PoolWriter(folder, {"seed": 0})
    writer.keep(pooled(1), CERTIFICATE, STEPS)
    writer.reject(2, "fair", STEPS)
    writer.release()
    before = contents(folder, seconds=True)
    for name in (LEDGER, REJECTED, SECONDS):
        with (folder / name).open("ab") as file:
            file.write(tail)
    again = PoolWriter(folder, {"seed": 0})
    assert contents(folder, seconds=True) == before
    assert [entry.seed for entry in again.entries] == [1]
    assert [(one.seed, one.verdict) for one in again.rejections] == [(2, "fair")]
    assert {one.seed: one.seconds for one in again.seconds} == {1: STEPS, 2: STEPS}
    again.release()


def test_a_damaged_line_is_named_and_frees_the_folder(tmp_path: Path) -> None:
    folder = tmp_path / "pool"
    PoolWriter(folder, {"seed": 0}).release()
    (folder / REJECTED).write_bytes(b'{"seed": 3}\n')
    for _ in range(2):
        with pytest.raises(TaskError, match=r"rejected\.jsonl, line 1: damaged"):
            PoolWriter(folder, {"seed": 0})


def test_a_full_disk_leaves_the_pool_as_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "pool"
    writer = PoolWriter(folder, {"seed": 0})
    writer.keep(pooled(1), CERTIFICATE, STEPS)

    def full(path: Path, content: bytes) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(disk, "append_file", full)
        with pytest.raises(StudyError, match="No space left on device"):
            writer.keep(pooled(2), CERTIFICATE, STEPS)
    assert read_pool(folder) == (pooled(1),)
    writer.keep(pooled(2), CERTIFICATE, STEPS)
    assert read_pool(folder) == (pooled(1), pooled(2))
    writer.release()
