"""Literal probes: every chain of ``K`` in a goal becomes a question at the end (Juneja et al. 2026, appendix H).

A chain of depth 1 asks its agent for the fact. A deeper one asks what the next agent would
report; the truth is then what that agent did report, so that it is asked too.
Questions that are only there for that are helpers: their ids begin with ``helper:``,
and they count for no score.
"""

from __future__ import annotations

from typing import Any

from otherminds.core.contracts import Probe
from otherminds.core.data import Question
from otherminds.epistemic.formula import Chain, Formula, Literal, Not, depth
from otherminds.epistemic.probing import probed
from otherminds.epistemic.words import Fact, say

UNKNOWN: dict[str, Any] = {"predicate": "unknown", "holds": None, "args": []}
"""The answer of who does not know."""


def answer_of(fact: Literal, holds: bool | None) -> dict[str, Any]:
    """The structured answer that says whether a fact holds; ``None``: not known.

    >>> from otherminds.epistemic.formula import Atom
    >>> answer_of(Atom("is_open", ("cabinet_31",)), True)
    {'predicate': 'is_open', 'holds': True, 'args': ['cabinet_31']}
    """
    if holds is None:
        return dict(UNKNOWN)
    atom = fact.inside if isinstance(fact, Not) else fact
    return {"predicate": atom.predicate, "holds": holds != isinstance(fact, Not), "args": list(atom.args)}


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
        inner = Chain(tuple(others[1:]), chain.fact).formula
        said = say(Fact(inner), me="" if others else asked).rstrip(".")
        text = f"Predict what {others[0]} would report about: {said}." if others else f"Report about: {said}."
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
