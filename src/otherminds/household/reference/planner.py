"""The mind ``planner``: its team carries out the plan of the task's calibration, the reference with F = 1."""

from __future__ import annotations

from collections.abc import Sequence

from otherminds.core.contracts import MindContext
from otherminds.core.data import Action, Brief, Invalid, SkillChoice
from otherminds.household.reference.central import InformedHousemate
from otherminds.household.reference.knowledge import ReceivedMessage
from otherminds.household.reference.mind import DONE, WAIT


class PlanningHousemate(InformedHousemate):
    """Makes the calls of its seat in a central plan, one each turn, and is then done; it answers as ``informed`` does.

    ``plan`` has the calls of each turn in the order of seats: a planner found it with all secrets public
    (:mod:`otherminds.household.planning`), and a replay in the simulator confirmed it.
    """

    def __init__(self, secret_statements: ReceivedMessage, plan: Sequence[Sequence[str]]) -> None:
        super().__init__(secret_statements)
        self._plan = plan

    def begin(self, brief: Brief, context: MindContext) -> None:
        super().begin(brief, context)
        seat = self.knowledge.agents.index(brief.seat)
        self._calls = iter([calls[seat] for calls in self._plan])

    async def act(self) -> Action | SkillChoice | Invalid:
        if self._over:
            return WAIT
        call = next(self._calls, DONE)
        self._over = call == DONE
        return call
