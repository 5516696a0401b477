"""Literal probes: every chain of ``K`` in a goal becomes a question at the end (Juneja et al. 2026, appendix H).

A chain of depth 1 asks its agent for the fact. A deeper one asks what the next agent would
report, or would say that the one after it would report. Each is put with its foils (:mod:`.foils`),
under names that do not tell which is which. The truth of a question about a fact is the world; that of one
about what others would report is what the log entitles them to (:mod:`.entitled`). The paper takes for the
truth what the next agent did answer when it was asked so: for that the parts of chains are
asked too, as *helpers*, which count for no other score.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from hashlib import sha256
from typing import Any
from weakref import WeakKeyDictionary

from otherminds.core.contracts import Probe
from otherminds.core.data import Question
from otherminds.epistemic.formula import KnowledgeChain, Literal, Not, atom, depth, show
from otherminds.epistemic.household_facts import HELPER, K_PROBE, UNKNOWN, Trial, probed
from otherminds.epistemic.words import Fact, say
from otherminds.worlds.household.foils import foils
from otherminds.worlds.household.house import House

WOULD = re.compile(r"(agent_[0-9]+) would ", re.ASCII)
PROBE = "probe_"
"""Names of probes and foils alike begin so."""


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


def question_of(name: str, chain: KnowledgeChain) -> Question:
    """The question called ``name``: three answers, that it holds, that it does not, and not to know."""
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
    )


class Probed:
    """The probes of a task. ``chains`` gives, by question id, the chain that a question is about.

    ``tests`` gives each chain of the goal, by its name (:func:`~otherminds.epistemic.household_facts.probed`), as it is put.
    """

    def __init__(self, house: House) -> None:
        self.depth = depth(house.goal)
        named = probed(house.goal)
        goal = {name: chain for name, chain in named.items() if name.startswith(K_PROBE)}
        others = {
            name: tuple(KnowledgeChain(chain.agents, fact) for fact in foils(house, chain))
            for name, chain in goal.items()
        }
        put = dict.fromkeys([*goal.values(), *(foil for group in others.values() for foil in group)])
        by_hash = sorted(put, key=lambda chain: sha256(show(chain.formula).encode()).digest())
        ids = {chain: f"{PROBE}{k}" for k, chain in enumerate(by_hash)}
        helpers = {
            name: chain for name, chain in named.items() if name.startswith(HELPER) and chain not in ids
        }
        helped = {chain: name for name, chain in helpers.items()} | ids
        self.chains: dict[str, KnowledgeChain] = {name: chain for chain, name in ids.items()} | helpers
        self.tests = {
            name: Trial(
                ids[chain],
                tuple(ids[foil] for foil in others[name]),
                helped[KnowledgeChain(chain.agents[1:], chain.fact)] if chain.agents[1:] else "",
            )
            for name, chain in goal.items()
        }

    @property
    def followed(self) -> dict[str, KnowledgeChain]:
        """What the log has to follow: of each question the report that it asks for, the asked agent's own, and
        what the asked agent knows of the report."""
        found: dict[str, KnowledgeChain] = {}
        for name, chain in self.chains.items():
            found[own(name)] = KnowledgeChain(chain.agents[:1], chain.fact)
            found[name] = KnowledgeChain(chain.agents[1:], chain.fact)
            found[of_report(name)] = chain
        return found

    def probes(self) -> tuple[Probe, ...]:
        """The questions, at the end of the episode."""
        return tuple(Probe(question_of(name, chain)) for name, chain in self.chains.items())


_KNOWN: WeakKeyDictionary[House, Probed] = WeakKeyDictionary()


def probes_of(house: House) -> Probed:
    """The probes of a task, made once."""
    if house not in _KNOWN:
        _KNOWN[house] = Probed(house)
    return _KNOWN[house]


def own(name: str) -> str:
    """What the log calls the asked agent's own knowledge of what a question is about."""
    return f"own {name}"


def of_report(name: str) -> str:
    """What the log calls the asked agent's knowledge of the report that a question asks for."""
    return f"of report {name}"
