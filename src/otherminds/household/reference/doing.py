"""From goals to the next call: priorities, learning from the last call, and giving up."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

from otherminds.household.epistemic.formula import Atom, Literal, atom
from otherminds.household.epistemic.predicates import AXES, OPPOSITES, TOOLS
from otherminds.household.epistemic.words.house_rule import Refusal
from otherminds.household.reference.hands import Hands
from otherminds.household.reference.knowledge import Knowledge

TRIES = 3
"""The number of times that a failing call is tried."""
TURNS = 6
"""The number of times that a successful call is repeated, so that agents with opposite goals stop eventually."""

CALL = re.compile(r"(\w+)\[([^,\]]*)")
VALUES = {tool: value for value, tool in TOOLS.items()}

ORDER = {"is_filled": 0, "is_empty": 0, "is_clean": 1, "agent_in_room": 4, "is_held_by": 3}
"""The order of goals by predicate; moving things has rank 2, changing furniture rank 3."""


class Doer:
    """The acts of an agent, with a memory of its attempts."""

    def __init__(self, knowledge: Knowledge) -> None:
        self.knowledge = knowledge
        self.hands = Hands(knowledge)
        self._last = ""
        self._failed: Counter[str] = Counter()
        self._made: Counter[str] = Counter()

    def next(self, goals: Iterable[Literal]) -> str | None:
        """The next call towards the first of ``goals`` that is not achieved and can be advanced."""
        ranked = sorted(goals, key=self._rank)
        for goal in ranked:
            if not self.knowledge.achieved(goal):
                call = self._worth(self.hands.towards(goal, ranked))
                if call:
                    return call
        return None

    def tidy(self) -> str | None:
        """Closes furniture that was opened for access, unless a goal or the agent's own private goal wants it open."""
        for f in tuple(self.hands.opened):
            open_now = self.knowledge.picture.state(f, "is_open") == "is_open"
            desired = {*self.knowledge.goals, *self.knowledge.wishes}
            if open_now and Atom("is_open", (f,)) not in desired:
                call = self._worth(self.hands.turn(f, "is_closed"))
                if call:
                    return call
            self.hands.opened.remove(f)
        return None

    def did(self, call: str) -> None:
        self._last = call

    def settle(self, worked: bool, text: str) -> None:
        """Learns from the result of the last call, after its observation was processed."""
        call = CALL.match(self._last)
        if call is None:
            return
        tool, name = call[1], call[2]
        if worked:
            self._made[self._last] += 1
            self._record_move(tool, name)
        else:
            self._failed[self._last] += 1
            self._record_refusal(tool, name, text)
        self._last = ""

    def stuck(self, goal: Literal) -> bool:
        """Whether the search for things of ``goal`` failed: they may be where only others can go."""
        knowledge, search = self.knowledge, self.hands.search
        elsewhere = len(knowledge.rooms(knowledge.me)) < len(knowledge.plan.rooms)
        return any(
            search.swept(name) or (elsewhere and search.has_explored(name)) for name in atom(goal).args
        )

    def _record_move(self, tool: str, name: str) -> None:
        knowledge = self.knowledge
        if tool == "Navigate":
            self.hands.near = name if name in knowledge.plan.room_of else ""
        elif tool == "Explore":
            self.hands.near = ""
            self.hands.search.looked_at(name)
        elif tool in VALUES:
            value = knowledge.picture.state(name, VALUES[tool])
            for furniture, follows in knowledge.wiring.effects(name, value).items() if value else ():
                knowledge.picture.note(Atom(follows, (furniture,)))
        elif tool == "Place" and "next_to" in self._last:
            other = self._last.rpartition(", ")[2].rstrip("]")
            knowledge.picture.note(Atom("is_next_to", (name, other)))

    def _record_refusal(self, tool: str, name: str, text: str) -> None:
        knowledge = self.knowledge
        target_value = VALUES.get(tool)
        opposite = (
            target_value is not None
            and knowledge.picture.state(name, target_value) == OPPOSITES[target_value]
        )
        knowledge.learn_refusal(Refusal(knowledge.me, text, name, opposite))

    def _worth(self, call: str | None) -> str | None:
        """The call, unless it has been tried too often."""
        if call is None or self._failed[call] >= TRIES:
            return None
        return None if self._made[call] >= TURNS and not call.startswith(("Navigate", "Explore")) else call

    def _rank(self, goal: Literal) -> tuple[bool, int]:
        fact = atom(goal)
        turns = fact.predicate in AXES and fact.args[0] in self.knowledge.plan.room_of
        rank = ORDER.get(fact.predicate, 3 if turns else 2)
        return fact.args[0] not in self.knowledge.holding or rank > 2, rank
