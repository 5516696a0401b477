"""What is expected of every pair of mechanics, written down before it was run.

benchmarks/results/household_mechanics.md says the same in words.
"""

from __future__ import annotations

from typing import NamedTuple

from otherminds.household.task import Binding


def inverse(thing: str) -> Binding:
    return Binding("inverse_state", trigger_object=thing)


def mirror(one: str, other: str) -> Binding:
    return Binding("state_mirroring", trigger_object=one, target_object=other)


def remote(trigger: str, target: str, state: str = "open") -> Binding:
    return Binding("remote_control", trigger_object=trigger, target_object=target, target_state=state)


def bar(agent: str, *rooms: str) -> Binding:
    return Binding("room_restriction", restricted_rooms=rooms, for_agents=(agent,))


def limit(agent: str, messages: int) -> Binding:
    return Binding("limited_bandwidth", message_limits={agent: messages})


def only(agent: str, *others: str) -> Binding:
    return Binding("restricted_communication", allowed_targets={agent: others})


def late(agent: str, turns: int) -> Binding:
    return Binding("delayed_delivery", turns=turns, for_agents=(agent,))


class Case(NamedTuple):
    """Two mechanics at once: bindings; calls with what is told; how things end; who then sees what."""

    bindings: tuple[Binding, ...]
    calls: tuple[tuple[str, str, str], ...]
    ends: tuple[str, ...] = ()
    sees: tuple[tuple[str, str, str], ...] = ()
    starts: dict[str, dict[str, bool | str]] = {}  # noqa: RUF012 - never changed


A, B, C = "agent_0", "agent_1", "agent_2"
TELL_B, TELL_C = f'Communicate[{B}, "Hello."]', f'Communicate[{C}, "Hello."]'
SENT = "Successful execution! The message is on its way."
SPENT = "Blocked: You have no messages left."


def stuck(thing: str) -> str:
    return f"Failed to open! {thing} is still closed."


def barred(room: str) -> str:
    return f"Failed to navigate! No way that you are allowed to take leads to {room}."


def now(thing: str, state: str) -> str:
    return f"Successful execution! {thing} is now {state}."


def whom(others: str) -> str:
    return f"Blocked: You can only send messages to: {others}."


