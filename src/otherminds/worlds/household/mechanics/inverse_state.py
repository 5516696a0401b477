"""Inverse state: opening closes and closing opens (appendix J: a valve that turns the other way)."""

from __future__ import annotations

from otherminds.epistemic.words import Inverse, Statement
from otherminds.worlds.household.mechanics.mechanic import Mechanic, mechanics
from otherminds.worlds.household.rules.rule import Fact
from otherminds.worlds.household.task import Binding


@mechanics.register("inverse_state")
class InverseState(Mechanic):
    """``trigger_object`` does the opposite of what a hand wants; what a mechanic sets is not reversed.

    Both states stay reachable: Close opens it while it is closed, Open closes it while
    it is open, and each does nothing where it is already there. (In the published code a
    thing that starts closed can never be opened.)
    """

    fields = ("trigger_object",)

    def reversed(self, binding: Binding) -> tuple[str, ...]:
        return (binding.trigger_object,)

    def facts(self, binding: Binding) -> tuple[Fact, ...]:
        return (("is_inverse", binding.trigger_object),)

    def secrets(self, binding: Binding) -> tuple[Statement, ...]:
        return (Inverse(binding.trigger_object),)
