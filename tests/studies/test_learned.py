"""The shipped study of learned policies, with random weights in place of the shipped ones."""

from __future__ import annotations

from pathlib import Path
from shutil import copyfile

import pytest

from otherminds.minds.learned import files
from otherminds.studies.plan import StudyPlan, ego, plan_file
from otherminds.studies.shipped import shipped
from otherminds.worlds.grid.published import published
from tests.minds.learned.making import SUBSTRATES, policy_file


@pytest.fixture
def planned(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> StudyPlan:
    for substrate in SUBSTRATES:
        for algorithm in ("ppo", "opre"):
            made = policy_file(tmp_path, substrate, algorithm)
            if algorithm == "ppo":
                copyfile(made, made.with_name(made.name.replace("ppo-", "ppo_scripted-")))
    monkeypatch.setattr(files, "SHIPPED", tmp_path)
    return plan_file(shipped("learned"))


def test_every_published_scenario_has_five_episodes_of_both_algorithms(planned: StudyPlan) -> None:
    cells = planned.cells()
    scenarios = {f"{row.substrate}-{row.scenario}-v1" for row in published()}
    assert len(scenarios) == 30
    for scenario in scenarios:
        for mind in ("PPO", "OPRE", "PPO beside scripted partners", "random", "blind", "informed"):
            assert cells[scenario, mind] == 5
    mixtures = {scenario for scenario, _ in cells} - scenarios
    assert len(mixtures) == 4
    for scenario in mixtures:
        for mind in ("PPO", "OPRE", "blind", "informed"):
            assert cells[scenario, mind] >= 20


def test_it_holds_the_hash_of_all_weights(planned: StudyPlan) -> None:
    for spec in planned.episodes:
        if ego(spec).mind in ("ppo", "opre", "ppo_scripted"):
            assert len(ego(spec).params["policies"]["sha256"]) == 64
