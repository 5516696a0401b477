"""Files in the public release's form are read rightly, written again, and nothing of them is lost."""

from __future__ import annotations

import json
from copy import deepcopy
from pathlib import Path
from typing import Any

import msgspec
import pytest

from otherminds.household.calibrate import played
from otherminds.household.commands import Command, parse
from otherminds.household.engine import HouseEngine
from otherminds.household.epistemic.parse import goal_of
from otherminds.household.goal_check import holds
from otherminds.household.reference.roster import ROSTER
from otherminds.household.task import Binding, Task
from otherminds.household.tasks.check_told import verified
from otherminds.household.tasks.convert import convert_task
from otherminds.household.tasks.load import load_task, shipped_tasks
from otherminds.household.tasks.publish import ours, published
from tests.cases import for_each
from tests.household import small_house as small
from tests.household.tasks.examining import examined

RELEASE = Path(__file__).parent / "release"
FILES = ("cooperative", "mixed")


def data(name: str) -> dict[str, Any]:
    return json.loads((RELEASE / f"{name}.json").read_text(encoding="utf-8"))


def read(given: dict[str, Any]) -> Task:
    task, account = examined(deepcopy(given))
    assert account.faults == ()
    return task


@pytest.mark.parametrize("name", FILES)
def test_an_example_has_no_fault_and_is_unverified(name: str) -> None:
    assert verified(read(data(name))).startswith("unverified: ")


@pytest.mark.parametrize("name", FILES)
def test_in_out_and_in_again_is_the_same_task(name: str) -> None:
    task = read(data(name))
    out = json.loads(json.dumps(published(task)))
    assert read(out) == task
    assert read(json.loads(json.dumps(ours(task)))) == task
    assert examined(ours(task))[1].notes == ()


@pytest.mark.parametrize("name", FILES)
def test_what_comes_out_is_what_went_in(name: str) -> None:
    """But for the start, which stands in the problem alone and is written beside it as well."""
    before, after = data(name), published(read(data(name)))
    assert json.loads(json.dumps(after)) | {"initial_states": {}} == before


@pytest.mark.parametrize("name", shipped_tasks())
def test_a_task_of_ours_comes_back_from_the_releases_form(name: str) -> None:
    task = load_task(name)
    out = json.loads(json.dumps(published(task)))
    assert "private_goals" not in out
    assert isinstance(out.get("calibration", []), list)
    back = read(out)
    assert goal_of(back.problem_pddl) == goal_of(task.problem_pddl)
    assert msgspec.structs.replace(back, problem_pddl=task.problem_pddl) == task


def test_private_goals_in_the_problem_do_not_vanish() -> None:
    task = read(data("mixed"))
    assert task.private_goals == {
        "agent_0": "(is_on_top book_3 shelves_2)",
        "agent_1": "(is_in_room book_3 study_1)",
        "agent_2": "(is_on_top book_3 desk_6)",
    }
    assert ":goal-owners" not in task.problem_pddl


def test_two_private_goals_of_one_agent_are_a_fault_if_they_differ() -> None:
    given = data("mixed") | {"private_goals": {"agent_0": "(is_open cabinet_9)"}}
    _, account = examined(given)
    assert any(
        "gives agent_0, agent_1, agent_2 other private goals" in fault.text for fault in account.faults
    )


def test_runs_of_models_are_kept_and_calibrate_nothing() -> None:
    given = data("mixed")
    task = read(given)
    assert task.calibration is None
    assert task.release["calibration"] == given["calibration"]


def test_a_calibration_of_an_earlier_form_is_no_plan() -> None:
    found = convert_task(data("cooperative") | {"calibration": {"turns": 5, "messages": 0}})
    assert isinstance(found.data, dict)
    assert "calibration" not in found.data
    assert found.data["release"]["calibration"] == {"turns": 5, "messages": 0}
    assert any("not calibrated" in note for note in found.notes)


def test_rooms_and_places_come_from_the_start_of_the_problem() -> None:
    task = read(data("cooperative"))
    assert {agent: spawn.room for agent, spawn in task.agent_spawns.items()} == {
        "agent_0": "hall_1",
        "agent_1": "office_1",
        "agent_2": "bedroom_1",
    }
    assert task.initial_states["vase_2"] == {"is_on_top": "counter_3"}
    assert task.initial_states["cabinet_5"] == {"is_closed": True}


def test_what_the_file_says_itself_goes_before_the_problem() -> None:
    task = read(
        data("cooperative")
        | {"initial_states": {"cabinet_5": {"is_open": True}, "chest_of_drawers_8": {"is_open": True}}}
    )
    assert task.initial_states["cabinet_5"] == {"is_open": True}


