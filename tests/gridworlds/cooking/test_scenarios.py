"""The three scenarios and their mixture keep what every scenario keeps; their partners are those of Melting Pot."""

from __future__ import annotations

import re
from fractions import Fraction

import pytest

from otherminds.core.errors import StudyError
from otherminds.core.record import SeatSpec
from otherminds.core.scenario import Scenario, Setup, scenario, scenarios
from otherminds.gridworlds.cooking.acts import BEHAVIOURS
from otherminds.gridworlds.cooking.cooks import NAMES
from otherminds.gridworlds.cooking.rules import COOKING_ASYMMETRIC, SUBSTRATES, Rules
from otherminds.gridworlds.cooking.scenarios import weights
from otherminds.gridworlds.grid.scenarios import MIXTURE
from otherminds.minds.registry import make_mind
from otherminds.play.loop import play_now
from otherminds.testing import ScenarioConformance
from otherminds.testing.scenarios import EpisodePromises, PopulationPromises, ProbePromises
from tests.cases import for_each


class Short(PopulationPromises, EpisodePromises, ProbePromises):
    name = ""

    def make_scenario(self) -> Scenario:
        return scenario(self.name, {"steps": 60})


class Single(Short):
    """What differs between scenarios; verbalizer and scaffold are those of the mixture."""

    def test_same_in_another_process(self) -> None:
        pytest.skip("shown once for all partners, by the mixture")


class TestChefs(Single):
    name = "cooking-asymmetric-0-v1"


class TestApprentices(Single):
    name = "cooking-asymmetric-1-v1"


class TestNobody(Single):
    name = "cooking-asymmetric-2-v1"


class TestMixture(Short, ScenarioConformance):
    name = "cooking-asymmetric-mixed-v1"
    seeds = tuple(range(6))

    def make_scenario(self) -> Scenario:
        return scenario(self.name, {"steps": 50, "noise": 0.1})

    def test_the_seeds_of_the_check_meet_everybody(self) -> None:
        met = {self.episode(seed).partners["partner_0"].name for seed in self.seeds}
        assert met == set(NAMES)


del Short, Single  # base classes are no tests of their own


FOCAL = {
    "cooking-asymmetric": [1, 1, 1],
    "cooking-circuit": [1, 1, 1],
    "cooking-cramped": [1, 1, 1],
    "cooking-crowded": [8, 6, 8],
    "cooking-figure-eight": [5, 4, 5],
    "cooking-forced": [1, 1],
    "cooking-ring": [1, 1],
}
"""The seats under test in each scenario of Melting Pot 2.4.1."""


def test_overcooked_layouts_have_the_scenarios_of_a_kitchen_for_two_and_no_reference_minds() -> None:
    layouts = (
        "asymmetric-advantages",
        "coordination-ring",
        "counter-circuit",
        "cramped-room",
        "forced-coordination",
    )
    own = [name for name in scenarios if re.fullmatch(r"overcooked-.*-(\d|mixed)-v1", name)]
    assert sorted(own) == [
        f"overcooked-{name}-{which}-v1" for name in layouts for which in ("0", "1", "2", MIXTURE)
    ]
    for name in own:
        built = scenario(name, {})
        assert built.focal == ("ego",)
        assert not {"informed", "blind", "bayesian"} & built.minds.keys()


def test_there_are_melting_pots_scenarios_of_each_kitchen_and_a_mixture() -> None:
    own = [name for name in scenarios if re.fullmatch(r"cooking-.*-(\d|mixed)-v1", name)]
    assert sorted(own) == sorted(
        f"{kitchen}-{which}-v1"
        for kitchen, focal in FOCAL.items()
        for which in (*map(str, range(len(focal))), MIXTURE)
    )
    for kitchen, focal in FOCAL.items():
        assert [len(scenario(f"{kitchen}-{n}-v1", {}).focal) for n in range(len(focal))] == focal
        assert len(scenario(f"{kitchen}-{MIXTURE}-v1", {}).focal) == 1


@for_each("kitchen", [rules for rules in SUBSTRATES.values() if rules.players > 2])
def test_kitchens_for_more_than_two_have_neither_reference_minds_nor_a_population_of_reference(
    kitchen: Rules,
) -> None:
    for which in (*map(str, range(len(kitchen.scenarios))), MIXTURE):
        built = scenario(f"{kitchen.name.removesuffix('-v1')}-{which}-v1", {})
        assert not {"informed", "blind", "bayesian"} & built.minds.keys()
        assert built.bounds is not None
        assert built.bounds({}).population == ()


