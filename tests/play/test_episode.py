"""Who sits where, and with which privileges."""

import dataclasses
from types import ModuleType
from typing import Any

import pytest

from otherminds.core.data import Automaton, Partner, WeightedPolicy
from otherminds.core.errors import StudyError
from otherminds.core.scenario import Setup
from otherminds.play.loop import play_now
from tests.play import toys

AUTOMATON = Automaton(0, ((1.0, 0.0, 0.0),), (((0,) * 3,) * 3,))


def granted(toys: ModuleType, seat: str, *names: str, **changes: Any) -> Any:
    """The brief that ``seat`` got when the episode declares the grants ``names`` for it."""
    mind = toys.Diary()
    scene = dataclasses.replace(toys.scenario(), **changes)
    minds = {"ego": toys.Diary(), seat: mind}
    play_now(Setup(scene, minds, 1, grants={seat: names}))
    return mind.brief


def test_an_empty_seat_is_named() -> None:
    with pytest.raises(StudyError, match="seat 'partner_0' of scenario 'toy-v1' has no mind"):
        Setup(toys.scenario(), {"ego": toys.Diary()}, partners={})


def test_a_grant_that_a_mind_needs_must_be_declared() -> None:
    class Knowing(toys.Diary):
        grants = frozenset({"payoffs", "family"})

    setup = Setup(toys.scenario(), {"ego": Knowing()}, grants={"ego": ("payoffs",)})
    with pytest.raises(StudyError, match=r"seat 'ego' needs the grants \['family'\].*does not declare"):
        play_now(setup)


def test_a_grant_that_the_scenario_lacks_is_named() -> None:
    with pytest.raises(StudyError, match="scenario 'toy-v1' has no grant 'secrets'"):
        granted(toys, "ego", "secrets")


def test_a_world_without_a_game_has_no_payoffs_to_grant() -> None:
    assert granted(toys, "ego", "payoffs", game=None).game is None


def test_nothing_is_known_without_a_grant() -> None:
    brief = granted(toys, "ego")
    assert (brief.game, brief.partners, brief.secrets) == (None, (), ())


def test_each_seat_is_granted_the_game_as_it_sees_it() -> None:
    assert granted(toys, "ego", "payoffs").game == toys.GAME
    assert granted(toys, "partner_0", "payoffs").game == toys.GAME.flipped()


def test_so_it_is_when_both_seats_are_under_test() -> None:
    assert granted(toys, "partner_0", "payoffs", focal=toys.SEATS).game == toys.GAME.flipped()


def test_a_prior_is_granted_by_its_name() -> None:
    likely = (WeightedPolicy(1.0, AUTOMATON),)
    assert granted(toys, "ego", "family", priors={"family": lambda: likely}).partners == likely


def test_the_policy_is_the_partners_own() -> None:
    known = lambda spec, seat: (toys.Diary(), Partner("known", AUTOMATON))  # noqa: E731 - a factory in one line
    assert granted(toys, "ego", "policy", partner=known).partners == (WeightedPolicy(1.0, AUTOMATON),)


def test_a_world_may_grant_what_it_alone_has() -> None:
    secrets = {"secrets": lambda seat: (f"only {seat} knows",)}
    assert granted(toys, "ego", "secrets", grants=secrets).secrets == ("only ego knows",)
    assert granted(toys, "partner_0", "secrets", grants=secrets).secrets == ("only partner_0 knows",)


def test_grants_are_on_record() -> None:
    record, _ = play_now(Setup(toys.scenario(), {"ego": toys.Diary()}, grants={"ego": ("payoffs",)}))
    assert record.spec.grants == {"ego": ("payoffs",)}
