"""The shipped studies plan what the paper's tables hold."""

from __future__ import annotations

from pathlib import Path

import pytest

from otherminds.core.errors import StudyError
from otherminds.matrix.published import published
from otherminds.studies.file import find_study, shipped, shipped_studies
from otherminds.studies.plan import StudyPlan, ego, plan_file
from otherminds.studies.run_overrides import RunOverrides
from tests.cases import for_each

TABLES = [1, 2, 3, 4, 8, 9, 10]
RIEMER = sorted(name for name in shipped_studies() if name.startswith("riemer_"))


def planned(name: str) -> StudyPlan:
    return plan_file(shipped(name), RunOverrides(("scripted:first",)))


@for_each("table", TABLES)
def test_every_printed_row_of_a_table_has_its_cell(table: int) -> None:
    cells = {
        (ego(spec).label.partition("@")[0], spec.scenario, spec.options.get("names"))
        for spec in planned(f"riemer_table{table}").episodes
    }
    for row in published():
        if row.table == table:
            strategy = row.strategy or ("Tabular" if row.model == "Tabular" else "QA")
            names = "neutral" if (table, row.repeats) == (8, "table 1") else row.names
            wanted = [strategy] if strategy != "Reflexion" else [f"Reflexion {n}" for n in (1, 2, 3)]
            for label in wanted:
                assert (label, f"{row.game}-{row.partner}-v1", names) in cells


@pytest.mark.parametrize("name", RIEMER)
def test_each_has_the_papers_numbers_of_rounds_and_episodes(name: str) -> None:
    plan = planned(name)
    assert plan.name == name
    assert {spec.options["rounds"] for spec in plan.episodes} == {100}
    assert set(plan.cells().values()) == {30}


def test_every_strategy_meets_both_kinds_of_partner_in_every_game() -> None:
    cells = planned("riemer_strategies").cells()
    scenarios = {scenario for scenario, _ in cells}
    minds = {mind for _, mind in cells}
    assert len(scenarios) == 6
    assert len(minds) == 17
    assert len(cells) == 6 * 17


@pytest.mark.parametrize("partner", ["single", "tit_for_tat"])
def test_the_small_ones_have_every_strategy_too(partner: str) -> None:
    whole = {key for key in planned("riemer_strategies").cells() if partner in key[0]}
    small = planned(f"small_{partner}").cells()
    assert {(f"{scenario} [neutral]", mind) for scenario, mind in small} == whole


def test_the_figures_have_every_set_of_names() -> None:
    sets = {spec.options["names"] for spec in planned("riemer_figures").episodes}
    assert sets == {"neutral", "canonical", "repeated", "nonsense"}


@pytest.mark.parametrize("said", ["riemer_table3", "riemer_table3.toml", "studies/riemer_table3.toml"])
def test_a_shipped_study_is_found_by_name(said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert find_study(Path(said)) == shipped("riemer_table3")


def test_a_file_of_that_name_goes_before(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    mine = Path("riemer_table3.toml")
    mine.write_text("")
    assert find_study(mine) == mine
    assert find_study(Path("other/riemer_table3.toml")) == Path("other/riemer_table3.toml")


def test_an_unknown_one_is_named_with_similar_ones() -> None:
    with pytest.raises(
        StudyError, match=r"no study called 'riemer_table5' is shipped; did you mean riemer_table"
    ):
        shipped("riemer_table5")


def test_a_folder_of_that_name_does_not_hide_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("riemer_table3").mkdir()
    assert find_study(Path("riemer_table3")) == shipped("riemer_table3")
