"""Whether messages of one statement each can establish a chain of knowledge, for the checker (:mod:`.check`).

A message with the content c from x to y establishes K_y c, K_y K_x c and K_x K_y c; x knows c, and has a message less. A
chain is relevant if it is the wanted one, or if a message that establishes a relevant one needs its sender to know it. At
the start agents know all relevant chains but those in ``unseen``, of which they never come to know one by looking. All sets
of known relevant chains, with the messages that are left, are searched: if the wanted one is in none of them, no plan
establishes it, since every plan's messages are among those that are tried, and other acts only end knowledge.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import NamedTuple

from otherminds.household.epistemic.certificate import EpistemicProblem, Known
from otherminds.household.epistemic.check_closure import behind
from otherminds.household.epistemic.check_rules import ProblemRules, need

MOST = 20_000
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
        need(len(visited) <= MOST, f"there are more than {MOST} ways to send messages")
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
