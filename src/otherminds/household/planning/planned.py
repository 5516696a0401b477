"""The shortest plan of a task with all secrets public, found by a planner and replayed in the simulator.

For parts of a goal that one agent alone can bring about, A* over its calls finds it. Where a room can be entered by one agent
only, and no mechanic binds what is acted on, other agents change nothing there. The search then needs no joint turns: a state
is the agent's spot, which furniture is open, and for each object whether it is where it was, in the hand, or in its place. An
object need not be put down anywhere else on the way: who fetches it when it is carried the rest of the way saves two acts,
and walks twice at most."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from heapq import heappop, heappush
from itertools import count

from msgspec import Struct, structs

from otherminds.household.commands import Command, Malformed, parse
from otherminds.household.engine import HouseEngine
from otherminds.household.epistemic.fast_downward import SearchResult, solve
from otherminds.household.epistemic.formula import And, Atom, Literal, atom, physical, show
from otherminds.household.goal_check import holds
from otherminds.household.house import House
from otherminds.household.planning.joint import GroundStep, PlanNames, by_calls, cut_house, joint
from otherminds.household.rules import HOW, Rule
from otherminds.household.task import Binding, Calibration

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


SECONDS = 60.0
"""Processor time of one search."""
QUICK = {"astar(cpdbs(systematic(2)), max_time=0.5)": 2.0}
SHORTEST = {
    "astar(cpdbs(systematic(2)))": 2.0,
    "astar(ipdb(pdb_max_size=20000, num_samples=200, min_improvement=4))": 5.0,
    "astar(ipdb(max_time=10))": SECONDS,
}
"""Pattern databases (Haslum et al. 2007): unlike relaxations, they take the turn order into account.

