"""The household simulator: a step consists of table look-ups and operations on integers.

All agents choose at once; their commands are executed in the fixed order of seats. Then all agents observe
(:mod:`.seeing`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from otherminds.worlds.household.commands import EVERYBODY, Command
from otherminds.worlds.household.house import MANY, House
from otherminds.worlds.household.rules.actions import HOW, PLACES, SPENT, verb
from otherminds.worlds.household.rules.rule import GroundRule
from otherminds.worlds.household.seeing import HouseSight, find

Result = tuple[bool, str]
"""Whether a command succeeded, and the message for its agent."""
Act = tuple[int, Command, int, int, tuple[int, ...]]
"""A successful command: agent, command, its spot before and after, and the spots of all agents at that time."""

WAITED: Result = (True, "You waited.")
DONE: Result = (True, "You are done.")


class FailedCallError(Exception):
    """A command that failed before a rule was applied; its text is the message for the agent."""


class HouseEngine(HouseSight):
    """One episode in ``house``. Agents are numbered in the order of its seats.

    ``acts`` are the successful commands of the last step; ``mail[i]`` the messages (sender, text) that agent ``i``
    receives at the start of the next step. ``passed[i]`` is the state after the command of agent ``i`` in the last step,
    ``glimpsed[i]`` the mask of what it saw while it walked.
    """

    def __init__(self, house: House) -> None:
        super().__init__(house)
        self._handlers: dict[str, Callable[[int, Command], Result]] = {
            "Navigate": self._navigate,
            **dict.fromkeys(("Open", "Close"), self._turn),
            **dict.fromkeys(("PowerOn", "PowerOff"), self._power),
            "Pick": self._pick,
            "Place": self._place,
            "Clean": self._handle,
            "Fill": self._fill,
            "Pour": self._pour,
            "Communicate": self._communicate,
            "Explore": self._explore,
            "Wait": lambda i, command: WAITED,
            "Done": self._done,
        }
        self.reset()

    def reset(self) -> None:
        """Restores the start; all agents have observed once."""
        self.begin()
        self.over = [False] * len(self.agents)
        self._clear()
        self.layout = self.house.layout.fresh()
        self.look()

    def _clear(self) -> None:
        self.acts: list[Act] = []
        self.passed: list[int] = []
        self.mail: list[list[tuple[str, str]]] = [[] for _ in self.agents]
        self.glimpsed = [0] * len(self.agents)

    def step(self, commands: Sequence[Command]) -> list[Result]:
        """One turn: a command for each agent, in the order of seats."""
        self._clear()
        results: list[Result] = []
        for i, command in enumerate(commands):
            results.append(DONE if self.over[i] else self._done_by(i, command))
            self.passed.append(self.state)
        self.look()
        return results

    def _done_by(self, i: int, command: Command) -> Result:
        handler = self._handlers.get(command.tool)
        if handler is None:
            return True, find(self, i, command)
        try:
            return handler(i, command)
        except FailedCallError as failed:
            return False, str(failed)

    def _grounded(self, name: str, i: int, *values: str) -> GroundRule:
        """A rule ground for agent ``i`` at its spot; ``values`` are those of the other parameters, in order."""
        return self.house.ground.get(name, self.agents[i], self.house.spots[self.spot[i]], *values)

    def _apply(self, made: GroundRule, i: int, command: Command) -> Result:
        state = self.state
        if state & made.preconditions != made.preconditions:
            raise FailedCallError(made.refusal(state))
        self.state = (state | made.effects) ^ made.deleted
        spot = self.spot[i]
        if made.shown:
            self.acts.append((i, command, spot, spot, tuple(self.spot)))
        return made.shown, made.says

    def _navigate(self, i: int, command: Command) -> Result:
        house, target = self.house, command.args[0]
        if target in house.room_of:
            return self._walk(i, command, self._stand(i, target))
        centre = house.spot_index.get(f"centre:{target}")
        return self._walk(i, command, self._believed_spot(i, target) if centre is None else centre)

    def _stand(self, i: int, f: str) -> int:
        """The spot from which agent ``i`` uses furniture ``f``: its own if ``f`` is in reach already."""
        house = self.house
        if f in house.reaches[self.spot[i]]:
            return self.spot[i]
        own = house.spot_index.get(f"stand:{f}")
        return own if own is not None else house.spot_index[f"centre:{house.room_of[f]}"]

    def _believed_spot(self, i: int, target: str) -> int:
        """The spot where agent ``i`` believes an object or agent to be."""
        house = self.house
        if target in self.agents:
            room = self.believed[i] & house.rooms_mask[target]
            if not room:
                raise FailedCallError(f"Failed to navigate! You do not know where {target} is.")
            j = self.agents.index(target)
            if self.meets(i, j):
                return self.spot[j]
            return house.spot_index[f"centre:{house.facts.named[room.bit_length() - 1][2]}"]
        predicate, place = self._known_place("navigate", i, target)
        if predicate == "is_held_by":
            return self.spot[i] if place == self.agents[i] else self._believed_spot(i, place)
        return self._stand(i, place)

    def _walk(self, i: int, command: Command, spot: int) -> Result:
        house, here = self.house, self.spot[i]
        rooms = house.spot_room
        made = self._grounded("navigate", i, rooms[here], house.spots[spot], rooms[spot])
        result = self._apply(made, i, command)
        self.spot[i] = spot
        self.acts.append((i, command, here, spot, self.acts.pop()[4]))
        return result

    def _turn(self, i: int, command: Command) -> Result:
        f, tool = command.args[0], command.tool
        if f not in self.house.room_of:
            text = f"Failed to {verb(tool)}! {f} is not furniture."
            raise FailedCallError(text if self.knows(i, f) else self._unknown(verb(tool), i, f))
        own = self.house.own.get((tool, f))
        made = self._grounded(own, i) if own else self._grounded(f"{tool.lower()}_furniture", i, f)
        return self._apply(made, i, command)

    def _power(self, i: int, command: Command) -> Result:
        return self._turn(i, command) if command.args[0] in self.house.room_of else self._handle(i, command)

    def _known_place(self, doing: str, i: int, o: str) -> tuple[str, str]:
        """Where agent ``i`` believes ``o`` to be: a predicate and the furniture or agent."""
        place = self.where(i, o)
        if place is None:
            raise FailedCallError(self._unknown(doing, i, o))
        return place

    def _at_hand(self, doing: str, i: int, o: str) -> tuple[str, tuple[str, ...]]:
        """How agent ``i`` believes ``o`` to be within reach: held, or how it rests and on what."""
        predicate, place = self._known_place(doing, i, o)
        if predicate != "is_held_by":
            return HOW[predicate], (place,)
        if place == self.agents[i]:
            return "held", ()
        raise FailedCallError(f"Failed to {doing}! {o} is held by {place}.")

    def _pick(self, i: int, command: Command) -> Result:
        o = command.args[0]
        if o in self.house.room_of:
            raise FailedCallError(f"Failed to pick! {o} is not an object that can be picked up.")
        how, place = self._at_hand("pick", i, o)
        if how == "held":
            raise FailedCallError("Failed to pick! You are already holding an object.")
        result = self._apply(self._grounded(f"pick_{how}", i, o, *place), i, command)
        self.layout.lift(o)
        return result

    def _place(self, i: int, command: Command) -> Result:
        o, relation, f = command.args[:3]
        if not self.knows(i, o):
            raise FailedCallError(self._unknown("place", i, o))
        if f not in self.house.room_of:
            raise FailedCallError(self._unknown("place", i, f))
        how = "floor" if relation == "on" and ("floor", f) in self.house.static else relation
        beside = command.args[4] if len(command.args) > 3 else ""
        place = (PLACES[how][0], f)
        if beside and self.where(i, beside) != place:
            text = f"Failed to place! {beside} is not {relation} {f}."
            raise FailedCallError(text if self.knows(i, beside) else self._unknown("place", i, beside))
        made = self._grounded(f"place_{how}", i, o, f)
        if beside and not made.refusal(self.state) and self.is_at(beside) != place:
            raise FailedCallError(f"Failed to place! {beside} is not there any more.")
        result = self._apply(made, i, command)
        self.layout.put(o, how, f, beside)
        return result

    def _handle(self, i: int, command: Command) -> Result:
        o = command.args[0]
        how, place = self._at_hand(verb(command.tool), i, o)
        result = self._apply(self._grounded(f"{command.tool.lower()}_{how}", i, o, *place), i, command)
        self.handled |= self.house.rests[o]
        return result

    def _fill(self, i: int, command: Command) -> Result:
        o, house = command.args[0], self.house
        if not self.knows(i, o):
            raise FailedCallError(self._unknown("fill", i, o))
        reached = house.reaches[self.spot[i]]
        near = (f for f in house.furniture if ("faucet", f) in house.static and f in reached)
        made = self._grounded("fill_held", i, o, next(near, house.furniture[0]))
        result = self._apply(made, i, command)
        self.handled |= house.rests[o]
        return result

    def _pour(self, i: int, command: Command) -> Result:
        o, house = command.args[0], self.house
        held = self.state & house.carried[self.agents[i]]
        if not held:
            raise FailedCallError("Failed to pour! You are not holding an object.")
        how, place = self._at_hand("pour", i, o)
        if how == "held":
            raise FailedCallError(f"Failed to pour! You are holding {o}; put it down first.")
        source = house.owner[held.bit_length() - 1]
        result = self._apply(self._grounded(f"pour_{how}", i, o, source, *place), i, command)
        self.handled |= house.rests[o] | house.rests[source]
        return result

    def _communicate(self, i: int, command: Command) -> Result:
        to, text = command.args
        agent, house = self.agents[i], self.house
        talk, known = house.talk[agent], house.aware[agent]
        if to != EVERYBODY and to not in self.agents:
            others = ", ".join(other for other in self.agents if other != agent) or "nobody"
            raise FailedCallError(f"Blocked: There is no agent called {to[:40]}; the others are {others}.")
        if to == agent:
            raise FailedCallError("Blocked: You cannot send messages to yourself.")
        left = below = MANY
        limit = house.limits[agent]
        if limit is not None:
            bits = ((k, house.facts.get(("left", agent, str(k)))) for k in range(limit, -1, -1))
            now = next(k for k, bit in bits if self.state & bit)
            left, below = str(now), str(now - 1)
        # Of several reasons for a refusal, the message gives the one that the agent already knows: the others stay hidden.
        if left == "0" and known.counted:
            raise FailedCallError(SPENT)
        rule, hearer = ("broadcast", ()) if to == EVERYBODY else ("communicate", (to,))
        try:
            result = self._apply(self._grounded(rule, i, *hearer, left, below), i, command)
        except FailedCallError as failed:
            listed = talk if known.reached is None or to in (*known.reached, EVERYBODY) else known.reached
            said = str(failed).replace("{allowed}", ", ".join(listed) or "nobody")
            raise FailedCallError(said) from None
        self.acts.pop()
        for other in talk if to == EVERYBODY else (to,):
            self.mail[self.agents.index(other)].append((agent, text))
        return result

    def _explore(self, i: int, command: Command) -> Result:
        house, room = self.house, command.args[0]
        if f"centre:{room}" not in house.spot_index:
            raise FailedCallError(self._unknown("explore", i, room))
        try:
            result = self._walk(i, command, house.spot_index[f"centre:{room}"])
        except FailedCallError as failed:
            raise FailedCallError(str(failed).replace("navigate", "explore", 1)) from None
        mask = self.seen_in(room)
        self.learn(i, mask)
        self.glimpsed[i] = self.with_states(mask & self.state)
        return result

    def _done(self, i: int, command: Command) -> Result:
        self.over[i] = True
        return DONE

    def _unknown(self, doing: str, i: int, name: str) -> str:
        """The message for a name that has no known place in the graph of agent ``i``."""
        house = self.house
        kinds = ((house.room_of, "furniture"), (house.rooms, "a room"), (self.agents, "an agent"))
        kind = next((kind for names, kind in kinds if name in names), "")
        if not kind and self.where(i, name) is not None:
            kind = "an object"
        if kind:
            return f"Failed to {doing}! {name} is {kind}."
        if self.knows(i, name):
            return f"Failed to {doing}! You do not know where {name} is any more."
        return f"Failed to {doing}! Your graph holds nothing called {name[:40]}."
