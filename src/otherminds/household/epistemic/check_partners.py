"""How many tasks of a family one policy solves that ignores what it is told of others' abilities, for the checker.

Family. The *partners* are some agents; in a task of the family each of them has the abilities of another partner: where it
starts and where it may go. All else stays: the house, the goal, what agents are told of goals and mechanics, their links and
their messages. Agents other than the partners have the same abilities, and are told the same but for others' abilities. All
permutations belong to the family with which the goal can be reached with private information (a plan shows that it can),
and none other: with the others it cannot be reached, whatever choosers tell within their limits, and if all others tell all.

Choosers are the agents to which no causal path leads from a partner, in any task of the family. A path leads from x to y if
x may send messages to y, if y may see x, or if x may touch what y may see or touch.

Lemma. Let a policy of all agents ignore what choosers are told of the abilities of others. Then a chooser observes the same,
and hence does and says the same, in all tasks of the family: its brief is the same, and so is all that it sees and hears,
which only choosers have an effect on (by induction over the turns; a random policy is a mixture of deterministic ones). What it
says is at most as many statements as its messages have, and each statement tells one secret. Partners and all other agents
may depend on everything, also on codes, and say all that they know.

Bound. For each choice of the secrets that choosers tell, what agents may come to know follows; a task is not solved by it if for
a part of the goal each action that adds it needs secrets that none knows of those who could be where it is possible. The
share is the largest number of tasks, over all choices, that may be solved, by the number of all tasks. Agents act on what
they know, as in all proofs.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import combinations, permutations, product
from math import comb, prod
from typing import TypeAlias

from msgspec import structs

from otherminds.household.epistemic.certificate import EpistemicProblem, RoleSwap, Words
from otherminds.household.epistemic.check_rules import May, ProblemRules, need

Knowers: TypeAlias = dict[str, frozenset[str]]
"""The secrets that each agent may come to know."""
Ways: TypeAlias = list[list[tuple[str, frozenset[str]]]]
"""For each part of the goal, the agents that could add it, each with the secrets that it must know for that."""
LIMIT = Fraction(1, 4)
"""The largest share of a task that is partner-proof."""
PARTNERS = 5
"""The largest number of partners, of which all permutations are tried."""
CHOICES = 20_000
"""The largest number of choices of what choosers tell."""


def with_roles(problem: EpistemicProblem, roles: Mapping[str, str]) -> EpistemicProblem:
    """The problem in which each agent in ``roles`` has the abilities of another of them.

    Raises:
        RejectedError: these are no agents, or not each has one role.
    """
    swapped = {*roles}
    need(swapped == {*roles.values()} and swapped <= {*problem.agents}, "no permutation of agents")
    owner = {role: agent for agent, role in roles.items()}

    def rename_agents(facts: Sequence[Words]) -> tuple[Words, ...]:
        return tuple(tuple([owner.get(word, word) for word in fact]) for fact in facts)

    return structs.replace(problem, static=rename_agents(problem.static), start=rename_agents(problem.start))


def choosers(rules: ProblemRules, partners: Collection[str]) -> tuple[str, ...]:
    """The agents that no partner has an effect on, in any task of the family.

    Raises:
        RejectedError: a sight is none of what is near or of who is met.
    """
    problem = rules.problem
    for sight in problem.sights:
        relations = [
            pattern[0]
            for pattern in sight.needs
            if pattern[0] in ("sees", "meets") and pattern[1:2] == ("?s",)
        ]
        need(bool(relations), "a sight from anywhere")
    spots = {agent: _spots(problem, [agent]) for agent in problem.agents}
    spots |= dict.fromkeys(partners, _spots(problem, partners))
    near, visible, met = (
        {agent: _beside(problem, name, where) for agent, where in spots.items()}
        for name in ("reaches", "sees", "meets")
    )
    touched = {agent: _bound(problem, objects) for agent, objects in near.items()}
    reached, waiting = set(partners), [*partners]
    while waiting:
        source = waiting.pop()
        for other in problem.agents:
            hears = other in problem.links.get(source, ()) and problem.budgets.get(source, 1) > 0
            # Whoever may be met may meet, as far as the problem says.
            meets = spots[source] & met[other] or spots[other] & met[source]
            if other not in reached and (
                hears or meets or touched[source] & (visible[other] | touched[other] | near[other])
            ):
                reached.add(other)
                waiting.append(other)
    return tuple(agent for agent in problem.agents if agent not in reached)


def check_family(rules: ProblemRules, members: Sequence[RoleSwap], share: str) -> None:
    """Fails unless these are all tasks of a family, and one policy solves at most this share of them, at most a quarter.

    That the tasks can be solved is shown by their plans.
    """
    partners = tuple(members[0].roles) if members else ()
    need(1 < len(partners) <= PARTNERS, f"a family needs 2 to {PARTNERS} partners")
    family, listed = family_of(partners), [member.roles for member in members]
    need(all(roles in family for roles in listed), "these are no roles of the partners")
    solved = solved_by_choice(rules, family, choosers(rules, partners))
    for number, roles in enumerate(family):
        count = listed.count(roles)
        may = any(number in numbers for numbers in solved)
        need(count == 1 or (count == 0 and not may), f"not once in the family: {roles}")
    value = largest_share(solved, [family.index(roles) for roles in listed])
    need(str(value) == share, f"the share is {value}")
    need(value <= LIMIT, f"more than {LIMIT}")


def family_of(partners: Sequence[str]) -> list[dict[str, str]]:
    """All permutations of the abilities of partners, as roles, that first which changes nothing."""
    return [dict(zip(partners, order, strict=True)) for order in permutations(partners)]


def solved_by_choice(
    rules: ProblemRules, family: Sequence[Mapping[str, str]], choosing: Sequence[str]
) -> list[frozenset[int]]:
    """For each choice of what agents in ``choosing`` tell, the numbers of the tasks of a family that may be solved with it.

    Raises:
        RejectedError: there are too many choices.
    """
    problem = rules.problem
    every = know_all(problem, {})
    limits = {
        agent: limit
        for agent in choosing
        if (limit := statements_of(problem, agent)) is not None and limit < len(every[agent])
    }
    count = prod(comb(len(every[agent]), limit) for agent, limit in limits.items())
    need(count <= CHOICES, f"there are more than {CHOICES} choices of what to tell")
    ways = [_ways(rules, roles) for roles in family]
    choices = (combinations(sorted(every[agent]), limit) for agent, limit in limits.items())
    outcomes = list[frozenset[int]]()
    for chosen in product(*choices):
        rules.tick()
        knowers = know_all(problem, dict(zip(limits, chosen, strict=True)))
        outcomes.append(
            frozenset(number for number, task_ways in enumerate(ways) if _is_solved(task_ways, knowers))
        )
    return outcomes


def largest_share(solved: Sequence[frozenset[int]], members: Collection[int]) -> Fraction:
    """The largest share of the tasks with the numbers in ``members`` that may be solved with one choice."""
    return Fraction(max(len(numbers.intersection(members)) for numbers in solved), len(members))


def statements_of(problem: EpistemicProblem, agent: str) -> int | None:
    """The largest number of statements that an agent can send; ``None`` if there is no limit."""
    limit = problem.budgets.get(agent)
    if limit is None or (limit > 0 and not problem.statements):
        return None
    return limit * problem.statements


def know_all(problem: EpistemicProblem, telling: Mapping[str, Collection[str]]) -> Knowers:
    """The secrets that agents may come to know if those in ``telling`` tell only these."""
    needed = {secret for gate in problem.gates for secret in gate.secrets}
    secrets = {
        agent: {secret for who, secret in problem.known if who == (agent,)} & needed
        for agent in problem.agents
    }
    size = -1
    while size != (size := sum(map(len, secrets.values()))):
        for sender, links in problem.links.items():
            if problem.budgets.get(sender, 1) > 0:
                disclosed = secrets[sender].intersection(telling.get(sender, secrets[sender]))
                for hearer in links:
                    secrets[hearer] |= disclosed
    return {agent: frozenset(own) for agent, own in secrets.items()}


def _is_solved(ways: Ways, knowers: Knowers) -> bool:
    return all(any(secrets <= knowers[agent] for agent, secrets in alternatives) for alternatives in ways)


def _ways(rules: ProblemRules, roles: Mapping[str, str]) -> Ways:
    """Who could add each part of the physical goal that does not hold at the start, wherever agents may go."""
    problem = with_roles(rules.problem, roles)
    own = ProblemRules(problem, rules.until)
    start = {*problem.start}

    def may(fact: Words) -> bool:
        if fact[0] == "at":
            return fact in start or ("may_go", *fact[1:]) in own.static
        return fact in own.static if fact[0] not in own.changing else True

    missing = [literal for agents, literal in problem.physical if not agents]
    missing = [literal for literal in missing if start.isdisjoint(problem.literals[literal])]
    return [[*dict.fromkeys(_adding(own, literal, may))] for literal in missing]


def _adding(rules: ProblemRules, literal: str, may: May) -> Iterator[tuple[str, frozenset[str]]]:
    problem = rules.problem
    for fact in problem.literals[literal]:
        for action in problem.actions:
            for pattern in (add for add in action.adds if add[:1] == fact[:1]):
                for agent in problem.agents:
                    for values in rules.instances(action, pattern, fact, agent, may):
                        reasons = rules.reasons(action, values)
                        yield from (
                            (agent, frozenset(secret for _, secret in reason)) for reason in reasons or [[]]
                        )


def _spots(problem: EpistemicProblem, agents: Collection[str]) -> frozenset[str]:
    """Where some agents may ever be."""
    start = {fact[2] for fact in problem.start if fact[0] == "at" and fact[1] in agents}
    return frozenset(
        start | {fact[2] for fact in problem.static if fact[0] == "may_go" and fact[1] in agents}
    )


def _beside(problem: EpistemicProblem, name: str, spots: Collection[str]) -> frozenset[str]:
    return frozenset(fact[2] for fact in problem.static if fact[0] == name and fact[1] in spots)


def _bound(problem: EpistemicProblem, names: Collection[str]) -> frozenset[str]:
    """Things, and all those that an action names together with one of them, as mechanics do."""
    closure, size = {*names}, -1
    mentions = [
        {
            word
            for fact in (*action.needs, *action.adds, *action.removes)
            for word in fact[1:]
            if not word.startswith("?")
        }
        for action in problem.actions
    ]
    while size != (size := len(closure)):
        for mentioned in mentions:
            if not closure.isdisjoint(mentioned):
                closure |= mentioned
    return frozenset(closure)
