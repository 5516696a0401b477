"""The chains of knowledge that the log of a task follows, and what is known at the start: equal for all its episodes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import TypeAlias

from otherminds.household.epistemic import formula
from otherminds.household.epistemic.formula import Formula, KnowledgeChain, Literal, atom, claims
from otherminds.household.epistemic.knowing import known_to, learned
from otherminds.household.epistemic.predicates import opposed, positive, positive_chain
from otherminds.household.epistemic.words.free import Reading, read_message
from otherminds.household.goal_check import CompiledLiteral, Look, implies, watch
from otherminds.household.house import House
from otherminds.household.rules.grounding import BoundedCache
from otherminds.household.rules.rule import bits
from otherminds.household.task import Task
from otherminds.household.transmission import Transmission

Chains: TypeAlias = int
"""A set of followed chains, as a mask."""


class FollowedFact:
    """A fact whose chains are followed: ``chains`` are all of them, ``by_agents`` those with a set of agents."""

    def __init__(self, watch: CompiledLiteral, chains: Chains, by_agents: Mapping[int, Chains]) -> None:
        self.watch, self.chains, self.by_agents = watch, chains, by_agents
        self._shown: BoundedCache[tuple[int, int, tuple[int, ...]], Chains] = BoundedCache()

    def shown(self, look: Look) -> Chains:
        """The chains whose agents all see the fact and one another, and what an agent alone saw while walking."""
        seers, alone = self.watch.seers(look), self.watch.alone(look)
        if not seers and not alone:
            return 0
        key = (seers, alone, look.company)
        chains = self._shown.get(key)
        return self._shown.keep(key, self._chains(*key)) if chains is None else chains

    def _chains(self, seers: int, alone: int, company: tuple[int, ...]) -> Chains:
        """The chains that agents ``seers`` learn of one another, each of whom sees ``company``, and agents ``alone``."""
        union, met = 0, [0] * len(company)
        for i in bits(seers):
            met[i] = sum(1 << j for j in bits(seers) if i == j or company[i] >> j & company[j] >> i & 1)
        single = {1 << i for i in bits(alone)}
        for agents, chains in self.by_agents.items():
            if agents in single or all(not agents & ~met[i] for i in bits(agents)):
                union |= chains
        return union


class FollowedChains:
    """The chains that can affect the goal's chains and ``reports``, both by name. A report without agents is about the world.

    The opposites of their facts are included. A message adds agents only in front of a content that some agent knew
    before. Hence it is sufficient to follow each suffix of a chain behind each agent. ``chains`` numbers them;
    ``by_fact`` are all chains of a fact, ``by_agents`` those with a set of agents, given as bits. ``implying`` has, for each
    report with agents, the chains that imply it and those that imply its opposite. ``known`` and ``possible`` hold at the start by the
    secrets. Nothing refers to the house, so that a cache by house can hold it.
    """

    def __init__(self, house: House, reports: Mapping[str, KnowledgeChain] = MappingProxyType({})) -> None:
        self.goal = {name: positive_chain(chain) for name, chain in formula.probed(house.goal).items()}
        self.reports = {name: positive_chain(chain) for name, chain in reports.items()}
        self._bits = {agent: 1 << k for k, agent in enumerate(house.agents)}
        self.chains: dict[KnowledgeChain, int] = {}
        self.by_fact: dict[Literal, Chains] = {}
        self.by_agents: dict[Literal, dict[int, Chains]] = {}
        for chain in (*self.goal.values(), *self.reports.values()):
            for fact in (chain.fact, opposed(chain.fact)):
                for part in formula.suffixes(KnowledgeChain(chain.agents, fact)):
                    for agent in house.agents:
                        self._follow(known_to(agent, part))
        self._whole = tuple(self.chains)
        self.implying = {name: self._implying(chain) for name, chain in self.reports.items() if chain.agents}
        self.goal_chains = {name: self.chain(chain) for name, chain in self.goal.items()}
        self.facts = tuple(
            FollowedFact(watch(house, fact), self.by_fact[fact], self.by_agents[fact])
            for fact in self.by_fact
        )
        self.pairs = tuple(
            followed_fact.watch.pair for followed_fact in self.facts if followed_fact.watch.pair
        )
        self.mask = 0
        for followed_fact in self.facts:
            self.mask |= followed_fact.watch.mask
        self.known, self.possible = self._start(house)

    def chain(self, chain: KnowledgeChain) -> Chains:
        """The chain alone as a mask; 0 if it is not followed."""
        number = self.chains.get(chain)
        return 0 if number is None else 1 << number

    def contents(self, house: House, facts: Iterable[Formula]) -> list[KnowledgeChain]:
        """The chains that a text states, for each followed fact that its ``facts`` imply."""
        parts = [part for stated in facts for part in claims(stated)]
        return [
            KnowledgeChain(part.agents, fact)
            for part in parts
            for fact in self.by_fact
            if implies(house, positive(part.fact), fact)
        ]

    def learn_chains(
        self, sent: Transmission, contents: Iterable[KnowledgeChain], before: Chains | None
    ) -> Chains:
        """The followed chains that a message with these contents establishes, given those known ``before`` its turn.

        ``None``: as if its sender had known them all.
        """
        return self._of(
            learned(
                sent.sender,
                sent.reached,
                contents,
                lambda chain: before is None or bool(self.chain(chain) & before),
            )
        )

    def chains_in(self, mask: Chains) -> list[KnowledgeChain]:
        """The chains of a mask."""
        return [self._whole[number] for number in bits(mask)]

    def _follow(self, chain: KnowledgeChain) -> None:
        bit = 1 << self.chains.setdefault(chain, len(self.chains))
        self.by_fact[chain.fact] = self.by_fact.get(chain.fact, 0) | bit
        by_agents = self.by_agents.setdefault(chain.fact, {})
        agents = sum(self._bits[agent] for agent in set(chain.agents))
        by_agents[agents] = by_agents.get(agents, 0) | bit

    def _implying(self, chain: KnowledgeChain) -> tuple[Chains, Chains]:
        """The followed chains that imply a chain, and those that imply its opposite."""
        both = (KnowledgeChain(chain.agents, fact) for fact in (chain.fact, opposed(chain.fact)))
        supporting, other = (self._of(deep for deep in self._whole if _implies(deep, each)) for each in both)
        return supporting, other

    def _of(self, chains: Iterable[KnowledgeChain]) -> Chains:
        mask = 0
        for chain in chains:
            mask |= self.chain(chain)
        return mask

    def _start(self, house: House) -> tuple[Chains, Chains]:
        """What secrets make known and possible. One that was not understood may state any fact about the names in it."""
        known_chains = possible = 0
        for seat in house.agents:
            for read in _secrets(house.task, seat):
                own = self._of(
                    known_to(seat, chain) for chain in self.contents(house, read.facts) if not chain.agents
                )
                known_chains |= own
                words = " ".join(read.unread)
                mentioned = (fact for fact in self.by_fact if all(name in words for name in atom(fact).args))
                possible |= own | self._of(KnowledgeChain((seat,), fact) for fact in mentioned if words)
        return known_chains, possible


def _implies(deeper: KnowledgeChain, chain: KnowledgeChain) -> bool:
    """Whether a chain implies another: an agent that knows that another knows a fact knows the fact."""
    agents = iter(deeper.agents)
    return deeper.fact == chain.fact and all(agent in agents for agent in chain.agents)


def _secrets(task: Task, seat: str) -> list[Reading]:
    """The secrets of a seat: its formulas, or, in a task without them, what is understood of its prose."""
    if task.verified:
        return [Reading(task.told_to(seat))]
    return [read_message(text, you=seat) for text in task.agent_secrets.get(seat, ())]
