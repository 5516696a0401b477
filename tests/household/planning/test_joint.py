"""T* in joint turns: of small tasks known by hand, of walks never more than they took, of shipped tasks as in their files."""

from __future__ import annotations

import random
from functools import cache

import pytest

from otherminds.core.errors import TaskError
from otherminds.household.commands import Command
from otherminds.household.engine import HouseEngine
from otherminds.household.house import House
from otherminds.household.planning.joint import by_calls, cut_house, joint
from otherminds.household.planning.planned import failure
from otherminds.household.proofs.exported import exported
from otherminds.household.proofs.verdicts import verified
from otherminds.household.scenes.load import load_scene
from otherminds.household.task import Binding
from otherminds.household.tasks.load import load_task
from tests.cases import thinned
from tests.household import small_house as small
from tests.household.epistemic import searching

QUICK = (
    "nested_confirmation",
    "safety_staging",
    "relay_inspection",
    "cabinet_confirmation",
    "inspection_staging",
)
"""Shipped tasks that a search in Python ends soon enough in."""


def turns(house: House, *, calls: bool = False) -> int | None:
    """The turns of the shortest plan, by a search of the test's own."""
    kept = cut_house(house)
    cost = searching.cheapest(joint(house, by_calls(house, kept) if calls else kept).task)
    return None if cost is None else cost + 1


def wanted(goal: str, *bindings: Binding, agents: int = 2, **fields: object) -> House:
    return small.house(*bindings, agents=agents, goal=goal, **fields)


BARRED = Binding("room_restriction", restricted_rooms=("study_1",), for_agents=("agent_0",))
CASES = (
    # Both agents start within reach of everything in their rooms, the kitchen and the study.
    ("(and (is_open cabinet_2) (is_open cabinet_6))", (), 1),
    # To go, and to open.
    ("(is_open cabinet_10)", (), 2),
    ("(agent_in_room agent_1 hallway_1)", (), 1),
    # To take, to go, to put.
    ("(is_on_top plate_0 table_5)", (), 3),
    # What is shut away is seen the turn after it is opened, by whom ever: to open, to take, to go, to put.
    ("(is_on_top towel_0 table_5)", (), 4),
    ("(is_on_top radio_0 table_5)", (), 5),
    # What is on a floor lies there.
    ("(is_on_top plate_0 floor_kitchen_1)", (), 2),
    ("(and (is_on_floor plate_0) (is_in_room plate_0 kitchen_1))", (), 2),
    # A counter that sets a cabinet.
    (
        "(is_open cabinet_12)",
        (
            Binding(
                "remote_control",
                trigger_object="counter_0",
                target_object="cabinet_12",
                target_state="is_open",
            ),
        ),
        1,
    ),
    # Things in step: one of them is enough.
    (
        "(and (is_open cabinet_6) (is_open cabinet_12))",
        (Binding("state_mirroring", trigger_object="cabinet_6", target_object="cabinet_12"),),
        1,
    ),
)


@pytest.mark.parametrize(("goal", "bindings", "least"), CASES)
def test_the_turns_of_tasks_known_by_hand(goal: str, bindings: tuple[Binding, ...], least: int) -> None:
    assert turns(wanted(goal, *bindings)) == least
    assert turns(wanted(goal, *bindings), calls=True) == least


def test_to_hand_something_over_takes_the_turn_that_the_other_needs_to_see_it() -> None:
    both = Binding("room_restriction", restricted_rooms=("kitchen_1",), for_agents=("agent_1",))
    house = wanted("(is_on_top plate_0 table_5)", BARRED, both)
    # Taken, to the hallway, put down; taken up, to the table, put: no two of them in one turn.
    assert turns(house) == 6


def test_what_no_hand_can_do_has_no_plan() -> None:
    everybody = Binding("room_restriction", restricted_rooms=("store_1",), for_agents=("agent_0", "agent_1"))
    assert turns(wanted("(is_open cabinet_12)", everybody)) is None


