"""One model through a suite: the result, what it adds up to, and two results compared."""

from __future__ import annotations

import asyncio
import json
import re
from datetime import datetime, timedelta
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path

import pytest

import otherminds as om
from otherminds.measures.basis import TERMS
from otherminds.measures.verdict import KNOWLEDGE
from otherminds.models.registry import models
from otherminds.models.scripted import ScriptedModel
from otherminds.reports.evaluation import (
    Evaluated,
    EvaluatedCell,
    MeanScore,
    Provenance,
    Sampling,
    VerdictReport,
    as_line,
    as_text,
    schema,
)
from otherminds.studies.run_dir import plan_in
from tests.reports.test_json_report import validated

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
    assert (line["schema"], line["suite"], line["size"], line["model"]) == (
        2,
        "core-2",
        "quick",
        "scripted:uniform",
    )
    assert datetime.fromisoformat(line["date"]).utcoffset() == timedelta(0)
    assert line["study"] == plan_in(out / "run").identity
    assert line["provenance"] == {
        "version": version("otherminds"),
        "mind": "qa",
        "params": {"tries": 10},
        "pack": "plain",
        "decoding": [{"temperature": 0.7, "top_p": 0.95, "max_tokens": 24}],
        "scored_options": False,
        "dropped": [],
        "first_seed": 0,
        "last_seed": 23,
        "answers": 960,
        "unread": 0,
    }
    (verdict,) = line["verdicts"]
    assert (verdict["kind"], verdict["planned"], verdict["lost"]) == ("no evidence", 48, 0)
    for name in ("unused", "literal", "functional"):
        assert verdict[name]["low"] < verdict[name]["mean"] < verdict[name]["high"], name
        assert line[name]["low"] < line[name]["mean"] < line[name]["high"], name
    assert (line["planned"], line["scored"], line["lost"], line["missing"]) == (48, 48, 0, 0)
    assert (line["strict_share"], line["invalid_share"]) == (1.0, 0.0)
    assert line["calls"] == 48 * 20 * 2
    assert line["wall_seconds"] > 0
    assert [cell["n"] for cell in line["cells"]] == [24, 24]
    assert [cell["verdict"]["kind"] for cell in line["cells"]] == ["no evidence"] * 2
    assert line["parts"].keys() == set(TERMS)
    assert "\n" not in as_line(found)
    assert (out / "run" / "report.html").is_file()


def test_the_result_is_of_the_form_that_ships(
    quick: tuple[Path, Evaluated], silent_result: Evaluated
) -> None:
    shipped = files("otherminds.reports").joinpath("evaluation.schema.json").read_text(encoding="utf-8")
    assert shipped == schema(), "write otherminds.reports.evaluation.schema() to evaluation.schema.json"
    shape = json.loads(shipped)
    for one in (quick[1], silent_result):
        plain = json.loads(as_line(one))
        validated(plain, shape, shape["$defs"])
        for name in plain.keys() - {"silent"}:
            with pytest.raises(AssertionError):
                validated({key: value for key, value in plain.items() if key != name}, shape, shape["$defs"])


def test_every_field_is_described(quick: tuple[Path, Evaluated]) -> None:
    page = (Path(__file__).parents[2] / "docs" / "evaluate.md").read_text(encoding="utf-8")
    described = set(re.findall(r"`([a-z_]+)`", page))
    kinds = (Evaluated, Provenance, Sampling, VerdictReport, EvaluatedCell, MeanScore)
    assert {name for kind in kinds for name in kind.__struct_fields__} <= described


def test_it_ends_with_the_verdict_its_numbers_and_what_was_lost(quick: tuple[Path, Evaluated]) -> None:
    _, found = quick
    words = as_text(found)
    assert words.splitlines()[0] == found.sentence == found.verdicts[0].sentence
    assert re.search(r"L, .* -?\d\.\d\d \[.*\]\n.*unused share.* -?\d\.\d\d \[.*\]", words)
    assert "48 of 48 scored, none lost; unread predictions: 0 of 960" in words
    assert "sure" not in words


def test_the_parts_add_up_to_what_is_missing_of_f(quick: tuple[Path, Evaluated]) -> None:
    _, found = quick
    parts = {name: part.mean for name, part in found.parts.items()}
    with_parts = [cell for cell in found.cells if cell.unused.mean is not None]
    assert len(with_parts) == found.unused.cells == 2
    missing = sum(1 - cell.functional.mean for cell in with_parts) / 2
    assert sum(parts.values()) - 2 * parts["luck"] == pytest.approx(missing, abs=1e-9)


def test_means_are_over_the_cells_with_equal_weights(quick: tuple[Path, Evaluated]) -> None:
    _, found = quick
    assert found.literal.mean == pytest.approx(sum(cell.literal.mean for cell in found.cells) / 2)
    assert found.literal.cells == 2


def test_a_model_that_knows_nothing_is_not_said_to_know(quick: tuple[Path, Evaluated]) -> None:
    _, found = quick
    assert "shows no evidence that it knows its partners" in as_text(found)


def test_in_a_running_event_loop_too(glance: Path) -> None:
    async def again() -> Evaluated:
        return om.evaluate("scripted:first", "core", glance)

    assert asyncio.run(again()).scored == 9


def test_called_again_it_only_reads(quick: tuple[Path, Evaluated], monkeypatch: pytest.MonkeyPatch) -> None:
    out, found = quick

    def never(rest: str) -> ScriptedModel:
        raise AssertionError("the model is opened again")

    monkeypatch.setitem(models._known, "scripted", never)
    assert om.evaluate("scripted:uniform", "core", out) == found


