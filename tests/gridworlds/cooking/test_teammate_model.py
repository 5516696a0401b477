"""A shadow does what its kind does: in sight it foresees each step, out of sight it goes on at its pace."""

from __future__ import annotations

import pytest

from otherminds.core.data import Moment
from otherminds.gridworlds.cooking.acts import BEHAVIOURS, FILLED_POT, STOOD, TOOK_DISH, TOOK_TOMATO, next_act
from otherminds.gridworlds.cooking.bayesian import ERROR, KINDS, Signs, TeammateModel, Watch
from otherminds.gridworlds.cooking.cooks import InformedCook, scripted
from otherminds.gridworlds.cooking.kitchen import Kitchen
from otherminds.gridworlds.cooking.rules import COOKING_ASYMMETRIC as RULES
from otherminds.gridworlds.cooking.rules import DISH, EMPTY, SOUP, TOMATO
from otherminds.gridworlds.cooking.sightings import Mate
from otherminds.gridworlds.cooking.world import CookingWorld
from otherminds.play.loop import finish
from otherminds.play.seat_context import Now, SeatContext
from tests.cases import for_each, thinned

NORTH, EAST, SOUTH, WEST = range(4)
BY_NAME = {kind.name: kind for kind in KINDS}
LEFT, RIGHT = ((2, 2), WEST), ((6, 2), WEST)
EVERYWHERE = frozenset((x, y) for x in range(9) for y in range(5))
NOWHERE = Signs(None, frozenset(), (), (), False)


def teammate(name: str, cell: tuple[int, int] = (6, 2), facing: int = WEST) -> TeammateModel:
    return TeammateModel(RULES, 1, BY_NAME[name], [(*cell, facing)])


def followed(one: TeammateModel, steps: int, signs: Signs = NOWHERE) -> None:
    """Goes on by so many steps in which nothing is learned."""
    known = Kitchen(RULES, 0)
    for _ in range(steps):
        known.place((0, 0, NORTH), EMPTY, charged=True, step=one.kitchen.step + 1)
        one.follow(known, signs, 0.0)


def knowledge(one: TeammateModel) -> tuple[object, ...]:
    kitchen = one.kitchen
    pots = kitchen.tomatoes.tolist(), kitchen.ready.tolist()
    return kitchen.pose, kitchen.held, pots, kitchen.items.tolist(), kitchen.step, kitchen.trusted


def at(cell: tuple[int, int], facing: int, held: int = EMPTY) -> Signs:
    return Signs(Mate(1, cell, facing, held), EVERYWHERE, (), (), False)


def test_out_of_sight_a_supplier_brings_tomatoes_until_the_pots_are_full() -> None:
    one = teammate("chef_0")
    followed(one, 40)
    assert one.kitchen.tomatoes.tolist() == [3, 3]
    assert one.kitchen.held == TOMATO
    assert one.expected() == FILLED_POT, "it waits for us to serve"


def test_who_idles_gets_on_half_as_fast() -> None:
    brisk, slow = teammate("chef_0"), teammate("apprentice_0")
    followed(brisk, 11)
    followed(slow, 21)
    assert brisk.kitchen.pose == slow.kitchen.pose
    assert brisk.kitchen.held == slow.kitchen.held


def test_who_does_nothing_stays_and_is_known_by_it() -> None:
    nobody, chef = teammate("noop_bot"), teammate("chef_0")
    for one in (nobody, chef):
        followed(one, 1, at((6, 2), WEST))
    assert nobody.likelihood(at((6, 2), WEST)) == 1.0
    assert chef.likelihood(at((6, 2), WEST)) < 0.2
    assert nobody.likelihood(at((6, 2), NORTH)) == ERROR
    for one in (nobody, chef):
        followed(one, 20)
    assert nobody.kitchen.pose == (6, 2, WEST)
    assert nobody.likelihood(at((6, 2), WEST)) > 10 * chef.likelihood(at((6, 2), WEST))
    assert nobody.expected() == STOOD


def test_being_out_of_sight_where_it_should_be_seen_speaks_against_who_stays() -> None:
    nobody, chef = teammate("noop_bot"), teammate("chef_0")
    gone = Signs(None, frozenset({(6, 2)}), (), (), False)
    for one in (nobody, chef):
        followed(one, 5)
    assert nobody.likelihood(gone) == ERROR
    assert chef.likelihood(gone) > 0.5
    followed(nobody, 1, gone)
    assert nobody.likelihood(at((5, 3), SOUTH)) > 0


