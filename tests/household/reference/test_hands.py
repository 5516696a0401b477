"""One agent alone: what it does for each kind of goal, call by call."""

from otherminds.household.reference.mind import Housemate
from otherminds.household.task import Binding
from tests.cases import for_each
from tests.household.reference import team

WAYS: dict[str, tuple[str, list[str]]] = {
    "(is_on_top bowl_0 table_5)": (
        "bowl_0 must end on table_5.",
        ["Navigate[counter_0]", "Pick[bowl_0]", "Navigate[table_5]", "Place[bowl_0, on, table_5]"],
    ),
    "(is_inside bowl_0 fridge_3)": (
        "bowl_0 must end inside fridge_3.",
        [
            *("Navigate[counter_0]", "Pick[bowl_0]", "Navigate[fridge_3]", "Open[fridge_3]"),
            *("Place[bowl_0, within, fridge_3]", "Close[fridge_3]"),
        ],
    ),
    "(is_on_top cup_0 stove_4)": (
        "cup_0 must end on stove_4. cup_0 is inside cabinet_2.",
        [
            *("Navigate[cabinet_2]", "Open[cabinet_2]", "Pick[cup_0]", "Navigate[stove_4]"),
            *("Place[cup_0, on, stove_4]", "Navigate[cabinet_2]", "Close[cabinet_2]"),
        ],
    ),
    "(and (is_inside bowl_0 fridge_3) (is_closed fridge_3))": (
        "fridge_3 must end closed. bowl_0 must end inside fridge_3.",
        [
            *("Navigate[counter_0]", "Pick[bowl_0]", "Navigate[fridge_3]", "Open[fridge_3]"),
            *("Place[bowl_0, within, fridge_3]", "Close[fridge_3]"),
        ],
    ),
    "(is_in_room bowl_0 study_1)": (
        "bowl_0 must end in study_1.",
        [
            *("Navigate[counter_0]", "Pick[bowl_0]", "Navigate[floor_study_1]"),
            "Place[bowl_0, on, floor_study_1]",
        ],
    ),
    "(is_on_floor bowl_0)": (
        "bowl_0 must end on the floor.",
        [
            *("Navigate[counter_0]", "Pick[bowl_0]", "Navigate[floor_kitchen_1]"),
            "Place[bowl_0, on, floor_kitchen_1]",
        ],
    ),
    "(is_held_by bowl_0 agent_0)": ("You must end holding bowl_0.", ["Navigate[counter_0]", "Pick[bowl_0]"]),
    "(agent_in_room agent_0 store_1)": ("You must end in store_1.", ["Navigate[store_1]"]),
    "(is_next_to kettle_0 book_0)": (
        "kettle_0 must end next to book_0. book_0 is on table_5.",
        [
            *("Navigate[counter_0]", "Pick[kettle_0]", "Navigate[table_5]"),
            "Place[kettle_0, on, table_5, next_to, book_0]",
        ],
    ),
    "(is_open fridge_3)": ("fridge_3 must end open.", ["Navigate[fridge_3]", "Open[fridge_3]"]),
    "(is_powered_on tv_7)": ("tv_7 must end switched on.", ["Navigate[tv_7]", "PowerOn[tv_7]"]),
    "(is_powered_on kettle_0)": (
        "kettle_0 must end switched on.",
        ["Navigate[counter_0]", "PowerOn[kettle_0]"],
    ),
    "(is_filled kettle_0)": (
        "kettle_0 must end filled.",
        ["Navigate[counter_0]", "Pick[kettle_0]", "Navigate[sink_1]", "Fill[kettle_0]"],
    ),
    "(and (is_filled kettle_0) (is_on_top kettle_0 table_5))": (
        "kettle_0 must end on table_5. kettle_0 must end filled.",
        [
            *("Navigate[counter_0]", "Pick[kettle_0]", "Navigate[sink_1]", "Fill[kettle_0]"),
            *("Navigate[table_5]", "Place[kettle_0, on, table_5]"),
        ],
    ),
    "(not (is_on_top bowl_0 counter_0))": (
        "bowl_0 must not end on counter_0.",
        ["Navigate[counter_0]", "Pick[bowl_0]"],
    ),
}


