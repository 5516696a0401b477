"""The shortest plan for parts of a goal that one agent alone can bring about, by A* over its calls.

Where a room can be entered by one agent only, and no mechanic binds what is acted on, other agents change nothing there. The
search then needs no joint turns: a state is the agent's spot, which furniture is open, and for each object whether it is
where it was, in the hand, or in its place. An object need not be put down anywhere else on the way: who fetches it when it is
carried the rest of the way saves two acts, and walks twice at most.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from heapq import heappop, heappush
from itertools import count

from msgspec import Struct

from otherminds.household.epistemic.formula import Atom, Literal
from otherminds.household.house import House
from otherminds.household.rules.actions import HOW
from otherminds.household.task import Binding

STATES = ("is_open", "is_closed")
PLACES = ("is_on_top", "is_inside")
WHERE, HELD, PLACED = range(3)
"""Of an object: where it was at the start, in the hand, in its place."""
MOST = 20_000
"""States that are expanded before the search gives up."""


class _State(Struct, frozen=True):
    """The agent's spot, whether each piece of furniture that opens is open, and the state of each object."""

    spot: int
    opened: tuple[bool, ...]
    objects: tuple[int, ...]


class SoloPlan(Struct, frozen=True):
    """The calls of an agent, one a turn: no plan for these parts of the goal has fewer."""

    agent: int
    calls: tuple[str, ...]


def solo_plan(house: House, goals: Sequence[Literal]) -> SoloPlan | None:
    """The shortest plan for parts of a goal; ``None`` if others could take part, or the search gave up."""
    facts = [_by_trigger(house, goal) for goal in goals if isinstance(goal, Atom)]
    facts = [goal for goal in facts if goal.predicate in (*STATES, *PLACES)]
    moved = {goal.args[0]: goal for goal in facts if goal.predicate in PLACES}
    if len(facts) < len(goals) or len(moved) < sum(goal.predicate in PLACES for goal in facts):
        return None
    lies = {o: house.place_of(o, house.start) for o in moved}
    if any(how not in PLACES for how, _ in lies.values()):
        return None
    pieces = {goal.args[-1] for goal in facts} | {f for _, f in lies.values()}
    sets = [goal.args[-1] for goal in goals if goal not in facts and isinstance(goal, Atom)]
    bound = {
        name for _, binding in house.bound if binding.target_object not in sets for name in _bound(binding)
    }
    agent = _only(house, pieces)
    if agent is None or pieces & bound or house.task.agent_actions.get(house.agents[agent]):
        return None
    return _Search(house, agent, facts, moved, lies, sorted(pieces)).plan()


def _by_trigger(house: House, goal: Atom) -> Atom:
    """What the trigger of furniture must be that is to end open and that nobody can reach; else the goal itself.

    The furniture follows its only trigger, which nothing else binds, and both are closed at the start.
    """
    target = goal.args[-1]
    by = [(m, binding) for m, binding in house.bound if target in _bound(binding)]
    if goal.predicate != "is_open" or len(by) != 1 or by[0][1].target_object != target:
        return goal
    ((mechanic, binding),) = by
    trigger = binding.trigger_object
    follows = (target, "is_open") in mechanic.follows(binding, trigger, "is_open")
    alone = sum(trigger in _bound(binding) for _, binding in house.bound) == 1
    shut = not house.start & house.facts.mask([("is_open", trigger), ("is_open", target)])
    near = any(
        house.room_of[target] in house.plan.walkable(agent, house.barred[agent]) for agent in house.agents
    )
    opens = ("articulated", trigger) in house.static
    return Atom("is_open", (trigger,)) if follows and alone and shut and opens and not near else goal


def _bound(binding: Binding) -> tuple[str, str]:
    return binding.trigger_object, binding.target_object


def _only(house: House, furniture: set[str]) -> int | None:
    """The one agent that can enter the rooms of some furniture; ``None`` if there is no such agent, or if there are more."""
    rooms = {house.room_of[f] for f in furniture}
    near = [house.plan.walkable(agent, house.barred[agent]) for agent in house.agents]
    able = [k for k, reached in enumerate(near) if rooms & reached]
    return able[0] if len(able) == 1 and rooms <= near[able[0]] else None


