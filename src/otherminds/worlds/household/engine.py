"""The household simulator: one step is table look-ups and operations on whole numbers.

All agents choose at once; what they chose is resolved in the fixed order of seats. Then
everybody looks (:mod:`.seeing`).
"""

from __future__ import annotations

from collections.abc import Sequence

from otherminds.worlds.household.commands import EVERYBODY, Command
from otherminds.worlds.household.house import MANY, House
from otherminds.worlds.household.layout import HouseLayout
from otherminds.worlds.household.rules.actions import HOW, PLACES, RULES, SPENT
from otherminds.worlds.household.rules.rule import GroundRule, Rule, ground
from otherminds.worlds.household.seeing import HouseSight, find

Result = tuple[bool, str]
"""Whether a command worked, and the text that its agent is told."""
Act = tuple[int, Command, int, int, tuple[int, ...]]
"""A command that worked: agent, command, the spot before and after, and the spots of all when it did."""

VERBS = {"Clean": "clean", "Fill": "fill", "Pour": "pour", "PowerOn": "power on", "PowerOff": "power off"}
WAITED: Result = (True, "You waited.")
DONE: Result = (True, "You are done.")


class HouseEngine(HouseSight):
    """One episode in ``house``. Agents are numbered in the order of its seats.

    ``acts`` are the commands of the last step that worked; ``mail[i]`` the messages
    (sender, text) that arrive at the start of the next. ``passed[i]`` is the state after
    the command of agent ``i`` in the last step, ``glimpsed[i]`` what it saw while it walked.
    """

    def __init__(self, house: House) -> None:
        super().__init__(house)
        self._rules: dict[str, Rule] = {rule.name: rule for rule in house.rules}
        self._own: dict[tuple[str, str], Rule] = {
            (rule.tool, rule.name.partition("__")[2]): rule for rule in house.rules[len(RULES) :]
        }
        self._ground: dict[tuple[str, ...], GroundRule] = {}
        self._handlers = {
            "Navigate": self._navigate,
            "Open": self._turn,
            "Close": self._turn,
            "PowerOn": self._power,
            "PowerOff": self._power,
            "Pick": self._pick,
            "Place": self._place,
            "Clean": self._handle,
            "Fill": self._fill,
            "Pour": self._pour,
            "Communicate": self._communicate,
            "FindObjectTool": self._find,
            "FindReceptacleTool": self._find,
            "FindRoomTool": self._find,
            "Explore": self._explore,
            "Wait": lambda i, command: WAITED,
            "Done": self._done,
        }
        self.reset()

    def reset(self) -> None:
        """Everything as at the start; everybody has looked round once."""
        self.begin()
        self.over = [False] * len(self.agents)
        self.mail: list[list[tuple[str, str]]] = [[] for _ in self.agents]
        self.acts: list[Act] = []
        self.passed: list[int] = []
        self.glimpsed = [0] * len(self.agents)
        self.layout = HouseLayout(self.house)
        self.look()

    def step(self, commands: Sequence[Command]) -> list[Result]:
        """One turn: a command for each agent, in the order of seats."""
        self.acts, self.passed = [], []
        self.mail = [[] for _ in self.agents]
        self.glimpsed = [0] * len(self.agents)
        results: list[Result] = []
        for i, command in enumerate(commands):
            results.append(DONE if self.over[i] else self._handlers[command.tool](i, command))
            self.passed.append(self.state)
        self.look()
        return results

    def _grounded(self, name: str, i: int, *values: str) -> GroundRule:
        """A rule for agent ``i`` where it stands; ``values`` are those of its other parameters, in order."""
        key = (name, str(i), str(self.spot[i]), *values)
        known = self._ground.get(key)
        if known is None:
            rule = self._rules[name]
            here = {"?a": self.agents[i], "?s": self.house.spots[self.spot[i]]}
            others = [pair[0] for pair in rule.parameters if pair[0] not in here]
            known = self._ground[key] = ground(
                rule, here | dict(zip(others, values, strict=True)), self.house.facts, self.house.static
            )
        return known

    def _apply(self, made: GroundRule, i: int, command: Command) -> Result:
        state = self.state
        if not made.possible or state & made.preconditions != made.preconditions:
            return False, made.refusal(state)
        self.state = state & made.keeps | made.add_effects
        spot = self.spot[i]
        if made.shown:
            self.acts.append((i, command, spot, spot, tuple(self.spot)))
        return made.shown, made.says

    def _navigate(self, i: int, command: Command) -> Result:
        house, target = self.house, command.args[0]
        if target in house.room_of:
            spot = self._stand(i, target)
        elif f"centre:{target}" in house.spot_index:
            spot = house.spot_index[f"centre:{target}"]
        else:
            found = self._believed_spot(i, target)
            if isinstance(found, str):
                return False, found
            spot = found
        return self._walk(i, command, spot)

    def _stand(self, i: int, f: str) -> int:
        """Where to stand at furniture: nowhere else, if it is in reach already."""
        house = self.house
        if f in house.reaches[self.spot[i]]:
            return self.spot[i]
        own = house.spot_index.get(f"stand:{f}")
        return own if own is not None else house.spot_index[f"centre:{house.room_of[f]}"]

    def _believed_spot(self, i: int, target: str) -> int | str:
        """The spot at an object or agent as agent ``i`` believes it, or the text of a failure."""
        house = self.house
        if target in self.agents:
            room = self.believed[i] & house.rooms_mask[target]
            if not room:
                return f"Failed to navigate! You do not know where {target} is."
            j = self.agents.index(target)
            if self.meets(i, j):
                return self.spot[j]
            return house.spot_index[f"centre:{house.facts.named[room.bit_length() - 1][2]}"]
        place = self.where(i, target)
        if place is None:
            return self._unknown("navigate", i, target)
        if place[0] == "is_held_by":
            return self.spot[i] if place[1] == self.agents[i] else self._believed_spot(i, place[1])
        return self._stand(i, place[1])

    def _walk(self, i: int, command: Command, spot: int) -> Result:
        house, here = self.house, self.spot[i]
        rooms = house.spot_room
        made = self._grounded("navigate", i, rooms[here], house.spots[spot], rooms[spot])
        worked, text = self._apply(made, i, command)
        if worked:
            before = self.acts.pop()
            self.spot[i] = spot
            self.acts.append((i, command, here, spot, before[4]))
        return worked, text

    def _turn(self, i: int, command: Command) -> Result:
        f = command.args[0]
        if f not in self.house.room_of:
            verb = command.tool.lower()
            if self.knows(i, f):
                return False, f"Failed to {verb}! {f} is not furniture."
            return False, self._unknown(verb, i, f)
        own = self._own.get((command.tool, f))
        if own is not None:
            return self._apply(self._grounded(own.name, i), i, command)
        return self._apply(self._grounded(f"{command.tool.lower()}_furniture", i, f), i, command)

    def _power(self, i: int, command: Command) -> Result:
        return self._turn(i, command) if command.args[0] in self.house.room_of else self._handle(i, command)

    def _at_hand(self, verb: str, i: int, o: str) -> tuple[str, tuple[str, ...]] | str:
        """How ``o`` is at hand as agent ``i`` believes, with the furniture, or the text of a failure."""
        place = self.where(i, o)
        if place is None:
            return self._unknown(verb, i, o)
        if place[0] != "is_held_by":
            return HOW[place[0]], (place[1],)
        if place[1] == self.agents[i]:
            return "held", ()
        return f"Failed to {verb}! {o} is held by {place[1]}."

    def _pick(self, i: int, command: Command) -> Result:
        o = command.args[0]
        if o in self.house.room_of:
            return False, f"Failed to pick! {o} is not an object that can be picked up."
        found = self._at_hand("pick", i, o)
        if isinstance(found, str):
            return False, found
        if found[0] == "held":
            return False, "Failed to pick! You are already holding an object."
        result = self._apply(self._grounded(f"pick_{found[0]}", i, o, *found[1]), i, command)
        if result[0]:
            self.layout.lift(o)
        return result

    def _place(self, i: int, command: Command) -> Result:
        o, relation, f = command.args[:3]
        if not self.knows(i, o):
            return False, self._unknown("place", i, o)
        if f not in self.house.room_of:
            return False, self._unknown("place", i, f)
        how = "floor" if relation == "on" and ("floor", f) in self.house.static else relation
        beside = command.args[4] if len(command.args) > 3 else ""
        if beside and self.where(i, beside) != (PLACES[how][0], f):
            text = self._unknown("place", i, beside) if not self.knows(i, beside) else ""
            return False, text or f"Failed to place! {beside} is not {relation} {f}."
        made = self._grounded(f"place_{how}", i, o, f)
        if beside and not made.refusal(self.state) and self.is_at(beside) != (PLACES[how][0], f):
            return False, f"Failed to place! {beside} is not there any more."
        result = self._apply(made, i, command)
        if result[0]:
            self.layout.put(o, how, f, beside)
        return result

    def _handle(self, i: int, command: Command) -> Result:
        o, verb = command.args[0], VERBS[command.tool]
        found = self._at_hand(verb, i, o)
        if isinstance(found, str):
            return False, found
        name = f"{command.tool.lower()}_{found[0]}"
        return self._handled_now(o, self._apply(self._grounded(name, i, o, *found[1]), i, command))

    def _fill(self, i: int, command: Command) -> Result:
        o, house = command.args[0], self.house
        if not self.knows(i, o):
            return False, self._unknown("fill", i, o)
        near = [
            f for f in house.furniture if ("faucet", f) in house.static and f in house.reaches[self.spot[i]]
        ]
        made = self._grounded("fill_held", i, o, near[0] if near else house.furniture[0])
        return self._handled_now(o, self._apply(made, i, command))

    def _pour(self, i: int, command: Command) -> Result:
        o, house = command.args[0], self.house
        held = self.state & house.carried[self.agents[i]]
        if not held:
            return False, "Failed to pour! You are not holding an object."
        found = self._at_hand("pour", i, o)
        if isinstance(found, str):
            return False, found
        if found[0] == "held":
            return False, f"Failed to pour! You are holding {o}; put it down first."
        source = house.owner[held.bit_length() - 1]
        result = self._apply(self._grounded(f"pour_{found[0]}", i, o, source, *found[1]), i, command)
        return self._handled_now(o, self._handled_now(source, result))

    def _handled_now(self, o: str, result: Result) -> Result:
        """``o`` may have been turned: from now on its states are looked at where it is seen."""
        if result[0]:
            self.handled.add(o)
        return result

    def _communicate(self, i: int, command: Command) -> Result:
        to, text = command.args
        agent, talk = self.agents[i], self.house.talk[self.agents[i]]
        if to != EVERYBODY and to not in self.agents:
            return False, f"Blocked: There is no agent called {to[:40]}; the others are {self._others(i)}."
        if to == agent:
            return False, "Blocked: You cannot send messages to yourself."
        limit = self.house.limits[agent]
        left = MANY
        if limit is not None:
            left = next(
                str(k)
                for k in range(limit, -1, -1)
                if self.state & self.house.facts.bit(("left", agent, str(k)))
            )
        # Of several reasons for a refusal the agent hears the one that it was told of: the others stay hidden.
        known = self.house.aware[agent]
        if left == "0" and known.counted:
            return False, SPENT
        below = MANY if left == MANY else str(int(left) - 1)
        rule, hearer = ("broadcast", ()) if to == EVERYBODY else ("communicate", (to,))
        made = self._grounded(rule, i, *hearer, left, below)
        worked, said = self._apply(made, i, command)
        if not worked:
            listed = talk if known.reached is None or to in (*known.reached, EVERYBODY) else known.reached
            return worked, said.replace("{allowed}", ", ".join(listed) or "nobody")
        self.acts.pop()
        for other in talk if to == EVERYBODY else (to,):
            self.mail[self.agents.index(other)].append((agent, text))
        return worked, said

    def _explore(self, i: int, command: Command) -> Result:
        house, room = self.house, command.args[0]
        if f"centre:{room}" not in house.spot_index:
            return False, self._unknown("explore", i, room)
        result = self._walk(i, command, house.spot_index[f"centre:{room}"])
        if not result[0]:
            return False, result[1].replace("navigate", "explore", 1)
        end, mask = self.spot[i], 0
        for spot, inside in enumerate(house.spot_room):
            if inside == room:
                self.spot[i] = spot
                seen = self.seen(i)
                self.learn(i, seen)
                mask |= seen
        self.spot[i] = end
        self.glimpsed[i] = self.with_states(mask & self.state)
        return result

    def _find(self, i: int, command: Command) -> Result:
        return True, find(self, i, command)

    def _done(self, i: int, command: Command) -> Result:
        self.over[i] = True
        return DONE

    def _others(self, i: int) -> str:
        return ", ".join(agent for k, agent in enumerate(self.agents) if k != i) or "nobody"

    def _unknown(self, verb: str, i: int, name: str) -> str:
        """Why nothing can be done with a name that the agent's graph holds no place for."""
        house = self.house
        kinds = ((house.room_of, "furniture"), (house.rooms, "a room"), (self.agents, "an agent"))
        kind = next((kind for names, kind in kinds if name in names), "")
        if kind:
            return f"Failed to {verb}! {name} is {kind}."
        if self.where(i, name) is not None:
            return f"Failed to {verb}! {name} is an object."
        if self.knows(i, name):
            return f"Failed to {verb}! You do not know where {name} is any more."
        return f"Failed to {verb}! Your graph holds nothing called {name[:40]}."
