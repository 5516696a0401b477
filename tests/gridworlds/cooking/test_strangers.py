"""Teammates in the kitchen whose habits are none of the kinds that minds know."""

from __future__ import annotations

from otherminds.core.scenario import Scenario, Setup, scenario
from otherminds.gridworlds.cooking.bayesian import KINDS
from otherminds.gridworlds.cooking.cooks import NAMES
from otherminds.gridworlds.cooking.strangers import HABITS
from otherminds.play.loop import play_now
from otherminds.testing.scenarios import EpisodePromises, PopulationPromises, ProbePromises
from tests.cases import for_each

STEPS = 1_000


class TestScenario(PopulationPromises, EpisodePromises, ProbePromises):
    seeds = (0, 1)

    def make_scenario(self) -> Scenario:
        return scenario("cooking-asymmetric-strangers-v1", {"steps": 100})


@for_each("name", HABITS)
def test_no_stranger_keeps_to_a_known_kind_for_an_episode(name: str) -> None:
    """A kind has one policy for all steps, never rests after a soup and never strays."""
    habit = HABITS[name]
    policies = {habit.policy(step) for step in range(STEPS)}
    known = {kind.policy for kind in KINDS}
    assert len(policies) > 1 or policies.isdisjoint(known) or habit.rest or habit.noise
    assert name not in NAMES


def test_each_stranger_works_and_is_met() -> None:
    built = scenario("cooking-asymmetric-strangers-v1", {"steps": 600})
    met: dict[str, float] = {}
    for seed in range(len(HABITS)):
        record, _ = play_now(Setup(built, {"ego": built.minds["informed"]()}, seed))
        met[next(iter(record.partners.values())).name] = record.total("ego")
    assert set(met) == set(HABITS)
    assert min(met.values()) > 0