@for_each(
    ("signs", "cannot"),
    [
        (Signs(None, frozenset(), ((4, 2),), (), False), {"server", "noop_bot"}),
        (
            Signs(None, frozenset(), (), ((4, 2),), False),
            {"chef_0", "apprentice_0", "supplier", "noop_bot"},
        ),
        (Signs(None, frozenset(), (), (), True), {"chef_0", "apprentice_0", "supplier", "noop_bot"}),
    ],
)
def test_deeds_speak_against_kinds_that_cannot_have_done_them(signs: Signs, cannot: set[str]) -> None:
    for kind in KINDS:
        one = teammate(kind.name)
        followed(one, 3)
        assert (one.likelihood(signs) <= ERROR) == (kind.name in cannot)


@for_each(
    ("signs", "held"),
    [
        (Signs(None, frozenset(), ((4, 3),), (), False), EMPTY),
        (Signs(None, frozenset(), (), ((4, 3),), False), SOUP),
        (Signs(None, frozenset(), (), (), True), EMPTY),
    ],
)
def test_deeds_tell_what_hands_hold_out_of_sight(signs: Signs, held: int) -> None:
    one = teammate("chef_1")
    followed(one, 1, at((5, 2), WEST, DISH if held == SOUP else TOMATO))
    followed(one, 1, signs)
    assert one.kitchen.held == held
    assert not (signs.filled or signs.served) or one.kitchen.ahead() == (4, 3)


@for_each(
    ("name", "cell", "act"),
    [
        ("chef_0", (6, 2), TOOK_TOMATO),
        ("chef_0", (2, 2), TOOK_DISH),
        ("chef_1", (2, 2), TOOK_TOMATO),
        ("server", (6, 2), TOOK_DISH),
        ("supplier", (2, 2), TOOK_TOMATO),
        ("noop_bot", (2, 2), STOOD),
    ],
)
def test_the_first_act_of_each_kind(name: str, cell: tuple[int, int], act: str) -> None:
    one = teammate(name, cell)
    followed(one, 1)
    before = knowledge(one)
    assert one.expected() == act
    assert knowledge(one) == before, "asking changes nothing"


@pytest.mark.parametrize("name", ["chef_0", "chef_1"])
@pytest.mark.parametrize("seed", thinned(range(4), 2))
def test_a_shadow_of_the_right_kind_foresees_steps_and_acts(name: str, seed: int) -> None:
    world = CookingWorld(RULES)
    observations, infos = world.reset(seed, {"grants": {"ego": {"secrets": (f"partner_0 is {name}",)}}})
    ego, mate = InformedCook(RULES), scripted(RULES, name)
    for mind, seat in ((ego, "ego"), (mate, "partner_0")):
        mind.begin(world.brief(seat), SeatContext(seat, seed, Now()))
    watch, one = Watch(ego._kitchen, "partner_0"), None
    fits: list[float] = []
    asked: list[tuple[int, str]] = []
    rewards = dict.fromkeys(observations, 0.0)
    for step in range(400):
        for mind, seat in ((ego, "ego"), (mate, "partner_0")):
            told = infos[seat].get("encounters", ())
            finish(mind.perceive(Moment(step, observations[seat], rewards[seat], told)))
        signs = watch.signs(Moment(step, observations["ego"], rewards["ego"]))
        if one is None:
            x = 6 if ego._kitchen.pose[0] < 4 else 2
            one = TeammateModel(RULES, 1, BY_NAME[name], [(x, 2, facing) for facing in range(4)])
        elif signs.mate is not None and one._in_sight:
            fits.append(one.likelihood(signs))
        one.follow(ego._kitchen, signs, rewards["ego"])
        asked.append((step, one.expected()))
        actions = {"ego": finish(ego.act()), "partner_0": finish(mate.act())}
        observations, rewards, _, _, infos = world.step(actions)
    assert sum(fit > 0.8 for fit in fits) >= 0.9 * len(fits) > 50
    truths = [(guess, next_act(world.acts, 1, step, 400)) for step, guess in asked]
    known = [(guess, truth) for guess, truth in truths if truth is not None]
    assert sum(guess == truth for guess, truth in known) >= 0.85 * len(known)
    assert {guess for guess, _ in truths} <= {*BEHAVIOURS}
