"""What is worth telling beside what is needed for action: confirmations, refusals, and what may be of use."""

from __future__ import annotations

from collections.abc import Iterator

from otherminds.core.data import Seat
from otherminds.epistemic.formula import KnowledgeChain, chains
from otherminds.epistemic.words import Barred, Controls, Fact, Inverse, Mirrors, Must
from otherminds.worlds.household.reference.hearsay import chain_of
from otherminds.worlds.household.reference.needs import InfoNeed, TeamView, Weight
from otherminds.worlds.household.reference.sharing import able, suited


def confirmations(view: TeamView) -> Iterator[InfoNeed]:
    """The next step of what somebody is to know in the end, as far as one knows it oneself."""
    knowledge = view.knowledge
    for chain in knowledge.chains:
        for start in range(len(chain.agents) - 1, -1, -1):
            inner = chain.agents[start + 1 :]
            if not knowledge.models.holds(inner, chain.fact):
                break
            if not knowledge.models.holds(chain.agents[start:], chain.fact):
                content = KnowledgeChain(inner[1:] if inner[:1] == (knowledge.me,) else inner, chain.fact)
                yield InfoNeed(
                    Weight.CHAIN, (chain.agents[start],), _said(view, content, chain.agents[start])
                )
                break


def reports(view: TeamView) -> Iterator[InfoNeed]:
    """That something is as it was wanted, for who told of it."""
    knowledge = view.knowledge
    for goal, heard in knowledge.goals.items():
        if knowledge.achieved(goal):
            for other in sorted(heard.tellers):
                if not knowledge.models.holds((other,), goal):
                    yield InfoNeed(Weight.REPORT, (other,), _said(view, KnowledgeChain((), goal), other))


def refusals(view: TeamView) -> Iterator[InfoNeed]:
    """That one is kept out of where one was told to act, for who told it, if nobody else is left."""
    knowledge = view.knowledge
    me = knowledge.me
    for goal, heard in knowledge.goals.items():
        if not heard.tellers or able(knowledge, me, goal) or knowledge.achieved(goal):
            continue
        others = [other for other in view.reached if other not in heard.holders and view.hearsay]
        if any(able(knowledge, other, goal) for other in heard.holders - heard.tellers - {me}):
            continue
        for statement in () if suited(knowledge, others, goal) else tuple(knowledge.statements):
            if isinstance(statement, Barred) and statement.agent == me:
                yield InfoNeed(Weight.REFUSAL, view.unaware(statement, sorted(heard.tellers)), statement)


def rest(view: TeamView) -> Iterator[InfoNeed]:
    """All else that may be of use: facts, how things work, and what somebody is to know."""
    knowledge = view.knowledge
    for statement, heard in tuple(knowledge.statements.items()):
        own = heard.source == knowledge.me
        if not view.tells(heard) or heard.derived:
            continue
        weight = Weight.REST if own else Weight.GOSSIP
        unaware = view.unaware(statement, view.reached)
        match statement:
            case Fact(formula):
                chain = chain_of(formula)
                if chain is None or not knowledge.achieved(chain.fact):
                    continue
                for other in unaware:
                    if not knowledge.models.holds((other,), chain.fact):
                        yield InfoNeed(weight, (other,), _said(view, chain, other))
            case Inverse() | Mirrors() | Controls():
                yield InfoNeed(weight, unaware, statement)
            case Must(formula) if own and chains(formula):
                yield InfoNeed(weight, unaware, statement)
            case _:
                pass


def _said(view: TeamView, content: KnowledgeChain, hearer: Seat) -> Fact:
    """A fact to be told; who tells what it was told says who knows it, which says more."""
    knowledge = view.knowledge
    source = knowledge.source(content.fact)
    if content.agents or source in (knowledge.me, hearer):
        return Fact(content.formula)
    return Fact(KnowledgeChain((source,), content.fact).formula)
