"""What is worth telling: who could use what, and how much, by what an agent takes its partners to know."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from otherminds.core.data import Seat
from otherminds.epistemic.formula import Atom, Chain, Literal, chains
from otherminds.epistemic.words import Asks, Barred, Controls, Doing, Fact, Inverse, Mirrors, Must, Statement
from otherminds.worlds.household.reference.knowledge import Heard, Knowledge
from otherminds.worlds.household.reference.picture import AXES, LYING
from otherminds.worlds.household.reference.sharing import (
    MOVED,
    able,
    fetches,
    meeting,
    mine,
    suited,
    wanted_in,
    ways,
)

GOAL, FETCH, WIRE, PLACE, CHAIN, STUCK, REFUSAL, REPORT, REST = 100, 95, 90, 80, 70, 65, 60, 50, 20
"""Weights: a goal one cannot reach; a thing one cannot fetch; how a handle works; where a thing is; what somebody
is to know in the end; that one is stuck; that one cannot do what one was told; that it is done; all else."""


@dataclass(frozen=True)
class Need:
    """``users`` could all make the same use of ``statement``."""

    weight: int
    users: tuple[Seat, ...]
    statement: Statement


class Needs:
    """The needs that agent ``me`` sees. With ``hearsay`` it counts what it was told by others as its own to tell."""

    def __init__(self, knowledge: Knowledge, hearsay: bool) -> None:
        self._knowledge = knowledge
        self._hearsay = hearsay

    def all(self, reached: Iterable[Seat], stuck: Iterable[Literal]) -> list[Need]:
        """Every need of an agent in ``reached``, the heaviest first; ``stuck`` are goals that do not get on."""
        reached, stuck = tuple(reached), tuple(stuck)
        found = [
            *self._goals(reached, stuck),
            *self._fetching(reached),
            *self._working(reached),
            *self._chains(),
            *self._refusals(reached),
            *self._reports(),
            *self._rest(reached),
        ]
        found = [Need(n.weight, users, n.statement) for n in found if (users := _only(n.users, reached))]
        return sorted(found, key=lambda need: -need.weight)

    def _goals(self, reached: tuple[Seat, ...], stuck: tuple[Literal, ...]) -> Iterator[Need]:
        """What one cannot do, for who can; what one does not get on with, for all who might help."""
        knowledge = self._knowledge
        for goal, heard in knowledge.goals.items():
            if knowledge.achieved(goal) or not self._tells(heard):
                continue
            if able(knowledge, knowledge.me, goal):
                if goal in stuck and mine(knowledge, goal):
                    doing = Doing(knowledge.me, Must(goal))
                    yield Need(STUCK, self._unaware(doing, reached), doing)
                continue
            if not any(
                able(knowledge, other, goal) for other in heard.holders - heard.tellers - {knowledge.me}
            ):
                fit = suited(knowledge, [other for other in reached if other not in heard.holders], goal)
                yield Need(GOAL, tuple(fit), Must(goal))

    def _fetching(self, reached: tuple[Seat, ...]) -> Iterator[Need]:
        """What one is to move and cannot come to, for who can bring it to where one can."""
        knowledge = self._knowledge
        for goal in knowledge.goals:
            target = wanted_in(knowledge, goal)
            if not isinstance(goal, Atom) or target is None or knowledge.achieved(goal):
                continue
            o = goal.args[0]
            known = (knowledge.picture.place(o) or ("is_held_by",))[0] != "is_held_by"
            if not known or fetches(knowledge, knowledge.me, goal) or not mine(knowledge, goal):
                continue
            lies = knowledge.picture.room(o)
            for giver in reached:
                room = meeting(knowledge, giver, (knowledge.me,), target)
                if able(knowledge, knowledge.me, goal) and room and lies in knowledge.rooms(giver):
                    asks = Asks(giver, Must(Atom("is_in_room", (o, room))))
                    if all(
                        asks.goal != other.goal for other in knowledge.statements if isinstance(other, Asks)
                    ):
                        yield Need(FETCH, (giver,), asks)

    def _working(self, reached: tuple[Seat, ...]) -> Iterator[Need]:
        """What those need who see to a goal: how its handle works, where its thing is."""
        knowledge = self._knowledge
        for goal in knowledge.goals:
            if knowledge.achieved(goal) or not isinstance(goal, Atom):
                continue
            for doer in self._doers(goal):
                if doer not in reached:
                    continue
                for wire in self._wires(doer, goal):
                    heard = knowledge.statements[wire]
                    if doer not in heard.holders and self._tells(heard):
                        yield Need(WIRE, (doer,), wire)
                fact = (
                    self._place(goal) if goal.predicate in MOVED and fetches(knowledge, doer, goal) else None
                )
                if fact and not knowledge.models.holds((doer,), fact):
                    yield Need(PLACE, (doer,), Fact(fact))

    def _chains(self) -> Iterator[Need]:
        """The next step of what somebody is to know in the end, as far as one knows it oneself."""
        knowledge = self._knowledge
        me = knowledge.me
        for chain in knowledge.chains:
            for start in range(len(chain.agents) - 1, -1, -1):
                known = Chain(chain.agents[start + 1 :], chain.fact)
                if not knowledge.models.holds(known.agents, chain.fact):
                    break
                if not knowledge.models.holds(chain.agents[start:], chain.fact):
                    content = Chain(
                        known.agents[1:] if known.agents[:1] == (me,) else known.agents, chain.fact
                    )
                    yield Need(CHAIN, (chain.agents[start],), Fact(content.formula))
                    break

    def _refusals(self, reached: tuple[Seat, ...]) -> Iterator[Need]:
        """That one is kept out of where one was told to do something, for who told it."""
        knowledge = self._knowledge
        me = knowledge.me
        for goal, heard in knowledge.goals.items():
            if not heard.tellers or able(knowledge, me, goal) or knowledge.achieved(goal):
                continue
            others = [other for other in reached if other not in heard.holders and self._hearsay]
            if suited(knowledge, others, goal):
                continue
            for statement in tuple(knowledge.statements):
                if isinstance(statement, Barred) and statement.agent == me:
                    yield Need(REFUSAL, self._unaware(statement, heard.tellers), statement)

    def _reports(self) -> Iterator[Need]:
        """That something is as it was wanted, for who told of it."""
        knowledge = self._knowledge
        for goal, heard in knowledge.goals.items():
            if knowledge.achieved(goal):
                unsure = [other for other in heard.tellers if not knowledge.models.holds((other,), goal)]
                yield Need(REPORT, tuple(unsure), Fact(goal))

    def _rest(self, reached: tuple[Seat, ...]) -> Iterator[Need]:
        """All else that may be of use: facts, how things work, and what somebody is to know."""
        knowledge = self._knowledge
        for statement, heard in tuple(knowledge.statements.items()):
            if not self._tells(heard):
                continue
            if isinstance(statement, Fact):
                chain = next(iter(chains(statement.formula)), None) or Chain((), statement.formula)  # pyright: ignore[reportArgumentType]
                if not knowledge.achieved(chain.fact):
                    continue
                source = (
                    () if heard.source == knowledge.me or heard.source in chain.agents else (heard.source,)
                )
                whole = Chain((*source, *chain.agents), chain.fact)
                unsure = [
                    o
                    for o in reached
                    if o not in heard.holders and not knowledge.models.holds((o,), chain.fact)
                ]
                yield Need(REST, tuple(unsure), Fact(whole.formula))
            elif isinstance(statement, Inverse | Mirrors | Controls) or (
                isinstance(statement, Must) and chains(statement.formula)
            ):
                yield Need(REST, self._unaware(statement, reached), statement)

    def _tells(self, heard: Heard) -> bool:
        return self._hearsay or heard.source == self._knowledge.me

    def _unaware(self, statement: Statement, agents: Iterable[Seat]) -> tuple[Seat, ...]:
        heard = self._knowledge.statements.get(statement)
        return tuple(agent for agent in agents if heard is None or agent not in heard.holders)

    def _doers(self, goal: Literal) -> tuple[Seat, ...]:
        """Who sees to a goal, as far as is known, beside oneself."""
        knowledge = self._knowledge
        heard = knowledge.goals[goal]
        first = knowledge.charged.get(goal)
        doers = (first,) if first else tuple(sorted(heard.holders - heard.tellers))
        return tuple(d for d in doers if d != knowledge.me and able(knowledge, d, goal))

    def _wires(self, doer: Seat, goal: Atom) -> tuple[Inverse | Mirrors | Controls, ...]:
        """What a doer must know of how things work in order to reach ``goal``."""
        knowledge = self._knowledge
        if goal.predicate not in AXES:
            return ()
        found = ways(knowledge, doer, goal.args[0], goal.predicate)
        return knowledge.wiring.used(goal.args[0], found[0][0]) if found else ()

    def _place(self, goal: Atom) -> Atom | None:
        """Where the thing of a goal is, as a fact that can be said; None if it is not known, or was only told."""
        knowledge = self._knowledge
        o = goal.args[0]
        place = knowledge.picture.place(o)
        if place is None or place[0] not in LYING:
            return None
        how, where = place
        fact = (
            Atom("is_in_room", (o, knowledge.plan.room_of[where]))
            if how == "lies_on"
            else Atom(how, (o, where))
        )
        heard = knowledge.statements.get(Fact(fact))
        return fact if heard is None or self._tells(heard) else None


def _only(users: tuple[Seat, ...], reached: tuple[Seat, ...]) -> tuple[Seat, ...]:
    return tuple(user for user in users if user in reached)
