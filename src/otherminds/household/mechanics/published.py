"""The six mechanics of Juneja et al. 2026 (section 3.4 and appendix J); any subset can be combined."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product

from otherminds.household.epistemic.predicates import ACTIVE, OPPOSITES, SHOWN
from otherminds.household.epistemic.words import (
    Barred,
    Controls,
    Inverse,
    MessageBudget,
    Mirrors,
    Reaches,
    Statement,
)
from otherminds.household.mechanics.mechanic import STATES, Mechanic, Value, mechanics
from otherminds.household.rules.rule import Fact
from otherminds.household.task import Binding

MOST = 1000
"""The largest message limit; a larger one is considered a mistake, since no episode has that number of turns."""

WIDTH = "statements: a message cannot have {} statements; write 1 or more, and at most {}, or leave it out"


@mechanics.register("room_restriction")
class RoomRestriction(Mechanic):
    """Bars ``restricted_rooms`` ``for_agents``: they can neither enter nor cross them (robots with zones)."""

    fields = ("restricted_rooms", "for_agents")

    def barred(self, binding: Binding) -> Mapping[str, frozenset[str]]:
        return dict.fromkeys(binding.for_agents, frozenset(binding.restricted_rooms))

    def facts(self, binding: Binding) -> tuple[Fact, ...]:
        pairs = product(binding.for_agents, binding.restricted_rooms)
        return tuple(("is_restricted", agent, room) for agent, room in pairs)

    def secrets(self, binding: Binding) -> tuple[Statement, ...]:
        return tuple(Barred(agent, binding.restricted_rooms) for agent in binding.for_agents)


@mechanics.register("inverse_state")
class InverseState(Mechanic):
    """An action on ``trigger_object`` has the opposite effect; values set by other mechanics are not reversed.

    The paper's example is a valve that turns the other way. Both states stay reachable: Close opens the thing if it is
    closed, Open closes it if it is open, and otherwise they do nothing. (In the published code, a thing that starts
    closed can never be opened.)
    """

    fields = ("trigger_object",)

    def reversed(self, binding: Binding) -> tuple[str, ...]:
        return (binding.trigger_object,)

    def facts(self, binding: Binding) -> tuple[Fact, ...]:
        return (("is_inverse", binding.trigger_object),)

    def secrets(self, binding: Binding) -> tuple[Statement, ...]:
        return (Inverse(binding.trigger_object),)


@mechanics.register("remote_control")
class RemoteControl(Mechanic):
    """When ``trigger_object`` opens (or is switched on), ``target_object`` takes ``target_state``.

    The paper's example is a wall switch and a heater. When the trigger closes (or is switched off), the target takes the
    opposite state. Acting on the target itself still works. A trigger that can be neither opened nor switched, such as a
    counter, has no state: an attempt to open it sets the target, an attempt to close it sets the opposite, and the agent
    receives the message that it cannot be opened.
    """

    fields = ("trigger_object", "target_object", "target_state")

    def faults(self, binding: Binding) -> list[str]:
        return _pair_faults(binding, "control")

    def triggers(self, binding: Binding) -> tuple[str, ...]:
        return (binding.trigger_object,)

    def follows(self, binding: Binding, thing: str, value: Value) -> tuple[tuple[str, Value], ...]:
        if thing != binding.trigger_object:
            return ()
        state = STATES[binding.target_state]
        return ((binding.target_object, state if value in ACTIVE else OPPOSITES[state]),)

    def facts(self, binding: Binding) -> tuple[Fact, ...]:
        opens = STATES[binding.target_state] in ACTIVE
        return (("controls" if opens else "controls_closed", binding.trigger_object, binding.target_object),)

    def secrets(self, binding: Binding) -> tuple[Statement, ...]:
        return (Controls(binding.trigger_object, binding.target_object, SHOWN[STATES[binding.target_state]]),)


@mechanics.register("state_mirroring")
class StateMirroring(Mechanic):
    """When ``trigger_object`` or ``target_object`` takes a value, the other takes it too; both start with equal states.

    The paper's example is two thermostats on one network. With ``target_state``, only this state and its opposite are
    mirrored.
    """

    fields = ("trigger_object", "target_object")
    optional = ("target_state",)

    def faults(self, binding: Binding) -> list[str]:
        return _pair_faults(binding, "mirror")

    def follows(self, binding: Binding, thing: str, value: Value) -> tuple[tuple[str, Value], ...]:
        pair = (binding.trigger_object, binding.target_object)
        state = STATES.get(binding.target_state, value)
        if value not in (state, OPPOSITES[state]):
            return ()
        return tuple((other, value) for other in pair if other != thing) if thing in pair else ()

    def facts(self, binding: Binding) -> tuple[Fact, ...]:
        return (("mirrors", binding.trigger_object, binding.target_object),)

    def secrets(self, binding: Binding) -> tuple[Statement, ...]:
        return (Mirrors(binding.trigger_object, binding.target_object),)


@mechanics.register("limited_bandwidth")
class LimitedBandwidth(Mechanic):
    """``message_limits`` bounds the number of messages per agent; a broadcast costs one message (a radio).

    ``statements`` bounds what any message of the task conveys, whoever sends it
    (:mod:`otherminds.household.transmission`).
    """

    fields = ("message_limits",)
    optional = ("statements",)

    def faults(self, binding: Binding) -> list[str]:
        found = [] if 0 <= binding.statements <= MOST else [WIDTH.format(binding.statements, MOST)]
        return found + [
            f"message_limits: {agent} has {limit} messages; write 0 or more, and at most {MOST}"
            for agent, limit in binding.message_limits.items()
            if not 0 <= limit <= MOST
        ]

    def limits(self, binding: Binding) -> Mapping[str, int]:
        return binding.message_limits

    def statements(self, binding: Binding) -> int | None:
        return binding.statements or None

    def secrets(self, binding: Binding) -> tuple[Statement, ...]:
        return tuple(MessageBudget(agent, limit) for agent, limit in binding.message_limits.items())


@mechanics.register("restricted_communication")
class RestrictedCommunication(Mechanic):
    """``allowed_targets`` lists the possible addressees of an agent; an agent without an entry may write to all.

    The paper's example is a nurse and a physician.
    """

    fields = ("allowed_targets",)

    def faults(self, binding: Binding) -> list[str]:
        return [
            f"allowed_targets: {agent} cannot write to itself"
            for agent, targets in binding.allowed_targets.items()
            if agent in targets
        ]

    def edges(self, binding: Binding) -> Mapping[str, tuple[str, ...]]:
        return binding.allowed_targets

    def secrets(self, binding: Binding) -> tuple[Statement, ...]:
        return tuple(Reaches(agent, targets) for agent, targets in binding.allowed_targets.items())


def _pair_faults(binding: Binding, verb: str) -> list[str]:
    """The faults of a trigger, a target and a target state."""
    found: list[str] = []
    if binding.trigger_object and binding.trigger_object == binding.target_object:
        found.append(f"a thing cannot {verb} itself")
    if binding.target_state and binding.target_state not in STATES:
        found.append(f"target_state {binding.target_state!r} is none of {', '.join(STATES)}")
    return found
