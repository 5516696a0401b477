"""Talking that thinks of the partners: what matters most, to who can use it (level 2), through third parties (level 3)."""

from __future__ import annotations

from otherminds.core.data import Seat
from otherminds.epistemic.formula import Know, Literal
from otherminds.epistemic.words import Asks, Fact, Must, Statement
from otherminds.worlds.household.reference.doing import Doer
from otherminds.worlds.household.reference.knowledge import Knowledge
from otherminds.worlds.household.reference.needs import REFUSAL, REPORT, REST, Need, Needs
from otherminds.worlds.household.reference.talking import Message

SOME, MUCH = 1, 3
"""Turns without anything to do before scarce messages are used for what matters less, and least."""


class Router:
    """Tells one statement a message, the most needed first, to those who need it.

    While messages are scarce, what matters less waits until nothing else is left to do.
    With ``relays`` it passes on what it was told, and counts on others to do the same:
    what somebody needs whom it cannot reach goes to the next on the shortest way.
    """

    def __init__(self, knowledge: Knowledge, doer: Doer, relays: bool) -> None:
        self._knowledge = knowledge
        self._doer = doer
        self._relays = relays
        self._needs = Needs(knowledge, hearsay=relays)
        self._entrusted: set[tuple[Statement, Seat]] = set()

    def now(self) -> Message | None:
        return self._next(REST if self._knowledge.left is None else REFUSAL)

    def later(self, idle: int) -> Message | None:
        least = REST if idle >= MUCH else REPORT if idle >= SOME else REFUSAL
        return self._next(least)

    def _next(self, least: int) -> Message | None:
        knowledge = self._knowledge
        if knowledge.left == 0:
            return None
        paths = self._paths()
        stuck: list[Literal] = [goal for goal in knowledge.goals if self._doer.stuck(goal)]
        for need in self._needs.all(paths, stuck):
            if need.weight < least:
                break
            message = self._message(need, paths)
            if message:
                if isinstance(need.statement, Asks):
                    o, room = need.statement.goal.formula.args  # pyright: ignore[reportAttributeAccessIssue]
                    self._doer.hands.meet[o] = room
                return message
        return None

    def _message(self, need: Need, paths: dict[Seat, tuple[Seat, ...]]) -> Message | None:
        """How the need is met; None if that is under way already."""
        direct = [user for user in need.users if len(paths[user]) == 1]
        if len(direct) > 1:
            return Message(self._knowledge.targets(self._knowledge.me), (need.statement,))
        if direct:
            return Message((direct[0],), (need.statement,))
        if any((need.statement, user) in self._entrusted for user in need.users):
            return None
        user = min(need.users, key=lambda one: len(paths[one]))
        self._entrusted.add((need.statement, user))
        hop = paths[user][0]
        return Message((hop,), _through(hop, user, need))

    def _paths(self) -> dict[Seat, tuple[Seat, ...]]:
        """Everybody whom a message can come to, with the agents that it goes through, the last being itself."""
        knowledge = self._knowledge
        found: dict[Seat, tuple[Seat, ...]] = {other: (other,) for other in knowledge.targets(knowledge.me)}
        edge = list(found) if self._relays else []
        for agent in edge:
            for beyond in knowledge.targets(agent):
                if beyond != knowledge.me and beyond not in found:
                    found[beyond] = (*found[agent], beyond)
                    edge.append(beyond)
        return found


def _through(hop: Seat, user: Seat, need: Need) -> tuple[Statement, ...]:
    """What the next on the way is told, so that it knows for whom it is."""
    statement = need.statement
    if isinstance(statement, Must) and not isinstance(statement.formula, Know) and len(need.users) == 1:
        return (Asks(user, statement),)
    if isinstance(statement, Fact):
        return (statement, Asks(hop, Must(Know(user, statement.formula))))
    return (statement,)