def alone(goal: str, *secrets: str, bindings: tuple[Binding, ...] = (), **fields: object) -> object:
    """An episode of one agent in the small house."""
    house = team.house(*bindings, goal=goal, secrets={"agent_0": secrets}, agents=1, **fields)
    return team.play(house, {"agent_0": Housemate()}, 60)


@for_each("goal", WAYS)
def test_the_way_to_a_goal(goal: str) -> None:
    secret, calls = WAYS[goal]
    played = alone(goal, secret)
    assert played.calls("agent_0")[:-1] == calls
    assert played.calls("agent_0")[-1] == "Done[]"
    assert played.solved
    assert played.failures == []


def test_a_dirty_thing_is_cleaned_and_a_full_one_poured_out() -> None:
    dirty = {"bowl_0": {"is_dirty": True}}
    assert alone("(is_clean bowl_0)", "bowl_0 must end clean.", initial_states=dirty).solved
    full = {"bowl_0": {"is_filled": True}}
    assert alone("(is_empty bowl_0)", "bowl_0 must end empty.", initial_states=full).solved


def test_what_works_in_reverse_is_found_out_by_trying() -> None:
    binding = Binding("inverse_state", trigger_object="fridge_3")
    played = alone("(is_open fridge_3)", "fridge_3 must end open.", bindings=(binding,))
    assert played.calls("agent_0") == ["Navigate[fridge_3]", "Open[fridge_3]", "Close[fridge_3]", "Done[]"]


def test_and_is_not_tried_by_who_was_told() -> None:
    binding = Binding("inverse_state", trigger_object="fridge_3")
    told = "fridge_3 works in reverse: opening closes it, and closing opens it."
    played = alone("(is_open fridge_3)", "fridge_3 must end open.", told, bindings=(binding,))
    assert played.calls("agent_0") == ["Navigate[fridge_3]", "Close[fridge_3]", "Done[]"]


def test_what_cannot_be_reached_is_turned_from_where_it_follows() -> None:
    bindings = (
        team.barred("agent_0", "store_1"),
        Binding("state_mirroring", trigger_object="cabinet_6", target_object="cabinet_12"),
    )
    told = ("You cannot enter store_1.", "cabinet_6 and cabinet_12 always move together.")
    played = alone("(is_open cabinet_12)", "cabinet_12 must end open.", *told, bindings=bindings)
    assert played.calls("agent_0") == ["Navigate[cabinet_6]", "Open[cabinet_6]", "Done[]"]


def test_a_trigger_that_is_there_already_goes_back_and_forth() -> None:
    bindings = (
        team.barred("agent_0", "store_1"),
        Binding(
            "remote_control", trigger_object="cabinet_6", target_object="cabinet_12", target_state="open"
        ),
    )
    told = (
        "You cannot enter store_1.",
        "Opening cabinet_6 makes cabinet_12 open, and closing it does the opposite.",
    )
    played = alone(
        "(is_open cabinet_12)",
        *("cabinet_12 must end open.", *told),
        bindings=bindings,
        initial_states={"cabinet_6": {"is_open": True}},
    )
    assert played.solved
    assert played.calls("agent_0") == [
        *("Navigate[cabinet_6]", "Close[cabinet_6]", "Open[cabinet_6]", "Done[]"),
    ]


def test_who_has_to_be_somewhere_goes_there_last() -> None:
    played = alone(
        "(and (agent_in_room agent_0 store_1) (is_inside bowl_0 fridge_3))",
        *("You must end in store_1.", "bowl_0 must end inside fridge_3."),
    )
    assert played.calls("agent_0")[-3:] == ["Close[fridge_3]", "Navigate[store_1]", "Done[]"]
    assert played.solved


def test_one_hand_is_emptied_for_the_next_thing() -> None:
    played = alone(
        "(and (is_held_by bowl_0 agent_0) (is_on_top plate_0 table_5))",
        *("You must end holding bowl_0.", "plate_0 must end on table_5."),
    )
    assert played.solved
