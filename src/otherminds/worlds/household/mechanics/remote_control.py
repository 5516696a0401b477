"""Remote control: acting on a trigger sets a target elsewhere (appendix J: a wall switch and a heater)."""

from __future__ import annotations

from otherminds.epistemic.predicates import OPPOSITES
from otherminds.epistemic.states import ACTIVE, SHOWN
from otherminds.epistemic.words import Controls, Statement
from otherminds.worlds.household.mechanics.mechanic import STATES, Mechanic, Value, mechanics
from otherminds.worlds.household.rules.rule import Fact
from otherminds.worlds.household.task import Binding


@mechanics.register("remote_control")
class RemoteControl(Mechanic):
    """When ``trigger_object`` opens (or is switched on), ``target_object`` takes ``target_state``.

    When it closes (or is switched off), the target takes the opposite, so that both
    states are reachable from the trigger; acting on the target itself still works. A
    trigger that can neither be opened nor switched, such as a counter, has no state: trying to open
    it sets the target, trying to close it sets the opposite, and its agent hears that it cannot be opened.
    """

    fields = ("trigger_object", "target_object", "target_state")

    def faults(self, binding: Binding) -> list[str]:
        found: list[str] = []
        if binding.trigger_object and binding.trigger_object == binding.target_object:
            found.append("a thing cannot control itself")
        if binding.target_state and binding.target_state not in STATES:
            found.append(f"target_state {binding.target_state!r} is none of {', '.join(STATES)}")
        return found

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
