"""The rule by which messages make agents know: the log of the simulator and the measures of records share it.

A truthful message with the content c from x to y gives K_y c, K_y K_x c and K_x K_y c. It is truthful if x knew c before the
turn in which it was sent: a statement that its sender does not know creates no knowledge, even if it is true. A sentence that
was not read may state anything that its sender knew.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TypeAlias

from otherminds.household.epistemic.formula import KnowledgeChain, behind, shared

Knew: TypeAlias = Callable[[KnowledgeChain], bool]
"""Whether a chain was known before the turn of a message."""


def known_to(agent: str, content: KnowledgeChain) -> KnowledgeChain:
    """``K agent`` applied to a content."""
    return KnowledgeChain(behind(agent, content.agents), content.fact)


def learned(
    sender: str, hearers: Iterable[str], contents: Iterable[KnowledgeChain], knew: Knew
) -> Iterator[KnowledgeChain]:
    """The chains that a message from ``sender`` establishes in ``hearers``, given what was known before."""
    stated = [content for content in contents if knew(known_to(sender, content))]
    for hearer in hearers:
        for content in stated:
            yield from (
                KnowledgeChain(agents, content.fact) for agents in shared(sender, hearer, content.agents)
            )


def tellable(sender: str, chains: Iterable[KnowledgeChain]) -> Iterator[KnowledgeChain]:
    """All contents that ``sender`` could state truthfully: the chains that it knows, with itself in front and without."""
    for chain in chains:
        if chain.agents[:1] == (sender,):
            yield chain
            yield KnowledgeChain(chain.agents[1:], chain.fact)
