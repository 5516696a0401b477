"""The household simulator: a step consists of table look-ups and operations on integers.

All agents choose at once; their commands are executed in the fixed order of seats. Then all agents observe
(:mod:`.seeing`).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

from msgspec import structs

from otherminds.core.data import ReceivedMessage
from otherminds.household.commands import EVERYBODY, Command, Malformed
from otherminds.household.epistemic.predicates import NAME
from otherminds.household.house import MANY, House
from otherminds.household.house_state import HouseState
from otherminds.household.layout import HouseLayout
from otherminds.household.meanings import CallMeanings, FailedCallError
from otherminds.household.rules.actions import SPENT
from otherminds.household.rules.grounding import Meaning
from otherminds.household.seeing import HouseSight, find
from otherminds.household.transmission import REFUSED, Transmission, transmit

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
