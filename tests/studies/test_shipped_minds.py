"""The shipped studies of Hypothetical Minds plan what the paper's figures hold."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection

import pytest

from otherminds.core.errors import StudyError
from otherminds.core.scenario import Scenario, scenario, scenarios
from otherminds.gridworlds.printed_rewards import published
from otherminds.studies.file import shipped
from otherminds.studies.plan import StudyPlan, ego, plan_file
from otherminds.studies.run_overrides import RunOverrides
from tests.cases import for_each

RWS = {f"rws-repeated-{i}-v1" for i in range(9)}
TWO = {"rws-repeated-1-v1", "rws-repeated-6-v1"}


def planned(name: str) -> StudyPlan:
    return plan_file(
        shipped(name),
        RunOverrides(() if name in {"bayesian", "cross-play", "gridworlds", "strangers"} else ("competent",)),
    )


PAPER = ("rws-repeated", "rws-arena", "pd-repeated", "cooking-asymmetric")
"""The substrates of Cross et al. 2025."""


@pytest.mark.parametrize(
    ("name", "where", "parameter", "values", "episodes"),
    [
        ("hm-top-k", RWS, "top_k", {0, 1, 3, 5, 10}, 5),
        ("hm-alpha", TWO, "alpha", {0.1, 0.3, 0.5, 0.7}, 10),
        ("hm-threshold", TWO, "v_thr", {0.5, 0.6, 0.7, 0.8, 0.9}, 10),
    ],
)
def test_a_sweep_varies_one_number(name, where, parameter, values, episodes) -> None:
    plan = planned(name)
    assert plan.name == name
    assert {spec.scenario for spec in plan.episodes} == where
    assert {ego(spec).mind for spec in plan.episodes} == {"hm"}
    assert all(set(ego(spec).params) == {parameter} for spec in plan.episodes)
    assert {ego(spec).params[parameter] for spec in plan.episodes} == values
    assert set(plan.cells().values()) == {episodes}
    assert len(plan.cells()) == len(where) * len(values)


def test_scaffolds_are_compared_in_every_game_that_has_both() -> None:
    plan = planned("hm-scaffolds")
    assert {ego(spec).params.get("scaffold", "own") for spec in plan.episodes} == {"own", "paper_prompts"}
    played = {spec.scenario for spec in plan.episodes}
    assert {name.partition("-")[0] for name in played} == {"rws", "pd", "cooking"}
    assert all("paper_prompts" in _scaffolds(scenarios.get(name)()) for name in played)
    assert set(plan.cells().values()) == {5}


def test_figure_2_has_the_agent_its_ablations_baselines_and_references() -> None:
    plan = planned("hypothetical")
    minds = {ego(spec).mind for spec in plan.episodes}
    assert {spec.scenario for spec in plan.episodes} == RWS
    assert minds == {
        "hm",
        "vmp",
        "mmp",
        "mmp_he",
        "he_hr",
        "react",
        "reflexion_agent",
        "plan_react",
        "blind",
        "informed",
    }
    assert set(plan.cells().values()) == {5}
    assert {ego(spec).model for spec in plan.episodes} == {"competent", ""}


def test_base_models_are_compared_by_giving_several() -> None:
    plan = plan_file(shipped("hypothetical"), RunOverrides(("competent", "competent:accuracy=0.5")))
    assert {ego(spec).model for spec in plan.episodes} == {"competent", "competent:accuracy=0.5", ""}
    assert len(plan.cells()) == 9 * (2 * 8 + 2)


def test_figure_5_has_every_scenario_of_the_four_substrates_and_any_models() -> None:
    models = ("competent", "competent:accuracy=0.5")
    plan = plan_file(shipped("hm-models"), RunOverrides(models))
    of_paper = {f"{row.substrate}-{row.scenario}-v1" for row in published()}
    assert {spec.scenario for spec in plan.episodes} == of_paper
    assert {(ego(spec).mind, ego(spec).model) for spec in plan.episodes} == {
        ("hm", model) for model in models
    }
    assert set(plan.cells().values()) == {3}


def test_what_is_scripted_needs_no_model_of_choice() -> None:
    with pytest.raises(StudyError, match="no mind of this study has the model MODEL"):
        plan_file(shipped("bayesian"), RunOverrides(("competent",)))


def test_matrix_games_have_the_scaffold_the_strategies_and_minds_without_a_model() -> None:
    plan = planned("hm-matrix")
    assert {spec.scenario for spec in plan.episodes} == {"rps-mixed-v1", "ibs-mixed-v1", "ipd-mixed-v1"}
    minds = {ego(spec).mind for spec in plan.episodes}
    assert {"hm", "cot", "qa", "social_qa", "bayesian", "bayes", "rmax"} <= minds
    assert {ego(spec).model for spec in plan.episodes} == {"competent", ""}


def test_the_mind_without_a_model_meets_all_scripted_partners() -> None:
    plan = planned("bayesian")
    every = {name for name in scenarios if name.startswith(PAPER)}
    grids = {name for name in every if "-learned-" not in name and "-strangers-" not in name}
    assert {spec.scenario for spec in plan.episodes} == grids
    assert len(grids) == 34
    assert {ego(spec).mind for spec in plan.episodes} == {"bayesian", "hm", "blind", "informed"}
    enough = {"rws-repeated-mixed-v1": 162, "pd-repeated-mixed-v1": 40}
    assert all(n == enough.get(scenario, 20) for (scenario, _), n in plan.cells().items())


def test_cross_play_is_every_ordered_pair_of_minds_learned_policies_and_strangers() -> None:
    plan = planned("cross-play")
    pairs: dict[str, set[tuple[str, str]]] = {}
    for spec in plan.episodes:
        players = spec.seats["ego"].mind, spec.seats["partner_0"].mind
        pairs.setdefault(spec.scenario, set()).add(players)
    assert len(pairs) == 3
    for scenario_id, met in pairs.items():
        players = {player for pair in met for player in pair}
        assert met == {(first, second) for first in players for second in players}
        strangers = {specs[0].mind for _, specs in scenario(scenario_id, {}).population.members}
        assert {"bayesian", "hm", "ppo", "ppo_scripted", "opre"} <= players - strangers
        assert len(players & strangers) >= 2


def test_each_mind_meets_known_families_and_strangers_beside_one_that_knows_nothing() -> None:
    plan = planned("strangers")
    minds: dict[str, set[str]] = {}
    for spec in plan.episodes:
        minds.setdefault(spec.scenario, set()).add(ego(spec).mind)
    for scenario_of_known in ("rws-repeated-2-v1", "pd-repeated-mixed-v1", "cooking-asymmetric-mixed-v1"):
        known = minds[scenario_of_known]
        strange = minds[f"{scenario_of_known.rsplit('-', 2)[0]}-strangers-v1"]
        assert known == strange >= {"bayesian", "hm", "blind", "informed"}
        assert strange & {"uniform", "random"}
    assert min(plan.cells().values()) >= 20
    for scenario_id in minds:
        members = {specs[0].title for _, specs in scenario(scenario_id, {}).population.members}
        met = {
            spec.seats["partner_0"].title
            for spec in plan.episodes
            if spec.scenario == scenario_id and ego(spec).mind == "bayesian"
        }
        assert met == members, "each is met, so that F is defined"


@for_each("study", ["bayesian", "gridworlds"], every=2)
def test_the_mixtures_of_repeated_games_meet_each_partner_twice(study: str) -> None:
    for mixture in ("rws-repeated-mixed-v1", "pd-repeated-mixed-v1"):
        members = {specs[0].mind for _, specs in scenario(mixture, {}).population.members}
        met = Counter(
            spec.seats["partner_0"].mind
            for spec in planned(study).episodes
            if spec.scenario == mixture and ego(spec).mind == "informed"
        )
        assert met.keys() == members
        assert min(met.values()) >= 2


def _scaffolds(built: Scenario) -> Collection[str]:
    assert built.verbalizer is not None
    return built.verbalizer(built.drawn(0), "ego").scaffolds
