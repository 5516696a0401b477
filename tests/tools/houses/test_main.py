"""The scenes' sources: what is shipped is what the generator writes, and it carries what the licences ask for."""

from __future__ import annotations

import subprocess
import sys
from importlib import resources
from pathlib import Path

import pytest

from tools.houses import __main__ as command

SHIPPED = resources.files("otherminds.household.scenes") / "shipped" / "SOURCES.md"


@pytest.fixture(scope="module")
def sources() -> str:
    return SHIPPED.read_text(encoding="utf-8")


def test_the_shipped_text_is_the_generator_s(sources: str) -> None:
    assert sources.startswith(command._SOURCES)


def test_every_source_is_named_with_version_file_and_copyright(sources: str) -> None:
    for part in (
        "the wheel `procthor` 0.0.1.dev2",
        "`procthor/databases/ai2thor-object-metadata.json`",
        "Copyright 2022 Allen Institute for AI",
        "Apache License, Version 2.0",
        "the sdist `bddl` 3.6.0",
        "`bddl/generated_data/combined_room_object_list.json`",
        "`bddl/generated_data/object_inventory.json`",
        "Copyright (c) 2021 Stanford Vision and Learning Lab",
    ):
        assert part in sources, part
    assert sources.count("Changed: ") == 2


def test_the_notice_that_mit_asks_for_is_whole(sources: str) -> None:
    # The repository's own licence is MIT too: all but the copyright line is the same text.
    title, _, terms = (Path(__file__).parents[3] / "LICENSE").read_text(encoding="utf-8").split("\n\n", 2)
    lines = [line.removeprefix(">").removeprefix(" ") for line in sources.splitlines() if line[:1] == ">"]
    notice = f"{title}\n\nCopyright (c) 2021 Stanford Vision and Learning Lab\n\n{terms}"
    assert "\n".join(lines) == notice.strip()


def test_the_command_says_in_one_line_which_data_are_missing(tmp_path: Path) -> None:
    call = [sys.executable, "-m", "tools.houses", str(tmp_path / "none"), str(tmp_path / "out")]
    ended = subprocess.run(call, cwd=Path(__file__).parents[3], capture_output=True, text=True, check=False)
    assert ended.returncode == 1
    assert str(tmp_path / "none") in ended.stderr
    assert ended.stderr.count("\n") == 1
