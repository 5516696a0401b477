"""The claims that the checker proves by exhausting a small space (:mod:`.check`): states, ways to send messages, joint turns.

*Apart*: whether literals can hold together, whatever agents know. The problem is projected to some *tracked* facts. A state
is the set of those that hold; an action is possible if the tracked and the static facts that it needs hold, whatever else it
needs. Each state of the problem is thus one of the projection, all states of which are searched.

*Untold*: whether messages of one statement each can establish a chain of knowledge. A message with the content c from x to y
establishes K_y c, K_y K_x c and K_x K_y c; x knows c, and has a message less. A chain is relevant if it is the wanted one, or
if a message that establishes a relevant one needs its sender to know it. At the start agents know all relevant chains but
those in ``unseen``, of which they never come to know one by looking. All sets of known relevant chains, with the messages
that are left, are searched: if the wanted one is in none of them, no plan establishes it, since every plan's messages are
among those that are tried, and other acts only end knowledge.

*Shortest*: the fewest joint turns in which parts of a goal can hold if agents know all secrets. In a turn the agents act in
their order, each at most once, and all choose at its start. Hence an object is taken only from where it rests at the start of
the turn; and an object that rests in closed furniture at first, only if it was in open furniture at the start of this or an
earlier turn. All else that the rules of the problem allow is allowed. The lower bound is the number of turns in a projection
(:mod:`.check_projection`), of which all plans with fewer turns are searched, but for walks that an agent could make later,
since its position matters for its own acts only."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple, TypeAlias

from otherminds.household.epistemic.certificate import (
    EpistemicProblem,
    Known,
    PlanAct,
    ProblemAction,
    Words,
    variable,
)
from otherminds.household.epistemic.check_projection import RESTS, TurnProjection, hidden_at_start
from otherminds.household.epistemic.check_rules import (
    ProblemRules,
    RejectedError,
    Values,
    behind,
    bound,
    need,
)

Facts: TypeAlias = frozenset[Words]
MOST_STATES = 20_000
"""The largest number of states that are searched."""
OTHER = ""
"""The value of a parameter that no tracked fact has."""


def may_hold_together(rules: ProblemRules, parts: Collection[Known], tracked: Iterable[Words]) -> bool:
    """Whether all literals in ``parts`` hold in a state of the projection to ``tracked``.

    Raises:
        RejectedError: a way in which a literal holds is not tracked, or too many states would have to be searched.
    """
    facts = frozenset(tracked)
    ways = [frozenset(rules.problem.literals[literal]) for _, literal in parts]
    need(all(way and way <= facts for way in ways), "a literal is not tracked")
    need(not any(OTHER in fact for fact in facts), "a tracked fact has an empty name")
    acts = {act for action in rules.problem.actions for act in _project_action(rules, action, facts)}
    start = facts.intersection(rules.problem.start)
    visited, waiting = {start}, [start]
    while waiting:
        rules.tick()
        state = waiting.pop()
        if not any(way.isdisjoint(state) for way in ways):
            return True
        for needs, adds, removes in acts:
            if needs <= state and (after := state - removes | adds) not in visited:
                visited.add(after)
                waiting.append(after)
        need(len(visited) <= MOST_STATES, f"the projection has more than {MOST_STATES} states")
    return False


def _project_action(
    rules: ProblemRules, action: ProblemAction, facts: Facts
) -> Iterator[tuple[Facts, Facts, Facts]]:
    """What an action needs, adds and removes of the facts, with all values of its parameters."""
    predicates, words = {fact[0] for fact in facts}, {word for fact in facts for word in fact[1:]}
    relevant = [
        pattern for pattern in (*action.needs, *action.adds, *action.removes) if pattern[0] in predicates
    ]
    names = {word for pattern in relevant for word in pattern if variable(word)}
    typed = {name: {*rules.names.get(kind, ())} for name, kind in action.parameters if name in names}
    choices = {
        name: [*(candidates & words), *([OTHER] if candidates - words else ())]
        for name, candidates in typed.items()
    }
    static = [pattern for pattern in action.needs if pattern[0] not in rules.changing]
    for values in _choose_values(rules, static, choices, {}):
        needs, adds, removes = (
            facts.intersection(bound(patterns, values))
            for patterns in (action.needs, action.adds, action.removes)
        )
        if adds or removes:
            yield needs, adds, removes


def _choose_values(
    rules: ProblemRules, static: Collection[Words], choices: Mapping[str, Collection[str]], values: Values
) -> Iterator[Values]:
    """All choices of values for parameters with which no static fact is missing."""
    rules.tick()
    complete = (
        pattern
        for pattern in bound(static, values)
        if OTHER not in pattern and not any(map(variable, pattern))
    )
    if not rules.static.issuperset(complete):
        return
    name = next((parameter for parameter in choices if parameter not in values), None)
    if name is None:
        yield values
        return
    for value in choices[name]:
        yield from _choose_values(rules, static, choices, values | {name: value})


MOST_MESSAGES = 20_000
"""The largest number of states that are searched."""


class _Message(NamedTuple):
    """The number of its sender, the bit of the chain that this one must know, and the bits of those that are established."""

    sender: int
    needs: int
    gives: int


def can_be_told(rules: ProblemRules, target: Known, unseen: Collection[Known]) -> bool:
    """Whether some messages may establish the chain ``target``.

    Raises:
        RejectedError: too many states would have to be searched.
    """
    problem = rules.problem
    chains = relevant_chains(problem, target)
    bits = {chain: 1 << number for number, chain in enumerate(chains)}
    messages = [*_messages(problem, bits)]
    free = [message for message in messages if problem.agents[message.sender] not in problem.budgets]
    counted = [message for message in messages if problem.agents[message.sender] in problem.budgets]
    knowledge = sum(bit for chain, bit in bits.items() if chain not in unseen or chain in problem.known)
    start = _spread(knowledge, free), tuple(problem.budgets.get(agent, 0) for agent in problem.agents)
    visited, waiting = {start}, [start]
    while waiting:
        knowledge, remaining = waiting.pop()
        if knowledge & bits[target]:
            return True
        rules.tick()
        for message in counted:
            if remaining[message.sender] > 0 and knowledge & message.needs and message.gives & ~knowledge:
                fewer = (
                    *remaining[: message.sender],
                    remaining[message.sender] - 1,
                    *remaining[message.sender + 1 :],
                )
                after = _spread(knowledge | message.gives, free), fewer
                if after not in visited:
                    visited.add(after)
                    waiting.append(after)
        need(len(visited) <= MOST_MESSAGES, f"there are more than {MOST_MESSAGES} ways to send messages")
    return False


def relevant_chains(problem: EpistemicProblem, target: Known) -> tuple[Known, ...]:
    """The chains that are relevant for ``target``, with it."""
    relevant, waiting = dict[Known, None](), [target]
    while waiting:
        chain = waiting.pop()
        if chain not in relevant:
            relevant[chain] = None
            agents, literal = chain
            waiting += [behind(sender, (agents[1:], literal)) for sender in problem.agents]
            waiting += [behind(sender, (agents[2:], literal)) for sender in agents[:2] if agents[1:]]
    return tuple(relevant)


def _messages(problem: EpistemicProblem, bits: dict[Known, int]) -> Iterator[_Message]:
    contents = {(agents[skipped:], literal) for agents, literal in bits for skipped in (1, 2)}
    for number, sender in enumerate(problem.agents):
        links = problem.links.get(sender, ())
        for content in sorted(contents):
            needs = bits.get(behind(sender, content), 0)
            for hearers in {*((hearer,) for hearer in links), links}:
                gives = 0
                for hearer in hearers:
                    hearer_knows = behind(hearer, content)
                    for chain in (
                        hearer_knows,
                        behind(sender, hearer_knows),
                        behind(hearer, behind(sender, content)),
                    ):
                        gives |= bits.get(chain, 0)
                if needs and gives & ~needs:
                    yield _Message(number, needs, gives)


def _spread(knowledge: int, messages: Collection[_Message]) -> int:
    """What is known when all messages of agents without a limit are sent."""
    before = -1
    while knowledge != before:
        before = knowledge
        for message in messages:
            if knowledge & message.needs:
                knowledge |= message.gives
    return knowledge


MOST_TURNS = 200_000
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
            need(count <= MOST_TURNS, f"the projection has more than {MOST_TURNS} states")
            front = {after for state in front for after in agent.moves(state)}
        front = {_add_sightings(state | settled, looks) for state in front}
    return most


def _add_sightings(state: int, looks: Iterable[tuple[int, int]]) -> int:
    """The state in which all have looked."""
    for facts, sighting in looks:
        if state & facts == facts:
            state |= sighting
    return state
