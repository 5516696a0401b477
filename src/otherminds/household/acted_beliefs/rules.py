"""What is fixed in an episode of encounters: its stage game, its population, its places and its contexts."""

from __future__ import annotations

import msgspec
from msgspec import Struct

from otherminds.core.record import Record
from otherminds.household.acted_beliefs.contexts import Context
from otherminds.household.acted_beliefs.exact import EncounterTables, tabulate
from otherminds.household.acted_beliefs.stage_games import GAMES, Plan, StageGame

FACT = "encounters"
"""The fact of a record that has the rules."""


class EncounterRules(Struct, frozen=True):
    """An episode of one encounter for each of ``contexts``. ``names`` are those of the places."""

    game: str
    population: str
    names: tuple[str, ...]
    slip: float
    contexts: tuple[Context, ...]

    @property
    def stage(self) -> StageGame:
        """The stage game."""
        return GAMES[self.game]

    @property
    def tables(self) -> EncounterTables:
        """The exact values of its contexts."""
        return tabulate(self.game, self.population, len(self.names), self.slip)

    def settle(self, actions: tuple[int, ...]) -> Plan:
        """The plan that is played if ego takes ``actions``: where a step leaves no choice, the only one."""
        limits = (self.stage.choices(step, len(self.names)) - 1 for step in range(self.stage.steps))
        return tuple(min(action, limit) for action, limit in zip(actions, limits, strict=True))


def read_rules(record: Record) -> EncounterRules | None:
    """The rules of a record; ``None`` where it is of another world."""
    fact = record.facts.get(FACT)
    return None if fact is None else msgspec.convert(fact, EncounterRules)
