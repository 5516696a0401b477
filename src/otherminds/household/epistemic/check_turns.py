"""The fewest joint turns in which parts of a goal can hold if agents know all secrets, for the checker (:mod:`.check`).

In a turn the agents act in their order, each at most once, and all choose at its start. Hence an object is taken only from
where it rests at the start of the turn; and an object that rests in closed furniture at first, only if it was in open
furniture at the start of this or an earlier turn. All else that the rules of the problem allow is allowed.

The lower bound is the number of turns in a projection (:mod:`.check_projection`), of which all plans with fewer turns are
searched, but for walks that an agent could make later, since its position matters for its own acts only.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from otherminds.household.epistemic.certificate import Known, PlanAct, Words
from otherminds.household.epistemic.check_places import RESTS, hidden_at_start
from otherminds.household.epistemic.check_projection import TurnProjection
from otherminds.household.epistemic.check_rules import ProblemRules, RejectedError, bound, need

MOST = 200_000
"""The largest number of states that are searched."""


def after_turns(rules: ProblemRules, turns: Sequence[Sequence[PlanAct]]) -> set[Words]:
    """The facts that hold after turns of acts.

    Raises:
        RejectedError: an act is not possible.
    """
    problem, actions = rules.problem, {action.name: action for action in rules.problem.actions}
    state, hidden = {*problem.start}, hidden_at_start(rules)
    for turn in turns:
        before = frozenset(state)
        hidden -= {fact[1] for fact in before if fact[0] == "is_inside" and ("is_open", fact[2]) in before}
        actors = [
            seat for act in turn for seat, agent in enumerate(problem.agents) if (agent,) == act.values[:1]
        ]
        need(
            len(actors) == len(turn) and actors == sorted({*actors}),
            "agents act in their order, each once a turn",
        )
        for act in turn:
            rules.tick()
            action = actions.get(act.action)
            if action is None or len(action.parameters) != len(act.values):
                raise RejectedError(f"no action {act}")
            values = dict(zip(dict(action.parameters), act.values, strict=True))
            needs = bound(action.needs, values)
            typed = all(
                name in rules.names.get(kind, ())
                for (_, kind), name in zip(action.parameters, act.values, strict=True)
            )
            able = typed and all(fact in state or fact in rules.static for fact in needs)
            need(able, f"{act}: a need does not hold")
            for fact in needs:
                knowable = fact[0] not in RESTS or (
                    fact in before and (fact[0] != "is_inside" or fact[1] not in hidden)
                )
                need(knowable, f"{act}: nobody can know that at the start of the turn")
            state -= {*bound(action.removes, values)}
            state |= {*bound(action.adds, values)}
    return state


def fewest_turns(rules: ProblemRules, tracked: Iterable[Words], parts: Sequence[Known], most: int) -> int:
    """The number of turns after which all parts may hold in the projection to ``tracked``; ``most`` if it is not less.

    Raises:
        RejectedError: there is no such projection, a part is not tracked, or too many states would have to be searched.
    """
    projection = TurnProjection(rules, tracked)
    agents = [projection.agent(agent) for agent in rules.problem.agents]
    looks, ways = [*projection.looks()], [projection.ways(literal) for _, literal in parts]
    settled, start = projection.settled_facts(), projection.start()
    for agent in agents:
        start |= agent.here
    front, visited, count = {start | settled}, [set[int]() for _ in agents], 0
    for turn in range(most):
        if any(all(state & way for way in ways) for state in front):
            return turn
        for agent, earlier in zip(agents, visited, strict=True):
            rules.tick()
            front -= earlier
            earlier |= front
            count += len(front)
            need(count <= MOST, f"the projection has more than {MOST} states")
            front = {after for state in front for after in agent.moves(state)}
        front = {_add_sightings(state | settled, looks) for state in front}
    return most


def _add_sightings(state: int, looks: Iterable[tuple[int, int]]) -> int:
    """The state in which all have looked."""
    for facts, sighting in looks:
        if state & facts == facts:
            state |= sighting
    return state
