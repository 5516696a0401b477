"""Epistemic chain breakdown (table 4, appendix C.2): 8 of the paper's 40 audited failures.

A fact of the goal holds at the end, but the agents of its ``K`` chain do not have the required knowledge. Knowledge is
that of the simulator's own log, extended by free text about a fact that its writer knows.
"""

from __future__ import annotations

from otherminds.epistemic import formula
from otherminds.epistemic.formula import KnowledgeChain, Literal, atom, physical
from otherminds.epistemic.household_facts import Act, Sent
from otherminds.epistemic.predicates import positive
from otherminds.epistemic.words import Fact
from otherminds.measures.household.patterns.found import Found, pattern
from otherminds.measures.household.patterns.mentions import Reader
from otherminds.measures.household.patterns.targets import triggers
from otherminds.measures.household.trace import Trace


@pattern("chain")
def chain(seen: Trace) -> tuple[Found, ...]:
    """One for each chain that was not established, at the turn since which its fact holds.

    Its seat is the agent that should have sent a message: the outermost agent of the longest established suffix of the
    chain, or else the agent that achieved the fact.
    """
    reader = Reader(seen)
    found: list[Found] = []
    for name, asked in seen.asked.items():
        since = seen.since(asked.fact)
        if name.startswith(formula.K_PROBE) and since is not None and seen.entitled.get(name) is None:
            known = spread(seen, reader, asked.fact, since)
            if asked.agents not in known:
                found.append(_broken(seen, asked, since, known))
    return tuple(found)


def spread(seen: Trace, reader: Reader, fact: Literal, since: int) -> set[tuple[str, ...]]:
    """The chains of agents that are established for a fact which holds after ``since`` turns.

    Agents that achieved it, or were in its room since, know it. A message with the content c from x to y gives K_y c,
    K_y K_x c and K_x K_y c if x knew c before that turn.
    """
    known = {
        asked.agents
        for name, asked in seen.asked.items()
        if positive(asked.fact) == positive(fact) and seen.entitled.get(name) is not None
    }
    known |= {(seat,) for seat in _witnesses(seen, fact, since)}
    before, turn = frozenset(known), since
    for sent in seen.messages:
        if sent.turn < since:
            continue
        if sent.turn != turn:
            before, turn = frozenset(known), sent.turn
        for content in _contents(reader, sent, fact):
            if formula.behind(sent.sender, content) not in before:
                continue
            known.update(*(formula.shared(sent.sender, hearer, content) for hearer in sent.delivered))
    return known


def _contents(reader: Reader, sent: Sent, fact: Literal) -> list[tuple[str, ...]]:
    """The agents that a message states to know a fact; an empty tuple for the fact itself."""
    found: list[tuple[str, ...]] = []
    for statement in sent.statements:
        if isinstance(statement, Fact):
            parts = formula.chains(statement.formula)
            found += [part.agents for part in parts if positive(part.fact) == positive(fact)]
            found += [()] if positive(fact) in map(positive, physical(statement.formula)) else []
    free = (reader.reports(sentence, fact) for sentence in (*sent.unread, *sent.asides))
    return found + [agents for agents in free if agents is not None]


def _witnesses(seen: Trace, fact: Literal, since: int) -> set[str]:
    names = atom(fact).args
    places = {seen.task.rooms[name] for name in names if name in seen.task.rooms}
    did = {act.seat for act in _makers(seen, fact, since)}
    return did | {act.seat for act in seen.log if act.turn >= since - 1 and act.room in places}


def _makers(seen: Trace, fact: Literal, since: int) -> list[Act]:
    names = {*atom(fact).args, *triggers(seen, atom(fact).args[0])}
    return [act for act in seen.done() if act.turn == since - 1 and names & set(act.args)]


def _broken(seen: Trace, asked: KnowledgeChain, since: int, known: set[tuple[str, ...]]) -> Found:
    whole = [part.agents for part in formula.suffixes(asked) if part.agents in known]
    makers = _makers(seen, asked.fact, since)
    seat = whole[-1][0] if whole else makers[0].seat if makers else asked.agents[-1]
    knows = " knows that ".join(asked.agents)
    why = f"{formula.show(asked.fact)} holds, and that {knows} knows it was never established"
    return Found(max(since - 1, 0), seat, why)
