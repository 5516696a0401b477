"""The stand-ins are as competent as was fixed beforehand; reference minds play the roles they are to play."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest

from otherminds.core.contracts import Mind
from otherminds.core.data import Moment
from otherminds.core.errors import StudyError
from otherminds.core.scenario import Scenario, scenario
from otherminds.gridworlds.cooking.cooks import (
    BEST,
    COOKS,
    FIXED,
    LEAST_SEMI_SKILLED,
    LEAST_SKILLED,
    NAMES,
    NOOP_BOT,
    OPTIMUM,
    BlindCook,
    Cook,
    CookPolicy,
    InformedCook,
    SharingCook,
    in_role,
    scripted,
)
from otherminds.gridworlds.cooking.rules import COOKING_ASYMMETRIC as RULES
from otherminds.gridworlds.cooking.views import AVATAR, ITEM, OTHER
from otherminds.gridworlds.cooking.world import CookingWorld
from otherminds.gridworlds.grid.rules import INTERACT, NOOP
from otherminds.play.loop import finish
from otherminds.play.seat_context import Now, SeatContext
from otherminds.testing import MindConformance
from tests.cases import for_each, thinned

EPISODES = 3


def cooked(left: Mind, right: Mind, seed: int, secrets: tuple[str, ...] = ()) -> float:
    """The soups of a whole episode."""
    world = CookingWorld(RULES)
    observations, infos = world.reset(seed, {"grants": {"ego": {"secrets": secrets}}})
    ego_left = observations["ego"]["POSITION"][0] < 4
    minds = dict(zip(("ego", "partner_0"), (left, right) if ego_left else (right, left), strict=True))
    for seat, mind in minds.items():
        mind.begin(world.brief(seat), SeatContext(seat, seed, Now()))
    rewards = dict.fromkeys(minds, 0.0)
    total, step = 0.0, 0
    while world.agents:
        actions: dict[str, Any] = {}
        for seat, mind in minds.items():
            moment = Moment(step, observations[seat], rewards[seat], infos[seat].get("encounters", ()))
            finish(mind.perceive(moment))
            actions[seat] = finish(mind.act())
        observations, rewards, _, _, infos = world.step(actions)
        total += rewards["ego"]
        step += 1
    return total / RULES.pay


@cache
def mean(left: str, right: str) -> float:
    def made(name: str) -> Mind:
        return SharingCook(RULES) if name == "cook" else scripted(RULES, name)

    return sum(cooked(made(left), made(right), seed) for seed in range(EPISODES)) / EPISODES


@pytest.mark.parametrize("name", thinned([name for name in COOKS if name.startswith("chef")], 2))
def test_skilled_cooks_deliver_what_was_fixed_beforehand_in_either_room(name: str) -> None:
    assert LEAST_SKILLED <= mean(name, "cook") <= OPTIMUM
    assert LEAST_SKILLED <= mean("cook", name) <= OPTIMUM


@pytest.mark.parametrize("name", thinned([name for name in COOKS if name.startswith("apprentice")], 2))
def test_semi_skilled_cooks_deliver_what_was_fixed_beforehand_but_less_than_chefs(name: str) -> None:
    chef = name.replace("apprentice", "chef")
    assert LEAST_SEMI_SKILLED <= mean(name, "cook") < mean(chef, "cook")
    assert LEAST_SEMI_SKILLED <= mean("cook", name) < mean("cook", chef)


def test_a_competent_cook_gets_on_without_help() -> None:
    assert mean("cook", NOOP_BOT) >= 18
    assert mean(NOOP_BOT, "cook") >= 30


def test_cooks_that_keep_to_their_room_deliver_nothing_without_help() -> None:
    assert mean("chef_0", NOOP_BOT) == mean(NOOP_BOT, "chef_0") == 0
    assert mean("chef_1", NOOP_BOT) > 0


@pytest.mark.parametrize("name", thinned(NAMES, 3))
def test_roles_of_the_informed_are_as_good_as_those_of_who_goes_by_what_it_sees(name: str) -> None:
    told = (f"partner_0 is {name}",)

    def total(ego: Mind) -> float:
        found = 0.0
        for seed in range(4):
            left = CookingWorld(RULES).reset(seed)[0]["ego"]["POSITION"][0] < 4
            other = scripted(RULES, name)
            found += cooked(*((ego, other) if left else (other, ego)), seed, told)
        return found

    assert total(InformedCook(RULES)) >= total(SharingCook(RULES)) - 4


def begun(mind: Mind, secrets: tuple[str, ...] = (), seed: int = 0) -> tuple[Mind, CookingWorld]:
    world = CookingWorld(RULES)
    world.reset(seed, {"grants": {"ego": {"secrets": secrets}}})
    mind.begin(world.brief("ego"), SeatContext("ego", seed, Now()))
    return mind, world


@for_each("name", NAMES)
def test_the_informed_plays_the_best_role_beside_whom_it_is_told_it_meets(name: str) -> None:
    mind, _ = begun(InformedCook(RULES), (f"partner_0 is {name}",))
    assert isinstance(mind, Cook)
    assert mind.policy == BEST[name]


@pytest.mark.parametrize("secrets", [(), ("partner_0 is somebody",)])
def test_the_informed_must_be_told_whom_it_meets(secrets: tuple[str, ...]) -> None:
    with pytest.raises(StudyError, match="one of apprentice_0, apprentice_1, chef_0"):
        begun(InformedCook(RULES), secrets)


def test_the_blind_acts_alike_whatever_it_could_see_of_its_teammate() -> None:
    """Its teammate is cut out of what it observes, and what it is paid is withheld."""
    seeing, blinded = BlindCook(RULES), BlindCook(RULES)
    for seed in range(4):
        world = CookingWorld(RULES)
        observations, _ = world.reset(seed)
        partner = SharingCook(RULES)
        for mind, seat in ((seeing, "ego"), (blinded, "ego"), (partner, "partner_0")):
            mind.begin(world.brief(seat), SeatContext(seat, seed, Now()))
        rewards = dict.fromkeys(observations, 0.0)
        cut = 0
        for step in range(300):
            finish(seeing.perceive(Moment(step, observations["ego"], rewards["ego"])))
            finish(partner.perceive(Moment(step, observations["partner_0"], rewards["partner_0"])))
            window = observations["ego"]["WINDOW"].copy()
            there = window[..., AVATAR] >= OTHER
            window[there, ITEM] = window[there, AVATAR] = 0
            cut += int(there.sum())
            finish(blinded.perceive(Moment(step, observations["ego"] | {"WINDOW": window})))
            actions = {"ego": finish(seeing.act()), "partner_0": finish(partner.act())}
            assert finish(blinded.act()) == actions["ego"]
            observations, rewards, *_ = world.step(actions)
        assert cut > 0
    assert seeing.policy == FIXED
    assert "share" not in FIXED


def test_noise_is_the_share_of_random_movements() -> None:
    mind, world = begun(Cook(RULES, CookPolicy("serve", "supply"), noise=1.0))
    observations, _ = world.reset(0)
    finish(mind.perceive(Moment(0, observations["ego"])))
    made = {finish(mind.act()) for _ in range(200)}
    assert made == set(range(1, INTERACT))


def test_an_idle_cook_stands_still_in_its_share_of_steps() -> None:
    mind, world = begun(scripted(RULES, "apprentice_0"))
    observations, _ = world.reset(0)
    finish(mind.perceive(Moment(0, observations["ego"])))
    made = [finish(mind.act()) for _ in range(400)]
    assert 150 < made.count(NOOP) < 250


@for_each("noise", [-0.1, 1.5, True])
def test_noise_that_is_no_probability_is_refused(noise: float) -> None:
    with pytest.raises(StudyError, match="noise of a cook must be from 0 to 1"):
        scripted(RULES, "chef_0", noise)


def test_who_does_nothing_takes_no_noise() -> None:
    with pytest.raises(StudyError, match="noop_bot always stands still"):
        scripted(RULES, NOOP_BOT, 0.1)


def test_unknown_cooks_and_roles_are_named() -> None:
    with pytest.raises(StudyError, match="no cook 'chef_9'; there are apprentice_0"):
        scripted(RULES, "chef_9")
    with pytest.raises(StudyError, match="no role 'boss'; there are alone, supply, serve, share"):
        in_role(RULES, "boss")


class ReferenceMind(MindConformance):
    seeds = (0, 1, 2)
    mind: type[SharingCook]

    def make_mind(self) -> Mind:
        return self.mind(RULES)

    def make_scenario(self) -> Scenario:
        return scenario("cooking-asymmetric-mixed-v1", {"steps": 90})


class TestSharingCook(ReferenceMind):
    mind = SharingCook


class TestInformedCook(ReferenceMind):
    mind = InformedCook


@pytest.mark.slow
class TestBlindCook(ReferenceMind):
    mind = BlindCook


del ReferenceMind  # a base class is no test of its own
