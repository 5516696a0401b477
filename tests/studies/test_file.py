"""Bad study files get one line that names file, place and mend."""

from __future__ import annotations

from pathlib import Path

import pytest

from otherminds.core.errors import StudyError
from otherminds.minds.registry import minds
from otherminds.studies.plan import plan_file

HEAD = 'name = "s"\n'
CELL = '[[cells]]\nscenarios = ["rps-single-v1"]\nminds = ["rmax"]\n'
GAME = '[[games]]\nname = "g"\nbehaviours = ["a", "b"]\npayoffs = {}\n'
G_CELL = '[[cells]]\nscenarios = ["g-single-v1"]\nminds = ["rmax"]\n'

MIND = """
from otherminds.minds.registry import minds
from otherminds.minds.tabular import Random

class Bad(Random):
    def begin(self, brief, context):
        raise KeyError("begin")

@minds.register("own_name")
def own():
    {}
"""

BAD = {
    "no TOML": ("name = \n" + CELL, "line 1"),
    "no name": (CELL, "name: field required"),
    "no cells": (HEAD, "cells: field required"),
    "unknown key": (HEAD + "sede = 3\n" + CELL, "sede: extra inputs are not permitted"),
    "negative rounds": (
        HEAD + "rounds = -1\n" + CELL,
        "rounds: input should be greater than or equal to 1, not -1",
    ),
    "negative episodes": (HEAD + CELL + "episodes = -4\n", "cells[0].episodes: input should be greater"),
    "rounds in words": (HEAD + 'rounds = "many"\n' + CELL, "rounds: input should be a valid integer"),
    "unknown scenario": (
        HEAD + CELL.replace("rps-single", "rps-singel"),
        "cells[0].scenarios[0]: no scenario is called 'rps-singel-v1'; did you mean rps-single-v1",
    ),
    "unknown mind": (
        HEAD + CELL.replace("rmax", "rmaxx"),
        "cells[0].minds[0]: no mind is called 'rmaxx'; did you",
    ),
    "unknown model": (HEAD + CELL.replace("rmax", "lm@gpt-17"), "cells[0].minds[0]: "),
    "unknown strategy": (HEAD + CELL.replace("rmax", "lmm@smollm2"), "no strategy is called 'lmm'"),
    "a strategy without a model": (HEAD + CELL.replace("rmax", "lm"), "write 'lm@MODEL'"),
    "a model for a mind without": (HEAD + CELL.replace("rmax", "rmax@smollm2"), "uses no language model"),
    "unknown parameter": (
        HEAD + CELL.replace('"rmax"', '{ mind = "bayes", params = { priro = "mixed" } }'),
        "mind 'bayes' has no parameter 'priro'; it takes prior",
    ),
    "bad parameter": (
        HEAD + CELL.replace('"rmax"', '{ mind = "bayes", params = { prior = "flat" } }'),
        "'family' or 'mixed'",
    ),
    "unknown names": (HEAD + CELL + 'names = "greek"\n', "has no action names 'greek'; choose from letters"),
    "too few names": (HEAD + CELL + 'names = ["A", "B"]\n', "needs 3 different action names"),
    "payoffs of the wrong shape": (
        HEAD + GAME.format("[[[1, 1]], [[2, 2]]]") + G_CELL,
        "payoffs must be 2 rows of 2 pairs",
    ),
    "payoffs that are no pairs": (
        HEAD + GAME.format("[[1, [1, 1]], [[2, 2], [2, 2]]]") + G_CELL,
        "games[0].payoffs[0][0]",
    ),
    "payoffs with NaN": (
        HEAD + GAME.format("[[[1, 1], [nan, 1]], [[2, 2], [3, 3]]]") + G_CELL,
        "payoffs[0][1] must be two finite numbers",
    ),
    "payoffs without end": (
        HEAD + GAME.format("[[[1, 1], [1, inf]], [[2, 2], [3, 3]]]") + G_CELL,
        "payoffs[0][1] must be two finite numbers",
    ),
    "behaviours twice": (
        HEAD + GAME.format("[[[1, 1], [1, 1]], [[2, 2], [3, 3]]]").replace('"b"', '"a"') + G_CELL,
        "behaviours must be different",
    ),
    "a plugin that is not there": (HEAD + 'plugins = ["gone.py"]\n' + CELL, "plugin 'gone.py' is not at"),
}


@pytest.mark.parametrize("fault", BAD)
def test_a_bad_study_is_one_clear_line(tmp_path: Path, fault: str) -> None:
    text, expected = BAD[fault]
    path = tmp_path / "bad.toml"
    path.write_text(text)
    with pytest.raises(StudyError) as error:
        plan_file(path)
    line = str(error.value)
    assert line.startswith(str(path)), "it names the file"
    assert expected in line, "it names the place or the mend"
    assert "\n" not in line


def test_a_missing_study_says_where_one_is(tmp_path: Path) -> None:
    with pytest.raises(StudyError, match="no such study file"):
        plan_file(tmp_path / "nothing.toml")


def test_text_that_is_not_utf8_is_named(tmp_path: Path) -> None:
    path = tmp_path / "latin.toml"
    path.write_bytes('name = "ä"'.encode("latin-1"))
    with pytest.raises(StudyError, match="not UTF-8"):
        plan_file(path)