class _Search:
    def __init__(
        self,
        house: House,
        agent: int,
        facts: Sequence[Atom],
        moved: Mapping[str, Atom],
        lies: Mapping[str, tuple[str, str]],
        pieces: Sequence[str],
    ) -> None:
        self.house, self.agent = house, agent
        self.objects = tuple(moved)
        self.source = [lies[o] for o in self.objects]
        self.target = [(moved[o].predicate, moved[o].args[1]) for o in self.objects]
        self.opens = tuple(f for f in pieces if ("articulated", f) in house.static)
        self.wanted = {
            goal.args[0]: goal.predicate == "is_open" for goal in facts if goal.predicate in STATES
        }
        self.named = frozenset(pieces)
        start = house.start_spot[house.agents[agent]]
        self.walks = self._walks(start)
        self.near = {spot: house.reaches[spot] & self.named for spot in self.walks}
        together = [near for spot, near in self.near.items()]
        self.apart = {f: self.named.difference(*(near for near in together if f in near)) for f in pieces}
        self.start = _State(start, tuple(self._open(f) for f in self.opens), (WHERE,) * len(self.objects))

    def plan(self) -> SoloPlan | None:
        """The calls of a plan that is as short as if agents could walk from any spot to any other; ``None`` without one."""
        free = self._search_calls()
        if free is None:
            return None
        if all(free):
            return SoloPlan(self.agent, tuple(free))
        # A call does not move an agent that has the furniture in reach already.
        self.walks = {spot: [walk for walk in walks if walk[0]] for spot, walks in self.walks.items()}
        called = self._search_calls()
        return SoloPlan(self.agent, tuple(called)) if called and len(called) == len(free) else None

    def _search_calls(self) -> list[str] | None:
        """The calls of a shortest plan, "" for a walk without a call; ``None`` after ``MOST`` states, or if there is none."""
        number = count()
        waiting = [(self._least(self.start), next(number), 0, self.start)]
        parents: dict[_State, tuple[_State, str] | None] = {self.start: None}
        turns = {self.start: 0}
        expanded = 0
        while waiting:
            _, _, cost, state = heappop(waiting)
            if cost > turns[state]:
                continue
            if not self._acts_left(state):
                return _way(parents, state)
            expanded += 1
            if expanded > MOST:
                return None
            for call, then in self._next(state):
                if cost + 1 < turns.get(then, cost + 2):
                    turns[then] = cost + 1
                    parents[then] = (state, call)
                    # Ties go to the newest state, so that one plan is followed to its end before others are tried.
                    heappush(waiting, (cost + 1 + self._least(then), -next(number), cost + 1, then))
        return None

    def _open(self, f: str) -> bool:
        return bool(self.house.start & self.house.facts.mask([("is_open", f)]))

    def _walks(self, start: int) -> dict[int, list[tuple[str, int]]]:
        """The walks from each spot that matters to others: the name in the call, "" if no call leads there, and the spot."""
        house, agent = self.house, self.house.agents[self.agent]
        ends = {house.spot_index[f"centre:{room}"]: room for room in house.rooms}
        ends |= {house.spot_index[s]: f for f in house.furniture if (s := f"stand:{f}") in house.spot_index}
        useful = {
            spot: name
            for spot, name in ends.items()
            if house.reaches[spot] & self.named and ("may_go", agent, house.spots[spot]) in house.static
        }
        return {
            spot: [
                ("" if name in house.reaches[spot] else name, end)
                for end, name in useful.items()
                if end != spot
            ]
            for spot in (start, *useful)
        }

    def _next(self, state: _State) -> Iterator[tuple[str, _State]]:
        """The calls in a state, each with the state after it."""
        near, opened = self.near[state.spot], dict(zip(self.opens, state.opened, strict=True))
        for name, spot in self.walks[state.spot]:
            yield name and f"Navigate[{name}]", _State(spot, state.opened, state.objects)
        for k, f in enumerate(self.opens):
            if f in near:
                turned = (*state.opened[:k], not state.opened[k], *state.opened[k + 1 :])
                yield (
                    f"{'Close' if state.opened[k] else 'Open'}[{f}]",
                    _State(state.spot, turned, state.objects),
                )
        hand_full = HELD in state.objects
        for k, o in enumerate(self.objects):
            how, f = self.source[k] if state.objects[k] == WHERE else self.target[k]
            if f not in near or (how == "is_inside" and not opened.get(f, True)):
                continue
            if state.objects[k] == WHERE and not hand_full:
                yield f"Pick[{o}]", self._move_object(state, k, HELD)
            elif state.objects[k] == HELD:
                yield f"Place[{o}, {HOW[how]}, {f}]", self._move_object(state, k, PLACED)

    def _move_object(self, state: _State, k: int, where: int) -> _State:
        objects = (*state.objects[:k], where, *state.objects[k + 1 :])
        return _State(state.spot, state.opened, objects)

    def _acts_left(self, state: _State) -> list[str]:
        """The furniture of the acts that are still needed, walks left out; for each act once."""
        remaining = [
            f
            for f, is_open in zip(self.opens, state.opened, strict=True)
            if f in self.wanted and self.wanted[f] != is_open
        ]
        for k, where in enumerate(state.objects):
            if where == WHERE:
                remaining.append(self.source[k][1])
            if where != PLACED:
                remaining.append(self.target[k][1])
        return remaining

    def _least(self, state: _State) -> int:
        """A lower bound on the turns that are left: the acts, and a walk for each of several stops that are far apart."""
        acts = self._acts_left(state)
        far: list[str] = []
        for f in acts:
            if f not in self.near[state.spot] and all(f in self.apart[other] for other in far):
                far.append(f)
        return len(acts) + len(far)


def _way(parents: Mapping[_State, tuple[_State, str] | None], state: _State) -> list[str]:
    """The calls that lead to a state."""
    calls: list[str] = []
    while (step := parents[state]) is not None:
        state, call = step
        calls.append(call)
    return calls[::-1]
