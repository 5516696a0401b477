"""Names in words: every spelling of a name is that name, and a type that several things have is none of them."""

from __future__ import annotations

from otherminds.household.epistemic.words.free.grammar import Vocabulary, spell_names
from tests.cases import for_each

ROOMS = frozenset({"kitchen_1", "bedroom_1", "bedroom_2", "laundryroom_1"})
FURNITURE = frozenset(
    {"cabinet_31", "cabinet_28", "chest_of_drawers_20", "washer_dryer_3", "floor_kitchen_1"}
)
OBJECTS = frozenset({"picture_frame_5", "mug_2"})
TWO = Vocabulary(ROOMS, FURNITURE, OBJECTS, frozenset({"agent_0", "agent_1"}))
THREE = Vocabulary(ROOMS, FURNITURE, OBJECTS, frozenset({"agent_0", "agent_1", "agent_2"}))
NUMBERED = sorted((ROOMS | FURNITURE | OBJECTS) - {"floor_kitchen_1"})


def spell(text: str, names: Vocabulary = THREE) -> str:
    return spell_names(text, "agent_0", names)


@for_each("name", NUMBERED)
def test_a_type_and_a_number_are_a_name_in_any_spelling(name: str) -> None:
    words = name.replace("_", " ")
    for spelled in (
        name,
        words,
        words.title(),
        words.upper(),
        words.replace(" ", "-"),
        f"the {words}",
        f"`{name}`",
    ):
        assert spell(f"See {spelled}, please.") == f"see {name}, please."


@for_each("name", NUMBERED)
def test_another_number_is_another_name(name: str) -> None:
    words = name.replace("_", " ")
    assert spell(f"See {words}7, please.") == f"see {words}7, please."


@for_each(
    ("spoken", "name"),
    [
        ("kitchen", "kitchen_1"),
        ("laundry room", "laundryroom_1"),
        ("mug", "mug_2"),
        ("picture frame", "picture_frame_5"),
        ("frame", "picture_frame_5"),
        ("washer-dryer", "washer_dryer_3"),
        ("chest of drawers", "chest_of_drawers_20"),
        ("kitchen floor", "floor_kitchen_1"),
    ],
)
def test_the_only_thing_of_a_type_is_meant_by_its_type(spoken: str, name: str) -> None:
    assert spell(f"It is in the {spoken} now.") == f"it is in {name} now."
    assert spell(f"It is in a {spoken} now.") == f"it is in a {spoken} now."


@for_each("kind", ["bedroom", "cabinet"])
def test_a_type_of_several_is_the_one_that_was_named_before(kind: str) -> None:
    one, other = sorted(name for name in NUMBERED if name.startswith(kind))
    assert spell(f"The {kind} is large.") == f"the {kind} is large."
    assert spell(f"{one} is large, and the {kind} is dark.") == f"{one} is large, and {one} is dark."
    assert spell(f"{one}, {other}, and the {kind}.") == f"{one}, {other}, and the {kind}."


def test_both_rooms_of_a_type_and_all_other_agents() -> None:
    assert spell("Both bedrooms are open.") == "bedroom_1 and bedroom_2 are open."
    assert spell("All of the others wait.") == "agent_1 and agent_2 wait."
    assert spell("Both of your friends wait.") == "agent_1 and agent_2 wait."


def test_a_partner_is_an_agent_where_there_is_one_other() -> None:
    assert spell("Your partner waits for Agent 0.", TWO) == "agent_1 waits for agent_0."
    assert spell("Your partner waits.") == "your partner waits."
    assert spell("Your partner agent_1 waits.", TWO) == "your partner agent_1 waits."
