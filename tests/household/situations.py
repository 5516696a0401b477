"""For every text of a failure a situation in the small house that leads to exactly that text."""

from __future__ import annotations

from typing import NamedTuple

from otherminds.household.commands import TOOLS
from otherminds.household.task import Binding

A, B, C = "agent_0", "agent_1", "agent_2"
Turn = dict[str, str]


class Situation(NamedTuple):
    """``seat`` calls ``call`` after the turns ``before``, while others do what ``beside`` says, and is told ``text``."""

    text: str
    call: str
    before: tuple[Turn, ...] = ()
    seat: str = A
    beside: Turn = {}  # noqa: RUF012 - never changed
    bindings: tuple[Binding, ...] = ()
    states: dict[str, dict[str, bool | str]] = {}  # noqa: RUF012 - never changed
    tools: tuple[str, ...] = ()


def turns(*calls: str, seat: str = A) -> tuple[Turn, ...]:
    """Turns in which one agent acts alone."""
    return tuple({seat: call} for call in calls)


MEET = turns("Navigate[table_5]", seat=A)
"""``agent_0`` comes to the study, where ``agent_1`` is and cup_1 and book_0 lie on table_5."""
OPENED = turns("Open[cabinet_2]", "Wait[]")
SHUT_IN = turns("Open[cabinet_2]", "Close[cabinet_2]")
"""``agent_0`` has seen cup_0 within cabinet_2, which is closed again."""
FORBIDDEN = Binding("room_restriction", restricted_rooms=("bedroom_1",), for_agents=(A,))
REVERSED = Binding("inverse_state", trigger_object="cabinet_2")
LIT = Binding("state_mirroring", trigger_object="stove_4", target_object="tv_7")
QUIET = Binding("limited_bandwidth", message_limits={A: 0})
APART = Binding("restricted_communication", allowed_targets={A: (B,), B: ()})
HELLO = '"Hello."'

WALKING = (
    Situation(
        "Failed to navigate! No way that you are allowed to take leads to bedroom_1.",
        "Navigate[bed_9]",
        bindings=(FORBIDDEN,),
    ),
    Situation(
        "Failed to explore! No way that you are allowed to take leads to bedroom_1.",
        "Explore[bedroom_1]",
        bindings=(FORBIDDEN,),
    ),
    Situation(
        "Failed to navigate! No way that you are allowed to take leads to store_1.",
        "Navigate[cabinet_12]",
        bindings=(FORBIDDEN,),
    ),
    Situation("Failed to navigate! You do not know where agent_1 is.", "Navigate[agent_1]"),
    Situation("Failed to navigate! Your graph holds nothing called ghost_7.", "Navigate[ghost_7]"),
    Situation("Failed to navigate! Your graph holds nothing called cup_1.", "Navigate[cup_1]"),
    Situation(
        "Failed to navigate! You do not know where bowl_0 is any more.",
        "Navigate[bowl_0]",
        before=(
            {A: "Navigate[study_1]", B: "Navigate[kitchen_1]"},
            {B: "Pick[bowl_0]"},
            {B: "Navigate[hallway_1]"},
            {A: "Navigate[kitchen_1]"},
        ),
    ),
    Situation("Failed to explore! bed_9 is furniture.", "Explore[bed_9]"),
    Situation("Failed to explore! agent_1 is an agent.", "Explore[agent_1]"),
    Situation("Failed to explore! bowl_0 is an object.", "Explore[bowl_0]"),
)

TURNING = (
    Situation("Failed to open! bowl_0 is not furniture.", "Open[bowl_0]"),
    Situation("Failed to open! kitchen_1 is a room.", "Open[kitchen_1]"),
    Situation("Failed to open! counter_0 cannot be opened.", "Open[counter_0]"),
    Situation("Failed to open! Not close enough to the furniture.", "Open[cabinet_6]"),
    Situation("Failed to open! cabinet_2 is already open.", "Open[cabinet_2]", OPENED),
    Situation("Failed to close! counter_0 cannot be closed.", "Close[counter_0]"),
    Situation("Failed to close! Not close enough to the furniture.", "Close[cabinet_6]"),
    Situation("Failed to close! cabinet_2 is already closed.", "Close[cabinet_2]"),
    Situation("Failed to power on! counter_0 cannot be switched on.", "PowerOn[counter_0]"),
    Situation("Failed to power on! Not close enough to the furniture.", "PowerOn[tv_7]"),
    Situation(
        "Failed to power on! stove_4 is already switched on.", "PowerOn[stove_4]", turns("PowerOn[stove_4]")
    ),
    Situation("Failed to power off! counter_0 cannot be switched off.", "PowerOff[counter_0]"),
    Situation("Failed to power off! Not close enough to the furniture.", "PowerOff[tv_7]"),
    Situation("Failed to power off! stove_4 is already switched off.", "PowerOff[stove_4]"),
    Situation(
        "Failed to open! cabinet_2 is still closed.",
        "Open[cabinet_2]",
        bindings=(REVERSED,),
    ),
    Situation(
        "Failed to close! cabinet_2 is still open.",
        "Close[cabinet_2]",
        turns("Close[cabinet_2]"),
        bindings=(REVERSED,),
    ),
    Situation(
        "Failed to power on! stove_4 is already switched on.",
        "PowerOn[stove_4]",
        turns("PowerOn[stove_4]"),
        bindings=(LIT,),
    ),
    Situation(
        "Failed to power off! stove_4 is already switched off.",
        "PowerOff[stove_4]",
        bindings=(LIT,),
    ),
)

