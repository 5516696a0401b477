"""Who can do what, and who goes first, by what one agent knows."""

from otherminds.household.epistemic.formula import Atom
from otherminds.household.reference.knowledge import Knowledge
from otherminds.household.reference.picture import FloorPlan
from otherminds.household.reference.sharing import PATIENCE, able, fetches, meeting, mine, select_suited, ways
from tests.household.reference import team

BOWL = Atom("is_on_top", ("bowl_0", "table_5"))


def knowledge(*secrets: str, seat: str = "agent_1", room: str = "hallway_1") -> Knowledge:
    made = Knowledge(team.brief(seat, secrets))
    made.begin(FloorPlan(team.plan()))
    made.room = room
    return made


def test_who_may_go_where_a_goal_is_can_reach_it() -> None:
    made = knowledge("agent_0 cannot enter study_1.")
    assert not able(made, "agent_0", BOWL)
    assert able(made, "agent_1", BOWL)
    assert not able(made, "agent_0", Atom("is_open", ("cabinet_6",)))
    assert not able(made, "agent_2", Atom("agent_in_room", ("agent_1", "study_1")))
    assert not able(made, "agent_1", Atom("is_held_by", ("bowl_0", "agent_2")))


def test_nobody_can_do_anything_with_furniture_that_is_not_there() -> None:
    made = knowledge()
    assert not able(made, "agent_1", Atom("is_on_top", ("bowl_0", "table_99")))


def test_a_room_behind_a_barred_one_is_out_of_reach() -> None:
    made = knowledge("You cannot enter bedroom_1.")
    assert not able(made, "agent_1", Atom("is_open", ("cabinet_12",)))


def test_what_follows_something_else_can_be_turned_from_there() -> None:
    made = knowledge("You cannot enter store_1.", "cabinet_6 and cabinet_12 always move together.")
    assert ways(made, "agent_1", "cabinet_12", "is_open") == [("cabinet_6", "is_open")]
    assert ways(made, "agent_0", "cabinet_12", "is_open")[0] == ("cabinet_6", "is_open")


def test_a_way_that_undoes_another_goal_comes_last() -> None:
    made = knowledge("cabinet_6 and cabinet_12 always move together.", "cabinet_6 must end closed.")
    made.wiring.known.clear()
    assert ways(made, "agent_1", "cabinet_12", "is_open") == [("cabinet_12", "is_open")]
    told = knowledge(
        "Opening cabinet_6 makes cabinet_12 open, and closing it does the opposite.",
        "cabinet_6 must end closed.",
    )
    assert ways(told, "agent_0", "cabinet_12", "is_open") == [
        ("cabinet_12", "is_open"),
        ("cabinet_6", "is_open"),
    ]


def test_who_can_fetch_fits_best_and_then_who_may_go_furthest() -> None:
    made = knowledge("agent_0 cannot enter kitchen_1.", "bowl_0 is on counter_0.")
    assert not fetches(made, "agent_0", BOWL)
    assert select_suited(made, ["agent_0", "agent_2"], BOWL) == ["agent_2"]
    lost = knowledge("agent_0 cannot enter kitchen_1.")
    assert select_suited(lost, ["agent_0", "agent_2"], BOWL) == ["agent_2"]
    assert select_suited(knowledge(), ["agent_0", "agent_2"], BOWL) == ["agent_0", "agent_2"]


def test_one_does_what_nobody_else_is_known_to_know_of() -> None:
    assert mine(knowledge("bowl_0 must end on table_5."), BOWL)


def test_who_was_told_as_well_and_has_a_lower_number_goes_first_for_a_while() -> None:
    made = knowledge("bowl_0 must end on table_5.")
    made.statements[next(iter(made.statements))].holders.add("agent_0")
    assert not mine(made, BOWL)
    made.turn = PATIENCE
    assert mine(made, BOWL)


def test_who_tells_of_a_goal_is_taken_not_to_be_able_to_do_it() -> None:
    made = knowledge()
    made.hear("agent_0", "bowl_0 must end on table_5.")
    assert mine(made, BOWL)


def test_who_is_asked_by_name_does_it_and_the_others_stand_back() -> None:
    made = knowledge()
    made.hear("agent_0", "agent_2, please see to it that bowl_0 ends on table_5.")
    assert not mine(made, BOWL)
    made.hear("agent_2", "Please see to it that bowl_0 ends on table_5.")
    assert mine(made, BOWL)


def test_a_thing_changes_hands_as_near_to_its_place_as_both_may_go() -> None:
    made = knowledge("You cannot enter study_1.", "agent_0 cannot enter kitchen_1.")
    assert meeting(made, "agent_1", ["agent_0"], "study_1") == "hallway_1"
    assert meeting(made, "agent_1", [], "study_1") is None
