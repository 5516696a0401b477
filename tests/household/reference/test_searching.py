"""Looking for things: rooms first, then behind doors, and not for ever."""

from otherminds.household.reference.mind import Housemate
from tests.household.reference import team


def alone(goal: str, *secrets: str, **fields: object) -> object:
    """An episode of one agent in the small house, of 100 turns."""
    house = team.house(goal=goal, secrets={"agent_0": secrets}, agents=1, **fields)
    return team.play(house, {"agent_0": Housemate()}, 100)


def test_rooms_are_looked_through_before_anything_is_opened() -> None:
    played = alone("(is_on_top key_0 table_5)", "key_0 must end on table_5.")
    calls = played.calls("agent_0")
    first = next(k for k, call in enumerate(calls) if call.startswith("Open"))
    assert sum(call.startswith("Explore") for call in calls[:first]) == len(team.small.ROOMS)
    assert "Place[key_0, on, table_5]" in calls
    assert played.solved


def test_what_was_opened_in_the_search_is_closed_again() -> None:
    played = alone("(is_on_top key_0 table_5)", "key_0 must end on table_5.")
    calls = played.calls("agent_0")
    opened = sorted(call.removeprefix("Open") for call in calls if call.startswith("Open["))
    assert opened == sorted(call.removeprefix("Close") for call in calls if call.startswith("Close["))


def test_the_search_ends() -> None:
    states = {"book_0": {"is_inside": "cabinet_12"}}
    house = team.house(
        team.barred("agent_0", "store_1"),
        goal="(is_on_top book_0 table_5)",
        secrets={"agent_0": ["book_0 must end on table_5.", "You cannot enter store_1."]},
        agents=1,
        initial_states=states,
    )
    played = team.play(house, {"agent_0": Housemate()}, 200)
    assert played.calls("agent_0")[-1] == "Done[]"
    assert len(played.calls("agent_0")) < 100
    assert played.failures == []


def test_a_room_that_was_named_is_searched_alone() -> None:
    played = alone("(is_on_top key_0 table_5)", "key_0 must end on table_5.", "key_0 is in store_1.")
    assert played.calls("agent_0")[:3] == ["Explore[store_1]", "Navigate[cabinet_12]", "Open[cabinet_12]"]


def test_false_news_costs_a_walk_and_then_the_house_is_searched() -> None:
    played = alone("(is_on_top book_0 stove_4)", "book_0 must end on stove_4.", "book_0 is on bed_9.")
    assert played.calls("agent_0")[0] == "Navigate[bed_9]"
    assert played.solved
