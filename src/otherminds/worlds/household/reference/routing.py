"""Talking that thinks of the partners: what matters most to who can use it, and through third parties."""

from __future__ import annotations

from otherminds.core.data import Seat
from otherminds.epistemic.formula import Atom, Know, chains
from otherminds.epistemic.words import Asks, Fact, Must, Statement
from otherminds.worlds.household.reference import needs, news
from otherminds.worlds.household.reference.doing import Doer
from otherminds.worlds.household.reference.knowledge import Knowledge
from otherminds.worlds.household.reference.needs import InfoNeed, TeamView, Weight
from otherminds.worlds.household.reference.talking import TeamMessage

LONG = 3
"""Turns without anything to do before scarce messages are used for what matters least."""

Paths = dict[Seat, tuple[Seat, ...]]


class Router:
    """Tells one thing a message, the most needed first, to those who need it.

    While messages are scarce, what matters less waits until nothing else is left to do.
    With ``relays`` it passes on what it was told, and counts on others to do the same:
    what somebody needs whom it cannot reach goes to the next on the shortest way.
    """

    def __init__(self, knowledge: Knowledge, doer: Doer, relays: bool) -> None:
        self._knowledge = knowledge
        self._doer = doer
        self._relays = relays
        self._entrusted: set[tuple[Statement, Seat]] = set()

    def now(self) -> TeamMessage | None:
        return self._next(Weight.STUCK)

    def later(self, idle: int) -> TeamMessage | None:
        return self._next(
            Weight.GOSSIP if idle >= LONG else Weight.REST if self._knowledge.left is None else Weight.REPORT
        )

    def _next(self, least: Weight) -> TeamMessage | None:
        """The heaviest need of at least that weight that can be met, as a message."""
        if self._knowledge.left == 0:
            return None
        paths = self._paths()
        view = TeamView(self._knowledge, tuple(paths), self._relays)
        for need in sorted(self._needs(view), key=lambda need: -need.weight):
            if need.weight < least:
                break
            message = self._message(need, paths)
            if message:
                self._agreed(need)
                return message
        return None

    def _needs(self, view: TeamView) -> list[InfoNeed]:
        """Every need of somebody who can be reached."""
        stuck = tuple(goal for goal in self._knowledge.goals if self._doer.stuck(goal))
        found = [
            *needs.goals(view, stuck),
            *needs.fetching(view),
            *needs.working(view),
            *news.confirmations(view),
            *news.reports(view),
            *news.refusals(view),
            *news.rest(view),
        ]
        return [need for need in found if any(user in view.reached for user in need.users)]

    def _message(self, need: InfoNeed, paths: Paths) -> TeamMessage | None:
        """How the need is met; None if that is under way already."""
        users = [user for user in need.users if user in paths]
        direct = [user for user in users if len(paths[user]) == 1]
        if direct:
            to = self._knowledge.targets(self._knowledge.me) if len(direct) > 1 else (direct[0],)
            return TeamMessage(to, _asking(direct, need) if need.charge else (need.statement,))
        if any((need.statement, user) in self._entrusted for user in users):
            return None
        user = min(users, key=lambda one: len(paths[one]))
        self._entrusted.add((need.statement, user))
        hop = paths[user][0]
        return TeamMessage((hop,), _through(hop, user, need, alone=len(users) == 1))

    def _agreed(self, need: InfoNeed) -> None:
        """What is asked to be left in a room is waited for there."""
        if (
            need.weight == Weight.FETCH
            and isinstance(need.statement, Must)
            and isinstance(need.statement.formula, Atom)
        ):
            o, room = need.statement.formula.args
            self._doer.hands.meet[o] = room

    def _paths(self) -> Paths:
        """Everybody whom a message can come to, with the agents that it goes through, itself the last."""
        knowledge = self._knowledge
        found: Paths = {other: (other,) for other in knowledge.targets(knowledge.me)}
        edge = list(found) if self._relays else []
        for agent in edge:
            for beyond in knowledge.targets(agent):
                if beyond != knowledge.me and beyond not in found:
                    found[beyond] = (*found[agent], beyond)
                    edge.append(beyond)
        return found


def _asking(users: list[Seat], need: InfoNeed) -> tuple[Statement, ...]:
    """Each by its name."""
    return tuple(Asks(user, need.statement) for user in users if isinstance(need.statement, Must))


def _through(hop: Seat, user: Seat, need: InfoNeed, alone: bool) -> tuple[Statement, ...]:
    """What the next on the way is told, so that it knows for whom; ``alone``: nobody else could use it."""
    statement = need.statement
    if isinstance(statement, Must) and (need.charge or (alone and not chains(statement.formula))):
        return (Asks(user, statement),)
    if isinstance(statement, Fact):
        return (statement, Asks(hop, Must(Know(user, statement.formula))))
    return (statement,)
