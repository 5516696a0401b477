"""The shortest plan of a task with all secrets public, found by a planner and replayed in the simulator."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from msgspec import Struct, structs

from otherminds.household.commands import Command, Malformed, parse
from otherminds.household.engine import HouseEngine
from otherminds.household.epistemic.fast_downward import SearchResult, solve
from otherminds.household.epistemic.formula import And, Literal, atom, physical, show
from otherminds.household.goal_check import holds
from otherminds.household.house import House
from otherminds.household.planning.alone import solo_plan
from otherminds.household.planning.cut import PlanNames, by_calls, cut_house
from otherminds.household.planning.joint import GroundStep, joint
from otherminds.household.rules.rule import Rule
from otherminds.household.task import Calibration

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