def test_every_field_without_a_place_here_is_named() -> None:
    given = data("cooperative") | {"mood": "blue"}
    found = convert_task(given)
    said = "\n".join(found.notes)
    assert isinstance(found.data, dict)
    names = {*Task.__struct_fields__}
    for name in given:
        assert name in names or f"{name}" in said, name
    assert found.data["release"]["mood"] == "blue"
    assert published(read(given))["mood"] == "blue"


def test_things_in_step_may_name_their_state() -> None:
    (binding,) = [
        one for one in read(data("cooperative")).mechanic_bindings if one.mechanic_type == "state_mirroring"
    ]
    assert binding.target_state == "is_open"


def test_with_a_state_named_only_that_state_is_kept_in_step() -> None:
    """An oven opens and is switched; only its door is in step."""
    binding = Binding(
        "state_mirroring", trigger_object="oven_17", target_object="cabinet_2", target_state="is_open"
    )
    engine = HouseEngine(small.house(binding, agents=2))
    wait = Command("Wait")
    for call in ("PowerOn[oven_17]", "Open[oven_17]"):
        command = parse(call)
        assert isinstance(command, Command)
        assert engine.step([command, wait])[0][0]
    facts = small.facts(engine)
    assert {("is_powered_on", "oven_17"), ("is_open", "oven_17"), ("is_open", "cabinet_2")} <= facts


def test_a_counter_sets_what_it_controls_and_tells_nobody() -> None:
    binding = Binding(
        "remote_control", trigger_object="counter_0", target_object="fridge_3", target_state="is_open"
    )
    bound, plain = (HouseEngine(small.house(*given, agents=2)) for given in ((binding,), ()))
    said = {}
    for engine in (bound, plain):
        command = parse("Open[counter_0]")
        assert isinstance(command, Command)
        said[engine] = engine.step([command, Command("Wait")])
        assert engine.acts == []
    assert said[bound] == said[plain]
    assert said[bound][0] == (False, "Failed to open! counter_0 cannot be opened.")
    assert ("is_open", "fridge_3") in small.facts(bound)
    assert ("is_closed", "fridge_3") in small.facts(plain)
    command = parse("Close[counter_0]")
    assert isinstance(command, Command)
    bound.step([command, Command("Wait")])
    assert ("is_closed", "fridge_3") in small.facts(bound)


def test_a_goal_on_a_floor_holds_where_the_object_lies() -> None:
    house = small.house(agents=2, goal="(is_on_top plate_0 floor_kitchen_1)")
    engine = HouseEngine(house)
    assert not holds(engine, house.goal)
    for call in ("Pick[plate_0]", "Place[plate_0, on, floor_kitchen_1]"):
        command = parse(call)
        assert isinstance(command, Command)
        assert engine.step([command, Command("Wait")])[0][0]
    assert holds(engine, house.goal)


def test_a_team_is_done_with_a_goal_on_a_floor() -> None:
    told = ("plate_0 is on counter_0.", "plate_0 must end on floor_kitchen_1.")
    house = small.house(agents=2, goal="(is_on_top plate_0 floor_kitchen_1)", agent_secrets={"agent_0": told})
    record = played(house, {seat: ROSTER["informed"](house) for seat in house.agents}, 12)
    calls = [entry["call"] for entry in record.facts["log"] if entry["seat"] == "agent_0"]
    assert record.facts["solved"]
    assert calls.count("Pick[plate_0]") == 1


@for_each(
    ("call", "to", "text"),
    [
        ('Communicate["text", agent_1]', "agent_1", "text"),
        (
            'Communicate["The tray is for the window table, and I cannot go there.", agent_2]',
            "agent_2",
            "The tray is for the window table, and I cannot go there.",
        ),
        ('Communicate["agent_1, come here", "agent_2"]', "agent_2", "agent_1, come here"),
        ("Communicate[\u201cHello\u201d, all]", "all", "Hello"),
        ('Communicate["agent_1", "agent_2"]', "agent_1", "agent_2"),
        ('Communicate[agent_1, "text, agent_2"]', "agent_1", "text, agent_2"),
        ('Communicate["agent_1", "a text"]', "agent_1", "a text"),
        ("Communicate[all, hello, agent_1]", "all", "hello, agent_1"),
    ],
)
def test_a_message_may_have_its_text_first(call: str, to: str, text: str) -> None:
    assert parse(call) == Command("Communicate", (to, text))
