"""State mirroring: two things stay in step (appendix J: two thermostats on one network)."""

from __future__ import annotations

from otherminds.epistemic.predicates import OPPOSITES
from otherminds.epistemic.words import Mirrors, Statement
from otherminds.worlds.household.mechanics.mechanic import STATES, Mechanic, Value, mechanics
from otherminds.worlds.household.rules.rule import Fact
from otherminds.worlds.household.task import Binding


@mechanics.register("state_mirroring")
class StateMirroring(Mechanic):
    """Whatever value ``trigger_object`` or ``target_object`` takes, the other takes too; both start alike.

    With ``target_state`` that holds of this state and its opposite alone.
    """

    fields = ("trigger_object", "target_object")
    optional = ("target_state",)

    def faults(self, binding: Binding) -> list[str]:
        found: list[str] = []
        if binding.trigger_object and binding.trigger_object == binding.target_object:
            found.append("a thing cannot mirror itself")
        if binding.target_state and binding.target_state not in STATES:
            found.append(f"target_state {binding.target_state!r} is none of {', '.join(STATES)}")
        return found

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
