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
    assert "48 episodes, about 1,920 calls" in done.stdout
    assert done.stdout.count("US dollars") == 4
    assert not out.exists()


@pytest.mark.parametrize(
    "model",
    [
        "openai:toy@http://elsewhere.example:8000/v1?context=9000",
        "openai:toy@http://127.1:8000/v1?context=9000",
        "anthropic:toy@http://elsewhere.example/v1?context=9000",
        "openai:toy@http://127.0.0.1:9/v1,http://elsewhere.example/v1?context=9000",
        "gguf:missing.gguf",
    ],
)
def test_a_dry_run_refuses_what_the_run_would_refuse(model: str, tmp_path: Path) -> None:
    words = ("evaluate", model, "--out", tmp_path / "out")
    planned = otherminds(*words, "--dry-run")
    assert not (tmp_path / "out").exists()
    played = otherminds(*words)
    assert (planned.returncode, played.returncode) == (2, 2)
    assert planned.stderr.splitlines() == played.stderr.splitlines()[-1:]
    assert "--allow-host" in planned.stderr or model.startswith("gguf")


def test_a_dry_run_plans_an_address_that_is_allowed(tmp_path: Path) -> None:
    model = "openai:toy@http://elsewhere.example:8000/v1?context=9000"
    allow = ("--allow-host", "http://elsewhere.example:8000")
    done = otherminds("evaluate", model, "--out", tmp_path / "out", "--dry-run", *allow)
    assert done.returncode == 0, done


def test_a_dry_run_names_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    done = otherminds("evaluate", "scripted:uniform", "--out", tmp_path / "file" / "out", "--dry-run")
    assert done.returncode == 2
    assert "choose another --out" in done.stderr


def test_sized_by_a_pilot_it_ends_with_the_verdict_the_page_and_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The budget has room for the smallest size and not for the next, which goes on from there."""
    monkeypatch.chdir(tmp_path)
    Path("prices.toml").write_text(PRICES)
    done = otherminds("evaluate", "scripted:uniform", "--budget", "0.6", "--prices", "prices.toml")
    assert done.returncode == 0, done.stderr
    assert "size glance is played" in done.stderr
    verdict, *_, page, line = done.stdout.splitlines()
    result = json.loads(line)
    assert verdict == result["verdicts"][0]["sentence"]
    assert "shows no evidence that it knows its partners" in verdict
    assert (result["size"], result["scored"]) == ("glance", 9)
    assert 0 < result["dollars"] < 0.6
    assert Path(page.removeprefix("  the page: ")).is_file()
    folder = "runs/evaluate/core-2-scripted_uniform"
    assert json.loads(Path(folder, "result.json").read_text()) == result
    more = otherminds("evaluate", "scripted:uniform", "--budget", "3", "--prices", "prices.toml")
    assert more.returncode == 0, more.stderr
    assert "size quick is played" in more.stderr
    assert "27 of 144 episodes are recorded already" in more.stderr
    same = otherminds("compare", folder, folder, "--json")
    assert {one["by"]["mean"] for one in json.loads(same.stdout)["differences"]} <= {0.0, None}
    assert otherminds("compare", folder, folder).stdout.startswith("No difference between")


def test_two_minds_of_one_study_are_compared(tmp_path: Path) -> None:
    done = otherminds("evaluate", "scripted:uniform", "--out", tmp_path)
    assert done.returncode == 0, done.stderr
    found = otherminds("compare", tmp_path / "run", "--mind", "qa@scripted:uniform", "--mind", "rmax")
    assert found.stdout.startswith("“rmax” knows more of its partners (L +"), found.stderr
    document = json.loads(
        otherminds("compare", tmp_path, "--mind", "rmax", "--mind", "uniform", "--json").stdout
    )
    assert document["names"] == ["rmax", "uniform"]
    assert document["sentence"].startswith("“rmax” knows more")
    every = otherminds(
        "compare", tmp_path, "--write", tmp_path / "ranks.tex", "--write", tmp_path / "ranks.svg"
    )
    assert every.returncode == 0, every.stderr
    assert "earns more" in every.stdout.splitlines()[0]
    assert (tmp_path / "ranks.tex").read_text().count("toprule") == 1
    assert (tmp_path / "ranks.svg").read_text().startswith("<svg")
    for words, fault in (
        ((tmp_path, "--mind", "rmax"), "at least two models or minds"),
        ((tmp_path, "--mind", "rmax", "--mind", "rmax"), "'rmax' is named twice"),
        ((tmp_path, tmp_path, "--mind", "rmax"), "minds are compared within one folder"),
        ((tmp_path, "--write", tmp_path / "ranks.pdf"), "a ranking is written as .tex or .svg"),
    ):
        wrong = otherminds("compare", *words)
        assert (wrong.returncode, wrong.stdout) == (2, ""), words
        assert fault in wrong.stderr


def test_a_limit_that_is_reached_ends_with_code_1_and_goes_on_later(tmp_path: Path) -> None:
    words = ("evaluate", "scripted:uniform", "--out", tmp_path / "out")
    stopped = otherminds(*words, "--minutes", 0)
    assert stopped.returncode == 1
    assert "the time allowed is over; the same command goes on from here" in stopped.stderr
    assert "was not measured" in stopped.stdout
    done = otherminds(*words)
    assert done.returncode == 0
    assert json.loads(done.stdout.splitlines()[-1])["scored"] == 9


def test_a_size_that_is_not_finished_is_reported_at_the_largest_finished_one(tmp_path: Path) -> None:
    (tmp_path / "prices.toml").write_text(PRICES)
    words = ("evaluate", "scripted:uniform", "--out", tmp_path / "out", "--prices", tmp_path / "prices.toml")
    stopped = otherminds(*words, "--budget", 0.6, "--size", "quick")
    assert stopped.returncode == 1
    assert "size quick is not finished; the result is that of size glance" in stopped.stderr
    result = json.loads(stopped.stdout.splitlines()[-1])
    assert (result["size"], result["scored"], result["missing"]) == ("glance", 9, 0)
    done = otherminds(*words, "--budget", 100)
    assert done.returncode == 0
    assert json.loads(done.stdout.splitlines()[-1])["size"] == "quick", "what was begun is finished first"


def test_an_interrupted_evaluation_says_how_to_go_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(messages: object, decoding: object) -> str:
        raise KeyboardInterrupt

    monkeypatch.setitem(models._known, "broken", lambda rest: ScriptedModel(interrupted, spec="broken"))
    done = otherminds("evaluate", "broken", "--out", tmp_path / "out")
    assert done.returncode == 1
    assert "the same command goes on from here" in done.stderr
