"""Restricted communication: a fixed, directed graph of who may write to whom (appendix J: nurse and physician)."""

from __future__ import annotations

from collections.abc import Mapping

from otherminds.epistemic.words import Reaches, Statement
from otherminds.worlds.household.mechanics.mechanic import Mechanic, mechanics
from otherminds.worlds.household.task import Binding


@mechanics.register("restricted_communication")
class RestrictedCommunication(Mechanic):
    """``allowed_targets`` lists whom an agent may write to; one that is not listed may write to everybody."""

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
