"""One model through a suite: the result, what it adds up to, and two results compared."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

import otherminds as om
from otherminds.measures.decomposition import TERMS
from otherminds.models.registry import models
from otherminds.models.scripted import ScriptedModel
from otherminds.reports.evaluation import Evaluated, as_line, as_text

UNIFORM = {"mind": "qa", "model": "MODEL", "params": {"tries": 10}}


@pytest.fixture(scope="module")
def quick(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Evaluated]:
    """A model that answers at random, in the quick size of the core suite."""
    out = tmp_path_factory.mktemp("evaluated")
    return out, om.evaluate("scripted:uniform", "core", out, size="quick")


def test_the_line_has_what_a_table_of_models_needs(quick: tuple[Path, Evaluated]) -> None:
    out, found = quick
    line = json.loads((out / "result.json").read_text())
    assert line == json.loads(as_line(found))
    assert (line["suite"], line["size"], line["model"], line["mind"]) == (
        "core-1",
        "quick",
        "scripted:uniform",
        "qa",
    )
    for name in ("unused", "literal", "functional", "gap"):
        assert line[name]["low"] < line[name]["mean"] < line[name]["high"], name
    assert (line["planned"], line["scored"], line["invalid"], line["missing"]) == (108, 108, 0, 0)
    assert (line["strict_share"], line["invalid_share"]) == (1.0, 0.0)
    assert line["calls"] == 108 * 10 * 2
    assert [cell["n"] for cell in line["cells"]] == [36, 36, 36]
    assert line["lost"].keys() == set(TERMS)
    assert "\n" not in as_line(found)
    assert (out / "quick" / "report.html").is_file()


def test_the_parts_add_up_to_what_is_missing_of_f(quick: tuple[Path, Evaluated]) -> None:
    _, found = quick
    parts = {name: part.mean for name, part in found.lost.items()}
    with_parts = [cell for cell in found.cells if cell.unused.mean is not None]
    assert len(with_parts) == found.unused.cells == 2
    missing = sum(1 - cell.functional.mean for cell in with_parts) / 2
    assert sum(parts.values()) - 2 * parts["luck"] == pytest.approx(missing, abs=1e-9)


def test_means_are_over_the_cells_with_equal_weights(quick: tuple[Path, Evaluated]) -> None:
    _, found = quick
    assert found.literal.mean == pytest.approx(sum(cell.literal.mean for cell in found.cells) / 3)
    assert found.literal.cells == 3


def test_a_model_that_knows_nothing_is_not_said_to_know(quick: tuple[Path, Evaluated]) -> None:
    _, found = quick
    assert "gives no evidence that it knows its partners" in as_text(found)


def test_in_a_running_event_loop_too(glance: Path) -> None:
    async def again() -> Evaluated:
        return om.evaluate("scripted:first", "core", glance)

    assert asyncio.run(again()).scored == 30


def test_called_again_it_only_reads(quick: tuple[Path, Evaluated], monkeypatch: pytest.MonkeyPatch) -> None:
    out, found = quick

    def never(rest: str) -> ScriptedModel:
        raise AssertionError("the model is opened again")

    monkeypatch.setitem(models._known, "scripted", never)
    assert om.evaluate("scripted:uniform", "core", out) == found


@pytest.fixture
def silent(monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setitem(models._known, "silent", lambda rest: ScriptedModel(lambda m, d: "", spec="silent"))
    return "silent"


def test_a_model_without_an_answer_has_no_score_and_says_why(silent: str, tmp_path: Path) -> None:
    found = om.evaluate(silent, "core", tmp_path, size="glance")
    assert (found.scored, found.invalid, found.unused.mean, found.literal.mean) == (0, 30, None, None)
    assert (found.lenient_share, found.strict_share) == (0.0, 0.0)
    assert "0 of 30 episodes scored, 30 invalid" in repr(found)
    assert found.unused.reason == "no episode was scored"


@pytest.fixture(scope="module")
def glance(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model that always says the first option, in the smallest size."""
    out = tmp_path_factory.mktemp("glance")
    om.evaluate("scripted:first", "core", out)
    return out


def test_two_models_compared(glance: Path, tmp_path: Path) -> None:
    om.run(
        [{"scenarios": ["rps-mixed-v1"], "minds": [UNIFORM], "episodes": 30, "rounds": 3}],
        tmp_path,
        models="scripted:uniform",
    )
    found = om.compare(tmp_path, glance / "glance")
    assert found.models == ("scripted:uniform", "scripted:first")
    assert [(one.score, one.pairs) for one in found.differences] == [
        (name, 30) for name in ("functional", "literal", "unused", "reward")
    ]
    assert not any(one.sure for one in om.compare(glance, glance).differences)
    assert "scripted:uniform − scripted:first" in repr(found)


def test_two_sizes_are_not_compared(quick: tuple[Path, Evaluated], glance: Path, tmp_path: Path) -> None:
    with pytest.raises(om.StudyError, match="not comparable"):
        om.compare(quick[0], glance)
    with pytest.raises(om.StudyError, match="holds no evaluation and no run"):
        om.compare(quick[0], tmp_path)


def test_runs_without_a_language_model_are_compared_too(tmp_path: Path) -> None:
    cells = [{"scenarios": ["rps-mixed-v1"], "minds": ["rmax"], "episodes": 12, "rounds": 20}]
    for name in ("a", "b"):
        om.run(cells, tmp_path / name)
    assert all(one.by.mean == 0 for one in om.compare(tmp_path / "a", tmp_path / "b").differences)
    om.run([{**cells[0], "scenarios": ["ipd-mixed-v1"]}], tmp_path / "c")
    with pytest.raises(om.StudyError, match="no scenario with the same mind in common"):
        om.compare(tmp_path / "a", tmp_path / "c")