def faults(path: Path, text: str) -> list[str]:
    """The lines of the error of a study file."""
    path.write_text(text)
    with pytest.raises(StudyError) as error:
        plan_file(path)
    return str(error.value).splitlines()


def test_all_errors_are_listed_with_their_places(tmp_path: Path) -> None:
    """Of form and of meaning: keys, values, names of scenarios, minds, parameters, tasks, packs and models."""
    text = """nmae = "s"
rounds = "many"
[[cells]]
scenarios = ["rps-singel-v1", "rps-single-v1"]
minds = ["rmaxx", { mind = "bayes", params = { priro = 1 } }, { mind = "rmax", modle = "x" }]
episodez = 3
[[cells]]
tasks = ["gone.json"]
minds = ["level_k"]
[[cells]]
scenarios = ["rps-single-v1"]
minds = ["lm@smolm2", { mind = "cot", model = "scripted:first", params = { pack = "gone.toml" } }]
"""
    head, *lines = faults(tmp_path / "bad.toml", text)
    assert head == f"{tmp_path}/bad.toml: {len(lines)} errors:"
    for said in (
        "  name: field required",
        "  nmae: extra inputs are not permitted, not 's'; did you mean name",
        "  rounds: input should be a valid integer",
        "  cells[0].episodez: extra inputs are not permitted, not 3; did you mean episodes",
        "  cells[0].minds[2].modle: extra inputs are not permitted, not 'x'; did you mean model",
        "  cells[0].scenarios[0]: no scenario is called 'rps-singel-v1'; did you mean rps-single-v1",
        "  cells[0].minds[0]: no mind is called 'rmaxx'; did you mean rmax",
        "  cells[0].minds[1]: mind 'bayes' has no parameter 'priro'",
        "  cells[1].tasks[0]: ",
        "  cells[2].minds[0]: no model is called 'smolm2'; did you mean smollm2",
        "  cells[2].minds[1]: prompt pack 'gone.toml': there is no file",
    ):
        assert sum(line.startswith(said) for line in lines) == 1, said
    assert len(lines) == 11, lines


def test_long_lists_of_errors_are_cut(tmp_path: Path) -> None:
    minds = ", ".join(f'"nobody_{k}"' for k in range(50))
    lines = faults(
        tmp_path / "bad.toml", HEAD + f'[[cells]]\nscenarios = ["rps-single-v1"]\nminds = [{minds}]\n'
    )
    assert lines[0].endswith(": 50 errors:")
    assert len(lines) == 1 + 20 + 1
    assert lines[-1] == "  and 30 more"


def test_an_error_of_a_mind_is_listed_once_for_all_scenarios(tmp_path: Path) -> None:
    text = HEAD + CELL.replace('"rps-single-v1"', '"rps-single-v1", "ipd-single-v1"').replace("rmax", "rmaxx")
    assert len(faults(tmp_path / "bad.toml", text)) == 1


def test_a_wrong_element_of_a_list_keeps_the_places_of_the_others(tmp_path: Path) -> None:
    text = HEAD + CELL.replace('"rmax"', '3, "rmaxx"') + "sede = 1\n"
    lines = faults(tmp_path / "bad.toml", text)
    assert any("cells[0].minds[0]" in line for line in lines)
    assert not any("minds[0]: no mind is called 'rmaxx'" in line for line in lines)


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("raise Exception('two\\nlines')", "plugin 'p.py' cannot be loaded: Exception: two lines"),
        ("import sys; sys.exit(0)", "plugin 'p.py' cannot be loaded: SystemExit: 0"),
        ("def f(): f()\nf()", "plugin 'p.py' cannot be loaded: RecursionError"),
        ("def (", "plugin 'p.py' cannot be loaded: SyntaxError"),
        ("import no_such_module_at_all", "plugin 'p.py' cannot be loaded: ModuleNotFoundError"),
        (MIND.format("1 / 0"), "cells[0].minds[0]: mind 'own_{n}' cannot be made: ZeroDivisionError"),
        (
            MIND.format("raise SystemExit(0)"),
            "cells[0].minds[0]: mind 'own_{n}' cannot be made: SystemExit: 0",
        ),
        (MIND.format("return 3"), "cells[0].minds[0]: mind 'own_{n}' is made as int, which is no mind"),
        (
            MIND.format("return Bad()"),
            "cells[0].minds[0] in rps-single-v1: it cannot be planned: KeyError: 'begin'",
        ),
    ],
)
def test_plugins_that_raise_anything_are_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, source: str, said: str
) -> None:
    assert "rmax" in minds, "the registry is loaded"
    monkeypatch.setattr(minds, "_known", dict(minds._known))
    name = f"own_{tmp_path.name}"
    plugin = f"{name}.py"
    (tmp_path / plugin).write_text(source.replace("own_name", name))
    text = f"plugins = [{plugin!r}]\n" + HEAD + CELL.replace("rmax", name)
    lines = faults(tmp_path / "bad.toml", text)
    assert len(lines) == 1
    assert lines[0].startswith(f"{tmp_path}/bad.toml: {said.replace('p.py', plugin).format(n=tmp_path.name)}")
