"""Rules for acting: what a member of a cheap team does about the goals that it knows."""

from __future__ import annotations

from collections.abc import Iterator

from otherminds.household.epistemic.formula import Atom, Literal, atom
from otherminds.household.reference.doing import Doer
from otherminds.household.reference.knowledge import Knowledge
from otherminds.household.reference.sharing import MOVED, able


class OwnGoals:
    """Does every goal that it can do itself, and waits otherwise."""

    def __init__(self, knowledge: Knowledge, doer: Doer) -> None:
        self.knowledge = knowledge
        self.doer = doer

    def goals(self) -> list[Literal]:
        """The goals to work on."""
        knowledge = self.knowledge
        return [goal for goal in knowledge.goals if able(knowledge, knowledge.me, goal)]

    def idle(self) -> str | None:
        """A call for a turn with nothing to do and nothing to say."""
        return None


class FirstGoalFirst(OwnGoals):
    """Works on the first goal that it knows and can do, until that is achieved."""

    def goals(self) -> list[Literal]:
        return [goal for goal in super().goals() if not self.knowledge.achieved(goal)][:1]


class ExploreWhenIdle(OwnGoals):
    """Does every goal that it can do itself, and otherwise looks into one room after another."""

    def idle(self) -> str | None:
        knowledge = self.knowledge
        rooms = sorted(knowledge.rooms(knowledge.me))
        return f"Explore[{rooms[knowledge.turn % len(rooms)]}]"


class Hallway(OwnGoals):
    """Puts the things of goals that it cannot do into the hallway, does its own goals, and when idle waits in the hallway."""

    def goals(self) -> list[Literal]:
        return [*super().goals(), *self.propose_handovers(located=True)]

    def idle(self) -> str | None:
        call = self.doer.next(self.propose_handovers(located=False))
        return call or (f"Explore[{self.hallway()}]" if self.waits() else None)

    def propose_handovers(self, located: bool) -> Iterator[Atom]:
        """Goals to put things into the hallway, for goals that it cannot do: things in its rooms, or not found yet."""
        knowledge = self.knowledge
        me = knowledge.me
        mine = {atom(goal).args[0] for goal in super().goals()}
        for goal in knowledge.goals:
            if isinstance(goal, Atom) and goal.predicate in MOVED and not able(knowledge, me, goal):
                o = goal.args[0]
                room = knowledge.picture.room(o)
                if o not in mine and (room in knowledge.rooms(me) if located else room is None):
                    yield Atom("is_in_room", (o, self.hallway()))

    def waits(self) -> bool:
        """Whether one of its own goals is not achieved."""
        return any(not self.knowledge.achieved(goal) for goal in super().goals())

    def hallway(self) -> str:
        """The hallway, if there is one that it may enter; else the room with the most doors."""
        plan = self.knowledge.plan
        rooms = sorted(self.knowledge.rooms(self.knowledge.me))
        halls = [room for room in rooms if room.startswith("hallway")]
        return halls[0] if halls else max(rooms, key=lambda room: list(plan.hops(room).values()).count(1))