Each search has its longest processor time. The patterns of two variables are enough for most tasks. ``QUICK`` is for many
tasks, of which some may be given up.
"""
ANY = "lazy_greedy([ff()], cost_type=one)"
WAIT = Command("Wait")
WALK = "navigate"
"""The rule for walks."""


class CalibrationResult(Struct, frozen=True):
    """The calibration of a task, or ``why`` there is none; ``least`` is a lower bound on the turns of every plan."""

    calibration: Calibration | None
    least: int
    why: str = ""


def planned(house: House, seconds: float = SECONDS, quick: bool = False) -> CalibrationResult:
    """The shortest plan that could be found for ``house``, each search within ``seconds`` of processor time.

    With ``quick``, there is one search of half a second for each part of the goal, or else for the whole goal.

    First, the goal is split into parts that different agents achieve (:func:`_by_parts`); if their plans do not fit
    together, the goal is planned for as a whole. The lower bound comes from a search in which agents may walk from
    anywhere to anywhere. If its plan fails in the simulator, or if the search did not end, the walks of further searches
    are restricted to calls: first for the shortest plan, then for any plan.

    Raises:
        StudyError: the planner is not installed.
        TaskError: the goal asks for ``is_next_to``.
    """
    if not failure(house, ()):
        return CalibrationResult(None, 0, "the goal holds at the start")
    return _by_parts(house, seconds, quick) or _whole(house, seconds, quick)


def _by_parts(house: House, seconds: float, quick: bool) -> CalibrationResult | None:
    """The plan that joins the shortest plans for the parts of the goal, if different agents carry them out.

    No plan for the whole goal is shorter than the shortest plan for a part of it, so that the plan is proved shortest if
    the longest of these is. ``None`` if there is one part only, or if the plans do not fit together.
    """
    rooms: dict[str, list[Literal]] = {}
    for goal in physical(house.goal):
        rooms.setdefault(house.room_of.get(atom(goal).args[-1], ""), []).append(goal)
    waiting, solved_parts = [*rooms.values()], list[tuple[list[Literal], set[int], Calibration]]()
    while waiting:
        goals = waiting.pop()
        if not waiting and not solved_parts:
            return None
        part = House(
            structs.replace(
                house.task, problem_pddl=show(And(tuple(goals))), private_goals={}, calibration=None
            ),
            house.scene,
        )
        if not failure(part, ()):
            continue
        planned_part = _alone(part, goals) or _whole(part, seconds, quick)
        best = planned_part.calibration
        if best is None:
            return planned_part if quick else None
        busy = {k for turn in best.plan for k, call in enumerate(turn) if call != str(WAIT)}
        # An agent cannot carry out two plans at once: parts that need the same agent are planned together.
        shared = [solved_part for solved_part in solved_parts if solved_part[1] & busy]
        if shared:
            solved_parts = [solved_part for solved_part in solved_parts if solved_part not in shared]
            waiting.append(
                [goal for solved_part in (*shared, (goals, busy, best)) for goal in solved_part[0]]
            )
        else:
            solved_parts.append((goals, busy, best))
    turns = max(best.turns for _, _, best in solved_parts)
    plan = [[str(WAIT)] * len(house.agents) for _ in range(turns)]
    for _, busy, best in solved_parts:
        for turn, calls in zip(plan, best.plan, strict=False):
            for k in busy:
                turn[k] = calls[k]
    if failure(house, plan):
        return None
    least = max(best.least for _, _, best in solved_parts)
    how = f"{solved_parts[0][2].found}, for {len(solved_parts)} parts of the goal"
    return CalibrationResult(Calibration(turns, least, tuple(map(tuple, plan)), how), least)


def _alone(part: House, goals: Sequence[Literal]) -> CalibrationResult | None:
    """The shortest plan if one agent alone can bring about the goal; ``None`` if others could take part, or it was not found."""
    solo = solo_plan(part, goals)
    if solo is None:
        return None
    idle = [str(WAIT)] * len(part.agents)
    plan = tuple((*idle[: solo.agent], call, *idle[solo.agent + 1 :]) for call in solo.calls)
    if failure(part, plan):
        return None
    turns = len(plan)
    return CalibrationResult(
        Calibration(turns, turns, plan, "A* over the calls of one agent; replayed in the simulator"), turns
    )


def _whole(house: House, seconds: float, quick: bool) -> CalibrationResult:
    """The shortest plan for the goal as a whole."""
    part = cut_house(house)
    least, best, why = 0, None, ""
    ways = [(part, QUICK)]
    if not quick:
        near = by_calls(house, part)
        ways = [(part, SHORTEST), (near, SHORTEST), (near, {ANY: SECONDS})]
    for place, searches in ways:
        search, search_result, plan = _run_searches(house, place, searches, seconds)
        if search_result.verdict == "unsolvable" and place is part:
            return CalibrationResult(None, 0, "no plan reaches the goal, though all secrets are public")
        least = max(least, search_result.least + 1) if place is part else least
        why = search_result.why or why
        if plan is not None:
            how = f"Fast Downward, {search}; replayed in the simulator"
            best = Calibration(len(plan), min(least, len(plan)), _bare(house, plan), how)
            break
    return CalibrationResult(
        best, least, "" if best else why or "the plans that were found fail in the simulator"
    )


def _run_searches(
    house: House, place: PlanNames, searches: Mapping[str, float], seconds: float
) -> tuple[str, SearchResult, tuple[tuple[str, ...], ...] | None]:
    """The first search that ends, its result, and its plan as calls if they reach the goal."""
    model = joint(house, place)
    search, search_result, least = "", SearchResult("unknown"), 0
    for search, longest in searches.items():
        search_result = solve(model.task, search, min(seconds, longest))
        least = max(least, search_result.least)
        if search_result.verdict != "unknown":
            break
    search_result = structs.replace(search_result, least=least)
    if search_result.verdict != "plan":
        return search, search_result, None
    plan = _calls(house, [turn for turn in model.turns(search_result.steps) if turn])
    return search, search_result, plan if plan and not failure(house, plan) else None


def _calls(house: House, turns: Sequence[Mapping[int, GroundStep]]) -> tuple[tuple[str, ...], ...] | None:
    """The calls of a plan, turn by turn, in the order of seats; an agent without an act waits.

    ``None`` if no call leads to a spot from which an agent can do what it does next.
    """
    plan = [[str(WAIT)] * len(house.agents) for _ in turns]
    spots = [house.start_spot[agent] for agent in house.agents]
    for number, turn in enumerate(turns):
        for k, step in turn.items():
            if step.rule == WALK:
                walk = _walk(house, spots[k], step, _used(k, turns[number + 1 :], house))
                if walk is None:
                    return None
                call, spots[k] = walk
            else:
                call = call_of(house, step)
            plan[number][k] = str(call)
    return tuple(map(tuple, plan))


def _walk(house: House, spot: int, step: GroundStep, pieces: Collection[str]) -> tuple[Command, int] | None:
    """A call for a walk, and where it leads from ``spot``: within reach of the ``pieces`` that are used there.

    A call names furniture, and an agent that has it in reach stays where it is: then another piece is named.
    """
    own = call_of(house, step)
    room = house.spot_room[house.spot_index[_ground_step(house, step)[1]["?t"]]]
    inside = [f for f, place in house.room_of.items() if place == room]
    for target in dict.fromkeys((*(own.args if own else ()), *pieces, room, *inside)):
        led = house.spot_index[f"centre:{target}"] if target in house.rooms else house.stand(spot, target)
        if house.spot_room[led] == room and house.reaches[led].issuperset(pieces):
            return Command("Navigate", (target,)), led
    return None


def _used(k: int, turns: Sequence[Mapping[int, GroundStep]], house: House) -> list[str]:
    """The furniture that agent ``k`` acts on before its next walk."""
    pieces: list[str] = []
    for step in (turn[k] for turn in turns if k in turn):
        if step.rule == WALK:
            break
        names = (*step.values, step.rule.partition("__")[2])
        pieces += [name for name in names if name in house.room_of]
    return pieces


def call_of(house: House, step: GroundStep) -> Command | None:
    """The call of a step; ``None`` for a walk to a spot that no call leads to."""
    rule, values = _ground_step(house, step)
    if rule.tool == "Navigate":
        kind, _, name = values["?t"].partition(":")
        return Command("Navigate", (name,)) if kind in ("centre", "stand") else None
    if rule.tool == "Place":
        relation = "within" if step.rule == "place_within" else "on"
        return Command("Place", (values["?o"], relation, values["?f"]))
    entity = values.get("?o") or values.get("?f") or step.rule.partition("__")[2]
    return Command(rule.tool, (entity,))


def _ground_step(house: House, step: GroundStep) -> tuple[Rule, dict[str, str]]:
    """The rule of a step, and the values of its parameters."""
    rule = next(rule for rule in house.rules if rule.name == step.rule)
    return rule, {name: value for (name, _), value in zip(rule.parameters, step.values, strict=True)}


def _bare(house: House, plan: Sequence[Sequence[str]]) -> tuple[tuple[str, ...], ...]:
    """The plan without unnecessary calls, which a planner may include because acts are free."""
    calls = [list(turn) for turn in plan]
    for turn in calls:
        for k, call in enumerate(turn):
            turn[k] = str(WAIT)
            if failure(house, calls):
                turn[k] = call
    return tuple(map(tuple, calls))


def failure(house: House, plan: Sequence[Sequence[str]]) -> str:
    """The reason why ``plan`` does not reach the goal in the simulator; empty if it does."""
    engine = HouseEngine(house)
    failed: list[str] = []
    for number, calls in enumerate(plan):
        if len(calls) != len(house.agents):
            return f"turn {number} has {len(calls)} calls for {len(house.agents)} agents"
        commands: list[Command] = []
        for agent, call in zip(house.agents, map(parse, calls), strict=True):
            if isinstance(call, Malformed):
                return f"turn {number}: {call.text}"
            if not house.task.allows(agent, call.tool):
                return f"turn {number}: {agent} may not use {call.tool}"
            commands.append(call)
        results = zip(house.agents, calls, engine.step(commands), strict=True)
        failed += [
            f"turn {number}: {call} of {agent}: {answer}" for agent, call, (ok, answer) in results if not ok
        ]
    if all(holds(engine, literal) for literal in physical(house.goal)):
        return ""
    return "; ".join((f"after its {len(plan)} turns the goal does not hold", *failed[:1]))