PICKING = (
    Situation("Failed to pick! counter_0 is not an object that can be picked up.", "Pick[counter_0]"),
    Situation("Failed to pick! Your graph holds nothing called cup_0.", "Pick[cup_0]"),
    Situation("Failed to pick! You are already holding an object.", "Pick[plate_0]", turns("Pick[bowl_0]")),
    Situation("Failed to pick! You are already holding an object.", "Pick[bowl_0]", turns("Pick[bowl_0]")),
    Situation("Failed to pick! Not close enough to the object.", "Pick[bowl_0]", MEET),
    Situation("Failed to pick! cabinet_2 is closed.", "Pick[cup_0]", SHUT_IN),
    Situation("Failed to pick! cup_1 is not there any more.", "Pick[cup_1]", MEET, B, {A: "Pick[cup_1]"}),
    Situation("Failed to pick! cup_1 is held by agent_1.", "Pick[cup_1]", (*MEET, {B: "Pick[cup_1]"})),
)

PLACING = (
    Situation("Failed to place! You are not holding bowl_0.", "Place[bowl_0, on, stove_4]"),
    Situation("Failed to place! Your graph holds nothing called cup_1.", "Place[cup_1, on, stove_4]"),
    Situation("Failed to place! kitchen_1 is a room.", "Place[bowl_0, on, kitchen_1]", turns("Pick[bowl_0]")),
    Situation(
        "Failed to place! Nothing can be placed on fridge_3.",
        "Place[bowl_0, on, fridge_3]",
        turns("Pick[bowl_0]"),
    ),
    Situation(
        "Failed to place! Nothing can be placed inside floor_kitchen_1.",
        "Place[bowl_0, within, floor_kitchen_1]",
        turns("Pick[bowl_0]"),
    ),
    Situation(
        "Failed to place! Not close enough to the receptacle.",
        "Place[bowl_0, on, bed_9]",
        turns("Pick[bowl_0]"),
    ),
    Situation(
        "Failed to place! cabinet_2 is closed.", "Place[bowl_0, within, cabinet_2]", turns("Pick[bowl_0]")
    ),
    Situation(
        "Failed to place! plate_0 is not on stove_4.",
        "Place[bowl_0, on, stove_4, next_to, plate_0]",
        turns("Pick[bowl_0]"),
    ),
    Situation(
        "Failed to place! Your graph holds nothing called key_0.",
        "Place[bowl_0, on, stove_4, next_to, key_0]",
        turns("Pick[bowl_0]"),
    ),
    Situation(
        "Failed to place! cup_1 is not there any more.",
        "Place[book_0, on, table_5, next_to, cup_1]",
        (*MEET, {B: "Pick[book_0]"}),
        B,
        {A: "Pick[cup_1]"},
    ),
)

DIRTY = {"bowl_0": {"is_dirty": True}, "cup_0": {"is_dirty": True}, "cup_1": {"is_dirty": True}}
CLEANING = (
    Situation("Failed to clean! kettle_0 cannot be cleaned.", "Clean[kettle_0]"),
    Situation("Failed to clean! Not close enough to the object.", "Clean[bowl_0]", MEET, states=DIRTY),
    Situation("Failed to clean! cabinet_2 is closed.", "Clean[cup_0]", SHUT_IN, states=DIRTY),
    Situation("Failed to clean! cup_1 is not there any more.", "Clean[cup_1]", MEET, B, {A: "Pick[cup_1]"}),
    Situation("Failed to clean! bowl_0 is already clean.", "Clean[bowl_0]"),
    Situation("Failed to clean! bed_9 is furniture.", "Clean[bed_9]"),
)

