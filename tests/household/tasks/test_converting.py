"""Files of the public release whose scene is not at hand: they load, get a plain house, and the planner solves them.

The files of ``held_out`` were written after the appendices C, D and F of Juneja et al. 2026, before the reader of their
secrets was; ``expected.json`` says of each what has to come of it.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from otherminds.core.errors import TaskError
from otherminds.household.engine import HouseEngine
from otherminds.household.epistemic.formula import atom, claims, depth
from otherminds.household.epistemic.parse import goal_of
from otherminds.household.goal_check import holds
from otherminds.household.house import House
from otherminds.household.planning.planned import planned
from otherminds.household.proofs.verdicts import verified
from otherminds.household.tasks.load import of_data
from otherminds.household.tasks.publish import ours
from otherminds.household.tasks.release import ConvertedFile, read_release
from tests.cases import thinned
from tests.planner import needs_planner

FOLDER = Path(__file__).parent
HELD_OUT = FOLDER / "held_out"
EXPECTED: dict[str, dict[str, Any]] = json.loads((HELD_OUT / "expected.json").read_text("utf-8"))
LOADED = [name for name, expected in EXPECTED.items() if expected["loads"]]
RELEASE = ("cooperative", "mixed")


def converted(name: str) -> ConvertedFile:
    folder = FOLDER / "release" if name in RELEASE else HELD_OUT / "tasks"
    return read_release(str(folder / f"{name}.json"), scene_id="a_plain_house")


def house_of(name: str) -> House:
    found = converted(name)
    assert found.scene is not None
    return House(found.task, found.scene)


def change(folder: Path, **fields: object) -> Path:
    """A held-out file with some fields changed."""
    data = json.loads((HELD_OUT / "tasks" / "hidden_shelf.json").read_text("utf-8"))
    path = folder / "changed.json"
    path.write_text(json.dumps(data | fields))
    return path


@pytest.mark.parametrize("name", thinned([*RELEASE, *LOADED], 3))
def test_a_file_without_its_scene_gets_a_house_in_which_it_can_be_played(name: str) -> None:
    found = converted(name)
    assert found.faults == ()
    assert found.scene is not None
    again = of_data(json.loads(json.dumps(ours(found.task))), name, found.scene)
    assert again == found.task
    for agent, spawn in found.task.agent_spawns.items():
        assert HouseEngine(House(found.task, found.scene)).house.start_spot[agent] >= 0
        assert spawn.room in found.scene.rooms
    said = "\n".join(found.account.notes)
    assert "corridor_1: a corridor between all rooms" in said


def test_a_goal_that_leaves_a_choice_is_refused_with_its_place() -> None:
    found = converted("relay_or_be_silent")
    (fault,) = found.faults
    assert fault.place == "problem_pddl"
    assert "a goal leaves no choice" in fault.text
    assert "(or (" in fault.text
    assert "\n" not in fault.text
    assert found.scene is None


UNKNOWN = ("unreliable_handle", "turn_limit", "fog_of_war")


@pytest.mark.parametrize("kind", UNKNOWN)
@pytest.mark.parametrize("field", ["mechanic_type", "type", "mechanic"])
def test_a_mechanic_that_the_paper_has_not_is_a_note_and_is_kept(
    tmp_path: Path, kind: str, field: str
) -> None:
    bindings = json.loads((HELD_OUT / "tasks" / "hidden_shelf.json").read_text("utf-8"))["mechanic_bindings"]
    binding = {field: kind, "trigger_object": "fridge_20"}
    path = change(
        tmp_path,
        mechanic_bindings=[binding, *bindings],
        active_mechanics=[kind, *(one["mechanic_type"] for one in bindings)],
    )
    found = read_release(str(path), scene_id="a_plain_house")
    assert found.faults == ()
    assert [note for note in found.account.notes if note.startswith(f"mechanic_bindings[0]: {kind} ")]
    assert found.task.release["mechanic_bindings[0]"] == binding
    assert found.task.mechanic_bindings == converted("hidden_shelf").task.mechanic_bindings
    assert kind not in found.task.active_mechanics


@pytest.mark.parametrize("kind", ["room_restrictions", "inverse_stat", "remote_controll"])
def test_a_misspelt_mechanic_stays_a_fault(tmp_path: Path, kind: str) -> None:
    path = change(tmp_path, mechanic_bindings=[{"mechanic_type": kind, "trigger_object": "fridge_20"}])
    found = read_release(str(path), scene_id="a_plain_house")
    assert any("mechanic_bindings[0]" in fault.place for fault in found.faults)


PRIVATE = "(is_open fridge_20)"


@pytest.mark.parametrize(
    ("secret", "named"),
    [
        ("Deep down you would love to see fridge 20 open at the end.", True),
        ("For reasons of your own, you want Fridge-20 open at the end.", True),
        ("Your heart goes out to all that is ajar.", False),
    ],
)
def test_a_private_goal_told_in_words_is_matched_or_noted(tmp_path: Path, secret: str, named: bool) -> None:
    given = json.loads((HELD_OUT / "tasks" / "hidden_shelf.json").read_text("utf-8"))["agent_secrets"]
    path = change(
        tmp_path,
        category="mixed",
        private_goals={"agent_0": PRIVATE},
        agent_secrets={**given, "agent_0": [*given["agent_0"], secret]},
    )
    found = read_release(str(path), scene_id="a_plain_house")
    assert found.faults == ()
    assert any("no secret tells agent_0 its private goal" in note for note in found.account.notes) != named
    again = of_data(json.loads(json.dumps(ours(found.task))), "again", found.scene)
    assert f"(private_goal {PRIVATE})" in again.agent_knows["agent_0"]


@needs_planner
@pytest.mark.parametrize("name", [*RELEASE, *LOADED])
def test_the_planner_solves_what_can_be_solved(name: str) -> None:
    expected = EXPECTED.get(name, {"solvable": True})
    assert (planned(house_of(name), 20.0).calibration is not None) == expected["solvable"]


@needs_planner
@pytest.mark.parametrize(("name", "status"), [("nested_confirmation", True), ("no_way_to_tell", False)])
def test_what_nobody_can_learn_is_told_apart(name: str, status: bool) -> None:
    verdicts = {one.name: one.status for one in verified(house_of(name), 5.0).verdicts}
    (about,) = [status for name, status in verdicts.items() if name.startswith("knows ")]
    assert (about != "refuted") == status


def test_the_start_is_that_of_the_file() -> None:
    for name in LOADED:
        found = converted(name)
        assert found.scene is not None
        engine = HouseEngine(House(found.task, found.scene))
        for thing, states in found.task.initial_states.items():
            for predicate, value in states.items():
                literal = goal_of(f"({predicate} {thing}{f' {value}' if isinstance(value, str) else ''})")
                (claim,) = claims(literal)
                assert holds(engine, claim.fact) == (value is not False), (name, thing)


def test_a_start_in_a_barred_room_is_a_note_and_the_agent_can_leave_but_not_come_back() -> None:
    found = converted("start_behind_bar")
    assert any("agent_0 starts in pantry_1, which it may leave" in note for note in found.account.notes)
    house = house_of("start_behind_bar")
    assert house.plan.walkable("agent_0", house.barred["agent_0"]) == {
        "corridor_1",
        "hallway_1",
        "dining_room_1",
    }


def test_furniture_in_a_private_goal_is_a_note_and_stays_where_it_stands() -> None:
    found = converted("wish_for_furniture")
    assert any("bench_2 is furniture, which stays where it stands" in note for note in found.account.notes)
    house = house_of("wish_for_furniture")
    engine = HouseEngine(house)
    (fact,) = (claim.fact for claim in claims(house.private["agent_0"]))
    assert not holds(engine, fact)
    here = goal_of(f"(is_in_room bench_2 {house.room_of['bench_2']})")
    assert holds(engine, next(iter(claims(here))).fact)


def test_sections_that_say_nothing_here_and_double_types_are_noted(tmp_path: Path) -> None:
    said = "\n".join(converted("start_behind_bar").account.notes)
    assert "(:constraints ...) is left in the text, and not used here" in said
    assert "(:metric ...) is left in the text, and not used here" in said
    text = json.loads((HELD_OUT / "tasks" / "hidden_shelf.json").read_text("utf-8"))["problem_pddl"]
    path = change(
        tmp_path, problem_pddl=text.replace("picture_frame_2 - object", "picture_frame_2 stool_8 - object")
    )
    found = read_release(str(path), scene_id="a_plain_house")
    assert any("stool_8 has the types object and furniture" in note for note in found.account.notes)
    assert found.scene is not None
    assert "stool_8" in found.scene.furniture


def test_rooms_of_furniture_come_from_the_file_where_it_says_them() -> None:
    rooms = house_of("hidden_shelf").room_of
    assert (rooms["stool_8"], rooms["fridge_20"], rooms["cabinet_17"]) == (
        "closet_1",
        "kitchen_1",
        "kitchen_1",
    )
    rooms = house_of("one_shot_table").room_of
    assert (rooms["table_18"], rooms["stand_5"]) == ("dining_room_1", "bedroom_2")


def test_names_that_only_secrets_have_are_in_the_house_too(tmp_path: Path) -> None:
    secrets = {"agent_0": ["cup_4 is on shelves_6 in office_1."], "agent_1": [], "agent_2": []}
    found = read_release(str(change(tmp_path, agent_secrets=secrets)), scene_id="a_plain_house")
    assert found.scene is not None
    assert "office_1" in found.scene.rooms
    assert found.scene.furniture_in_rooms["office_1"] == ("shelves_6",)
    assert found.scene.objects_on_furniture["shelves_6"] == ("cup_4",)
    assert found.task.agent_knows["agent_0"] == (
        "(is_on_top cup_4 shelves_6)",
        "(is_in_room shelves_6 office_1)",
    )


@pytest.mark.parametrize("spawn", ["kitchen_1", {"room": "kitchen_1"}])
def test_a_spawn_may_be_a_room(tmp_path: Path, spawn: object) -> None:
    found = read_release(str(change(tmp_path, agent_spawns={"agent_0": spawn})), scene_id="a_plain_house")
    assert found.task.agent_spawns["agent_0"].room == "kitchen_1"


def test_a_task_without_a_room_is_refused(tmp_path: Path) -> None:
    data = {
        "task_id": "x",
        "task": "Open it.",
        "scene_id": "y",
        "num_agents": 2,
        "problem_pddl": "(is_open fridge_1)",
    }
    path = tmp_path / "roomless.json"
    path.write_text(json.dumps(data))
    with pytest.raises(TaskError, match="no room is named"):
        read_release(str(path), scene_id="a_plain_house")


# Secrets


def test_nearly_all_secrets_of_the_held_out_files_are_read_as_the_file_has_it() -> None:
    told = left = 0
    for name in LOADED:
        found = converted(name)
        told += sum(len(secrets) for secrets in found.task.agent_secrets.values())
        left += len(found.open)
        assert found.task.verified
    assert (told, left / told <= 0.1) == (60, True)


def test_bars_links_limits_goals_and_mechanics_are_drafted() -> None:
    knows = converted("one_shot_table").task.agent_knows
    assert knows["agent_1"] == ("(is_restricted agent_1 bedroom_2)",)
    assert "(goal (is_on_top glass_6 table_18))" in knows["agent_3"]
    assert {"(can_communicate agent_3 agent_1)", "(not (can_communicate agent_3 agent_0))"} <= {
        *knows["agent_3"]
    }
    assert "(message_limit agent_3 1)" in knows["agent_3"]
    assert "(goal (K agent_3 (K agent_1 (is_closed chest_of_drawers_34))))" in knows["agent_3"]
    knows = converted("mirrored_cabinets").task.agent_knows
    assert knows["agent_0"][0] == "(mirrors cabinet_31 cabinet_32)"
    assert knows["agent_1"][0] == "(is_inverse cabinet_19)"
    knows = converted("lever_behind_wall").task.agent_knows
    assert "(controls (is_open cabinet_8) (is_open wardrobe_6))" in knows["agent_0"]
    knows = converted("floor_of_the_hall").task.agent_knows
    assert {"(goal (is_on_floor vase_2))", "(goal (is_in_room vase_2 hall_1))"} <= {*knows["agent_1"]}
    knows = converted("fridge_and_incentive").task.agent_knows
    assert knows["agent_1"] == ("(private_goal (is_closed fridge_14))",)


def test_a_teammate_who_is_not_named_is_the_one_of_the_goal(tmp_path: Path) -> None:
    secrets = {
        "agent_0": [],
        "agent_1": ["By the end, you must be confident a teammate knows fridge_20 is open."],
        "agent_2": [],
    }
    found = read_release(str(change(tmp_path, agent_secrets=secrets)), scene_id="a_plain_house")
    assert found.task.agent_knows["agent_1"] == ("(goal (K agent_1 (K agent_2 (is_open fridge_20))))",)


@pytest.mark.parametrize(
    "secret",
    [
        "You cannot enter closet_1.",
        "You can send at most 3 messages total.",
        "You can only message agent_2.",
        "cabinet_17 works in reverse.",
        "Opening cabinet_40 also opens cabinet_17.",
        "picture_frame_2 must end up on cabinet_40.",
        "Your private goal is that fridge_20 is closed.",
        "You must be confident a teammate knows that cabinet_40 is open.",
    ],
)
def test_what_the_file_denies_is_not_drafted_and_listed(tmp_path: Path, secret: str) -> None:
    secrets = {"agent_0": [secret], "agent_1": [], "agent_2": []}
    found = read_release(str(change(tmp_path, agent_secrets=secrets)), scene_id="a_plain_house")
    if secret.startswith("You can"):
        # A sentence of the controlled language is compared with the file by its check.
        assert found.faults or [one.sentence for one in found.open] == [secret]
    elif secret == "cabinet_17 works in reverse.":
        assert [one.sentence for one in found.open] == [secret]
    else:
        assert [one.sentence for one in found.open] == [secret]
    assert not found.faults or "agent_secrets.agent_0[0]" in {fault.place for fault in found.faults}
    assert found.task.agent_knows.get("agent_0", ()) == ()


def test_a_fact_that_is_not_so_at_the_start_is_left_out_and_noted(tmp_path: Path) -> None:
    secrets = {"agent_0": ["As far as you know, fridge_20 is open."], "agent_1": [], "agent_2": []}
    found = read_release(str(change(tmp_path, agent_secrets=secrets)), scene_id="a_plain_house")
    assert found.faults == ()
    assert found.task.agent_knows["agent_0"] == ()
    assert any("(is_open fridge_20) is said, and not so at the start" in note for note in found.account.notes)


def test_a_sentence_that_is_not_read_is_listed_with_what_the_file_has_on_its_names(tmp_path: Path) -> None:
    odd = "Rumour has it that picture_frame_2 and cabinet_17 are meant for one another."
    secrets = {"agent_0": ["You are the careful one. " + odd], "agent_1": [], "agent_2": []}
    found = read_release(str(change(tmp_path, agent_secrets=secrets)), scene_id="a_plain_house")
    assert [(one.sentence, one.draft) for one in found.open] == [
        ("You are the careful one.", ()),
        (odd, ("(goal (is_on_top picture_frame_2 cabinet_17))",)),
    ]
    assert "confirm or mend: (goal (is_on_top picture_frame_2 cabinet_17))" in str(found.open[1])


@pytest.mark.parametrize("is_open", [True, False])
def test_a_state_at_the_start_is_suggested_as_the_file_gives_it(tmp_path: Path, is_open: bool) -> None:
    odd = "Rumour has it that stand_99 has a story to tell."
    path = change(
        tmp_path,
        agent_secrets={"agent_0": [odd], "agent_1": [], "agent_2": []},
        initial_states={"stand_99": {"is_open": is_open}},
    )
    (sentence,) = read_release(str(path), scene_id="a_plain_house").open
    assert sentence.draft == ("(is_open stand_99)" if is_open else "(is_closed stand_99)",)


def test_a_private_goal_that_no_secret_was_read_for_is_added_and_noted(tmp_path: Path) -> None:
    data = json.loads((HELD_OUT / "tasks" / "fridge_and_incentive.json").read_text("utf-8"))
    data["agent_secrets"]["agent_1"] = ["fridge_14 and you: the colder the better."]
    path = tmp_path / "changed.json"
    path.write_text(json.dumps(data))
    found = read_release(str(path), scene_id="a_plain_house")
    assert found.task.agent_knows["agent_1"] == ("(private_goal (is_closed fridge_14))",)
    assert any("as private_goals has it" in note for note in found.account.notes)
    assert [one.agent for one in found.open] == ["agent_1"]


def test_what_is_drafted_is_never_denied_by_the_goal() -> None:
    for name in [*RELEASE, *LOADED]:
        task = converted(name).task
        asked = {claim.formula for claim in claims(goal_of(task.problem_pddl))}
        for known in task.agent_knows.values():
            for form in known:
                if form.startswith("(goal "):
                    assert {claim.formula for claim in claims(goal_of(form[6:-1]))} <= asked, (name, form)
        assert depth(goal_of(task.problem_pddl)) <= 2
        assert all(atom(claim.fact) for claim in claims(goal_of(task.problem_pddl)))