def test_planners_and_proofs_refuse_next_to_with_one_message() -> None:
    house = wanted("(is_next_to bowl_0 plate_0)")
    said: set[str] = set()
    for made in (lambda: joint(house, cut_house(house)), lambda: exported(house), lambda: verified(house)):
        with pytest.raises(TaskError, match="depends on the boxes") as refused:
            made()
        said.add(str(refused.value))
    assert len(said) == 1


@cache
def shipped(name: str) -> House:
    task = load_task(name)
    return House(task, load_scene(task.scene_id))


@pytest.mark.parametrize("name", thinned(QUICK, 5))
def test_the_bound_in_a_shipped_file_is_that_of_another_search(name: str) -> None:
    given = shipped(name).task.calibration
    assert given is not None
    assert (turns(shipped(name)), given.proved) == (given.turns, True)


VERBS = ("Navigate", "Navigate", "Open", "Close", "Pick", "Place")


def call(draw: random.Random, engine: HouseEngine, i: int) -> Command:
    """A call drawn at random, more often one that may work."""
    house = engine.house
    near = [f for f in house.furniture if f in house.reaches[engine.spot[i]]]
    held = [o for o in house.objects if engine.current.place_of(o) == ("is_held_by", house.agents[i])]
    verb = draw.choice(VERBS)
    if verb == "Navigate" or not near:
        return Command("Navigate", (draw.choice((*house.furniture, *house.rooms, *house.agents)),))
    if verb == "Place" and held:
        return Command("Place", (held[0], draw.choice(("on", "within")), draw.choice(near)))
    if verb in ("Open", "Close"):
        return Command(verb, (draw.choice(near),))
    there = [o for o in house.objects if engine.current.place_of(o)[1] in near]
    return Command("Pick", (draw.choice(there),)) if there else Command("Wait")


def walked(seed: int) -> tuple[int, str]:
    """The turns of a walk at random, and something that it brought about, as a goal."""
    draw = random.Random(seed)
    bindings = draw.sample(small.ALL_SIX, 3)
    house = small.house(*bindings, agents=2)
    engine = HouseEngine(house)
    before = small.facts(engine)
    length = draw.randint(2, 6)
    for _ in range(length):
        engine.step([call(draw, engine, i) for i in range(2)])
    kinds = ("is_open", "is_closed", "is_on_top", "is_inside", "lies_on", "agent_in_room", "is_held_by")
    new = [fact for fact in sorted(small.facts(engine) - before) if fact[0] in kinds]
    picked = draw.sample(new, min(len(new), 2))
    atoms = [
        f"({' '.join(('is_on_top' if fact[0] == 'lies_on' else fact[0], *fact[1:]))})" for fact in picked
    ]
    goal = f"(and {' '.join(atoms)})" if atoms else ""
    return (length, goal) if not goal else (length, f"{seed}|{goal}")


@pytest.mark.parametrize("seed", thinned(range(60), 4))
def test_what_a_walk_brings_about_never_takes_more_turns_than_it_took(seed: int) -> None:
    length, found = walked(seed)
    if not found:
        pytest.skip("nothing was brought about")
    bindings = random.Random(seed).sample(small.ALL_SIX, 3)
    house = small.house(*bindings, agents=2, goal=found.partition("|")[2])
    least = turns(house)
    assert least is not None
    assert least <= length


def test_a_plan_is_what_reaches_the_goal_in_the_simulator() -> None:
    house = wanted("(is_open cabinet_10)")
    assert failure(house, [["Navigate[cabinet_10]", "Wait[]"], ["Open[cabinet_10]", "Wait[]"]]) == ""
    assert failure(house, [["Open[cabinet_10]", "Wait[]"]]) == (
        "after its 1 turns the goal does not hold; turn 0: Open[cabinet_10] of agent_0: "
        "Failed to open! Not close enough to the furniture."
    )
    assert "has 1 calls for 2 agents" in failure(house, [["Wait[]"]])
    assert "Malformed call!" in failure(house, [["Wait[]", "Dance"]])
