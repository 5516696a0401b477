"""What agents see and believe: the state of the house, and a graph of it in every head.

A state, and what an agent believes, are sets of facts (:class:`~.rules.rule.Facts`). Seeing
replaces what is believed about what is seen, and keeps the rest, so that beliefs can be
stale or false.
"""

from __future__ import annotations

from otherminds.worlds.household.house import House


class HouseSight:
    """What holds in ``house``, and what agents believe, numbered in the order of its seats.

    ``state`` is what holds; ``spot[i]`` where agent ``i`` stands; ``believed[i]`` its
    graph; ``known[i]`` the places it has ever believed objects to be at, which names the objects
    that it knows. ``handled`` are the objects that were turned: only these can have changed unseen.
    """

    def __init__(self, house: House) -> None:
        self.house = house
        self.agents = house.agents
        self._inside: dict[int, int] = {}
        self._shows = [house.shows[agent] for agent in self.agents]

    def begin(self) -> None:
        """As at the start; nobody has looked yet."""
        self.state = self.house.start
        self.spot = [self.house.start_spot[agent] for agent in self.agents]
        self.believed = [0] * len(self.agents)
        self.known = [0] * len(self.agents)
        self.handled: set[str] = set()

    def where(self, i: int, o: str) -> tuple[str, str] | None:
        """Where agent ``i`` believes ``o`` to be: a predicate and the furniture or agent; ``None`` if unknown."""
        believed = self.believed[i] & self.house.rests.get(o, 0)
        return self.house.places[believed.bit_length() - 1] if believed else None

    def is_at(self, o: str) -> tuple[str, str]:
        """Where ``o`` is."""
        return self.house.place_of(o, self.state)

    def knows(self, i: int, o: str) -> bool:
        """Whether the graph of agent ``i`` has ever held ``o``."""
        return bool(self.known[i] & self.house.rests.get(o, 0))

    def meets(self, i: int, j: int) -> bool:
        """Whether agent ``i`` sees agent ``j`` now."""
        return bool(self.house.meets[self.spot[i]] >> self.spot[j] & 1)

    def seen(self, i: int) -> int:
        """The mask of the facts that agent ``i`` sees now, whether or not they hold."""
        house, spot = self.house, self.spot[i]
        mask = house.views[spot]
        opened = self.state & house.opens[spot]
        if opened:
            mask |= self._inside.get(opened) or self._insides(opened)
        meets, absent = house.meets[spot], house.absent[spot]
        for j, other in enumerate(self.spot):
            if meets >> other & 1:
                mask |= self._shows[j]
            else:
                mask |= absent[j]
        for o in self.handled:
            if self.state & mask & house.rests[o]:
                mask |= house.turned[o]
        return mask

    def look(self) -> None:
        """Everybody looks round."""
        for i in range(len(self.agents)):
            self.learn(i, self.seen(i))

    def learn(self, i: int, mask: int) -> None:
        """What is seen replaces what was believed of it, and where a thing was believed to be before."""
        house, old = self.house, self.believed[i]
        new = old & ~mask | self.state & mask
        if new == old:
            return
        fresh = new & ~old
        moved = fresh & house.locations
        while moved:
            low = moved & -moved
            o = house.owner[low.bit_length() - 1]
            turned = house.turned.get(o, 0)
            new = new & ~(house.rests[o] | turned) | low | self.state & turned
            moved ^= low
        if fresh & house.anyone:
            for rooms in house.rooms_mask.values():
                came = fresh & rooms
                if came:
                    new &= ~rooms | came
        self.believed[i] = new
        self.known[i] |= new & house.locations

    def _insides(self, opened: int) -> int:
        """The mask of what is inside the furniture whose being open is in ``opened``."""
        mask = 0
        for _, f in self.house.facts.shown(opened):
            mask |= self.house.inside[f]
        self._inside[opened] = mask
        return mask

    def with_states(self, mask: int) -> int:
        """Facts that hold, with how the objects are turned that are somewhere by them."""
        house, at = self.house, mask & self.house.locations
        while at:
            low = at & -at
            mask |= self.state & house.turned.get(house.owner[low.bit_length() - 1], 0)
            at ^= low
        return mask
