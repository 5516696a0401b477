"""``otherminds pools show``, ``stats``, ``report`` and ``export``, and other commands on an authored pool."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.cli.running import otherminds
from tests.household.authoring.pooling.filled import filled


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return filled(tmp_path_factory.mktemp("cli") / "pool")


def test_show_has_generations_acceptance_and_cost(folder: Path) -> None:
    done = otherminds("pools", "show", folder)
    assert done.returncode == 0, done.stderr
    rows = [" ".join(line.split()) for line in done.stdout.splitlines()]
    assert "1 scripted_author 2 1.0 " in "\n".join(rows)
    assert "kept 4 57.1 100.0" in rows
    assert "US dollars a kept task 0.88 9.70" in rows


def test_stats_have_the_tables_of_the_paper(folder: Path) -> None:
    done = otherminds("pools", "stats", folder)
    assert done.returncode == 0, done.stderr
    rows = [" ".join(line.split()) for line in done.stdout.splitlines()]
    assert "tasks 6" in rows
    assert "US dollars an attempt 0.50 0.52" in rows
    assert "[0.0, 65.8]" in rows
    assert "7 4" in rows
    composition = otherminds("pools", "stats", folder).stdout.splitlines()[2:10]
    assert set(composition) <= set(done.stdout.splitlines())


def test_a_report_and_a_dataset_are_written(folder: Path, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    done = otherminds("pools", "report", folder, "--out", page)
    assert (done.returncode, done.stdout.strip()) == (0, str(page)), done.stderr
    assert "paper: full pipeline" in page.read_text()
    done = otherminds(
        "pools", "export", folder, "--out", tmp_path / "data", "--licence", "mit", "--no-parquet"
    )
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "data" / "README.md").is_file()


def test_a_pool_that_is_none_or_damaged_is_one_line(folder: Path, tmp_path: Path) -> None:
    for words in (
        ("show",),
        ("stats",),
        ("report",),
        ("export", "--out", tmp_path / "x", "--licence", "mit"),
    ):
        done = otherminds("pools", words[0], tmp_path, *words[1:])
        assert (done.returncode, done.stderr.count("\n")) == (2, 1), done.stderr
        assert re.search("no (authored )?pool", done.stderr), done.stderr
    damaged = filled(tmp_path / "damaged")
    (damaged / "results.jsonl").write_text("{\n")
    done = otherminds("pools", "stats", damaged)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1), done.stderr
    assert "results.jsonl, line 1: damaged" in done.stderr


def test_commands_of_pools_read_it(folder: Path, tmp_path: Path) -> None:
    packed = tmp_path / "packed.jsonl.gz"
    assert "6 tasks" in otherminds("pools", "pack", folder, "--out", packed).stdout
    listed = otherminds("tasks", "list", "--split", folder)
    assert listed.returncode == 0, listed.stderr
    assert len(listed.stdout.splitlines()) == 6
    played = otherminds("run", folder, "--mind", "random", "--out", tmp_path / "run", "--dry-run")
    assert played.returncode == 0, played.stderr
