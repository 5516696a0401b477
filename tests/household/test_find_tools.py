"""The find tools: look-ups in one's own graph, and what they take a text to mean."""

from __future__ import annotations

from otherminds.household.commands import Command, parse
from otherminds.household.engine import HouseEngine
from tests.cases import for_each
from tests.household import small_house as small


def call(engine: HouseEngine, *calls: str) -> list[tuple[bool, str]]:
    """One turn; who has no call waits."""
    read = [parse(text) for text in (*calls, *["Wait[]"] * (len(engine.agents) - len(calls)))]
    return engine.step([command for command in read if isinstance(command, Command)])


FOUND = {
    "FindObjectTool[bowls]": "bowl_0 is on counter_0 in kitchen_1",
    "FindObjectTool[the cup]": "cup_0 is inside cabinet_2 in kitchen_1",
    "FindObjectTool[bowl_0 or plate_0]": "bowl_0 is on counter_0 in kitchen_1; plate_0 is on counter_0 in kitchen_1",
    "FindObjectTool[book]": "Found no object that fits 'book' in what you know.",
    "FindReceptacleTool[fridge]": "fridge_3 in kitchen_1",
    "FindReceptacleTool[anything in study_1]": "table_5 in study_1; cabinet_6 in study_1; tv_7 in study_1; "
    "shelves_8 in study_1; window_16 in study_1; floor_study_1 in study_1",
    "FindRoomTool[bedroom]": "bedroom_1",
    "FindRoomTool[garage]": "Found no room that fits 'garage' in what you know.",
}


@for_each("text", FOUND)
def test_find_tools_look_up_ones_own_graph_alone(text: str) -> None:
    engine = HouseEngine(small.house())
    call(engine, "Open[cabinet_2]")
    assert call(engine, text)[0] == (True, FOUND[text])


def test_a_room_is_found_by_its_whole_name() -> None:
    engine = HouseEngine(small.house())
    for text in ("anything in kitchen_10", "my_kitchen_1"):
        assert call(engine, f"FindReceptacleTool[{text}]")[0][1].startswith("Found no furniture that fits")
    assert "fridge_3 in kitchen_1" in call(engine, "FindReceptacleTool[what is in kitchen_1?]")[0][1]


def test_what_is_found_may_be_held_or_lost() -> None:
    engine = HouseEngine(small.house())
    for calls in (("Pick[plate_0]", "Navigate[kitchen_1]"), ("Wait[]", "Pick[bowl_0]")):
        call(engine, *calls)
    told, *_ = call(engine, "FindObjectTool[bowl_0 plate_0]")
    assert told[1] == "bowl_0 is held by agent_1; plate_0 is held by you"
    engine = HouseEngine(small.house())
    for calls in (
        ("Navigate[hallway_1]", "Navigate[kitchen_1]"),
        ("Wait[]", "Pick[bowl_0]"),
        ("Wait[]", "Navigate[study_1]"),
        ("Navigate[kitchen_1]",),
    ):
        call(engine, *calls)
    assert call(engine, "FindObjectTool[bowl]")[0][1] == "bowl_0 is somewhere you do not know"
