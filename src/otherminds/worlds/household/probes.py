"""Literal probes: every chain of ``K`` in a goal becomes a question at the end (Juneja et al. 2026, appendix H).

A chain of depth 1 asks its agent for the fact. A deeper one asks what the next agent would
report, or would say that the one after it would report; the truth is then what that agent
did answer when it was asked so, so that it is asked too.
Questions that are only there for that are helpers: their ids begin with ``helper:``,
and they count for no score.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from otherminds.core.contracts import Probe
from otherminds.core.data import Question
from otherminds.epistemic.formula import Chain, Formula, Literal, Not, atom, depth
from otherminds.epistemic.probing import UNKNOWN, probed
from otherminds.epistemic.words import Fact, say

WOULD = re.compile(r"(agent_[0-9]+) would ", re.ASCII)


def answer_of(fact: Literal, holds: bool | None) -> dict[str, Any]:
    """The structured answer that says whether a fact holds; ``None``: not known.

    >>> from otherminds.epistemic.formula import Atom
    >>> answer_of(Atom("is_open", ("cabinet_31",)), True)
    {'predicate': 'is_open', 'holds': True, 'args': ['cabinet_31']}
    """
    if holds is None:
        return dict(UNKNOWN)
    said = atom(fact)
    return {"predicate": said.predicate, "holds": holds != isinstance(fact, Not), "args": list(said.args)}


def foretold(others: Sequence[str]) -> str:
    """How a question says whose report is asked for: the next agent's, of that of the one after it, and so on.

    >>> foretold(("agent_1", "agent_2"))
    'agent_1 would say that agent_2 would report'
    """
    return f"{' would say that '.join(others)} would report"


def foreseen(question: Question) -> tuple[str, ...]:
    """The agents in the words of :func:`foretold` in a question; none, where its own report is asked for."""
    lead, found, _ = question.text.partition(" would report about: ")
    return tuple(WOULD.findall(lead + " would ")) if found else ()


class Probed:
    """The probes of a goal. ``chains`` gives, by question id, the chain that a question is about."""

    def __init__(self, goal: Formula) -> None:
        self.depth = depth(goal)
        self.chains = probed(goal)
        self._ids = {chain: name for name, chain in self.chains.items()}

    def probes(self) -> tuple[Probe, ...]:
        """The questions, at the end of the episode."""
        return tuple(Probe(self.question(name)) for name in self.chains)

    def question(self, name: str) -> Question:
        """The question called ``name``: three answers, that it holds, that it does not, and not to know."""
        chain = self.chains[name]
        asked, *others = chain.agents
        said = say(Fact(chain.fact))
        text = f"Predict what {foretold(others)} about: {said}" if others else f"Report about: {said}"
        options = (answer_of(chain.fact, True), answer_of(chain.fact, False), answer_of(chain.fact, None))
        return Question(
            id=name,
            seat=asked,
            when="end",
            text=text,
            options=options,
            chance=1 / len(options),
            about=others[0] if others else "",
            truth_is=self._ids[Chain(tuple(others), chain.fact)] if others else "",
        )
