"""Room restriction: an agent may not enter or cross certain rooms (appendix J: robots with zones)."""

from __future__ import annotations

from collections.abc import Mapping

from otherminds.epistemic.words import Barred, Statement
from otherminds.worlds.household.mechanics.mechanic import Mechanic, mechanics
from otherminds.worlds.household.rules.rule import Fact
from otherminds.worlds.household.task import Binding


@mechanics.register("room_restriction")
class RoomRestriction(Mechanic):
    """Bars ``restricted_rooms`` ``for_agents``; their paths lead round them, or there is none."""

    fields = ("restricted_rooms", "for_agents")

    def barred(self, binding: Binding) -> Mapping[str, frozenset[str]]:
        return dict.fromkeys(binding.for_agents, frozenset(binding.restricted_rooms))

    def facts(self, binding: Binding) -> tuple[Fact, ...]:
        return tuple(
            ("is_restricted", agent, room)
            for agent in binding.for_agents
            for room in binding.restricted_rooms
        )

    def secrets(self, binding: Binding) -> tuple[Statement, ...]:
        return tuple(Barred(agent, binding.restricted_rooms) for agent in binding.for_agents)
