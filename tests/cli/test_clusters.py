"""The commands ``run --shard``, ``status`` and ``merge``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from otherminds.core.locks import Lock
from tests.cli.running import otherminds

STUDY = """
name = "small"
episodes = 6
rounds = 8
[[cells]]
scenarios = ["rps-single-v1", "ipd-mixed-v1"]
minds = ["rmax", "nash"]
"""


@pytest.fixture
def study(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    Path("s.toml").write_text(STUDY)
    return "s.toml"


def scores(folder: str) -> list[dict[str, Any]]:
    """The cells of a report, without what they cost."""
    found = json.loads(otherminds("report", folder, "--json").stdout)["cells"]
    return [{key: value for key, value in cell.items() if key != "took"} for cell in found]


def test_shards_are_played_shown_and_merged(study: str) -> None:
    otherminds("run", study, "--out", "whole")
    one = otherminds("run", study, "--out", "a", "--shard", "1/2")
    assert (one.returncode, one.stdout) == (0, "")
    assert "shard 1/2: all episodes recorded" in one.stderr

    half = otherminds("status", "a")
    assert half.returncode == 1
    assert "2/2    not begun" in half.stdout
    assert "of 24 episodes recorded" in half.stdout

    assert otherminds("run", study, "--out", "b", "--shard", "2/2").returncode == 0
    merged = otherminds("merge", "a", "b", "--out", "c")
    assert "24 episodes added; 24 of 24 are recorded, digest " in merged.stdout
    assert "c: 0 episodes added" in otherminds("merge", "a", "b", "--out", "c").stdout

    done = otherminds("status", "c", "whole", "--digest")
    assert done.returncode == 0
    assert len({line for line in done.stdout.splitlines() if line.startswith("digest")}) == 1
    assert merged.stdout.split()[-1] in done.stdout
    assert scores("c") == scores("whole")

    otherminds("run", study, "--out", "a", "--shard", "2/2")
    assert scores("a") == scores("whole"), "without a merge"
    assert len(json.loads(otherminds("episodes", "a", "--json").stdout)) == 24


def test_status_in_json_has_a_line_for_each_folder(study: str) -> None:
    otherminds("run", study, "--out", "a", "--shard", "1/2")
    otherminds("run", study, "--out", "b", "--shard", "2/2")
    held = Lock(Path("a/shards/1-of-2"))
    found = [json.loads(line) for line in otherminds("status", "a", "b", "--json").stdout.splitlines()]
    held.release()
    assert [one["folder"] for one in found] == ["a", "b"]
    assert [part["running"] for part in found[0]["parts"]] == [True, False]
    assert sum(one["states"]["scored"] for one in found) == 24
    assert found[0]["parts"][1] == {"shard": "2/2", "running": False, "status": None}
    assert found[0]["seconds_left"] is None


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("run", "s.toml", "--out", "x", "--shard", "3/2"), "--shard 3/2: give I/N"),
        (("status", "x"), "x: holds no study"),
        (("merge", "x", "--out", "y"), "x: holds no study"),
        (("merge", "--out", "y"), "Missing argument"),
    ],
)
def test_wrong_arguments_are_one_error(study: str, words: tuple[str, ...], said: str) -> None:
    done = otherminds(*words)
    assert done.returncode == 2
    assert said in done.stderr
    assert not Path("y").exists()
