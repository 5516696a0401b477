"""Bad study files get one line that names file, place and mend."""

from __future__ import annotations

from pathlib import Path

import pytest

from otherminds.core.errors import StudyError
from otherminds.studies.plan import plan_file

HEAD = 'name = "s"\n'
CELL = '[[cells]]\nscenarios = ["rps-single-v1"]\nminds = ["rmax"]\n'
GAME = '[[games]]\nname = "g"\nbehaviours = ["a", "b"]\npayoffs = {}\n'
G_CELL = '[[cells]]\nscenarios = ["g-single-v1"]\nminds = ["rmax"]\n'

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
    "payoffs that are no pairs": (HEAD + GAME.format("[[1, 1], [2, 2]]") + G_CELL, "games[0].payoffs[0][0]"),
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
