"""What comes first, and when an agent gives up."""

from otherminds.household.epistemic.formula import Atom
from otherminds.household.mechanics.inverse_state import Inverse
from otherminds.household.mechanics.room_restriction import Barred
from otherminds.household.reference.doing import TRIES, TURNS, Doer
from otherminds.household.reference.knowledge import Knowledge
from otherminds.household.reference.mind import Housemate
from otherminds.household.reference.picture import FloorPlan
from tests.household.reference import team

OPEN = Atom("is_open", ("fridge_3",))


def doer(*secrets: str) -> Doer:
    """An agent in the kitchen, which sees the fridge closed and a bowl on the counter."""
    knowledge = Knowledge(team.brief(secrets=secrets))
    knowledge.begin(FloorPlan(team.plan()))
    knowledge.look(
        {
            "turn": 0,
            "room": "kitchen_1",
            "holding": [],
            "graph": {
                "objects": {"bowl_0": ["is_on_top", "counter_0"]},
                "states": {"fridge_3": ["is_closed"]},
                "agents": {},
            },
        }
    )
    return Doer(knowledge)


def test_things_are_moved_before_doors_are_shut_and_what_is_done_is_left() -> None:
    made = doer()
    bowl = Atom("is_on_top", ("bowl_0", "table_5"))
    assert made.next([OPEN, bowl]) == "Navigate[counter_0]"
    assert made.next([OPEN, Atom("is_on_top", ("bowl_0", "counter_0"))]) == "Navigate[fridge_3]"
    assert made.next([Atom("is_closed", ("fridge_3",))]) is None


def test_what_is_held_comes_first_then_cleaning_then_moving_then_furniture() -> None:
    made = doer()
    made.knowledge.holding = ["bowl_1"]
    here, there = (Atom("is_on_top", (name, "table_5")) for name in ("bowl_0", "bowl_1"))
    washed = Atom("is_clean", ("bowl_0",))
    assert sorted([OPEN, washed, here, there], key=made._rank) == [there, washed, here, OPEN]


def test_what_fails_is_not_tried_for_ever() -> None:
    made = doer()
    made.hands.near = "fridge_3"
    for _ in range(TRIES):
        assert made.next([OPEN]) == "Open[fridge_3]"
        made.did("Open[fridge_3]")
        made.settle(False, "Failed to open! It is stuck.")
    assert made.next([OPEN]) is None


def test_nor_is_what_is_undone_again_and_again() -> None:
    made = doer()
    made.hands.near = "fridge_3"
    for _ in range(TURNS):
        made.did("Open[fridge_3]")
        made.settle(True, "")
    assert made.next([OPEN]) is None


def test_failures_teach() -> None:
    made = doer()
    made.did("Navigate[table_5]")
    made.settle(False, "Failed to navigate! No way that you are allowed to take leads to study_1.")
    made.did("Open[fridge_3]")
    made.settle(False, "Failed to open! fridge_3 is still closed.")
    assert Barred("agent_0", ("study_1",)) in made.knowledge.statements
    assert made.knowledge.wiring.known == [Inverse("fridge_3")]


def test_a_thing_that_is_as_wanted_already_teaches_nothing() -> None:
    made = doer()
    made.did("Close[fridge_3]")
    made.settle(False, "Failed to close! fridge_3 is already closed.")
    assert made.knowledge.wiring.known == []


def test_what_is_turned_moves_what_follows_in_one_s_mind() -> None:
    made = doer("Opening fridge_3 makes cabinet_12 open, and closing it does the opposite.")
    made.knowledge.picture.note(OPEN)
    made.did("Open[fridge_3]")
    made.settle(True, "")
    assert made.knowledge.achieved(Atom("is_open", ("cabinet_12",)))


def test_who_wants_the_opposite_of_another_does_not_go_on_for_ever() -> None:
    house = team.house(
        goal="(is_open fridge_3)",
        secrets={"agent_0": ["fridge_3 must end open."], "agent_1": ["fridge_3 must end closed."]},
        agents=2,
    )
    played = team.play(house, {"agent_0": Housemate(), "agent_1": Housemate()}, 200)
    assert len(played.calls("agent_0")) < 40
    assert played.world.turn < 200
