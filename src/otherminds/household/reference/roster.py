"""The reference minds by name: the levels and cheap teams, the minds with all secrets public, and null minds.

Members of ``informed`` compute the same assignment of goals to members: it depends only on the secrets, which all of them
have. Each uses its own observations for its own share. No message is needed. Members of ``planner`` carry out the plan of the
task's calibration, the reference with F = 1.

A null mind knows nothing about others: no measure of theory of mind may give it more than 0. Null minds act as level 3
does (so that there is something to know), at random, or not at all; their answers do not depend on what any other agent
saw or was told."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from types import MappingProxyType
from typing import Any

from otherminds.core.contracts import Mind, MindContext
from otherminds.core.data import Action, Answer, Brief, Invalid, Moment, Question, Seat, SkillChoice
from otherminds.core.encoding import derive
from otherminds.core.errors import StudyError
from otherminds.household.epistemic.forms import secrets
from otherminds.household.epistemic.formula import Atom, KnowledgeChain, Literal, atom
from otherminds.household.epistemic.predicates import AXES, positive
from otherminds.household.house import House
from otherminds.household.probes import answer_of
from otherminds.household.reference.knowledge import Knowledge, ReceivedMessage, seat_number
from otherminds.household.reference.mind import (
    DONE,
    LEVELS,
    WAIT,
    Broadcaster,
    Housemate,
    LevelThree,
    asked,
    reported,
)
from otherminds.household.reference.sharing import MOVED, able, fetches, meeting, wanted_in
from otherminds.household.teams import PANEL, CheapTeam

HOPE = 15
"""Turns of waiting for things that others are to bring."""


class Common(Knowledge):
    """The common knowledge of all members: the plan of the house, and all secrets."""

    def rooms(self, agent: Seat) -> frozenset[str]:
        return self.plan.free(self.barred[agent])


@dataclass
class Share:
    """The share of one member: its goals, and handovers (see :class:`~.doing.Hands`).

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


class PlanningHousemate(InformedHousemate):
    """Makes the calls of its seat in a central plan, one each turn, and is then done; it answers as ``informed`` does.

    ``plan`` has the calls of each turn in the order of seats: a planner found it with all secrets public
    (:mod:`otherminds.household.planning`), and a replay in the simulator confirmed it.
    """

    def __init__(self, secret_statements: ReceivedMessage, plan: Sequence[Sequence[str]]) -> None:
        super().__init__(secret_statements)
        self._plan = plan

    def begin(self, brief: Brief, context: MindContext) -> None:
        super().begin(brief, context)
        seat = self.knowledge.agents.index(brief.seat)
        self._calls = iter([calls[seat] for calls in self._plan])

    async def act(self) -> Action | SkillChoice | Invalid:
        if self._over:
            return WAIT
        call = next(self._calls, DONE)
        self._over = call == DONE
        return call


HANDLED = ("Pick", "Clean", "Fill", "Pour", "PowerOn", "PowerOff")
TURNED = ("Open", "Close", "PowerOn", "PowerOff")
OPTIONS = ("holds", "fails", "unknown")
"""The options of a probe, in their order."""


class Egocentric(LevelThree):
    """Answers for others as if they had its own beliefs."""

    async def answer(self, question: Question) -> Answer | Invalid:
        chain = asked(question)
        return reported(self.knowledge, chain and KnowledgeChain((), chain.fact))


class ConstantAnswer(LevelThree):
    """Gives the same answer to each probe: ``option``, by its number."""

    def __init__(self, secret_statements: ReceivedMessage, option: int) -> None:
        super().__init__(secret_statements)
        self._option = option

    async def answer(self, question: Question) -> Answer | Invalid:
        return question.options[self._option]


class SilentAndDone(Mind):
    """Is done at once, sends no messages, and answers that every fact holds."""

    def begin(self, brief: Brief, context: MindContext) -> None:
        self._over = False

    async def perceive(self, moment: Moment) -> None:
        self._over = moment.step > 0

    async def act(self) -> Action | SkillChoice | Invalid:
        return "Wait[]" if self._over else "Done[]"

    async def answer(self, question: Question) -> Answer | Invalid:
        return question.options[OPTIONS.index("holds")]


