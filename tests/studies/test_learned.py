"""The shipped study of learned policies, with random weights in place of the shipped ones."""

from __future__ import annotations

from collections import Counter
from shutil import copyfile

import pytest

from otherminds.gridworlds.printed_rewards import published
from otherminds.minds.learned import files
from otherminds.studies.file import shipped
from otherminds.studies.plan import StudyPlan, ego, plan_file
from tests.minds.learned.making import SUBSTRATES, policy_file


@pytest.fixture(scope="module")
def planned(tmp_path_factory: pytest.TempPathFactory) -> StudyPlan:
    folder = tmp_path_factory.mktemp("weights")
    for substrate in SUBSTRATES:
        policy_file(folder, substrate, "opre")
        for seed in range(3):
            made = policy_file(folder, substrate, "ppo", seed)
            copyfile(made, made.with_name(made.name.replace("ppo-", "ppo_scripted-")))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(files, "SHIPPED", folder)
        return plan_file(shipped("learned"))


def test_every_published_scenario_has_five_episodes_of_both_algorithms(planned: StudyPlan) -> None:
    cells = planned.cells()
    scenarios = {f"{row.substrate}-{row.scenario}-v1" for row in published()}
    assert len(scenarios) == 30
    for scenario in scenarios:
        for mind in ("PPO", "OPRE", "PPO beside scripted partners", "random", "blind", "informed"):
            assert cells[scenario, mind] == 5
    mixtures = {scenario for scenario, _ in cells if "-mixed-" in scenario}
    assert len(mixtures) == 4
    for scenario in mixtures:
        trainings = [f"PPO beside scripted partners, training {k}" for k in range(3)]
        for mind in ("PPO", "OPRE", *trainings, "blind", "informed"):
            assert cells[scenario, mind] >= 20


def test_learned_partners_are_met_equally_often(planned: StudyPlan) -> None:
    met = Counter(
        (spec.scenario, spec.seats["partner_0"].params["policy"]["name"])
        for spec in planned.episodes
        if "-learned-" in spec.scenario and ego(spec).mind == "random" and "arena" not in spec.scenario
    )
    assert {scenario for scenario, _ in met} == {f"{name}-learned-v1" for name in SUBSTRATES} - {
        "rws-arena-learned-v1"
    }
    assert set(met.values()) == {6}, "24 episodes with the four policies of this test"


def test_it_holds_the_hash_of_all_weights(planned: StudyPlan) -> None:
    for spec in planned.episodes:
        if ego(spec).mind in ("ppo", "opre", "ppo_scripted"):
            assert len(ego(spec).params["policies"]["sha256"]) == 64
