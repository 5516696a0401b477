"""What ``examples/add_a_world`` promises. ``test_add_a_world.py`` runs it where the package can be imported."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest
from hide_and_seek.scenarios import NEXT, SEEKERS, build
from hide_and_seek.world import GAME, HIDER, PAYOFFS, PLACES, SEEKER, HideAndSeek

from otherminds.core.data import Game, Question
from otherminds.core.record import SeatSpec
from otherminds.testing import MindConformance, PartnerConformance, ScenarioConformance, WorldConformance

ROUNDS = 5
KINDS = tuple(SEEKERS)
NUMBERS = range(len(PLACES))


class TestWorld(WorldConformance):
    def make_world(self) -> HideAndSeek:
        return HideAndSeek(rounds=6)

    def questions(self) -> tuple[Question, ...]:
        return (NEXT,)


class TestAllSeekers(ScenarioConformance):
    def make_scenario(self) -> Any:
        return build("all", KINDS, rounds=6)


class TestReactingSeekers(ScenarioConformance):
    def make_scenario(self) -> Any:
        return build("reacting", ("hopeful", "restless"), rounds=6)


class TestBayesHides(MindConformance):
    def make_mind(self) -> Any:
        from otherminds.minds.registry import minds

        return minds.make("bayes", {})

    def make_scenario(self) -> Any:
        return build("all", KINDS, rounds=6)


class Seeking(PartnerConformance):
    kind: str

    def make_automaton(self) -> tuple[Game, Any, int]:
        return GAME, SEEKERS[self.kind].automaton(GAME, 6), 6


class TestStubborn(Seeking):
    kind = "stubborn"
    trajectory = (("attic", "attic"), ("garden", "attic"), ("cellar", "attic"))


class TestSweeper(Seeking):
    kind = "sweeper"
    trajectory = (("attic", "attic"), ("garden", "cellar"), ("cellar", "garden"), ("cellar", "attic"))


class TestHopeful(Seeking):
    kind = "hopeful"
    trajectory = (("attic", "attic"), ("garden", "attic"), ("cellar", "cellar"), ("attic", "cellar"))


class TestRestless(Seeking):
    kind = "restless"
    trajectory = (("garden", "attic"), ("attic", "attic"), ("attic", "cellar"), ("cellar", "cellar"))


def heard(hidden: int, looked: int) -> Any:
    """What the seeker receives of one round."""
    world = HideAndSeek(rounds=2)
    world.reset(0)
    return [of[SEEKER] for of in world.step({HIDER: hidden, SEEKER: looked})]


@pytest.mark.parametrize("looked", NUMBERS)
def test_a_seeker_that_misses_receives_the_same_wherever_the_coin_is(looked: int) -> None:
    one, other = (heard(hidden, looked) for hidden in NUMBERS if hidden != looked)
    assert one == other
    assert one != heard(looked, looked)


@pytest.mark.parametrize("kind", KINDS)
def test_a_seeker_uses_no_more_than_it_can_see(kind: str) -> None:
    bot = SEEKERS[kind].automaton(GAME, 6)
    for after in bot.next:
        for looked in NUMBERS:
            assert len({after[looked][hidden] for hidden in NUMBERS if hidden != looked}) == 1


def test_the_ends_of_f_are_those_of_trying_every_plan() -> None:
    """Seekers play for certain, so that the best response to one is the best of the plans fixed in advance."""
    plans = [*product(NUMBERS, repeat=ROUNDS)]
    returns = {kind: [earn(plan, kind) for plan in plans] for kind in KINDS}
    blind = max(sum(of) / len(KINDS) for of in zip(*returns.values(), strict=True))
    best = sum(map(max, returns.values())) / len(KINDS)
    bounds = build("all", KINDS, ROUNDS).bounds
    assert bounds is not None
    for kind in KINDS:
        ends = bounds({SEEKER: SeatSpec(kind)})
        assert (ends.informed, ends.best, ends.blind) == pytest.approx((max(returns[kind]), best, blind))
    assert best > blind


def earn(plan: tuple[int, ...], kind: str) -> float:
    """The return of a plan that is fixed in advance, by the seekers' rules in plain words."""
    look, earned = 0, 0.0
    for hidden in plan:
        earned += PAYOFFS[hidden][look][0]
        moves = {"stubborn": False, "sweeper": True, "hopeful": hidden != look, "restless": hidden == look}
        look = (look + moves[kind]) % 3
    return earned
