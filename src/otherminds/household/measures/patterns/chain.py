"""Epistemic chain breakdown (table 4, appendix C.2): 8 of the paper's 40 audited failures.

A fact of the goal holds at the end, but the agents of its ``K`` chain do not have the required knowledge. Knowledge is that
of the simulator's own log. A record without it (of an older version, or written by hand) has what agents saw and what
messages conveyed: there the rule of the log (:mod:`otherminds.household.epistemic.knowing`) is applied to the messages, and agents that
achieved a fact, or were in its room since, know it. A chain that depends on a message which was not read is no finding.
"""

from __future__ import annotations

from collections.abc import Iterable

from otherminds.household.epistemic import formula
from otherminds.household.epistemic.formula import KnowledgeChain, Literal, atom, claims
from otherminds.household.epistemic.household_facts import Act, Sent
from otherminds.household.epistemic.knowing import learned, tellable
from otherminds.household.epistemic.predicates import positive, positive_chain
from otherminds.household.epistemic.words import Fact
from otherminds.household.measures.patterns.found import Found, pattern
from otherminds.household.measures.patterns.targets import triggers
from otherminds.household.measures.trace import Trace


@pattern("chain")
def chain(seen: Trace) -> tuple[Found, ...]:
    """One for each chain that was not established, at the turn since which its fact holds.

    Its seat is the agent that should have sent a message: the outermost agent of the longest established suffix of the
    chain, or else the agent that achieved the fact.
    """
    found: list[Found] = []
    for name, asked in seen.asked.items():
        since = seen.since(asked.fact)
        if name.startswith(formula.K_PROBE) and since is not None and seen.entitled.get(name) is None:
            known, possible = established(seen, name, since)
            if positive_chain(asked) not in possible:
                found.append(_broken(seen, asked, since, known))
    return tuple(found)


def established(seen: Trace, name: str, since: int) -> tuple[set[KnowledgeChain], set[KnowledgeChain]]:
    """The known and the possibly known chains of the fact of a goal's chain, which holds after ``since`` turns.

    The log gives of these only those that matter here: the suffixes of the chain.
    """
    asked = seen.asked[name]
    fact = positive(asked.fact)
    known = {
        positive_chain(one)
        for other, one in seen.asked.items()
        if positive(one.fact) == fact and seen.entitled.get(other) is not None
    }
    if name in seen.tests:
        status = seen.questions[seen.tests[name].probe].known
        return known, known | ({positive_chain(asked)} if status in ("holds", "unread") else set())
    known |= {KnowledgeChain((seat,), fact) for seat in _witnesses(seen, fact, since)}
    return _spread(seen, known, fact, since, guess=False), _spread(seen, known, fact, since, guess=True)


def _spread(
    seen: Trace, known: set[KnowledgeChain], fact: Literal, since: int, guess: bool
) -> set[KnowledgeChain]:
    """The chains known after all messages; with ``guess``, sentences that were not read state all that their writer knows."""
    known, before, turn = {*known}, frozenset(known), since
    for sent in seen.messages:
        if sent.turn < since:
            continue
        if sent.turn != turn:
            before, turn = frozenset(known), sent.turn
        contents: Iterable[KnowledgeChain] = _contents(sent, fact)
        if guess and sent.may_concern(atom(fact).args):
            contents = [*contents, *tellable(sent.sender, before)]
        known.update(learned(sent.sender, sent.delivered, contents, before.__contains__))
    return known


def _contents(sent: Sent, fact: Literal) -> list[KnowledgeChain]:
    """The chains that a message states about a fact."""
    parts = [part for one in sent.statements if isinstance(one, Fact) for part in claims(one.formula)]
    return [positive_chain(part) for part in parts if positive(part.fact) == fact]


def _witnesses(seen: Trace, fact: Literal, since: int) -> set[str]:
    names = atom(fact).args
    places = {seen.task.rooms[name] for name in names if name in seen.task.rooms}
    did = {act.seat for act in _makers(seen, fact, since)}
    return did | {act.seat for act in seen.log if act.turn >= since - 1 and act.room in places}


def _makers(seen: Trace, fact: Literal, since: int) -> list[Act]:
    names = {*atom(fact).args, *triggers(seen, atom(fact).args[0])}
    return [act for act in seen.done() if act.turn == since - 1 and names & set(act.args)]


def _broken(seen: Trace, asked: KnowledgeChain, since: int, known: set[KnowledgeChain]) -> Found:
    whole = [part.agents for part in formula.suffixes(positive_chain(asked)) if part in known]
    makers = _makers(seen, asked.fact, since)
    seat = whole[-1][0] if whole else makers[0].seat if makers else asked.agents[-1]
    knows = " knows that ".join(asked.agents)
    why = f"{formula.show(asked.fact)} holds, and that {knows} knows it was never established"
    return Found(max(since - 1, 0), seat, why)