@pytest.fixture(scope="module")
def silent_result(tmp_path_factory: pytest.TempPathFactory) -> Evaluated:
    """The result of a model that says nothing."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(models._known, "silent", lambda rest: ScriptedModel(lambda m, d: "", spec="silent"))
        return om.evaluate("silent", "core", tmp_path_factory.mktemp("silent"), size="glance")


def test_a_model_without_an_answer_has_no_score_and_says_why(silent_result: Evaluated) -> None:
    found = silent_result
    assert (found.scored, found.lost, found.invalid) == (0, 9, 9)
    assert (found.unused.mean, found.literal.mean) == (None, None)
    assert (found.lenient_share, found.strict_share) == (0.0, 0.0)
    assert "0 of 9 scored, 9 invalid" in repr(found)
    assert found.unused.reason == "no episode was scored"
    assert {one.kind for one in found.verdicts} <= {"not measured", "no evidence"}


@pytest.fixture(scope="module")
def glance(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model that always says the first option, in the smallest size."""
    out = tmp_path_factory.mktemp("glance")
    om.evaluate("scripted:first", "core", out)
    return out


def test_two_sizes_are_compared_at_the_smaller_one(quick: tuple[Path, Evaluated], glance: Path) -> None:
    for pair in ((quick[0], glance), (glance, quick[0])):
        found = om.compare(*pair)
        assert (found.size, found.contrast.pairs) == ("glance", 9)
        assert {one.scenario for one in found.differences} == {"", "rps-single-v1"}
        assert "9 paired episodes of size glance" in found.sentence
    assert found.names == ("scripted:first", "scripted:uniform")
    assert len(found.verdicts) == 2


def test_a_result_does_not_differ_from_itself(glance: Path) -> None:
    found = om.compare(glance, glance)
    assert not any(one.differs for one in found.differences)
    assert found.sentence.startswith("No difference between")


def test_the_sentence_says_who_is_better_at_what(quick: tuple[Path, Evaluated]) -> None:
    minds = ("qa@scripted:uniform", "rmax")
    found = om.compare(quick[0], minds=minds)
    assert found.names == minds
    better = r"“rmax” knows more of its partners \(L \+[\d.]+ \[[\d.]+, [\d.]+\]\) and earns more \(F \+.*\) than “qa@"
    assert re.match(better, found.sentence)
    assert om.compare(quick[0], minds=minds[::-1]).sentence == found.sentence
    assert repr(found).startswith(found.sentence)
    assert [one.kind in KNOWLEDGE for one in found.verdicts] == [False, True]
    assert "sure" not in repr(found)


def test_an_evaluation_and_a_run_of_the_same_episodes_are_compared(
    quick: tuple[Path, Evaluated], tmp_path: Path
) -> None:
    cell = {"scenarios": ["rps-single-v1"], "minds": [UNIFORM], "episodes": 12, "rounds": 20}
    om.run([cell], tmp_path / "same", models="scripted:first")
    assert om.compare(quick[0], tmp_path / "same").contrast.pairs == 12
    om.run([{**cell, "rounds": 5}], tmp_path / "shorter", models="scripted:first")
    with pytest.raises(om.StudyError, match="rounds or options differ in rps-single-v1"):
        om.compare(quick[0], tmp_path / "shorter")


def test_two_minds_of_one_model_are_compared_by_their_names(tmp_path: Path, glance: Path) -> None:
    """Where each side has one mind, the two need not be the same."""
    om.evaluate("scripted:first", "core", tmp_path, mind="cot")
    found = om.compare(glance, tmp_path)
    assert found.names == ("qa(tries=10) (scripted:first)", "cot (scripted:first)")
    assert found.contrast.pairs == 9


def test_what_cannot_be_compared(quick: tuple[Path, Evaluated], tmp_path: Path) -> None:
    with pytest.raises(om.StudyError, match="holds no evaluation and no run"):
        om.compare(quick[0], tmp_path)
    with pytest.raises(om.StudyError, match="has no mind 'rmaxx'; did you mean rmax"):
        om.compare(quick[0], minds=("rmax", "rmaxx"))
    for second, minds in ((None, None), (quick[0], ("rmax", "uniform"))):
        with pytest.raises(om.StudyError, match="two folders, or one folder and two minds"):
            om.compare(quick[0], second, minds=minds)
    om.run(
        [{"scenarios": ["rps-single-v1"], "minds": [UNIFORM], "episodes": 3, "rounds": 4}],
        tmp_path / "two",
        models=["scripted:first", "scripted:uniform"],
    )
    with pytest.raises(om.StudyError, match=r"has several models .* compare its minds"):
        om.compare(tmp_path / "two", tmp_path / "two")


def test_runs_without_a_language_model_are_compared_too(tmp_path: Path) -> None:
    cells = [{"scenarios": ["rps-mixed-v1"], "minds": ["rmax"], "episodes": 12, "rounds": 20}]
    for name in ("a", "b"):
        om.run(cells, tmp_path / name)
    assert all(one.by.mean == 0 for one in om.compare(tmp_path / "a", tmp_path / "b").differences)
    om.run([{**cells[0], "scenarios": ["ipd-mixed-v1"]}], tmp_path / "c")
    with pytest.raises(om.StudyError, match="no scenario with the same mind in common"):
        om.compare(tmp_path / "a", tmp_path / "c")
