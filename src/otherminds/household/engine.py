"""The household simulator: a step consists of table look-ups and operations on integers.

A call means a ground rule to the agent that makes it, by its spot and by where it believes things to be, and changes that the
rule does not contain. All agents choose at once; their calls are executed in the fixed order of seats. Then all agents
observe (:mod:`.seeing`)."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

from msgspec import structs

from otherminds.core.data import ReceivedMessage
from otherminds.household.commands import EVERYBODY, Command, Malformed
from otherminds.household.epistemic.predicates import NAME
from otherminds.household.house import MANY, House
from otherminds.household.layout import HouseLayout
from otherminds.household.rules import HOW, PLACES, SPENT, GroundRule, Meaning, verb
from otherminds.household.seeing import HouseSight, HouseState, find
from otherminds.household.transmission import REFUSED, Transmission, transmit


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


Result = tuple[bool, str]
"""Whether a command succeeded, and the message for its agent."""
Act = tuple[int, Command, int, int, tuple[int, ...]]
"""A successful command: agent, command, its spot before and after, and the spots of all agents at that time."""

WAITED: Result = (True, "You waited.")
DONE: Result = (True, "You are done.")


class HouseEngine:
    """One episode in ``house``: its state, what agents see of it, what their calls mean, and whose turn it is.

    Agents are numbered in the order of the seats. ``current`` is the state of the house, ``sight`` what agents see and
    believe of it, ``calls`` what calls mean to them. ``acts`` are the successful commands of the last step; ``mail[i]``
    the messages that agent ``i`` receives at the start of the next step. ``sent`` are the transmissions of the last step in the
    order of seats, and ``under_way`` all that have not arrived, each with the number of further steps. ``heard[i]`` are the names in the messages that agent ``i`` has received, and in what it was told besides its
    secrets; they are kept where statements are limited. ``passed[i]`` is the mask of the facts that held after the command
    of agent ``i`` in the last step, ``glimpsed[i]`` the mask of what it saw while it walked.
    """

    def __init__(self, house: House) -> None:
        self.house, self.agents = house, house.agents
        self.current = HouseState(house)
        self.sight = HouseSight(self.current)
        self.calls = CallMeanings(self.sight)
        self._others: dict[str, Callable[[int, Command], Result]] = {
            "Communicate": self._communicate,
            "Explore": self._explore,
            "Wait": lambda i, command: WAITED,
            "Done": self._done,
        }
        self._begin()

    def reset(self) -> None:
        """Restores the start; all agents have observed once."""
        self.current.reset()
        self.sight.reset()
        self._begin()

    @property
    def state(self) -> int:
        """The mask of the facts that hold."""
        return self.current.facts

    @property
    def spot(self) -> Sequence[int]:
        """The spot of each agent."""
        return self.current.spot

    @property
    def layout(self) -> HouseLayout:
        """The boxes of the objects."""
        return self.current.layout

    def facts_in_view(self, i: int) -> int:
        """The mask of the facts that agent ``i`` sees now, whether or not they hold."""
        return self.sight.facts_in_view(i)

    def _begin(self) -> None:
        self.over = [False] * len(self.agents)
        self.under_way: list[tuple[int, Transmission]] = []
        self._clear()
        self.heard = [frozenset[str]()] * len(self.agents)

    def _clear(self) -> None:
        self.acts: list[Act] = []
        self.sent: list[Transmission] = []
        self.passed: list[int] = []
        self.mail: list[list[ReceivedMessage]] = [[] for _ in self.agents]
        self.glimpsed = [0] * len(self.agents)

    def step(self, commands: Sequence[Command | Malformed]) -> list[Result]:
        """One turn: a command for each agent, in the order of seats. A malformed one fails with its message."""
        self._clear()
        results: list[Result] = []
        for i, command in enumerate(commands):
            results.append(DONE if self.over[i] else self._done_by(i, command))
            self.passed.append(self.current.facts)
        self._deliver_messages()
        if self.house.statements is not None:
            for i, mail in enumerate(self.mail):
                self.heard[i] |= {name for message in mail for name in NAME.findall(message.text)}
        self.sight.look()
        return results

    def _done_by(self, i: int, command: Command | Malformed) -> Result:
        if isinstance(command, Malformed):
            return False, command.text
        try:
            if command.tool in self.calls.tools:
                return self._apply(self.calls.meaning(i, command), i, command)
            other = self._others.get(command.tool)
            return other(i, command) if other else (True, find(self.sight, i, command))
        except FailedCallError as failed:
            return False, str(failed)

    def _apply(self, meaning: Meaning, i: int, command: Command) -> Result:
        """The result of a call by its meaning, whose changes are made if its rule is applicable."""
        before = tuple(self.current.spot)
        worked, text = self.current.apply(i, meaning)
        if worked:
            self.acts.append((i, command, before[i], meaning.spot, before))
        return worked, text

    def _communicate(self, i: int, command: Command) -> Result:
        to, text = command.args
        agent, house = self.agents[i], self.house
        talk, channel = house.talk[agent], house.plan.channels[agent]
        if to != EVERYBODY and to not in self.agents:
            others = ", ".join(other for other in self.agents if other != agent) or "nobody"
            raise FailedCallError(f"Blocked: There is no agent called {to[:40]}; the others are {others}.")
        if to == agent:
            raise FailedCallError("Blocked: You cannot send messages to yourself.")
        remaining, below, limit = MANY, MANY, house.limits[agent]
        if limit is not None:
            now = next(k for k, bit in enumerate(house.budgets[agent]) if self.current.facts & bit)
            remaining, below = str(now), str(now - 1)
        # Of several reasons for a refusal, the message gives the one that the agent already knows: the others stay hidden.
        if remaining == "0" and limit is not None and channel.limit is not None and limit >= channel.limit:
            raise FailedCallError(SPENT)
        # This depends on what the sender knows alone, and comes before limits that may be hidden from it.
        arriving = transmit(agent, to, text, house.statements, self._list_names(i))
        if arriving is None:
            raise FailedCallError(REFUSED)
        rule, hearer = ("broadcast", ()) if to == EVERYBODY else ("communicate", (to,))
        ground_rule = self.calls.ground_rule(rule, i, *hearer, remaining, below)
        worked, reply = self._apply(Meaning(ground_rule, self.current.spot[i]), i, command)
        if not worked:
            listed = (
                talk if channel.reached is None or to in (*channel.reached, EVERYBODY) else channel.reached
            )
            return False, reply.replace("{allowed}", ", ".join(listed) or "nobody")
        self.acts.pop()
        sent = structs.replace(
            arriving, reached=talk if to == EVERYBODY else (to,), delay=house.plan.delays[agent]
        )
        self.sent.append(sent)
        return True, f'{reply} {sent.note} It reads: "{sent.text}"' if sent.note else reply

    def _deliver_messages(self) -> None:
        """Puts what arrives now into the mail: first earlier messages whose delay is over, then those of this step."""
        waiting = [*self.under_way, *((sent.delay, sent) for sent in self.sent)]
        self.under_way = [(turns_left - 1, sent) for turns_left, sent in waiting if turns_left]
        for sent in (sent for turns_left, sent in waiting if not turns_left):
            message = ReceivedMessage(sent.sender, sent.text, sent.note)
            for other in sent.reached:
                self.mail[self.agents.index(other)].append(message)

    def _list_names(self, i: int) -> Collection[str]:
        """The names that agent ``i`` knows; empty where a message may have any."""
        house = self.house
        if house.statements is None:
            return ()
        known_objects = (o for o in house.objects if self.sight.knows(i, o))
        return {*house.plan.names[self.agents[i]], *self.heard[i], *known_objects}

    def _explore(self, i: int, command: Command) -> Result:
        house, room = self.house, command.args[0]
        centre = house.spot_index.get(f"centre:{room}")
        if centre is None:
            raise FailedCallError(self.calls.unknown("explore", i, room))
        worked, text = self._apply(self.calls.walk(i, centre), i, command)
        if not worked:
            return False, text.replace("navigate", "explore", 1)
        mask = self.sight.seen_in(room)
        self.sight.learn(i, mask)
        self.glimpsed[i] = self.current.with_states(mask & self.current.facts)
        return True, text

    def _done(self, i: int, command: Command) -> Result:
        self.over[i] = True
        return DONE
