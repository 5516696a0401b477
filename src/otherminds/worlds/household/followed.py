"""The chains of knowledge that the log of a task follows, and what is known at the start: equal for all its episodes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType

from otherminds.epistemic import formula
from otherminds.epistemic.formula import KnowledgeChain, Literal, atom, behind, claims, shared
from otherminds.epistemic.predicates import opposed, positive, positive_chain
from otherminds.epistemic.words import Fact
from otherminds.epistemic.words.free import Gathered, gathered
from otherminds.worlds.household.goal_check import Watch, implies, watch
from otherminds.worlds.household.house import House
from otherminds.worlds.household.task import Task

Chains = frozenset[KnowledgeChain]


class Followed:
    """The chains that can affect the goal's chains and ``reports``, both by name. A report without agents is about the world.

    ``chains`` are grouped by their fact, each with its agents as bits; the opposites of facts are included. A message adds
    agents only in front of a content that some agent knew before. Hence it is sufficient to follow each suffix of a chain
    behind each agent. ``implying`` has, for each chain with agents of interest and its opposite, the followed chains that
    imply it. It does not refer to the house, so that a cache by house can hold it. ``known`` and ``possible`` are the chains that hold at the start by the secrets.
    """

    def __init__(self, house: House, reports: Mapping[str, KnowledgeChain] = MappingProxyType({})) -> None:
        self.goal = {name: positive_chain(chain) for name, chain in formula.probed(house.goal).items()}
        self.reports = {name: positive_chain(chain) for name, chain in reports.items()}
        bits = {agent: 1 << k for k, agent in enumerate(house.agents)}
        self.chains: dict[Literal, dict[KnowledgeChain, int]] = {}
        for chain in (*self.goal.values(), *self.reports.values()):
            for fact in (chain.fact, opposed(chain.fact)):
                group = self.chains.setdefault(fact, {})
                for part in formula.suffixes(KnowledgeChain(chain.agents, fact)):
                    for agent in house.agents:
                        deeper = chained(agent, part)
                        group[deeper] = sum(bits[one] for one in set(deeper.agents))
        self.implying: dict[KnowledgeChain, Chains] = {}
        for chain in self.reports.values():
            for fact in (chain.fact, opposed(chain.fact)):
                one = KnowledgeChain(chain.agents, fact)
                self.implying[one] = frozenset(other for other in self.chains[fact] if _implies(other, one))
        self.watched: dict[Literal, Watch] = {fact: watch(house, fact) for fact in self.chains}
        self.pairs = tuple(one.pair for one in self.watched.values() if one.pair)
        self.mask = 0
        for one in self.watched.values():
            self.mask |= one.mask
        self.known, self.possible = self._start(house)

    def contents(self, house: House, read: Gathered) -> list[KnowledgeChain]:
        """The chains that a text states, for each followed fact that its statements imply."""
        parts = [part for stated in read.facts for part in claims(stated)]
        return [
            KnowledgeChain(part.agents, one)
            for part in parts
            for one in self.chains
            if implies(house, positive(part.fact), one)
        ]

    def shared(self, sender: str, hearer: str, content: KnowledgeChain) -> Chains:
        """The followed chains that a truthful message with that content establishes."""
        agents = shared(sender, hearer, content.agents)
        return self._of(KnowledgeChain(one, content.fact) for one in agents)

    def _of(self, found: Iterable[KnowledgeChain]) -> Chains:
        return frozenset(chain for chain in found if chain in self.chains.get(chain.fact, {}))

    def _start(self, house: House) -> tuple[Chains, Chains]:
        """What secrets make known and possible. One that was not understood may state any fact about the names in it."""
        known: set[KnowledgeChain] = set()
        possible: set[KnowledgeChain] = set()
        for seat in house.agents:
            for read in _secrets(house.task, seat):
                own = self._of({chained(seat, one) for one in self.contents(house, read) if not one.agents})
                known |= own
                words = " ".join(read.unread)
                named = (fact for fact in self.chains if all(name in words for name in atom(fact).args))
                possible |= own | {KnowledgeChain((seat,), fact) for fact in named if words}
        return frozenset(known), frozenset(possible)


def chained(agent: str, chain: KnowledgeChain) -> KnowledgeChain:
    """``K agent`` applied to a chain."""
    return KnowledgeChain(behind(agent, chain.agents), chain.fact)


def _implies(deeper: KnowledgeChain, chain: KnowledgeChain) -> bool:
    """Whether a chain of the same fact implies another: an agent that knows that another knows a fact knows the fact."""
    agents = iter(deeper.agents)
    return all(agent in agents for agent in chain.agents)


def _secrets(task: Task, seat: str) -> list[Gathered]:
    """The secrets of a seat: its formulas, or, in a task without them, what is understood of its prose."""
    if task.verified:
        facts = tuple(one.formula for one in task.told_to(seat) if isinstance(one, Fact))
        return [Gathered(facts, ())]
    return [gathered(text, you=seat) for text in task.agent_secrets.get(seat, ())]
