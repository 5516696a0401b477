"""Limited bandwidth: so many messages an agent (appendix J: a radio with little airtime)."""

from __future__ import annotations

from collections.abc import Mapping

from otherminds.epistemic.words import Budget, Statement
from otherminds.worlds.household.mechanics.mechanic import Mechanic, mechanics
from otherminds.worlds.household.task import Binding


@mechanics.register("limited_bandwidth")
class LimitedBandwidth(Mechanic):
    """``message_limits`` caps what each agent may send; one to all reachable agents costs one."""

    fields = ("message_limits",)

    def faults(self, binding: Binding) -> list[str]:
        return [
            f"message_limits: {agent} has {limit} messages; write 0 or more"
            for agent, limit in binding.message_limits.items()
            if limit < 0
        ]

    def limits(self, binding: Binding) -> Mapping[str, int]:
        return binding.message_limits

    def secrets(self, binding: Binding) -> tuple[Statement, ...]:
        return tuple(Budget(agent, limit) for agent, limit in binding.message_limits.items())
