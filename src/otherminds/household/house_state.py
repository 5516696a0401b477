"""The house as it is during an episode, and how the meaning of a call changes it."""

from __future__ import annotations

from otherminds.household.house import House
from otherminds.household.rules.grounding import Meaning


class HouseState:
    """The facts that hold in ``house`` now, where agents stand, and where objects lie.

    ``facts`` is the mask of the facts that hold; ``spot[i]`` the position of agent ``i``, in the order of seats. ``handled``
    is the mask of all places of the objects whose states were changed. ``layout`` has the boxes of the objects.
    """

    def __init__(self, house: House) -> None:
        self.house = house
        self.reset()

    def reset(self) -> None:
        """Restores the start."""
        house = self.house
        self.facts = house.start
        self.spot = [house.start_spot[agent] for agent in house.agents]
        self.handled = 0
        self.layout = house.layout.fresh()

    def apply(self, i: int, meaning: Meaning) -> tuple[bool, str]:
        """Makes the changes of a call of agent ``i`` if its rule is applicable.

        Returns whether the agent is told that it succeeded, and the message for it.
        """
        rule = meaning.rule
        facts, needed = self.facts, rule.preconditions
        if facts & needed != needed:
            return False, rule.refusal(facts)
        self.facts = (facts | rule.effects) ^ rule.deleted
        self.spot[i] = meaning.spot
        if meaning.handled:
            self.handled |= meaning.handled
        if meaning.lifted:
            self.layout.lift(meaning.lifted)
        elif meaning.put:
            self.layout.put(*meaning.put)
        return rule.shown, rule.says

    def place_of(self, o: str) -> tuple[str, str]:
        """The place of object ``o``: a predicate and the furniture or agent."""
        return self.house.place_of(o, self.facts)

    def meets(self, i: int, j: int) -> bool:
        """Whether agent ``i`` sees agent ``j``."""
        return bool(self.house.meets[self.spot[i]] >> self.spot[j] & 1)

    def agents_at(self, spots: int) -> int:
        """The mask of the agents whose spots are in the mask ``spots``."""
        return sum([1 << j for j, spot in enumerate(self.spot) if spots >> spot & 1])

    def with_states(self, mask: int) -> int:
        """Facts that hold, together with the states of the objects whose places are among them."""
        return mask | self.facts & self.house.sight_tables.states_at(mask & self.house.locations)
