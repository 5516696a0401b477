"""What a study plans."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from otherminds.core.errors import StudyError
from otherminds.studies.file import shipped
from otherminds.studies.plan import ego, plan_file


def test_seeds_are_balanced_over_partners() -> None:
    plan = plan_file(shipped("demo"))
    for cell, planned in plan.cells().items():
        specs = [spec for spec in plan.episodes if (spec.title, ego(spec).title) == cell]
        met = Counter(spec.seats["partner_0"].title for spec in specs)
        assert len(specs) == planned
        if "mixed" in cell[0]:
            assert met["tit_for_tat"] == planned / 2
        singles = [n for name, n in met.items() if name.startswith("single")]
        assert len(set(singles)) <= 1, "constant partners come equally often"


def test_the_demo_is_what_it_says() -> None:
    cells = plan_file(shipped("demo")).cells()
    tabular = [n for (_, mind), n in cells.items() if "@" not in mind]
    assert len(tabular) == 9 * 7, "four yardsticks and three null minds in nine scenarios"
    assert min(tabular) >= 24
    assert min(n for (_, mind), n in cells.items() if "@" in mind) >= 12, "enough for an interval"
    assert {mind.split("@")[0] for _, mind in cells if "@" in mind} == {"lm"}


def test_every_episode_has_a_hash_of_its_own_and_keeps_it(small: Path) -> None:
    one, two = plan_file(small), plan_file(small)
    assert one == two
    assert len({spec.hash for spec in one.episodes}) == len(one.episodes) == 24


def test_more_episodes_keep_the_identity_and_anything_else_changes_it(small: Path) -> None:
    before = plan_file(small)
    small.write_text(small.read_text().replace("episodes = 6", "episodes = 9"))
    more = plan_file(small)
    assert more.identity == before.identity
    assert {spec.hash for spec in before.episodes} < {spec.hash for spec in more.episodes}
    small.write_text(small.read_text().replace("rounds = 8", "rounds = 9"))
    assert plan_file(small).identity != before.identity


def test_grants_are_declared_in_the_spec(small: Path) -> None:
    by_mind = {ego(spec).mind: spec.grants for spec in plan_file(small).episodes}
    assert by_mind == {"rmax": {}, "nash": {"ego": ("payoffs",)}}


def test_a_game_of_the_study_travels_in_the_spec(tmp_path: Path) -> None:
    path = tmp_path / "own.toml"
    path.write_text(
        'name = "own"\n[[games]]\nname = "stag"\nbehaviours = [["a", "b", "c"], ["x", "y"]]\n'
        "payoffs = [[[1, 1], [0, 2]], [[2, 0], [1, 1]], [[0, 0], [3, 1]]]\n"
        '[[cells]]\nscenarios = ["stag-single-v1"]\nminds = ["rmax"]\nepisodes = 4\n'
    )
    spec = plan_file(path).episodes[0]
    assert spec.title == "stag-single-v1"
    assert spec.scenario == "bimatrix-single-v1"
    assert spec.options["game"]["behaviours"] == [["a", "b", "c"], ["x", "y"]]


def test_an_option_of_a_cell_is_kept_and_is_given_once(tmp_path: Path) -> None:
    """``options = { rounds = 7 }`` was replaced by the rounds of the study."""
    path = tmp_path / "study.toml"
    head = 'name = "x"\nrounds = 20\n[[cells]]\nscenarios = ["ibs-single-v1"]\nminds = ["rmax"]\n'
    for option, value in (("rounds", "7"), ("names", '"varied"'), ("literal", '"before"')):
        path.write_text(f"{head}options = {{ {option} = {value} }}\n")
        assert str(plan_file(path).episodes[0].options[option]) == value.strip('"')
        path.write_text(f"{head}{option} = {value}\noptions = {{ {option} = {value} }}\n")
        with pytest.raises(StudyError, match=f"{option} is given twice"):
            plan_file(path)


def test_a_mind_that_cannot_play_in_a_cell_is_found_before_anything_runs(tmp_path: Path) -> None:
    path = tmp_path / "study.toml"
    path.write_text(
        """
name = "x"
[[cells]]
scenarios = ["ipd-single-v1"]
minds = ["rmax", { mind = "cot_3shot", model = "scripted:first", params = { payoffs = false } }]
"""
    )
    with pytest.raises(
        StudyError, match=r"study\.toml: cells\[0\]\.minds\[1\] in ipd-single-v1: .*worked examples"
    ):
        plan_file(path)


def test_two_minds_that_a_report_would_take_for_one_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "study.toml"
    head = 'name = "x"\n[[cells]]\nscenarios = ["ipd-single-v1"]\n'
    path.write_text(head + 'minds = ["rmax", { mind = "nash", label = "rmax" }]')
    with pytest.raises(
        StudyError, match=r"minds\[1\]: reports cannot distinguish two cells, 'rmax'.*differ in mind"
    ):
        plan_file(path)
    path.write_text(head + 'minds = ["rmax"]\n' + head.partition("\n")[2] + 'rounds = 7\nminds = ["rmax"]')
    with pytest.raises(StudyError, match="differ in options; give one another label"):
        plan_file(path)


@pytest.mark.parametrize("code", ["import nowhere_at_all", "def broken(:", "undefined_name"])
def test_a_plugin_that_cannot_be_loaded_is_named(tmp_path: Path, code: str) -> None:
    (tmp_path / "my_broken_plugin.py").write_text(code)
    path = tmp_path / "study.toml"
    path.write_text(
        'name = "x"\nplugins = ["my_broken_plugin.py"]\n[[cells]]\nscenarios = ["ipd-single-v1"]\nminds = ["rmax"]'
    )
    for _ in range(2):
        with pytest.raises(StudyError, match=r"plugin 'my_broken_plugin\.py' cannot be loaded: \w+Error"):
            plan_file(path)


def test_a_game_of_the_studys_own_does_not_take_a_known_name(tmp_path: Path) -> None:
    path = tmp_path / "study.toml"
    path.write_text(
        'name = "x"\n[[games]]\nname = "rps"\nbehaviours = ["a", "b"]\npayoffs = [[[1, 1], [0, 0]], [[0, 0], [1, 1]]]\n'
        '[[cells]]\nscenarios = ["rps-single-v1"]\nminds = ["rmax"]\n'
    )
    with pytest.raises(StudyError, match="there is already a game 'rps'; choose another name"):
        plan_file(path)
