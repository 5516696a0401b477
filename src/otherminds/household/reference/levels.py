"""The reference minds by level of communication.

Level 0 acts on what it knows. Level 1 sends its knowledge to every agent. Level 2 considers what each partner knows,
needs and can do. Level 3 also relies on partners to relay messages.

Agents of levels 2 and 3 pursue their private goals, too: when their own parts of the shared goal are achieved and nothing is
left to say, or half of the turns have passed without such a part; and never against a part of the shared goal that they know.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from otherminds.household.epistemic.formula import Atom, Literal, atom
from otherminds.household.reference.knowledge import Knowledge
from otherminds.household.reference.mind import Housemate
from otherminds.household.reference.routing import Router
from otherminds.household.reference.sharing import able, meeting, permits_act, wanted_in
from otherminds.household.reference.talking import Broadcast, First, Talker

LATE = 6
"""Turns after which an agent brings a thing nearer that another agent might have fetched."""


class Broadcaster(Housemate):
    """Tells everything to all agents."""

    def talks(self) -> Talker:
        return Broadcast(self.knowledge)


class LevelOne(Housemate):
    """Tells what it knows about the goal."""

    def talks(self) -> Talker:
        return First(self.knowledge)


class LevelTwo(Housemate):
    """Tells the most important things that it knows by itself to the agents that can use them.

    It leaves things where others can take them, and is not done before all known goals are achieved.
    """

    relays = False

    def talks(self) -> Talker:
        return Router(self.knowledge, self.doer, self.relays)

    def goals(self) -> list[Literal]:
        """The goals that it can achieve by itself, and handovers for others."""
        knowledge, goals = self.knowledge, super().goals()
        moved = {atom(goal).args[0] for goal in goals if not knowledge.achieved(goal)}
        for goal in knowledge.goals:
            brought = None if able(knowledge, knowledge.me, goal) else part(knowledge, goal)
            if brought and atom(brought).args[0] not in moved:
                goals.append(brought)
        return goals

    def own(self) -> str | None:
        """A call for a part of its private goal that no known part of the shared goal excludes."""
        knowledge = self.knowledge
        if not knowledge.wishes:
            return None
        share = self.goals()
        # Who has had nothing to do so far may be told of something yet; who waits for a thing has to stay where it is brought.
        if (not share and knowledge.turn < self.patience) or not all(map(knowledge.achieved, share)):
            return None
        return self.doer.next(wish for wish in knowledge.wishes if permits_act(knowledge, wish))

    def finished(self, idle: int) -> bool:
        knowledge = self.knowledge
        return super().finished(idle) and all(knowledge.achieved(goal) for goal in knowledge.goals)


class LevelThree(LevelTwo):
    """Relays what it hears, and relies on the others to do so."""

    relays = True


LEVELS: Mapping[int, type[Housemate]] = MappingProxyType(
    {0: Housemate, 1: LevelOne, 2: LevelTwo, 3: LevelThree}
)


def part(knowledge: Knowledge, goal: Literal) -> Literal | None:
    """The part of a goal that an agent can do if it cannot finish it: bring the thing to where another agent can take it.

    A held thing is brought at once; any other thing only if no other agent seems able to fetch it, or none has done so
    for some turns.
    """
    target = wanted_in(knowledge, goal)
    if target is None or not isinstance(goal, Atom):
        return None
    o = goal.args[0]
    takers = [other for other in knowledge.others if able(knowledge, other, goal)]
    room = meeting(knowledge, knowledge.me, takers, target)
    if room is None:
        return None
    brought = Atom("is_in_room", (o, room))
    if o in knowledge.holding:
        return brought
    lies = knowledge.picture.room(o)
    hops = knowledge.plan.hops(target)
    if lies is None or lies == room or lies not in knowledge.rooms(knowledge.me):
        return None
    fetched = any(lies in knowledge.rooms(taker) for taker in takers)
    if fetched and hops.get(lies, 0) <= hops.get(room, 0):
        return None
    provenance = knowledge.goals[goal]
    late = knowledge.turn - max(provenance.turn, provenance.passed) >= LATE
    return brought if late or not fetched else None
