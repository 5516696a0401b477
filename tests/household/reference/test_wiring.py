"""What follows from turning a thing, and what can be turned to set one."""

from otherminds.household.mechanics.inverse_state import Inverse
from otherminds.household.mechanics.remote_control import Controls
from otherminds.household.mechanics.state_mirroring import Mirrors
from otherminds.household.reference.picture import Wiring


def wiring(*wires: Inverse | Mirrors | Controls) -> Wiring:
    made = Wiring()
    for wire in wires:
        made.learn(wire)
    return made


CHAIN = wiring(
    Controls("cabinet_1", "fridge_2", "closed"),
    Mirrors("fridge_2", "cabinet_3"),
    Controls("stand_4", "lamp_5", "switched on"),
)


def test_effects_run_on() -> None:
    assert CHAIN.effects("cabinet_1", "is_open") == {
        "cabinet_1": "is_open",
        "fridge_2": "is_closed",
        "cabinet_3": "is_closed",
    }
    assert CHAIN.effects("fridge_2", "is_open") == {"fridge_2": "is_open", "cabinet_3": "is_open"}
    assert CHAIN.effects("stand_4", "is_closed")["lamp_5"] == "is_powered_off"


def test_a_circle_ends() -> None:
    made = wiring(Mirrors("cabinet_1", "cabinet_2"), Mirrors("cabinet_2", "cabinet_1"))
    assert made.effects("cabinet_1", "is_open") == {"cabinet_1": "is_open", "cabinet_2": "is_open"}


def test_every_way_leads_there() -> None:
    found = CHAIN.ways("cabinet_3", "is_open")
    assert found[0] == ("cabinet_3", "is_open")
    assert {("fridge_2", "is_open"), ("cabinet_1", "is_closed")} <= set(found)
    assert all(CHAIN.effects(*way)["cabinet_3"] == "is_open" for way in found)
    assert ("stand_4", "is_open") in CHAIN.ways("lamp_5", "is_powered_on")


def test_what_works_in_reverse_is_called_the_other_way() -> None:
    made = wiring(Inverse("cabinet_1"))
    assert made.call("cabinet_1", "is_open") == "Close[cabinet_1]"
    assert made.call("cabinet_2", "is_open") == "Open[cabinet_2]"


def test_who_turns_something_else_must_know_why() -> None:
    assert CHAIN.used("fridge_2", "cabinet_1") == tuple(CHAIN.known[:2])
    assert CHAIN.used("fridge_2", "fridge_2") == ()
    assert wiring(Inverse("fridge_2")).used("fridge_2", "fridge_2") == (Inverse("fridge_2"),)
