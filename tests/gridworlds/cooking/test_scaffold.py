"""The scaffold of cooking: exact scenes and memory, worked plans that can be carried out, strict reading."""

from __future__ import annotations

import ast
from random import Random
from typing import Any

import pytest

from otherminds.core.contracts import Manner, RememberedSighting, Sighting
from otherminds.core.data import Encounter, Ended, Invalid, Moment, SkillChoice
from otherminds.core.scenario import scenario
from otherminds.gridworlds.cooking import acts
from otherminds.gridworlds.cooking import rules as columns
from otherminds.gridworlds.cooking.bayesian import KINDS
from otherminds.gridworlds.cooking.rules import COOKING_ASYMMETRIC, DISH, TOMATO
from otherminds.gridworlds.cooking.sightings import LABELS, side
from otherminds.gridworlds.cooking.skills import skills
from otherminds.gridworlds.cooking.verbalizer import CookingScaffold
from otherminds.gridworlds.cooking.world import CookingWorld
from otherminds.gridworlds.grid.rules import INTERACT, NOOP
from tests.cases import for_each
from tests.gridworlds.cooking import kitchens

ORDER = (6, 5, 4, 3, 2, 1, 0)
LEFT, RIGHT = (2, 2), (6, 2)
NORTH, EAST, SOUTH, WEST = range(4)


def words(me: str = "ego") -> CookingScaffold:
    return CookingScaffold(COOKING_ASYMMETRIC, me, ORDER)


def staged(kitchens: Any, *avatars: tuple[tuple[int, int], int, int]) -> CookingWorld:
    world = CookingWorld()
    kitchens.stage(world, *avatars)
    return world


def moment(world: CookingWorld, step: int = 0, seat: str = "ego") -> Moment:
    return Moment(step, world._heard(dict.fromkeys(world.agents, ()))[0][seat])


def told(lines: str) -> dict[str, Any]:
    """What the lines say, each literal by its label."""
    found: dict[str, Any] = {}
    for line in lines.splitlines():
        label, _, literal = line.partition(": ")
        found[label] = literal if label == "You are at" else ast.literal_eval(literal)
    return found


def test_the_scene_says_all_that_is_seen_as_literals() -> None:
    world = staged(kitchens, ((3, 2), EAST, TOMATO), ((5, 3), WEST, DISH))
    kitchens.play(world, (INTERACT, NOOP))
    assert told(words().scene(moment(world, 1))) == {
        "You are at": "(3, 2), facing E",
        "You hold": "nothing",
        "On your side": {
            "tomato dispenser": [(0, 1)],
            "dish dispenser": [(3, 4)],
            "place of delivery": [(3, 1)],
            "pots": [(4, 2), (4, 3)],
            "counters": [(1, 0), (2, 1), (0, 2), (0, 3), (1, 4), (2, 4)],
        },
        "Places to stand": [(1, 1), (1, 2), (2, 2), (3, 2), (1, 3), (2, 3), (3, 3)],
        "Pots in view": {
            (4, 2): {"tomatoes": 1, "bar": 0, "done": False},
            (4, 3): {"tomatoes": 0, "bar": 0, "done": False},
        },
        "On counters in view": {},
        "Your teammate": ((5, 3), "dish"),
    }


def test_what_is_out_of_sight_is_not_in_the_scene() -> None:
    world = staged(kitchens, ((1, 2), WEST, 0), (RIGHT, EAST, 0))
    scene = told(words().scene(moment(world)))
    assert scene["Pots in view"] == {}
    assert scene["Your teammate"] == "not seen"


def test_a_full_pot_is_done_when_its_bar_is_full() -> None:
    world = staged(kitchens, ((3, 2), EAST, 0), (RIGHT, EAST, 0))
    world.engine.state.pots[0, 0, columns.INSIDE] = 3
    found = [told(words().scene(moment(world)))["Pots in view"][4, 2]]
    for _ in range(25):
        kitchens.play(world, (NOOP, NOOP))
        found.append(told(words().scene(moment(world)))["Pots in view"][4, 2])
    assert found[0] == {"tomatoes": 3, "bar": 0, "done": False}
    assert [pot["done"] for pot in found] == [pot["bar"] == 10 for pot in found]
    assert found[-1]["done"]


def test_the_state_is_one_line_with_place_hands_and_pots() -> None:
    world = staged(kitchens, ((3, 2), EAST, TOMATO), (RIGHT, EAST, 0))
    assert words().state(moment(world)) == (
        "You are at (3, 2), facing E, and hold 'tomato'; pots in view: "
        "{(4, 2): {'tomatoes': 0, 'bar': 0, 'done': False}, (4, 3): {'tomatoes': 0, 'bar': 0, 'done': False}}"
    )


