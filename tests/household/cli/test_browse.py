"""``otherminds pools browse``: the page of one or more pools, and what it says of a path that is none."""

from __future__ import annotations

from pathlib import Path

import pytest

from otherminds.household.pool.store import pack, read_pool
from tests.cli.running import otherminds
from tests.household.reports import pools
from tests.reports.replay import reading

NAME = "safety_staging"


@pytest.fixture(scope="module")
def pool(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return pools.write_pool(tmp_path_factory.mktemp("pools") / "mine", NAME)


@pytest.fixture(scope="module")
def packed(pool: Path) -> Path:
    path = pool.parent / "hard.jsonl.gz"
    pack(read_pool(pool), path)
    return path


def test_the_page_is_written_and_named(pool: Path, tmp_path: Path) -> None:
    page = tmp_path / "new" / "page.html"
    done = otherminds("pools", "browse", pool, "--out", page)
    assert (done.returncode, done.stdout, done.stderr) == (0, f"{page}\n", "")
    (one,) = reading.told(page.read_text())["tasks"]
    assert (one["id"], one["pool"], one["run"]["certified"]) == (NAME, "mine", True)


def test_without_out_it_is_named_as_the_pool(
    packed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert otherminds("pools", "browse", packed).stdout == "hard.html\n"
    assert [one["pool"] for one in reading.told(Path("hard.html").read_text())["tasks"]] == ["hard"]


def test_several_pools_share_a_page(pool: Path, packed: Path, tmp_path: Path) -> None:
    otherminds("pools", "browse", pool, packed, "--out", tmp_path / "all.html")
    story = reading.told((tmp_path / "all.html").read_text())
    assert story["pools"] == ["mine", "hard"]
    assert [(one["pool"], one["run"]["certified"]) for one in story["tasks"]] == [
        ("mine", True),
        ("hard", False),
    ]
    assert len(story["scenes"]) == 1


def test_pools_of_one_name_are_told_apart_by_their_paths(pool: Path, tmp_path: Path) -> None:
    other = pools.write_pool(tmp_path / "mine", NAME)
    otherminds("pools", "browse", pool, other, "--out", tmp_path / "all.html")
    assert reading.told((tmp_path / "all.html").read_text())["pools"] == [str(pool), str(other)]


@pytest.mark.parametrize("kind", ["missing", "folder", "file", "gzip"])
def test_a_path_that_is_no_pool_is_named_in_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    monkeypatch.chdir(tmp_path)
    path = Path("other.jsonl.gz" if kind == "gzip" else "other")
    if kind == "folder":
        path.mkdir()
    elif kind != "missing":
        path.write_text("no pool")
    page = tmp_path / "page.html"
    done = otherminds("pools", "browse", path, "--out", page)
    assert done.returncode == 2
    assert str(path) in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert not page.exists()


def test_a_page_that_cannot_be_written_is_said_before_any_task_is_read(pool: Path, tmp_path: Path) -> None:
    done = otherminds("pools", "browse", tmp_path / "missing", "--out", tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"otherminds: {tmp_path}: is a folder")
