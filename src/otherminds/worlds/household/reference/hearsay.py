"""How something came to be known, whose secret a text is, and what follows from what was said."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from otherminds.core.data import Seat
from otherminds.epistemic.formula import And, Formula, Know, KnowledgeChain, chains
from otherminds.epistemic.predicates import positive
from otherminds.epistemic.words import Asks, Doing, Must, Statement

GRANTED = re.compile(r"(agent_[0-9]+) was told: (.*)", re.ASCII | re.DOTALL)
"""How the secret of another agent is granted."""


@dataclass
class Provenance:
    """How a statement came to be known.

    ``source`` is who told it, the agent itself for its own secrets and findings;
    ``turn`` when; ``holders`` who is known to know it, itself among them; ``tellers``
    are those who told it. What is ``derived`` was never said, but follows from what was.
    ``passed`` is the turn at which the agent itself last told it.
    """

    source: Seat
    turn: int
    holders: set[Seat]
    tellers: set[Seat] = field(default_factory=set[Seat])
    derived: bool = False
    passed: int = 0


def implied(statement: Statement) -> tuple[Statement, ...]:
    """What goes with a statement.

    Whoever asks for something, or will see to it, says that it is wanted; and what
    somebody is to know in the end has to be so.
    """
    if isinstance(statement, Asks | Doing):
        return (statement.goal,)
    if isinstance(statement, Must):
        return tuple(Must(positive(chain.fact)) for chain in chains(statement.formula))
    return ()


def chain_of(formula: Formula) -> KnowledgeChain | None:
    """A fact, or knowledge of one, as a chain; None for several facts at once."""
    agents: list[Seat] = []
    while isinstance(formula, Know):
        agents.append(formula.agent)
        formula = formula.inside
    return None if isinstance(formula, And) else KnowledgeChain(tuple(agents), formula)


def owned(text: str, seat: Seat) -> tuple[Seat, str]:
    """Whose secret a text is, and the secret."""
    granted = GRANTED.fullmatch(text)
    return (granted[1], granted[2]) if granted else (seat, text)


def numbered(agent: Seat) -> int:
    """The number of a seat.

    >>> numbered("agent_12")
    12
    """
    return int(agent.rpartition("_")[2])
