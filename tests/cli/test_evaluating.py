"""``otherminds evaluate`` and ``compare``, as typed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from otherminds.models.registry import models
from otherminds.models.scripted import ScriptedModel
from tests.cli.running import otherminds

PRICES = '["scripted:uniform"]\ninput = 1.0\noutput = 10.0\n'


def test_a_dry_run_states_calls_tokens_and_money_and_plays_nothing(tmp_path: Path) -> None:
    (tmp_path / "prices.toml").write_text(PRICES)
    out = tmp_path / "out"
    words = ("evaluate", "scripted:uniform", "--dry-run", "--prices", tmp_path / "prices.toml", "--out", out)
    done = otherminds(*words)
    assert done.returncode == 0
    sizes = [line.split()[0] for line in done.stdout.splitlines() if line.startswith("  ")]
    assert sizes == ["glance", "quick", "standard", "full"]
    assert "108 episodes, about 2,160 calls" in done.stdout
    assert done.stdout.count("US dollars") == 4
    assert not out.exists()


def test_sized_by_a_pilot_it_ends_with_the_page_and_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The budget has room for the smallest size and not for the next."""
    monkeypatch.chdir(tmp_path)
    Path("prices.toml").write_text(PRICES)
    done = otherminds("evaluate", "scripted:uniform", "--budget", "0.3", "--prices", "prices.toml")
    assert done.returncode == 0, done.stderr
    assert "size glance is played" in done.stderr
    *_, page, line = done.stdout.splitlines()
    result = json.loads(line)
    assert (result["size"], result["scored"]) == ("glance", 30)
    assert 0 < result["dollars"] < 0.3
    assert Path(page.removeprefix("  the page: ")).is_file()
    folder = "runs/evaluate/core-1-scripted_uniform"
    assert json.loads(Path(folder, "result.json").read_text()) == result
    more = otherminds("evaluate", "scripted:uniform", "--budget", "3", "--prices", "prices.toml")
    assert more.returncode == 0, more.stderr
    assert "size quick is played" in more.stderr
    same = otherminds("compare", folder, folder, "--json")
    assert {one["by"]["mean"] for one in json.loads(same.stdout)["differences"]} <= {0.0, None}
    assert "scripted:uniform − scripted:uniform" in otherminds("compare", folder, folder).stdout


def test_a_limit_that_is_reached_ends_with_code_1_and_goes_on_later(tmp_path: Path) -> None:
    words = ("evaluate", "scripted:uniform", "--out", tmp_path / "out")
    stopped = otherminds(*words, "--minutes", 0)
    assert stopped.returncode == 1
    assert "the time allowed is over; the same command goes on from here" in stopped.stderr
    done = otherminds(*words)
    assert done.returncode == 0
    assert json.loads(done.stdout.splitlines()[-1])["scored"] == 30


def test_an_interrupted_evaluation_says_how_to_go_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(messages: object, decoding: object) -> str:
        raise KeyboardInterrupt

    monkeypatch.setitem(models._known, "broken", lambda rest: ScriptedModel(interrupted, spec="broken"))
    done = otherminds("evaluate", "broken", "--out", tmp_path / "out")
    assert done.returncode == 1
    assert "the same command goes on from here" in done.stderr