def test_memory_keeps_pots_and_items_out_of_sight_with_their_step() -> None:
    scaffold = words()
    world = staged(kitchens, ((2, 2), NORTH, DISH), (RIGHT, EAST, 0))
    kitchens.play(world, (INTERACT, NOOP))
    before = moment(world, 1)
    seen = [RememberedSighting(sighting, 1) for sighting in scaffold.sightings(before)]
    assert Sighting("'dish'", (2, 1)) in scaffold.sightings(before)
    assert scaffold.recall(seen, before) == "Pots seen earlier: {}\nOn counters seen earlier: {}"
    away = moment(staged(kitchens, ((1, 3), SOUTH, 0), (RIGHT, EAST, 0)), 9)
    pot = RememberedSighting(Sighting("{'tomatoes': 2, 'bar': 0, 'done': False}", (4, 3)), 5)
    assert told(scaffold.recall([*seen, pot], away)) == {
        "Pots seen earlier": {
            (4, 2): ({"tomatoes": 0, "bar": 0, "done": False}, 1),
            (4, 3): ({"tomatoes": 2, "bar": 0, "done": False}, 5),
        },
        "On counters seen earlier": {(2, 1): ("dish", 1)},
    }


def test_what_was_seen_to_be_gone_is_forgotten() -> None:
    world = CookingWorld()
    world.reset(0)
    seen = [
        RememberedSighting(Sighting("'dish'", (8, 2)), 3),
        RememberedSighting(Sighting("'nothing'", (8, 2)), 7),
    ]
    now = moment(world, 9)
    gone = words().recall(seen, now)
    assert "(8, 2)" not in gone
    assert words().recall(seen[::-1], now) == gone


def test_an_encounter_is_heard_by_its_step_and_own_acts_alone() -> None:
    did = {"ego": (acts.TOOK_DISH, acts.DELIVERED), "partner_0": (acts.FILLED_POT,)}
    heard = words().heard(Encounter(130, did, 20.0), [])
    assert (heard.when, heard.own) == ("step 131", [acts.TOOK_DISH, acts.DELIVERED])
    other = words("partner_0").heard(Encounter(130, did, 20.0), [])
    assert other.own == [acts.FILLED_POT]


def test_behaviours_are_read_in_their_words_or_as_something_to_do_and_no_others() -> None:
    scaffold = words()
    for behaviour, label in LABELS.items():
        assert scaffold.read(behaviour, "partner_0") == scaffold.read(f" {label} ", "ego") == behaviour
    for value in ("", "soup", "delivered", "Delivered soup.", None, 3, ["delivered soup"], {}, "soup " * 99):
        read = scaffold.read(value, "partner_0")
        assert isinstance(read, Invalid)
        assert len(read.raw) <= 200
    assert scaffold.choices("ego") == tuple(acts.BEHAVIOURS[i] for i in ORDER)


def test_the_teammate_is_found_by_its_name() -> None:
    assert words().name("partner_0") == "your teammate"
    assert words().seat("Your teammate") == "partner_0"
    assert words("partner_0").seat("your teammate") == "ego"
    assert words().seat("player 1") is None


def test_the_system_message_says_the_rules_the_skills_and_secrets_and_offers_no_options() -> None:
    world = CookingWorld()
    world.reset(0, {"grants": {"ego": {"secrets": ("partner_0 is chef_0",)}}})
    system = words().system(world.brief("ego"))
    for said in (
        "You and your teammate cook tomato soup in a kitchen of 9 by 5 cells, for 1000 steps.",
        "pays 20 to each of you",
        "\n- move_to((x, y), (x2, y2)): ",
        "\n- interact((x, y)): ",
        "\n- wait((x, y)): ",
        "You are told a secret: partner_0 is chef_0.",
    ):
        assert said in system
    assert "Option" not in system
    assert system.isascii()
    world.reset(0)
    assert "secret" not in words().system(world.brief("ego"))


def test_example_strategies_are_those_of_nobody_who_is_met() -> None:
    assert not {*words().strategies()} & {kind.sentence for kind in KINDS}


def test_the_steps_are_those_of_appendix_d() -> None:
    assert words().manner == Manner(hidden=False, judged=True, joint=False, choice="strategy", reflects=True)
    assert words().clues() == ""


SUPPOSED = (((1, 1), 0, 2), ((5, 2), 0, 3), ((1, 1), TOMATO, 3))
"""Where one stands in each worked plan, with what in hand, and how many tomatoes are in the pots."""


