"""The mind ``informed``: all secrets are shared, and each member computes the same assignment of goals to members.

The assignment depends only on the secrets, which all members have. Each uses its own observations for its own share. No
message is needed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from otherminds.core.contracts import MindContext
from otherminds.core.data import Answer, Brief, Invalid, Question, Seat
from otherminds.household.epistemic.formula import Atom, Literal, atom
from otherminds.household.epistemic.predicates import AXES, positive
from otherminds.household.probes import answer_of
from otherminds.household.reference.knowledge import Knowledge, seat_number
from otherminds.household.reference.mind import Housemate, asked, reported
from otherminds.household.reference.sharing import MOVED, able, fetches, meeting, wanted_in

HOPE = 15
"""Turns of waiting for things that others are to bring."""


class Common(Knowledge):
    """The common knowledge of all members: the plan of the house, and all secrets."""

    def rooms(self, agent: Seat) -> frozenset[str]:
        return self.plan.free(self.barred[agent])


@dataclass
class Share:
    """The share of one member: its goals, and handovers (see :class:`~.hands.Hands`).

    ``seeks`` are things whose place is unknown, to be brought to the members that need them from rooms that only this
    member can enter.
    """

    goals: list[Literal] = field(default_factory=list[Literal])
    meet: dict[str, str] = field(default_factory=dict[str, str])
    again: dict[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    confined: dict[str, frozenset[str]] = field(default_factory=dict[str, frozenset[str]])
    seeks: list[Atom] = field(default_factory=list[Atom])


class InformedHousemate(Housemate):
    """Carries out its share of the common plan, and is then done."""

    grants = frozenset({"secrets"})

    def begin(self, brief: Brief, context: MindContext) -> None:
        super().begin(brief, context)
        self._common = Common(brief, self.usable_secrets(brief))
        self._share: Share | None = None

    def goals(self) -> list[Literal]:
        if self._share is None:
            self._common.begin(self.knowledge.plan)
            self._share = shares(self._common)[self.knowledge.me]
            hands = self.doer.hands
            hands.meet, hands.again = self._share.meet, self._share.again
            hands.confined = self._share.confined
        return [*self._share.goals, *self._find_sought(self._share)]

    def finished(self, idle: int) -> bool:
        waits = [goal for goal in self.goals() if not self.knowledge.achieved(goal)]
        search = self.doer.hands.search
        return idle >= HOPE or all(search.over(name) for goal in waits for name in atom(goal).args[:1])

    def chore(self) -> str | None:
        """No chores: all goals are commonly known."""
        return None

    async def answer(self, question: Question) -> Answer | Invalid:
        chain = asked(question)
        if chain and positive(chain.fact) in self.knowledge.goals:
            # The plan is common knowledge: its goals are assumed to be achieved.
            return answer_of(chain.fact, True)
        return reported(self.knowledge, chain)

    def _find_sought(self, share: Share) -> list[Literal]:
        """The things to bring to others that are, or may be, in rooms that only this member can enter."""
        knowledge, sought = self.knowledge, list[Literal]()
        for brought in share.seeks:
            o = brought.args[0]
            lies = knowledge.picture.room(o)
            hidden = lies is None and not self.doer.hands.search.swept(o)
            if hidden or o in knowledge.holding or lies in share.confined[o]:
                sought.append(brought)
        return sought


def shares(common: Knowledge) -> dict[Seat, Share]:
    """The share of each member, equal for all that compute it; related goals go to one member."""
    assigned = {agent: Share() for agent in common.agents}
    for group in _groups(common):
        capable = [agent for agent in common.agents if all(able(common, agent, goal) for goal in group)]
        for goals in [group] if capable else [[goal] for goal in group]:
            fit = capable or [agent for agent in common.agents if able(common, agent, goals[0])]
            if fit:
                doer = min(fit, key=lambda agent: _cost(common, assigned, agent, goals))
                assigned[doer].goals += goals
                for goal in goals:
                    _bring(common, assigned, doer, goal)
    return assigned


def _cost(
    common: Knowledge, assigned: dict[Seat, Share], agent: Seat, goals: Sequence[Literal]
) -> tuple[bool, int, int, int]:
    """The cost of giving goals to an agent: help that it needs, barred rooms, its number of goals, its index."""
    alone = all(fetches(common, agent, goal) for goal in goals)
    entities = [
        name for goal in goals for name in atom(goal).args if name not in (*common.agents, *common.plan.rooms)
    ]
    lost = any(common.picture.room(name) is None for name in entities)
    barred = len(common.plan.rooms) - len(common.rooms(agent)) if lost else 0
    # Every member computes all shares for itself, so ties must fall the same way for all: by the number of the seat.
    return not alone, barred, len(assigned[agent].goals), seat_number(agent)


def _groups(common: Knowledge) -> list[list[Literal]]:
    """The goals, grouped by common things."""
    groups: list[tuple[set[str], list[Literal]]] = []
    for goal in common.goals:
        names = _about(common, goal)
        touching = [group for group in groups if group[0] & names]
        for group in touching:
            groups.remove(group)
            names |= group[0]
        groups.append((names, [*(related for group in touching for related in group[1]), goal]))
    order = list(common.goals)
    return [sorted(goals, key=order.index) for _, goals in groups]


def _about(common: Knowledge, goal: Literal) -> set[str]:
    """The things that are moved or changed for a goal."""
    fact = atom(goal)
    names = {fact.args[0]}
    if fact.predicate == "is_inside":
        names.add(fact.args[1])
    if fact.predicate == "is_next_to":
        names.update(fact.args)
    if fact.predicate in AXES:
        names.update(way[0] for way in common.wiring.ways(fact.args[0], fact.predicate))
    return names


def _bring(common: Knowledge, assigned: dict[Seat, Share], doer: Seat, goal: Literal) -> None:
    """Adds the handovers to the doer of a thing that it cannot reach itself."""
    target = wanted_in(common, goal)
    if target is None or not isinstance(goal, Atom) or goal.predicate not in MOVED:
        return
    o = goal.args[0]
    lies = common.picture.room(o)
    if lies is None:
        for other in common.agents:
            room = meeting(common, other, (doer,), target)
            alone = common.rooms(other) - common.rooms(doer)
            if room and alone:
                assigned[other].seeks.append(Atom("is_in_room", (o, room)))
                assigned[other].confined[o] = alone
                assigned[doer].again[o] = (*assigned[doer].again.get(o, ()), room)
        return
    hands = _carriers(common, lies, doer)
    for giver, taker in pairwise(hands):
        room = meeting(common, giver, (taker,), target)
        if room:
            assigned[giver].goals.append(Atom("is_in_room", (o, room)))
            assigned[taker].meet[o] = room


def _carriers(common: Knowledge, lies: str, doer: Seat) -> list[Seat]:
    """The shortest chain of members that can pass a thing from its room to the doer, the doer last."""
    lines = [[doer]]
    for line in lines:
        first = line[0]
        if lies in common.rooms(first):
            return line
        visited = {agent for other in lines for agent in other}
        new = (agent for agent in common.agents if agent not in visited)
        lines += [[agent, *line] for agent in new if common.rooms(agent) & common.rooms(first)]
    return [doer]
