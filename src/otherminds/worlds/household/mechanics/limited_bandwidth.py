"""Limited bandwidth: so many messages an agent (appendix J: a radio with little airtime)."""

from __future__ import annotations

from collections.abc import Mapping

from otherminds.epistemic.words import Budget, Statement
from otherminds.worlds.household.mechanics.mechanic import Mechanic, mechanics
from otherminds.worlds.household.task import Binding

MOST = 1000
"""Messages of an agent; a file with more is taken for a mistake: no episode has as many turns."""


@mechanics.register("limited_bandwidth")
class LimitedBandwidth(Mechanic):
    """``message_limits`` caps what each agent may send; one to all reachable agents costs one."""

    fields = ("message_limits",)

    def faults(self, binding: Binding) -> list[str]:
        return [
            f"message_limits: {agent} has {limit} messages; write 0 or more, and at most {MOST}"
            for agent, limit in binding.message_limits.items()
            if not 0 <= limit <= MOST
        ]

    def limits(self, binding: Binding) -> Mapping[str, int]:
        return binding.message_limits

    def secrets(self, binding: Binding) -> tuple[Statement, ...]:
        return tuple(Budget(agent, limit) for agent, limit in binding.message_limits.items())
