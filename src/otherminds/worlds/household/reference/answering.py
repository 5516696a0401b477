"""Answers to literal probes, from what was worked out while playing."""

from __future__ import annotations

from otherminds.core.data import Answer, Question
from otherminds.epistemic.formula import Chain
from otherminds.epistemic.probing import UNKNOWN
from otherminds.epistemic.words import Fact, read
from otherminds.worlds.household.probes import answer_of, foreseen
from otherminds.worlds.household.reference.hearsay import chain_of
from otherminds.worlds.household.reference.knowledge import Knowledge


def asked(question: Question) -> Chain | None:
    """What a probe is about, by its text: the next agents, and the fact; None if it is no such probe."""
    _, colon, said = question.text.partition("about: ")
    for statement in read(said) if colon else ():
        if isinstance(statement, Fact):
            inner = chain_of(statement.formula)
            return inner and Chain((*foreseen(question), *inner.agents), inner.fact)
    return None


def reported(knowledge: Knowledge, chain: Chain | None) -> Answer:
    """What the chain's agents are taken to believe; with no agents in it, what oneself believes."""
    if chain is None:
        return dict(UNKNOWN)
    return answer_of(chain.fact, knowledge.models.holds(chain.agents, chain.fact))
