"""The housemates by how they talk: from those who only act to those who plan whole ways for a message.

Level 0 acts on what it knows. Level 1 tells it, whoever listens. Level 2 thinks of what
each partner knows, still needs and can do. Level 3 counts on partners to pass on what they hear.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from otherminds.epistemic.formula import Literal, atom
from otherminds.worlds.household.reference.handing import part
from otherminds.worlds.household.reference.mind import Housemate
from otherminds.worlds.household.reference.routing import Router
from otherminds.worlds.household.reference.sharing import able
from otherminds.worlds.household.reference.talking import Broadcast, First, Talker


class Broadcaster(Housemate):
    """Tells everything to everybody."""

    def talks(self) -> Talker:
        return Broadcast(self.knowledge)


class LevelOne(Housemate):
    """Tells what it knows of the goal."""

    def talks(self) -> Talker:
        return First(self.knowledge)


class LevelTwo(Housemate):
    """Tells who can use it what matters most, of what it knows by itself.

    It leaves things where others can take them, and stays until all that it knows of is done.
    """

    relays = False

    def talks(self) -> Talker:
        return Router(self.knowledge, self.doer, self.relays)

    def goals(self) -> list[Literal]:
        """What it can do by itself, and what it can hand to others who will."""
        knowledge, found = self.knowledge, super().goals()
        moved = {atom(goal).args[0] for goal in found if not knowledge.achieved(goal)}
        for goal in knowledge.goals:
            brought = None if able(knowledge, knowledge.me, goal) else part(knowledge, goal)
            if brought and atom(brought).args[0] not in moved:
                found.append(brought)
        return found

    def finished(self, idle: int) -> bool:
        knowledge = self.knowledge
        return super().finished(idle) and all(knowledge.achieved(goal) for goal in knowledge.goals)


class LevelThree(LevelTwo):
    """Passes on what it hears, and counts on the others to do so."""

    relays = True


LEVELS: Mapping[int, type[Housemate]] = MappingProxyType(
    {0: Housemate, 1: LevelOne, 2: LevelTwo, 3: LevelThree}
)