RR, LB, RC = "room_restriction", "limited_bandwidth", "restricted_communication"
RM, SM, IS = "remote_control", "state_mirroring", "inverse_state"
DD = "delayed_delivery"
PAIRS = {
    (RR, RR): Case(
        (bar(A, "study_1"), bar(A, "bedroom_1")),
        (
            (A, "Navigate[study_1]", barred("study_1")),
            (A, "Navigate[bed_9]", barred("bedroom_1")),
            (A, "Navigate[store_1]", barred("store_1")),
            (A, "Navigate[hallway_1]", "Successful execution! You are in hallway_1."),
        ),
        ("agent_in_room agent_0 hallway_1",),
    ),
    (RR, LB): Case(
        (bar(A, "study_1"), limit(A, 1)),
        ((A, "Navigate[tv_7]", barred("study_1")), (A, TELL_B, SENT), (A, TELL_B, SPENT)),
        ("left agent_0 0", "agent_in_room agent_0 kitchen_1"),
    ),
    (RR, RC): Case(
        (bar(A, "study_1"), only(A, B)),
        (
            (A, "Explore[study_1]", barred("study_1").replace("navigate", "explore")),
            (A, TELL_C, whom(B)),
            (A, TELL_B, SENT),
            (B, "Navigate[kitchen_1]", "Successful execution! You are in kitchen_1."),
            (B, TELL_C, SENT),
        ),
    ),
    (RR, RM): Case(
        (bar(A, "study_1"), remote("cabinet_2", "cabinet_6")),
        (
            (A, "Navigate[cabinet_6]", barred("study_1")),
            (A, "Open[cabinet_2]", now("cabinet_2", "open")),
        ),
        ("is_open cabinet_2", "is_open cabinet_6"),
        ((A, "cabinet_2", "is_open"), (A, "cabinet_6", ""), (B, "cabinet_6", "is_open")),
    ),
    (RR, SM): Case(
        (bar(A, "bedroom_1"), mirror("cabinet_2", "cabinet_10")),
        (
            (A, "Open[cabinet_2]", now("cabinet_2", "open")),
            (C, "Close[cabinet_10]", now("cabinet_10", "closed")),
        ),
        ("is_closed cabinet_2", "is_closed cabinet_10"),
        ((A, "cabinet_2", "is_closed"), (A, "cabinet_10", ""), (C, "cabinet_10", "is_closed")),
    ),
    (RR, IS): Case(
        (bar(A, "bedroom_1"), inverse("cabinet_10")),
        (
            (A, "Navigate[cabinet_10]", barred("bedroom_1")),
            (C, "Open[cabinet_10]", stuck("cabinet_10")),
            (C, "Close[cabinet_10]", now("cabinet_10", "open")),
        ),
        ("is_open cabinet_10",),
    ),
    (LB, LB): Case(
        (limit(A, 3), limit(A, 1)),
        ((A, TELL_B, SENT), (A, TELL_B, SPENT), (B, TELL_C, SENT)),
        ("left agent_0 0", "left agent_1 many"),
    ),
    (LB, RC): Case(
        (limit(A, 1), only(A, B)),
        (
            (A, TELL_C, whom(B)),
            (A, 'Communicate[all, "Hello."]', SENT),
            (A, TELL_C, whom(B)),
            (A, TELL_B, SPENT),
        ),
        ("left agent_0 0",),
    ),
    (LB, RM): Case(
        (limit(A, 0), remote("cabinet_2", "cabinet_6")),
        ((A, TELL_B, SPENT), (A, "Open[cabinet_2]", now("cabinet_2", "open"))),
        ("left agent_0 0", "is_open cabinet_6"),
        ((B, "cabinet_6", "is_open"),),
    ),
    (LB, SM): Case(
        (limit(A, 0), mirror("cabinet_2", "cabinet_6")),
        (
            (A, "Open[cabinet_2]", now("cabinet_2", "open")),
            (A, TELL_B, SPENT),
            (A, "Close[cabinet_2]", now("cabinet_2", "closed")),
        ),
        ("is_closed cabinet_6",),
        ((B, "cabinet_6", "is_closed"),),
    ),
    (LB, IS): Case(
        (limit(A, 1), inverse("cabinet_2")),
        (
            (A, "Open[cabinet_2]", stuck("cabinet_2")),
            (A, "Close[cabinet_2]", now("cabinet_2", "open")),
            (A, TELL_B, SENT),
        ),
        ("left agent_0 0", "is_open cabinet_2"),
    ),
    (RC, RC): Case(
        (only(A, B, C), only(A, C), only(B, A), only(B, C)),
        ((A, TELL_B, whom(C)), (A, TELL_C, SENT), (B, TELL_C, whom("nobody")), (C, TELL_B, SENT)),
    ),
    (RC, RM): Case(
        (only(A), remote("cabinet_2", "cabinet_6")),
        (
            (A, 'Communicate[all, "Hello."]', whom("nobody")),
            (A, "Open[cabinet_2]", now("cabinet_2", "open")),
        ),
        ("is_open cabinet_6",),
        ((B, "cabinet_6", "is_open"), (C, "cabinet_6", "")),
    ),
    (RC, SM): Case(
        (only(A, B), mirror("cabinet_2", "cabinet_10")),
        ((A, TELL_C, whom(B)), (A, "Open[cabinet_2]", now("cabinet_2", "open"))),
        ("is_open cabinet_10",),
        ((B, "cabinet_10", ""), (C, "cabinet_10", "is_open")),
    ),
    (RC, IS): Case(
        (only(A, B), inverse("cabinet_6")),
        (
            (B, "Open[cabinet_6]", stuck("cabinet_6")),
            (A, TELL_B, SENT),
            (B, "Close[cabinet_6]", now("cabinet_6", "open")),
        ),
        ("is_open cabinet_6",),
    ),
    (RM, RM): Case(
        (remote("cabinet_2", "cabinet_6"), remote("cabinet_6", "cabinet_10", "closed")),
        (
            (A, "Open[cabinet_2]", now("cabinet_2", "open")),
            (B, "Close[cabinet_6]", now("cabinet_6", "closed")),
            (B, "Open[cabinet_6]", now("cabinet_6", "open")),
            (A, "Close[cabinet_2]", now("cabinet_2", "closed")),
        ),
        ("is_closed cabinet_2", "is_closed cabinet_6", "is_open cabinet_10"),
        ((C, "cabinet_10", "is_open"),),
        {"cabinet_10": {"is_open": True}},
    ),
    (RM, SM): Case(
        (remote("cabinet_2", "cabinet_6"), mirror("cabinet_6", "cabinet_12")),
        (
            (A, "Open[cabinet_2]", now("cabinet_2", "open")),
            (B, "Open[cabinet_6]", "Failed to open! cabinet_6 is already open."),
            (B, "Close[cabinet_6]", now("cabinet_6", "closed")),
        ),
        ("is_open cabinet_2", "is_closed cabinet_6", "is_closed cabinet_12"),
    ),
    (RM, IS): Case(
        (inverse("cabinet_2"), remote("cabinet_2", "cabinet_6"), inverse("cabinet_6")),
        (
            (A, "Open[cabinet_2]", stuck("cabinet_2")),
            (A, "Close[cabinet_2]", now("cabinet_2", "open")),
            (B, "Open[cabinet_6]", now("cabinet_6", "closed")),
            (B, "Open[cabinet_6]", stuck("cabinet_6")),
        ),
        ("is_open cabinet_2", "is_closed cabinet_6"),
    ),
    (SM, SM): Case(
        (
            mirror("cabinet_2", "cabinet_6"),
            mirror("cabinet_6", "cabinet_12"),
            mirror("cabinet_12", "cabinet_2"),
        ),
        (
            (A, "Open[cabinet_2]", now("cabinet_2", "open")),
            (B, "Close[cabinet_6]", now("cabinet_6", "closed")),
        ),
        ("is_closed cabinet_2", "is_closed cabinet_6", "is_closed cabinet_12"),
    ),
    (SM, IS): Case(
        (mirror("cabinet_2", "cabinet_6"), inverse("cabinet_2")),
        (
            (A, "Open[cabinet_2]", stuck("cabinet_2")),
            (A, "Close[cabinet_2]", now("cabinet_2", "open")),
            (B, "Open[cabinet_6]", "Failed to open! cabinet_6 is already open."),
            (B, "Close[cabinet_6]", now("cabinet_6", "closed")),
            (B, "Open[cabinet_6]", now("cabinet_6", "open")),
        ),
        ("is_open cabinet_2", "is_open cabinet_6"),
    ),
    (IS, IS): Case(
        (inverse("cabinet_2"), inverse("cabinet_2"), inverse("cabinet_6")),
        (
            (A, "Open[cabinet_2]", stuck("cabinet_2")),
            (A, "Close[cabinet_2]", now("cabinet_2", "open")),
            (A, "Open[cabinet_2]", now("cabinet_2", "closed")),
            (B, "Close[cabinet_6]", now("cabinet_6", "open")),
        ),
        ("is_closed cabinet_2", "is_open cabinet_6"),
    ),
    (DD, RR): Case(
        (late(A, 2), bar(A, "study_1")),
        ((A, TELL_B, SENT), (A, "Navigate[tv_7]", barred("study_1"))),
        ("agent_in_room agent_0 kitchen_1",),
    ),
    (DD, LB): Case(
        (late(A, 2), limit(A, 1)),
        ((A, TELL_B, SENT), (A, TELL_B, SPENT), (B, TELL_C, SENT)),
        ("left agent_0 0",),
    ),
    (DD, RC): Case(
        (late(A, 2), only(A, B)),
        ((A, TELL_C, whom(B)), (A, TELL_B, SENT), (C, TELL_B, SENT)),
    ),
    (DD, RM): Case(
        (late(A, 2), remote("cabinet_2", "cabinet_6")),
        ((A, TELL_B, SENT), (A, "Open[cabinet_2]", now("cabinet_2", "open"))),
        ("is_open cabinet_6",),
        ((B, "cabinet_6", "is_open"),),
    ),
    (DD, SM): Case(
        (late(A, 2), mirror("cabinet_2", "cabinet_6")),
        ((A, TELL_B, SENT), (A, "Open[cabinet_2]", now("cabinet_2", "open"))),
        ("is_open cabinet_6",),
        ((B, "cabinet_6", "is_open"),),
    ),
    (DD, IS): Case(
        (late(A, 2), inverse("cabinet_2")),
        ((A, TELL_B, SENT), (A, "Open[cabinet_2]", stuck("cabinet_2"))),
        ("is_closed cabinet_2",),
    ),
    (DD, DD): Case(
        (late(A, 2), late(A, 3)),
        ((A, TELL_B, SENT), (A, TELL_B, SENT)),
    ),
}
