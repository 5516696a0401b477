"""The demo: a first table before the language model plays, and a last sentence about it."""

from __future__ import annotations

import io
import re
from contextlib import redirect_stdout
from pathlib import Path
from typing import NamedTuple
from unittest.mock import patch

import pytest

from otherminds.cli import commands
from otherminds.cli.commands import run_demo
from otherminds.measures.cells import Cell
from otherminds.studies.plan import plan_file
from otherminds.studies.run_dir import results
from tests.cli.running import otherminds

STUDY = """
name = "demo"
episodes = 12
rounds = 4
[[cells]]
scenarios = ["ipd-single-v1"]
rounds = 8
minds = ["nash"]
[[cells]]
scenarios = ["rps-mixed-v1"]
minds = ["bayes", "lm@scripted:uniform"]
"""


class Ran(NamedTuple):
    """A finished demo, what it printed, and how many episodes were recorded when it showed a table."""

    out: Path
    said: str
    recorded: list[int]


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> Ran:
    folder = tmp_path_factory.mktemp("demo")
    (folder / "demo.toml").write_text(STUDY)
    out, said, recorded = folder / "out", io.StringIO(), []
    show = commands._show

    def shown(cells: list[Cell]) -> None:
        recorded.append(sum(1 for _ in results(out)[1]))
        show(cells)

    with redirect_stdout(said), patch.object(commands, "_show", shown):
        run_demo(plan_file(folder / "demo.toml"), out)
    return Ran(out, said.getvalue(), recorded)


def test_a_table_comes_before_the_model_plays(ran: Ran) -> None:
    assert ran.recorded == [12, 36], "it needs the other minds of one scenario and nothing else"
    first, rest = ran.said.split("The same scenario with the language model:")
    assert "lm@scripted:uniform plays only 12 of them, of 4 rounds instead of 8" in first
    assert "bayes" in first.split("First table")[1]
    places = [
        rest.index(words)
        for words in ("“lm@scripted:uniform” in ", "\nlm@scripted:uniform ", "\nbayes ", "gap")
    ]
    assert places == sorted(places), "verdicts, their table with the model first, then all scores"
    assert "lm@scripted:uniform" in rest


def test_it_ends_with_a_sentence_about_the_model_and_with_links(ran: Ran) -> None:
    last = ran.said[ran.said.index("“lm@scripted:uniform” in rps-mixed-v1") :]
    sentence = " ".join(last.split())
    assert re.search(r"L = \S+ \[.*\]\).* \(F = \S+ \[.*\]\) \(n = 12 episodes, \d+ distinct\)", sentence)
    assert f"figures: {ran.out / 'report.html'}\n" in last
    assert (ran.out / "report.html").is_file()
    pages = re.findall(r"docs/\w+\.md", last)
    assert len(pages) == 3
    assert all((Path(commands.__file__).parents[3] / name).is_file() for name in pages)
    number = re.search(r"replay \S+ (\d+) --prompts", last)
    assert number is not None
    assert results(ran.out)[0].episodes[int(number[1])].seats["ego"].model == "scripted:uniform"


def test_failed_episodes_are_played_again_as_it_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The message of a demo with failed episodes names the option that the command has."""
    calls: list[bool] = []
    monkeypatch.setattr(
        commands, "run_demo", lambda plan, out, *, retry_failed=False: calls.append(retry_failed)
    )
    for words in ((), ("--retry-failed",)):
        assert otherminds("demo", "--out", tmp_path / "demo", *words).returncode in (None, 0)
    assert calls == [False, True]
