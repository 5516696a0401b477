"""Asks for help before all else."""

from __future__ import annotations

from otherminds.household.epistemic.words import Asks, Must, Statement
from otherminds.household.reference.talking import TeamMessage
from otherminds.household.teams.speaker import Speaker


class AskFirst(Speaker):
    """Asks its addressees, in turn and with all others listening, to see to each goal that it says."""

    _asked = 0

    def now(self) -> TeamMessage | None:
        made = self.message()
        return made and TeamMessage(made.to, tuple(self._asking(made, one) for one in made.statements))

    def _asking(self, made: TeamMessage, statement: Statement) -> Statement:
        if not isinstance(statement, Must):
            return statement
        self._asked += 1
        return Asks(made.to[self._asked % len(made.to)], statement)
