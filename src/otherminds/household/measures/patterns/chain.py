"""Epistemic chain breakdown (table 4, appendix C.2): 8 of the paper's 40 audited failures.

A fact of the goal holds at the end, but the agents of its ``K`` chain do not have the required knowledge. Knowledge is that
of the simulator's own log. A record without it (of an older version, or written by hand) has what agents saw and what
messages conveyed: there the rule of the log (:mod:`otherminds.household.epistemic.formula`) is applied to the messages, and agents that
achieved a fact, or were in its room since, know it. A chain that depends on a message which was not read is no finding.
"""

from __future__ import annotations

from collections.abc import Iterable

from otherminds.household.epistemic import formula
from otherminds.household.epistemic.formula import KnowledgeChain, Literal, atom, claims, learned, tellable
from otherminds.household.epistemic.household_facts import Act, Sent
from otherminds.household.epistemic.predicates import positive, positive_chain
from otherminds.household.epistemic.words import Fact
from otherminds.household.measures.patterns import Found, pattern
from otherminds.household.measures.patterns.withheld import triggers
from otherminds.household.measures.trace import Trace


@pattern("chain")
def chain(episode: Trace) -> tuple[Found, ...]:
    """One for each chain that was not established, at the turn since which its fact holds.

    Its seat is the agent that should have sent a message: the outermost agent of the longest established suffix of the
    chain, or else the agent that achieved the fact.
    """
    findings: list[Found] = []
    for name, goal_chain in episode.asked.items():
        since = episode.since(goal_chain.fact)
        if name.startswith(formula.K_PROBE) and since is not None and episode.entitled.get(name) is None:
            known_chains, possible = find_established(episode, name, since)
            if positive_chain(goal_chain) not in possible:
                findings.append(_broken(episode, goal_chain, since, known_chains))
    return tuple(findings)


def find_established(
    episode: Trace, name: str, since: int
) -> tuple[set[KnowledgeChain], set[KnowledgeChain]]:
    """The known and the possibly known chains of the fact of a goal's chain, which holds after ``since`` turns.

    The log gives of these only those that matter here: the suffixes of the chain.
    """
    goal_chain = episode.asked[name]
    fact = positive(goal_chain.fact)
    known_chains = {
        positive_chain(asked_chain)
        for other, asked_chain in episode.asked.items()
        if positive(asked_chain.fact) == fact and episode.entitled.get(other) is not None
    }
    if name in episode.tests:
        status = episode.questions[episode.tests[name].probe].known
        return known_chains, known_chains | (
            {positive_chain(goal_chain)} if status in ("holds", "unread") else set()
        )
    known_chains |= {KnowledgeChain((seat,), fact) for seat in _witnesses(episode, fact, since)}
    return _spread(episode, known_chains, fact, since, guess=False), _spread(
        episode, known_chains, fact, since, guess=True
    )


def _spread(
    episode: Trace, known_chains: set[KnowledgeChain], fact: Literal, since: int, guess: bool
) -> set[KnowledgeChain]:
    """The chains known after all messages; with ``guess``, sentences that were not read state all that their writer knows."""
    known_chains, before, turn = {*known_chains}, frozenset(known_chains), since
    for sent in episode.messages:
        if sent.turn < since:
            continue
        if sent.turn != turn:
            before, turn = frozenset(known_chains), sent.turn
        contents: Iterable[KnowledgeChain] = _contents(sent, fact)
        if guess and sent.may_concern(atom(fact).args):
            contents = [*contents, *tellable(sent.sender, before)]
        known_chains.update(learned(sent.sender, sent.delivered, contents, before.__contains__))
    return known_chains


def _contents(sent: Sent, fact: Literal) -> list[KnowledgeChain]:
    """The chains that a message states about a fact."""
    parts = [
        part
        for statement in sent.statements
        if isinstance(statement, Fact)
        for part in claims(statement.formula)
    ]
    return [positive_chain(part) for part in parts if positive(part.fact) == fact]


def _witnesses(episode: Trace, fact: Literal, since: int) -> set[str]:
    names = atom(fact).args
    places = {episode.task.rooms[name] for name in names if name in episode.task.rooms}
    did = {act.seat for act in _makers(episode, fact, since)}
    return did | {act.seat for act in episode.log if act.turn >= since - 1 and act.room in places}


def _makers(episode: Trace, fact: Literal, since: int) -> list[Act]:
    names = {*atom(fact).args, *triggers(episode, atom(fact).args[0])}
    return [act for act in episode.done() if act.turn == since - 1 and names & set(act.args)]


def _broken(
    episode: Trace, goal_chain: KnowledgeChain, since: int, known_chains: set[KnowledgeChain]
) -> Found:
    unbroken = [part.agents for part in formula.suffixes(positive_chain(goal_chain)) if part in known_chains]
    makers = _makers(episode, goal_chain.fact, since)
    seat = unbroken[-1][0] if unbroken else makers[0].seat if makers else goal_chain.agents[-1]
    knows = " knows that ".join(goal_chain.agents)
    why = f"{formula.show(goal_chain.fact)} holds, and that {knows} knows it was never established"
    return Found(max(since - 1, 0), seat, why)