BY_THE_BED = ({A: "Navigate[bed_9]"},)
SWITCHING = tuple(
    situation
    for tool, verb, how, not_yet in (
        ("PowerOn", "power on", "on", "PowerOn"),
        ("PowerOff", "power off", "off", ""),
    )
    for situation in (
        Situation(f"Failed to {verb}! bowl_0 cannot be switched {how}.", f"{tool}[bowl_0]"),
        Situation(
            f"Failed to {verb}! kettle_0 is already switched {how}.",
            f"{tool}[kettle_0]",
            turns(f"{not_yet}[kettle_0]") if not_yet else (),
        ),
        Situation(f"Failed to {verb}! Not close enough to the object.", f"{tool}[kettle_0]", MEET),
        Situation(
            f"Failed to {verb}! lamp_0 is not there any more.",
            f"{tool}[lamp_0]",
            BY_THE_BED,
            C,
            {A: "Pick[lamp_0]"},
        ),
        Situation(
            f"Failed to {verb}! cabinet_10 is closed.",
            f"{tool}[radio_0]",
            turns("Open[cabinet_10]", "Close[cabinet_10]", seat=C),
            C,
        ),
    )
)

FULL = {"kettle_0": {"is_filled": True}}
HOLDING = turns("Pick[kettle_0]")
POURING = (
    Situation("Failed to pour! You are not holding an object.", "Pour[bowl_0]"),
    Situation("Failed to pour! plate_0 cannot be filled.", "Pour[plate_0]", HOLDING, states=FULL),
    Situation(
        "Failed to pour! Not close enough to the object.", "Pour[bowl_0]", (*HOLDING, *MEET), states=FULL
    ),
    Situation("Failed to pour! kettle_0 is empty.", "Pour[bowl_0]", HOLDING),
    Situation(
        "Failed to pour! bowl_0 is already filled.",
        "Pour[bowl_0]",
        HOLDING,
        states=FULL | {"bowl_0": {"is_filled": True}},
    ),
    Situation("Failed to pour! cabinet_2 is closed.", "Pour[cup_0]", (*SHUT_IN, *HOLDING), states=FULL),
    Situation(
        "Failed to pour! cup_1 is not there any more.",
        "Pour[cup_1]",
        ({A: "Navigate[table_5]"}, {B: "Pick[jug_0]"}),
        B,
        {A: "Pick[cup_1]"},
        states={"jug_0": {"is_filled": True}},
    ),
    Situation("Failed to pour! You are holding kettle_0; put it down first.", "Pour[kettle_0]", HOLDING),
)

FILLING = (
    Situation("Failed to fill! plate_0 cannot be filled.", "Fill[plate_0]"),
    Situation("Failed to fill! You are not holding bowl_0.", "Fill[bowl_0]"),
    Situation("Failed to fill! There is no faucet within reach.", "Fill[kettle_0]", (*HOLDING, *MEET)),
    Situation("Failed to fill! kettle_0 is already filled.", "Fill[kettle_0]", HOLDING, states=FULL),
    Situation("Failed to fill! Your graph holds nothing called cup_1.", "Fill[cup_1]"),
)

WRITING = (
    Situation(
        "Blocked: You can only send messages to: agent_1.",
        f"Communicate[agent_2, {HELLO}]",
        bindings=(APART,),
    ),
    Situation(
        "Blocked: You can only send messages to: nobody.",
        f"Communicate[all, {HELLO}]",
        seat=B,
        bindings=(APART,),
    ),
    Situation("Blocked: You have no messages left.", f"Communicate[agent_1, {HELLO}]", bindings=(QUIET,)),
    Situation(
        "Blocked: There is no agent called ghost_7; the others are agent_1, agent_2.",
        f"Communicate[ghost_7, {HELLO}]",
    ),
    Situation("Blocked: You cannot send messages to yourself.", f"Communicate[agent_0, {HELLO}]"),
)

LOOKING = (
    Situation("Found no object that fits 'ghost' in what you know.", "FindObjectTool[ghost]"),
    Situation("Found no furniture that fits 'ghost' in what you know.", "FindReceptacleTool[ghost]"),
    Situation("Found no room that fits 'ghost' in what you know.", "FindRoomTool[ghost]"),
)

MALFORMED = (
    Situation("Malformed call! Write one call of a tool, such as Navigate[kitchen_1].", "I open the fridge."),
    Situation(
        f"Malformed call! There is no tool Teleport; the tools are {', '.join(TOOLS)}.", "Teleport[kitchen_1]"
    ),
    Situation("Malformed call! Write Pick[object].", "Pick[bowl_0, plate_0]"),
    Situation(
        "Malformed call! Write Place[object, on|within, furniture].", "Place[bowl_0, under, counter_0]"
    ),
    Situation(
        "You cannot use Open in this task; your tools are Navigate, Pick.",
        "Open[cabinet_2]",
        tools=("Navigate", "Pick"),
    ),
)

IDLE = (
    Situation("You waited.", "Wait[]"),
    Situation("You are done.", "Done[]"),
    Situation("You are done.", "Open[cabinet_2]", turns("Done[]")),
)

FAILURES = (
    *(*WALKING, *TURNING, *PICKING, *PLACING, *CLEANING, *SWITCHING),
    *(*POURING, *FILLING, *WRITING, *MALFORMED),
)
ALL = (*FAILURES, *LOOKING, *IDLE)
