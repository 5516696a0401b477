"""What a call means to the agent that makes it, by its spot and by where it believes things to be: a ground rule, and the
changes that the rule does not contain."""

from __future__ import annotations

from collections.abc import Callable

from otherminds.household.commands import Command
from otherminds.household.rules.actions import HOW, PLACES, verb
from otherminds.household.rules.grounding import Meaning
from otherminds.household.rules.rule import GroundRule
from otherminds.household.seeing import HouseSight


class FailedCallError(Exception):
    """A command that failed before a rule was applied; its text is the message for the agent."""


class CallMeanings:
    """The meanings of calls in the state and to the beliefs of ``sight``.

    :attr:`tools` are those that need a rule, except ``Explore`` and ``Communicate``.
    """

    def __init__(self, sight: HouseSight) -> None:
        self.sight, self.state, self.house, self.agents = sight, sight.state, sight.house, sight.agents
        self.tools: dict[str, Callable[[int, Command], Meaning]] = {
            "Navigate": self._navigate,
            **dict.fromkeys(("Open", "Close"), self._turn),
            **dict.fromkeys(("PowerOn", "PowerOff"), self._power),
            "Pick": self._pick,
            "Place": self._place,
            "Clean": self._handle,
            "Fill": self._fill,
            "Pour": self._pour,
        }

    def meaning(self, i: int, command: Command) -> Meaning:
        """What a call means to agent ``i``; one that lasts is kept with the house."""
        house = self.house
        rests = house.rests.get(command.args[0])
        place = (self.sight.believed[i] & rests).bit_length() if rests else 0
        key = (command, i, self.state.spot[i], place)
        meaning = house.meanings.get(key)
        if meaning is None:
            meaning = self.tools[command.tool](i, command)
            if meaning.lasts:
                house.meanings.keep(key, meaning)
        return meaning

    def ground_rule(self, name: str, i: int, *values: str) -> GroundRule:
        """A rule ground for agent ``i`` at its spot; ``values`` are those of the other parameters, in order."""
        return self.house.ground.get(name, self.agents[i], self.house.spots[self.state.spot[i]], *values)

    def _navigate(self, i: int, command: Command) -> Meaning:
        house, target = self.house, command.args[0]
        if target in house.room_of:
            return self.walk(i, house.stand(self.state.spot[i], target))
        centre = house.spot_index.get(f"centre:{target}")
        if centre is not None:
            return self.walk(i, centre)
        # An agent, and an object that one holds, move.
        lasts = target not in self.agents and self._known_place("navigate", i, target)[0] != "is_held_by"
        return self.walk(i, self._believed_spot(i, target))._replace(lasts=lasts)

    def _believed_spot(self, i: int, target: str) -> int:
        """The spot where agent ``i`` believes an object or agent to be."""
        house = self.house
        if target in self.agents:
            room = self.sight.believed[i] & house.rooms_mask[target]
            if not room:
                raise FailedCallError(f"Failed to navigate! You do not know where {target} is.")
            j = self.agents.index(target)
            if self.state.meets(i, j):
                return self.state.spot[j]
            return house.spot_index[f"centre:{house.facts.named[room.bit_length() - 1][2]}"]
        predicate, place = self._known_place("navigate", i, target)
        if predicate == "is_held_by":
            return self.state.spot[i] if place == self.agents[i] else self._believed_spot(i, place)
        return house.stand(self.state.spot[i], place)

    def walk(self, i: int, spot: int) -> Meaning:
        """A walk of agent ``i`` to ``spot``."""
        rooms = self.house.spot_room
        rule = self.ground_rule("navigate", i, rooms[self.state.spot[i]], self.house.spots[spot], rooms[spot])
        return Meaning(rule, spot)

    def _turn(self, i: int, command: Command) -> Meaning:
        f, tool = command.args[0], command.tool
        if f not in self.house.room_of:
            text = f"Failed to {verb(tool)}! {f} is not furniture."
            raise FailedCallError(text if self.sight.knows(i, f) else self.unknown(verb(tool), i, f))
        own = self.house.own.get((tool, f))
        rule = self.ground_rule(own, i) if own else self.ground_rule(f"{tool.lower()}_furniture", i, f)
        return Meaning(rule, self.state.spot[i])

    def _power(self, i: int, command: Command) -> Meaning:
        return self._turn(i, command) if command.args[0] in self.house.room_of else self._handle(i, command)

    def _known_place(self, doing: str, i: int, o: str) -> tuple[str, str]:
        """Where agent ``i`` believes ``o`` to be: a predicate and the furniture or agent."""
        place = self.sight.where(i, o)
        if place is None:
            raise FailedCallError(self.unknown(doing, i, o))
        return place

    def _at_hand(self, doing: str, i: int, o: str) -> tuple[str, tuple[str, ...]]:
        """How agent ``i`` believes ``o`` to be within reach: held, or how it rests and on what."""
        predicate, place = self._known_place(doing, i, o)
        if predicate != "is_held_by":
            return HOW[predicate], (place,)
        if place == self.agents[i]:
            return "held", ()
        raise FailedCallError(f"Failed to {doing}! {o} is held by {place}.")

    def _pick(self, i: int, command: Command) -> Meaning:
        o = command.args[0]
        if o in self.house.room_of:
            raise FailedCallError(f"Failed to pick! {o} is not an object that can be picked up.")
        how, place = self._at_hand("pick", i, o)
        if how == "held":
            raise FailedCallError("Failed to pick! You are already holding an object.")
        return Meaning(self.ground_rule(f"pick_{how}", i, o, *place), self.state.spot[i], lifted=o)

    def _place(self, i: int, command: Command) -> Meaning:
        o, relation, f = command.args[:3]
        if not self.sight.knows(i, o):
            raise FailedCallError(self.unknown("place", i, o))
        if f not in self.house.room_of:
            raise FailedCallError(self.unknown("place", i, f))
        how = "floor" if relation == "on" and ("floor", f) in self.house.static else relation
        beside = command.args[4] if len(command.args) > 3 else ""
        place = (PLACES[how][0], f)
        if beside and self.sight.where(i, beside) != place:
            text = f"Failed to place! {beside} is not {relation} {f}."
            raise FailedCallError(text if self.sight.knows(i, beside) else self.unknown("place", i, beside))
        rule = self.ground_rule(f"place_{how}", i, o, f)
        if beside and not rule.refusal(self.state.facts) and self.state.place_of(beside) != place:
            raise FailedCallError(f"Failed to place! {beside} is not there any more.")
        lasts = not beside and self.sight.where(i, o) is not None
        return Meaning(rule, self.state.spot[i], put=(o, how, f, beside), lasts=lasts)

    def _handle(self, i: int, command: Command) -> Meaning:
        o = command.args[0]
        how, place = self._at_hand(verb(command.tool), i, o)
        rule = self.ground_rule(f"{command.tool.lower()}_{how}", i, o, *place)
        return Meaning(rule, self.state.spot[i], self.house.rests[o])

    def _fill(self, i: int, command: Command) -> Meaning:
        o, house = command.args[0], self.house
        if not self.sight.knows(i, o):
            raise FailedCallError(self.unknown("fill", i, o))
        reached = house.reaches[self.state.spot[i]]
        near = (f for f in house.furniture if ("faucet", f) in house.static and f in reached)
        rule = self.ground_rule("fill_held", i, o, next(near, house.furniture[0]))
        return Meaning(rule, self.state.spot[i], house.rests[o], lasts=self.sight.where(i, o) is not None)

    def _pour(self, i: int, command: Command) -> Meaning:
        o, house = command.args[0], self.house
        holding = self.state.facts & house.carried[self.agents[i]]
        if not holding:
            raise FailedCallError("Failed to pour! You are not holding an object.")
        how, place = self._at_hand("pour", i, o)
        if how == "held":
            raise FailedCallError(f"Failed to pour! You are holding {o}; put it down first.")
        source = house.owner[holding.bit_length() - 1]
        rule = self.ground_rule(f"pour_{how}", i, o, source, *place)
        return Meaning(rule, self.state.spot[i], house.rests[o] | house.rests[source], lasts=False)

    def unknown(self, doing: str, i: int, name: str) -> str:
        """The message for a name that has no known place in the graph of agent ``i``."""
        house = self.house
        kinds = ((house.room_of, "furniture"), (house.rooms, "a room"), (self.agents, "an agent"))
        kind = next((kind for names, kind in kinds if name in names), "")
        if not kind and self.sight.where(i, name) is not None:
            kind = "an object"
        if kind:
            return f"Failed to {doing}! {name} is {kind}."
        if self.sight.knows(i, name):
            return f"Failed to {doing}! You do not know where {name} is any more."
        return f"Failed to {doing}! Your graph holds nothing called {name[:40]}."
