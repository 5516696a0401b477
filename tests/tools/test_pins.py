"""Pins: what the shipped files lack, and what a changed copy of them lacks, is said by the package and the file."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from tools import pins


@pytest.fixture
def copied(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "requirements"
    shutil.copytree(pins.FOLDER, folder)
    monkeypatch.setattr(pins, "FOLDER", folder)
    return folder


def change(path: Path, pattern: str, replacement: str) -> None:
    text, count = re.subn(pattern, replacement, path.read_text(encoding="utf-8"), flags=re.MULTILINE)
    assert count
    path.write_text(text, encoding="utf-8")


def test_the_files_agree_with_the_project() -> None:
    assert list(pins.list_faults()) == []


@pytest.mark.parametrize(
    ("name", "pattern", "replacement", "fault"),
    [
        ("base.txt", r"^numpy==[^ ]+", "numpy==1.26.0", "base.txt: 1.26.0 is pinned, not numpy>=2.0"),
        ("base.txt", r"^ruff==(.|\n)*?(?=^\w)", "", "base.txt: ruff>=0.8 is not pinned"),
        ("extras.txt", r"^jax==(.|\n)*?(?=^\w)", "", "extras.txt: jax>=0.10 is not pinned"),
        ("base.txt", r"^ruff==.*", r"ruff>=0.8 \\", "base.txt: not a version with hashes: ruff>=0.8"),
        (
            "base.txt",
            r"^(ruff==\S+) \\\n(    --hash.*\n)+",
            r"\1\n",
            "base.txt: not a version with hashes: ruff==",
        ),
        (
            "base.txt",
            r"\A",
            "--find-links somewhere\n",
            "base.txt: not a version with hashes: --find-links",
        ),
        (
            "benchmarks.txt",
            r"^axelrod==\S+",
            "axelrod==4.14.0",
            "benchmarks.txt: 4.14.0 is pinned, not axelrod==4.13.1",
        ),
    ],
)
def test_a_fault_names_its_file_and_package(
    copied: Path, name: str, pattern: str, replacement: str, fault: str
) -> None:
    change(copied / name, pattern, replacement)
    assert any(line.startswith(f"requirements/{fault}") for line in pins.list_faults())


def test_a_package_is_pinned_once(copied: Path) -> None:
    numpy = pins.read_pins("base.txt")["numpy"]
    with (copied / "extras.txt").open("a", encoding="utf-8") as file:
        file.write(numpy)
    assert list(pins.list_faults()) == ["requirements/extras.txt: numpy is pinned in base.txt"]


def test_the_files_are_those_that_the_tool_writes(copied: Path) -> None:
    (copied / "extras.txt").rename(copied / "more.txt")
    assert list(pins.list_faults()) == [
        "requirements/: missing, or not written by tools/pins.py: extras.txt, more.txt"
    ]


def test_every_other_file_includes_the_base(copied: Path) -> None:
    change(copied / "extras.txt", r"\A-r base.txt\n", "")
    assert list(pins.list_faults()) == ["requirements/extras.txt: its first line is not '-r base.txt'"]
