"""An exact referee: the knowledge of agents as an interpreted system of runs, for problems of a few facts.

The system has all runs from all ``worlds`` up to a length: in each step one agent acts or sends a truthful message.
The local history of an agent (perfect recall) is what it knew and saw at the start, what it did and said, what it was
told and by whom, and what it saw whenever that changed. It does not see time pass (asynchrony). Two notions:

- :meth:`Referee.strictly`: K a φ holds at a point iff φ holds at all points at which a has the same history
  (Fagin, Halpern, Moses and Vardi, Reasoning About Knowledge, 1995, section 4.4).
- :meth:`Referee.holds`: K a φ holds at a point iff φ has been true since a moment at which a's history changed, and
  K a φ held at this moment: φ holds wherever a's history has just become the same. This is the knowledge that
  certificates are about: "justified belief that is still true". Strict knowledge implies it, as both are positive.

An action with gates needs an actor that knows the secrets of one of them. Its worlds have secrets that are true or
false. With ``most`` knowledge agents infer secrets from what others do, as no other reason for it exists, and see the
addressees of a message; otherwise anything may be done in worlds in which a secret is false. Nothing is imported from
the prover or from the checker.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise, product
from typing import NamedTuple

from otherminds.household.epistemic.certificate import (
    UNLIMITED,
    EpistemicProblem,
    Known,
    PlanAct,
    PlanTell,
    Words,
)

Step = PlanAct | PlanTell
State = frozenset[Words]
NATURE = "nature"
"""The name of changes without an agent."""


class Point:
    """A run up to some moment. ``histories`` are numbers, one for each agent."""

    __slots__ = ("before", "histories", "length", "state", "step")

    def __init__(
        self, state: State, histories: tuple[int, ...], step: Step | None, before: Point | None
    ) -> None:
        self.state, self.histories, self.step, self.before = state, histories, step, before
        self.length: int = before.length + 1 if before else 0

    def steps(self) -> tuple[Step, ...]:
        return () if self.before is None or self.step is None else (*self.before.steps(), self.step)


class Act(NamedTuple):
    step: PlanAct
    needs: State
    adds: State
    removes: State
    reasons: tuple[Words, ...]


def behind(agent: str, known: Known) -> Known:
    return known if known[0][:1] == (agent,) else ((agent, *known[0]), known[1])


def secret(name: str) -> Words:
    """The fact that a secret is true."""
    return ("secret", name)


def _changes(nature: Iterable[tuple[State, State]]) -> Iterator[Act]:
    for old, new in nature:
        yield Act(PlanAct(NATURE, tuple(sorted(" ".join(fact) for fact in new))), old, new, old, ())


class Referee:
    """All runs of ``length`` steps, or fewer where there are more than ``points`` points.

    The agents in ``without`` neither act nor send messages. Messages are about chains of at most ``deepest - 2`` agents, and
    about no literal or secret in ``untold``. A message has one statement.
    ``worlds`` are states at the start, with their secrets. The facts of each pair in ``nature`` may give way to the
    others without an agent, so that nothing follows from what somebody must have done.
    """

    def __init__(
        self,
        problem: EpistemicProblem,
        worlds: Iterable[State],
        length: int,
        *,
        without: Words = (),
        deepest: int = UNLIMITED,
        most: bool = True,
        nature: Iterable[tuple[State, State]] = (),
        points: int = 20_000,
        untold: Iterable[str] = (),
    ) -> None:
        self.problem, self.most, self.without = problem, most, without
        self.agents = problem.agents
        self.changing = {fact[0] for one in problem.actions for fact in (*one.adds, *one.removes)}
        self.acts = [act for one in self.agents if one not in without for act in self._acts(one)]
        self.acts += [*_changes(nature)]
        self.sights = {agent: [*self._sights(agent)] for agent in self.agents}
        self.messages = [tell for tell in self._messages(deepest) if tell.content[1] not in untold]
        self._numbers: dict[object, int] = {}
        self._seen: dict[tuple[str, State], State] = {}
        self._memory: dict[tuple[int, Known, bool], bool] = {}
        self.starting: dict[int, list[Point]] = defaultdict(list)
        """The points at which a history has just begun."""
        self.all: dict[int, list[Point]] = defaultdict(list)
        """The points that have a history."""
        self.layers: list[list[Point]] = []
        layer = [self._root(world) for world in worlds]
        while layer:
            self.layers.append(layer)
            self._memory.clear()
            for point in layer:
                self._file(point)
            if len(self.layers) > length:
                break
            layer = self._next(layer, points - sum(map(len, self.layers)))

    @property
    def length(self) -> int:
        return len(self.layers) - 1

    def root(self, world: State) -> Point:
        return next(point for point in self.layers[0] if point.state == world)

    def after(self, world: State, plan: Sequence[Step]) -> Point | None:
        """The point after a plan from ``world``; ``None`` if it is no run."""
        points = (p for p in self.layers[len(plan)] if p.steps() == tuple(plan))
        return next((p for p in points if self.start_of(p).state == world), None)

    def start_of(self, point: Point) -> Point:
        while point.before is not None:
            point = point.before
        return point

    def true(self, literal: str, state: State) -> bool:
        ways = self.problem.literals.get(literal, (secret(literal),))
        return not state.isdisjoint(ways)

    def holds(self, point: Point, known: Known) -> bool:
        """Whether a literal holds, or is known by justified belief that is still true."""
        agents, literal = known
        if not agents:
            return self.true(literal, point.state)
        who, at = self.agents.index(agents[0]), point
        while at is not None and self.true(literal, at.state):
            history = at.histories[who]
            if (at.before is None or at.before.histories[who] != history) and self._everywhere(
                history, (agents[1:], literal), False
            ):
                return True
            at = at.before
        return False

    def strictly(self, point: Point, known: Known) -> bool:
        """Whether a literal holds, or is known at all points with the same history."""
        agents, literal = known
        if not agents:
            return self.true(literal, point.state)
        return self._everywhere(point.histories[self.agents.index(agents[0])], (agents[1:], literal), True)

    def _everywhere(self, history: int, known: Known, strict: bool) -> bool:
        key = history, known, strict
        if key not in self._memory:
            holds, points = (self.strictly, self.all) if strict else (self.holds, self.starting)
            self._memory[key] = all(holds(point, known) for point in points[history])
        return self._memory[key]

    def _next(self, layer: list[Point], room: int) -> list[Point]:
        """The points after one more step; none if there are more than ``room``."""
        found: list[Point] = []
        for point in layer:
            found += self._after(point)
            if len(found) > room:
                return []
        return found

    def _after(self, point: Point) -> Iterator[Point]:
        done = point.steps()
        for act in self.acts:
            if act.needs <= point.state and self._has_reason(point, act):
                state = (point.state - act.removes) | act.adds
                yield self._point(point, state, act.step, {act.step.values[0]: act.step})
        for tell in self.messages:
            sent = sum(isinstance(one, PlanTell) and one.sender == tell.sender for one in done)
            if (
                tell not in done
                and sent < self.problem.budgets.get(tell.sender, UNLIMITED)
                and self.holds(point, behind(tell.sender, tell.content))
            ):
                heard = tell if self.most else (tell.sender, tell.content)
                events = dict.fromkeys(tell.hearers, heard) | {tell.sender: tell}
                yield self._point(point, point.state, tell, events)

    def _has_reason(self, point: Point, act: Act) -> bool:
        actor = act.step.values[0]
        return not act.reasons or any(
            all(self.holds(point, ((actor,), one)) for one in gate)
            or (not self.most and not all(secret(one) in point.state for one in gate))
            for gate in act.reasons
        )

    def _root(self, world: State) -> Point:
        told = [
            [p for p in self.problem.known if p[0] == (a,) and self.true(p[1], world)] for a in self.agents
        ]
        begun = zip(self.agents, told, strict=True)
        return Point(
            world, tuple(self._number((a, *some, self._sees(a, world))) for a, some in begun), None, None
        )

    def _point(self, before: Point, state: State, step: Step, events: Mapping[str, object]) -> Point:
        histories = list(before.histories)
        for k, agent in enumerate(self.agents):
            sees = self._sees(agent, state)
            if agent in events or sees != self._sees(agent, before.state):
                histories[k] = self._number((histories[k], events.get(agent), sees))
        return Point(state, tuple(histories), step, before)

    def _file(self, point: Point) -> None:
        for k, history in enumerate(point.histories):
            self.all[history].append(point)
            if point.before is None or point.before.histories[k] != history:
                self.starting[history].append(point)

    def _number(self, history: object) -> int:
        return self._numbers.setdefault(history, len(self._numbers))

    def _sees(self, agent: str, state: State) -> State:
        key = agent, state
        if key not in self._seen:
            self._seen[key] = frozenset(s for needs, s in self.sights[agent] if s in state and needs <= state)
        return self._seen[key]

    def _ground(self, parameters: Iterable[tuple[str, str]], agent: str) -> Iterator[dict[str, str]]:
        pairs = [(name, (agent,) if name == "?a" else self.problem.names[kind]) for name, kind in parameters]
        for chosen in product(*(names for _, names in pairs)):
            yield dict(zip((name for name, _ in pairs), chosen, strict=True))

    def _needs(self, needs: Iterable[Words], values: Mapping[str, str]) -> State | None:
        """The needs that change; ``None`` if a static one does not hold."""
        facts = {tuple(values.get(word, word) for word in one) for one in needs}
        static = {one for one in facts if one[0] not in self.changing}
        return frozenset(facts - static) if static <= set(self.problem.static) else None

    def _acts(self, agent: str) -> Iterator[Act]:
        for one in self.problem.actions:
            for values in self._ground(one.parameters, agent):
                if (needs := self._needs(one.needs, values)) is not None:
                    adds, removes = (
                        frozenset(tuple(values.get(word, word) for word in fact) for fact in facts)
                        for facts in (one.adds, one.removes)
                    )
                    gates = [g for g in self.problem.gates if one.name in g.actions and adds & set(g.adds)]
                    step = PlanAct(one.name, tuple(values.values()))
                    yield Act(step, needs, adds, removes, tuple(g.secrets for g in gates))

    def _sights(self, agent: str) -> Iterator[tuple[State, Words]]:
        for sight in self.problem.sights:
            for values in self._ground(sight.parameters, agent):
                if (needs := self._needs(sight.needs, values)) is not None:
                    yield needs, tuple(values.get(word, word) for word in sight.shows)

    def _messages(self, deepest: int) -> Iterator[PlanTell]:
        """All messages about literals and secrets that are as deep as the goal, or less."""
        depth = max(len(agents) for agents, _ in self.problem.goal)
        chains = [c for k in range(max(depth, 1)) for c in product(self.agents, repeat=k)]
        chains = [c for c in chains if all(one != two for one, two in pairwise(c))]
        secrets = dict.fromkeys(one for gate in self.problem.gates for one in gate.secrets)
        contents = [(c, literal) for c in chains for literal in self.problem.literals]
        contents += [((), one) for one in secrets if one not in self.problem.literals]
        for sender in (one for one in self.agents if one not in self.without):
            links = self.problem.links.get(sender, ())
            for hearers in [(one,) for one in links] + ([links] if len(links) > 1 else []):
                for content in contents:
                    if len(content[0]) + 2 <= deepest:
                        yield PlanTell(sender, hearers, content)
