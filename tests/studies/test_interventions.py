"""Studies with interventions: every cell in every arm, with the same partners and seeds; resumed; refused; reported."""

from __future__ import annotations

from pathlib import Path

import pytest

from otherminds.core.record import EpisodeSpec
from otherminds.measures.interventions import ArmRow
from otherminds.reports.findings import Findings, findings
from otherminds.reports.json_report import as_json
from otherminds.reports.page import as_html
from otherminds.reports.table import as_text
from otherminds.studies.file import FaultyStudyError
from otherminds.studies.plan import StudyPlan, ego, plan_file
from otherminds.studies.run import run
from otherminds.studies.run_dir import results
from otherminds.studies.run_overrides import RunOverrides
from tests.cases import for_each
from tests.studies.conftest import Heard

HALF_USER = '{ mind = "simulated", params = { rationality = 0.5, heeds = 0.5 }, label = "half user" }'


def plan_study(
    tmp_path: Path,
    study: str = "",
    cell: str = "",
    minds: str = HALF_USER,
    scenario: str = "rps-mixed-v1",
    episodes: int = 6,
) -> StudyPlan:
    path = tmp_path / "arms.toml"
    rounds = "rounds = 10\n" if scenario.startswith(("rps", "ipd")) else ""
    path.write_text(
        f'name = "arms"\nepisodes = {episodes}\n{rounds}{study}\n'
        f'[[cells]]\nscenarios = ["{scenario}"]\nminds = [{minds}]\n{cell}\n'
    )
    return plan_file(path)


def by_arm(plan: StudyPlan) -> dict[str, list[EpisodeSpec]]:
    arms: dict[str, list[EpisodeSpec]] = {}
    for spec in plan.episodes:
        arms.setdefault(spec.arm, []).append(spec)
    return arms


def test_each_arm_has_the_partners_and_seeds_of_the_arm_none(tmp_path: Path) -> None:
    arms = by_arm(plan_study(tmp_path, 'interventions = ["remind", "inject_own", "swap"]'))
    assert list(arms) == ["none", "remind", "inject_own", "swap"], "the arm none is played unasked"
    met = {
        arm: [(spec.seed, spec.seats["partner_0"], spec.grants) for spec in specs]
        for arm, specs in arms.items()
    }
    assert all(of_arm == met["none"] for of_arm in met.values())
    assert [ego(specs[0]).title for specs in arms.values()] == [
        "half user",
        "half user [remind]",
        "half user [inject_own]",
        "half user [swap]",
    ]


def test_the_arms_of_a_cell_replace_those_of_the_study(tmp_path: Path) -> None:
    study = 'interventions = ["remind"]'
    assert list(by_arm(plan_study(tmp_path, study, 'interventions = ["none", "swap"]'))) == ["none", "swap"]
    assert list(by_arm(plan_study(tmp_path, study, "interventions = []"))) == [""]


def test_the_arms_of_the_command_line_replace_those_of_study_and_cells(tmp_path: Path) -> None:
    plan_study(tmp_path, 'interventions = ["remind"]', 'interventions = ["inject_own"]')
    overrides = RunOverrides(interventions=("swap", "grant_type"))
    plan = plan_file(tmp_path / "arms.toml", overrides)
    assert list(by_arm(plan)) == ["none", "swap", "grant_type"]
    assert plan.command[1:] == ("--intervention", "swap", "--intervention", "grant_type")


def test_a_study_without_arms_is_the_study_of_before(tmp_path: Path) -> None:
    plan = plan_study(tmp_path)
    assert "interventions" not in plan.study
    assert all("interventions" not in cell for cell in plan.study["cells"])
    assert plan_study(tmp_path, 'interventions = ["remind"]').identity != plan.identity


REFUSED = {
    "an unknown arm": (
        {"study": 'interventions = ["remnid"]'},
        "cells[0].interventions: no intervention is called 'remnid'; did you mean remind?",
    ),
    "a mind that reads nothing": (
        {"cell": 'interventions = ["inject_own"]', "minds": '"rmax"'},
        "cells[0].minds[0] in rps-mixed-v1: arm 'inject_own': RMax does not read what it is shown",
    ),
    "a world without beliefs": (
        {"cell": 'interventions = ["grant_belief"]'},
        "arm 'grant_belief': the world MatrixWorld does not say what a seat believes (World.belief)",
    ),
    "a population of one": (
        {"cell": 'interventions = ["swap"]', "scenario": "rps-tit_for_tat-v1"},
        "arm 'swap': the population of 'rps-tit_for_tat-v1' has no partner but 'tit_for_tat'",
    ),
    "a mind that is asked nothing": (
        {"cell": 'interventions = ["remind"]\nask = false'},
        "arm 'remind': this mind is asked for no prediction",
    ),
    "a team": (
        {
            "cell": 'interventions = ["swap"]',
            "scenario": "household-nested_confirmation-v1",
            "minds": '"random"',
        },
        "arm 'swap' is for one mind and one partner",
    ),
    "two minds": (
        {"cell": 'interventions = ["swap"]', "minds": '{ ego = "rmax", partner_0 = "nash" }'},
        "arm 'swap' is for one mind and one partner",
    ),
}


@for_each("study, reason", REFUSED.values(), ids=REFUSED)
def test_what_cannot_be_played_is_refused_in_a_line_with_its_place(
    tmp_path: Path, study: dict[str, str], reason: str
) -> None:
    with pytest.raises(FaultyStudyError) as refusal:
        plan_study(tmp_path, **study)
    (fault,) = refusal.value.faults
    assert reason in fault
    assert fault.startswith("cells[0]")
    assert "\n" not in fault


def measure(plan: StudyPlan, folder: Path) -> Findings:
    return findings(plan.cells(), results(folder)[1], {}, {}, curves=False)


def test_a_run_with_arms_is_resumed_and_reports_a_row_for_each(tmp_path: Path) -> None:
    plan = plan_study(tmp_path, 'interventions = ["remind", "inject_own", "swap"]', episodes=24)
    out, heard = tmp_path / "out", Heard()
    run(plan, out, heard)
    again = Heard()
    run(plan, out, again)
    assert (again.planned, again.done, again.outcomes) == (96, 96, [])
    made = measure(plan, out)
    rows: list[ArmRow] = list(made.worlds["interventions"])
    assert [(row.scenario, row.mind, row.arm, row.pairs) for row in rows] == [
        ("rps-mixed-v1", "half user", arm, 24) for arm in ("remind", "inject_own", "swap")
    ]
    for row in rows[:2]:
        assert row.use.mean == pytest.approx(0.5, abs=0.1)
    assert [verdict.mind for verdict in made.verdicts] == ["half user"], "only the arm none is judged"
    text = as_text(made, "arms", 160)
    assert "acts on what is shown" in text
    assert "remind: the mind is asked for its prediction before it acts, and is shown it" in text
    assert "inject_own" in as_html(made, (), {}, "arms", ())
    assert '"arm":"inject_own"' in as_json(made, "arms").replace(" ", "")


def test_a_study_without_arms_has_no_chapter_on_them(tmp_path: Path) -> None:
    plan = plan_study(tmp_path)
    run(plan, tmp_path / "out", Heard())
    made = measure(plan, tmp_path / "out")
    assert "interventions" not in made.worlds
    assert "acts on what is shown" not in as_text(made, "arms", 160)
