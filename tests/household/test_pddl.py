"""The PDDL of a task: well-formed, restricted where that is asked for, and read back into calls."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from otherminds.core.errors import TaskError
from otherminds.household.commands import Command
from otherminds.household.engine import HouseEngine
from otherminds.household.epistemic.formula import physical
from otherminds.household.goal_check import holds
from otherminds.household.scenes.load import load_scene, shipped_scenes
from otherminds.household.task import Binding
from tests.cases import for_each
from tests.household import drawn_tasks as drawn
from tests.household import small_house as small
from tests.household.pddl_interpreter import Planning
from tests.household.pddl_writer import command_of, domain, legal, needed, original, problem

WAIT = Command("Wait")

WORD = re.compile(r"[a-z][a-z0-9_-]*")


def names(text: str) -> set[str]:
    return {word for word in text.replace("(", " ").replace(")", " ").split() if word[0] not in "?:-"}


@for_each("restricted", [False, True])
@for_each("scene", [None, *shipped_scenes()[:3]])
def test_every_name_is_one_that_pddl_allows_and_every_atom_is_declared(
    scene: str | None, restricted: bool
) -> None:
    house = drawn.house(load_scene(scene), 3) if scene else small.house(*small.ALL_SIX)
    keep = needed(house) if restricted else None
    written = domain(house, keep), problem(house, keep)
    assert all(WORD.fullmatch(name) for text in written for name in names(text))
    # Atoms, types and double declarations are checked as the text is read.
    Planning(*written)


@given(
    st.sampled_from(["centre:", "stand:", "spawn:", ""]),
    st.from_regex(r"[a-z][a-z0-9_]{0,8}_[0-9]{1,2}", fullmatch=True),
)
def test_names_come_back_from_pddl(lead: str, name: str) -> None:
    assert original(legal(lead + name)) == lead + name


@given(st.integers(0, 10_000).map(str))
def test_numbers_come_back_from_pddl(number: str) -> None:
    assert original(legal(number)) == number


def test_no_two_names_of_a_house_are_written_alike() -> None:
    for scene in shipped_scenes():
        house = drawn.house(load_scene(scene), 0)
        every = (
            *house.spots,
            *house.furniture,
            *house.objects,
            *house.rooms,
            *house.agents,
            "0",
            "1",
            "many",
        )
        assert len({legal(name) for name in every}) == len(every)


def test_the_goal_of_the_problem_holds_exactly_where_the_simulator_says_so() -> None:
    house = small.house(
        goal="(and (not (is_open cabinet_2)) (is_in_room bowl_0 kitchen_1) (not (is_on_floor bowl_0)) "
        "(not (is_on_top bowl_0 counter_0)) (K agent_1 (is_clean plate_0)))"
    )
    text = problem(house)
    assert "(is_closed cabinet_2)" in text
    assert "is_clean plate_0)))" not in text
    engine, pddl = HouseEngine(house), Planning(domain(house), text)
    for step in (
        ("pick_on", "bowl_0", "counter_0"),
        ("place_floor", "bowl_0", "floor_kitchen_1"),
        ("pick_floor", "bowl_0", "floor_kitchen_1"),
        ("place_on", "bowl_0", "stove_4"),
        ("open_furniture", "cabinet_2"),
        ("close_furniture", "cabinet_2"),
    ):
        action, *args = step
        values = ["agent_0", "spawn--agent_0", *args]
        assert pddl.applicable(action, values)
        pddl.apply(action, values)
        (worked, _), *_ = engine.step([command_of(house, action, values), WAIT, WAIT])
        assert worked
        assert pddl.reached() == all(holds(engine, literal) for literal in physical(house.goal))
    assert pddl.reached()


def test_next_to_is_refused_because_it_is_geometry() -> None:
    house = small.house(goal="(is_next_to bowl_0 plate_0)")
    with pytest.raises(TaskError, match=r"is_next_to bowl_0 plate_0.*boxes"):
        problem(house)


def test_a_goal_of_knowledge_alone_asks_for_nothing_physical() -> None:
    assert "(:goal (and ))" in problem(small.house(goal="(K agent_0 (is_open cabinet_2))"))


class TestNeeded:
    def test_keeps_what_the_goal_and_the_mechanics_name_and_where_things_rest(self) -> None:
        keep = needed(small.house(*small.ALL_SIX, goal="(is_inside cup_0 cabinet_12)"))
        bound = {"cabinet_2", "cabinet_10", "fridge_3", "cabinet_6", "cabinet_12"}
        floors = {f"floor_{room}" for room in small.ROOMS}
        assert {f for f in keep if f in small.scene().furniture} == bound
        assert {"cup_0", *floors, *(f"stand:{f}" for f in bound)} <= keep
        assert not keep.intersection(set(small.OBJECTS) - {"cup_0"})

    def test_keeps_taps_and_vessels_where_something_is_to_be_filled(self) -> None:
        keep = needed(small.house(goal="(is_filled bowl_0)"))
        assert {"sink_1", "jug_0", "shelves_8", "kettle_0"} <= keep
        assert "sink_1" not in needed(small.house(goal="(is_clean bowl_0)"))

    def test_one_walks_only_where_calls_lead_and_reaches_what_one_walked_to(self) -> None:
        house = small.house(goal="(is_inside cup_0 fridge_3)")
        fixed = Planning(domain(house, needed(house)), problem(house, needed(house))).fixed
        assert not [fact for fact in fixed if fact[0] == "may_go" and "spawn" in fact[2]]
        beside = {fact[2] for fact in fixed if fact[0] == "reaches" and fact[1] == "stand--fridge_3"}
        assert beside == {"fridge_3"}
        assert [fact for fact in fixed if fact[0] == "reaches" and fact[1] == "spawn--agent_0"]

    def test_a_bound_thing_that_is_not_kept_cannot_be_turned(self) -> None:
        house = small.house(
            Binding("state_mirroring", trigger_object="cabinet_6", target_object="cabinet_12")
        )
        keep = needed(house) - {"cabinet_12", "stand:cabinet_12"}
        assert "cabinet_6" not in Planning(domain(house, keep), problem(house, keep)).actions


class TestCommands:
    HOUSE = small.house(Binding("inverse_state", trigger_object="cabinet_2"))
    STEPS = (
        (
            ("navigate", "agent_0", "spawn--agent_0", "kitchen_1", "stand--bed_9", "bedroom_1"),
            "Navigate[bed_9]",
        ),
        (
            ("navigate", "agent_0", "spawn--agent_0", "kitchen_1", "centre--store_1", "store_1"),
            "Navigate[store_1]",
        ),
        (("open_furniture", "agent_0", "stand--fridge_3", "fridge_3"), "Open[fridge_3]"),
        (("close_furniture__cabinet_2", "agent_0", "stand--cabinet_2"), "Close[cabinet_2]"),
        (("poweron_furniture", "agent_0", "stand--stove_4", "stove_4"), "PowerOn[stove_4]"),
        (("poweroff_on", "agent_0", "stand--bed_9", "lamp_0", "bed_9"), "PowerOff[lamp_0]"),
        (("pick_within", "agent_0", "stand--fridge_3", "towel_0", "fridge_3"), "Pick[towel_0]"),
        (("place_on", "agent_0", "stand--bed_9", "towel_0", "bed_9"), "Place[towel_0, on, bed_9]"),
        (
            ("place_within", "agent_0", "stand--fridge_3", "towel_0", "fridge_3"),
            "Place[towel_0, within, fridge_3]",
        ),
        (
            ("place_floor", "agent_0", "centre--store_1", "towel_0", "floor_store_1"),
            "Place[towel_0, on, floor_store_1]",
        ),
        (("clean_held", "agent_0", "stand--bed_9", "towel_0"), "Clean[towel_0]"),
        (("fill_held", "agent_0", "stand--sink_1", "bowl_0", "sink_1"), "Fill[bowl_0]"),
        (("pour_on", "agent_0", "stand--bed_9", "cup_0", "jug_0", "bed_9"), "Pour[cup_0]"),
        (("communicate", "agent_0", "agent_1", "n2", "n1"), 'Communicate[agent_1, "Hello."]'),
        (("broadcast", "agent_0", "n2", "n1"), 'Communicate[all, "Hello."]'),
    )

    @for_each(("step", "call"), STEPS)
    def test_a_planners_step_is_a_call_of_its_agent(self, step: tuple[str, ...], call: str) -> None:
        action, *args = step
        assert str(command_of(self.HOUSE, action, args)) == call

    def test_a_message_says_what_it_is_given(self) -> None:
        made = command_of(
            self.HOUSE, "communicate", ["agent_0", "agent_1", "many", "many"], "The bowl is here."
        )
        assert str(made) == 'Communicate[agent_1, "The bowl is here."]'

    def test_a_message_to_all_is_one_act_and_costs_one_unit_in_both(self) -> None:
        house = small.house(
            Binding("limited_bandwidth", message_limits={"agent_0": 2}),
            Binding("restricted_communication", allowed_targets={"agent_1": ()}),
        )
        pddl, engine = Planning(domain(house), problem(house)), HouseEngine(house)
        plan = [("broadcast", ["agent_0", "n2", "n1"]), ("broadcast", ["agent_0", "n1", "n0"])]
        for name, values in plan:
            assert pddl.applicable(name, values)
            pddl.apply(name, values)
            (worked, _), *_ = engine.step([command_of(house, name, values), WAIT, WAIT])
            assert worked
            assert [len(mail) for mail in engine.mail] == [0, 1, 1]
            left = {fact for fact in small.facts(engine) if fact[:2] == ("left", "agent_0")}
            assert {("left", "agent_0", values[-1][1:])} == left
            assert ("left", "agent_0", values[-1]) in pddl.state
        assert not pddl.applicable("broadcast", ["agent_0", "n0", "n0"])
        assert not pddl.applicable("broadcast", ["agent_1", "many", "many"])

    def test_what_no_call_can_do_is_refused(self) -> None:
        with pytest.raises(TaskError, match="no call leads to 'spawn:agent_1'"):
            command_of(
                self.HOUSE,
                "navigate",
                ["agent_0", "spawn--agent_0", "kitchen_1", "spawn--agent_1", "study_1"],
            )
        with pytest.raises(TaskError, match="no action 'open_furniture__bed_9'"):
            command_of(self.HOUSE, "open_furniture__bed_9", ["agent_0", "stand--bed_9"])