class Chance(Mind):
    """The mind ``random``: draws a tool, and then its arguments from the names in its own graph.

    It sends no messages, and answers at random.
    """

    def begin(self, brief: Brief, context: MindContext) -> None:
        self._rng = context.rng
        self._seed = context.rng.getrandbits(32)
        self._seen: dict[str, Any] = {}

    async def perceive(self, moment: Moment) -> None:
        self._seen = moment.observation

    async def act(self) -> Action | SkillChoice | Invalid:
        house, objects = self._seen["house"], sorted(self._seen["graph"]["objects"])
        rooms, furniture = list(house["rooms"]), list(house["furniture"])
        tools = ["Navigate", "Explore", "Turn", "Wait"] + (["Handle"] if objects else [])
        tool = self._rng.choice(tools + ["Place"] * bool(self._seen["holding"]))
        match tool:
            case "Navigate":
                return f"Navigate[{self._rng.choice(rooms + furniture + objects)}]"
            case "Explore":
                return f"Explore[{self._rng.choice(rooms)}]"
            case "Turn":
                return f"{self._rng.choice(TURNED)}[{self._rng.choice(furniture)}]"
            case "Handle":
                return f"{self._rng.choice(HANDLED)}[{self._rng.choice(objects)}]"
            case "Place":
                how = self._rng.choice(("on", "within"))
                return f"Place[{self._seen['holding'][0]}, {how}, {self._rng.choice(furniture)}]"
            case _:
                return "Wait[]"

    async def answer(self, question: Question) -> Answer | Invalid:
        # Each question has its own random stream, so that asking does not change later draws.
        return question.options[derive(self._seed, question.id) % len(question.options)]


def level_k(house: House, k: int = 3, whole_memory: bool = False) -> Mind:
    """The level-``k`` mind, k from 0 to 3; with ``whole_memory``, each message carries all that its sender knows.

    Raises:
        StudyError: there is no such level.
    """
    if isinstance(k, bool) or k not in LEVELS:
        raise StudyError(f"level_k: k must be one of {', '.join(map(str, LEVELS))}, not {k!r}")
    return LEVELS[k](told(house), whole_memory)


def broadcast(house: House, whole_memory: bool = False) -> Mind:
    """The mind that tells everything to all agents; with ``whole_memory``, also where things are and how."""
    return Broadcaster(told(house), whole_memory)


def planner(house: House) -> Mind:
    """The mind that carries out the plan of the task's calibration.

    Raises:
        StudyError: the task is not calibrated.
    """
    if house.task.calibration is None:
        raise StudyError(
            f"planner: task {house.task.task_id!r} has no plan; otherminds tasks calibrate --write adds one"
        )
    return PlanningHousemate(told(house), house.task.calibration.plan)


def told(house: House) -> ReceivedMessage:
    """The secrets of each agent, with its private goal; empty in a task without formulas, in which minds parse the prose."""
    if not house.task.verified:
        return {}
    return {seat: secrets(house.task.agent_knows.get(seat, ())) for seat in house.agents}


def _plain(mind_class: type[Mind]) -> Callable[[House], Mind]:
    def make(house: House) -> Mind:
        return mind_class(told(house)) if issubclass(mind_class, Housemate) else mind_class()

    return make


def _constant(option: int) -> Callable[[House], Mind]:
    return lambda house: ConstantAnswer(told(house), option)


def _cheap(team: CheapTeam) -> Callable[[House], Mind]:
    return lambda house: team.member(told(house))


NULL: Mapping[str, Callable[[House], Mind]] = MappingProxyType(
    {
        "egocentric": _plain(Egocentric),
        **{f"always_{answer}": _constant(option) for option, answer in enumerate(OPTIONS)},
        "silent_and_done": _plain(SilentAndDone),
    }
)
"""Every null mind of the household by its name."""
ROSTER: Mapping[str, Callable[..., Mind]] = MappingProxyType(
    {
        "random": _plain(Chance),
        "no_message": _plain(Housemate),
        "blind": _plain(Housemate),
        "broadcast": broadcast,
        "level_k": level_k,
        "informed": _plain(InformedHousemate),
        "planner": planner,
        **NULL,
        **{name: _cheap(team) for name, team in PANEL.items()},
    }
)
"""The factories of minds by their names in studies. ``blind`` is ``no_message``, the lower reference of F."""