@for_each("which", range(3))
def test_worked_plans_can_be_carried_out_where_they_suppose_one_to_be(which: int) -> None:
    thoughts, calls = words().plans()[which]
    place, held, inside = SUPPOSED[which]
    assert f"Suppose I stand at {place}" in thoughts
    plan = words().plan(calls)
    assert not isinstance(plan, Invalid)
    assert len(plan) == len(calls) > 1
    world = staged(kitchens, (place, SOUTH, held), (RIGHT if place[0] < 4 else LEFT, EAST, 0))
    world.engine.state.pots[0, :, columns.INSIDE] = inside
    able, step = skills(COOKING_ASYMMETRIC), 0
    for do in plan:
        controller = able[do.name](world.brief("ego"), Random(0), *do.args)
        for _ in range(60):
            made = controller(moment(world, step))
            if isinstance(made, Ended):
                assert made.ok, made.why
                break
            kitchens.play(world, (made, NOOP))
            step += 1
        else:
            pytest.fail(f"{do} does not end")
    assert (len(world.deliveries), *world.engine.state.avatars[0, 0, [0, 1, 4]].tolist()) == (
        (0, 3, 2, 0),
        (1, 7, 1, 0),
        (0, 3, 2, 0),
    )[which]


def test_plans_are_examples_for_both_sides() -> None:
    own = {*side(COOKING_ASYMMETRIC, LEFT).things[2]}, {*side(COOKING_ASYMMETRIC, RIGHT).things[3]}
    used = {do.args for _, calls in words().plans() for do in words().plan(calls)}
    assert all(cells & used for cells in own)


@for_each(
    ("calls", "due"),
    [
        (
            ["interact((0, 1))", "wait((4, 2))"],
            (SkillChoice("interact", (0, 1)), SkillChoice("wait", (4, 2))),
        ),
        (["move_to((1, 1), (3, 2))"], (SkillChoice("move_to", (3, 2)),)),
        (["move_to((3, 2))"], (SkillChoice("move_to", (3, 2)),)),
        (["interact((4, 2), (4, 3))"], "interact cannot be called with 2 places"),
        (["interact((3, 2))"], "there is nothing to use at (3, 2)"),
        (["interact((9, 2))"], "(9, 2) is not in the kitchen of 9 by 5 cells"),
        (["move_to((1, 1), (4, 2))"], "nobody can stand at (4, 2)"),
        (["wait((0, 1))"], "there is no pot at (0, 1)"),
        (["fire_at((4, 2))"], "there is no skill fire_at; there are move_to, interact, wait"),
        (["delivered soup"], "no call of a skill with places (x, y)"),
        ([], "a plan has at least one call"),
    ],
)
def test_plans_are_read_strictly(calls: list[str], due: tuple[SkillChoice, ...] | str) -> None:
    made = words().plan(calls)
    assert (made.reason if isinstance(made, Invalid) else made) == due


def test_no_garbled_plan_means_a_skill_that_nobody_has() -> None:
    rng = Random(3)
    good = [call for _, calls in words().plans() for call in calls]
    met = {True: 0, False: 0}
    for _ in range(5_000):
        text = [*rng.choice(good)]
        for _ in range(rng.randrange(3)):
            at = rng.randrange(len(text))
            text[at : at + rng.randrange(2)] = rng.choice(["", "(", ")", ",", "1", "9", "'", "x", "\0", " "])
        made = words().plan(["".join(text)])
        met[isinstance(made, Invalid)] += 1
        if not isinstance(made, Invalid):
            ((name, (x, y)),) = ((do.name, do.args) for do in made)
            assert name in ("move_to", "interact", "wait")
            assert x < 9
            assert y < 5
        else:
            assert made.reason
    assert min(met.values()) > 500


def test_a_kitchen_has_its_scaffold_for_either_seat() -> None:
    built = scenario("cooking-asymmetric-0-v1", {})
    assert built.verbalizer is not None
    for seat in ("ego", "partner_0"):
        made = built.verbalizer({"order": [*ORDER]}, seat).scaffolds
        assert made["own"] == words(seat)


@for_each(
    ("did", "shown"),
    [
        ((acts.FILLED_POT,), (acts.FILLED_POT,)),
        ((acts.FILLED_POT, acts.TOOK_DISH), (acts.FILLED_POT, acts.TOOK_DISH)),
        ((acts.FILLED_POT, acts.STOOD), ()),
        ((acts.STOOD,), (acts.STOOD,)),
    ],
)
def test_a_possible_act_beside_standing_around_is_not_evidence(
    did: tuple[str, ...], shown: tuple[str, ...]
) -> None:
    assert words().theirs(Encounter(3, {"ego": (acts.STOOD,), "partner_0": did}, 0.0), "partner_0") == shown