def test_stand_ins_are_met_as_melting_pot_draws_its_bots() -> None:
    assert weights("0") == ((Fraction(1, 2), "chef_0"), (Fraction(1, 2), "chef_1"))
    assert weights("1") == ((Fraction(1, 2), "apprentice_0"), (Fraction(1, 2), "apprentice_1"))
    assert weights("2") == ((Fraction(1), "noop_bot"),)
    assert {name for pool in COOKING_ASYMMETRIC.scenarios for name in pool.cooks} == set(NAMES)
    assert list(NAMES) == sorted(NAMES)


def test_the_mixture_gives_each_scenario_the_same_share() -> None:
    shares = {name: share for share, name in weights(MIXTURE)}
    pools = [pool.cooks for pool in COOKING_ASYMMETRIC.scenarios]
    assert [sum(shares[name] for name in pool) for pool in pools] == [Fraction(1, 3)] * 3


def test_scores_carry_the_caution_that_they_cannot_be_compared() -> None:
    for name in scenarios:
        if name.startswith("cooking-"):
            assert "not comparable with published Melting Pot scores" in scenario(name, {}).caution


@for_each(
    ("options", "text"),
    [
        ({"steps": 0}, "steps must be a whole number"),
        ({"steps": True}, "steps must be a whole number"),
        ({"steps": 1.5}, "steps must be a whole number"),
        ({"steps": "many"}, "steps must be a whole number"),
        ({"noise": "much"}, "noise of a cook must be from 0 to 1"),
        ({"noise": 1.5}, "noise of a cook must be from 0 to 1"),
    ],
)
def test_bad_options_of_a_kitchen_are_named(options: dict[str, object], text: str) -> None:
    with pytest.raises(StudyError, match=text):
        scenario("cooking-asymmetric-0-v1", options)


def test_noise_is_a_parameter_of_everybody_but_who_does_nothing() -> None:
    made = scenario("cooking-asymmetric-mixed-v1", {"noise": 0.2})
    params = {specs[0].mind: specs[0].params for _, specs in made.population.members}
    assert params == {name: {"noise": 0.2} for name in NAMES} | {"noop_bot": {}}


@for_each("mind", ["informed", "blind", "bayesian", "cook", "random", "uniform", "noop", *NAMES])
def test_reference_minds_and_stand_ins_can_sit_in_the_seat_under_test(mind: str) -> None:
    built = scenario("cooking-asymmetric-1-v1", {"steps": 120})
    made = built.minds[mind]() if mind in built.minds else make_mind(SeatSpec(mind))
    record, _ = play_now(Setup(built, {"ego": made}, 0))
    assert record.outcome.status == "scored"
    assert len(record.actions) == 120
    if mind in {"informed", "blind", "bayesian", "cook"}:
        assert {asked.answer for asked in record.asked} <= {*BEHAVIOURS}


def test_the_teammates_next_act_is_asked_at_the_start_and_after_each_delivery() -> None:
    built = scenario("cooking-asymmetric-0-v1", {"steps": 200})
    mind = built.minds["cook"]()
    record, _ = play_now(Setup(built, {"ego": mind}, 0))
    delivered = {delivery["step"] + 1 for delivery in record.facts["deliveries"]}
    assert len(delivered) > 3
    assert {asked.step for asked in record.asked} == {0} | {step for step in delivered if step < 200}
    assert all(question.chance == 1 / len(BEHAVIOURS) for question in record.questions)


def test_informed_earns_what_blind_does_not_beside_one_who_does_nothing() -> None:
    built = scenario("cooking-asymmetric-2-v1", {})
    earned: dict[str, float] = {}
    for name in ("informed", "blind"):
        mind = built.minds[name]()
        records = [play_now(Setup(built, {"ego": mind}, seed))[0] for seed in range(4)]
        earned[name] = sum(record.total("ego") for record in records)
    assert earned["informed"] > earned["blind"]


def test_every_scenario_refers_to_all_stand_ins() -> None:
    for name in ("0", "1", "2", "mixed"):
        bounds = scenario(f"cooking-asymmetric-{name}-v1", {}).bounds(())
        assert bounds is not None
        assert {member.name: member.weight for member in bounds.population} == pytest.approx(
            {
                "apprentice_0": 1 / 6,
                "apprentice_1": 1 / 6,
                "chef_0": 1 / 6,
                "chef_1": 1 / 6,
                "noop_bot": 1 / 3,
            }
        )
