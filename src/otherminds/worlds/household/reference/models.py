"""What an agent takes the others to know, and to know of one another.

Two ways lead to it: who sees something together with others knows that they see it too;
and a message is known to have arrived, so that what it says is shared by both ends.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations

from otherminds.core.data import Seat
from otherminds.epistemic.formula import KnowledgeChain, Literal, chains, physical
from otherminds.epistemic.words import Fact, Statement
from otherminds.worlds.household.reference.picture import Key, Picture, Value

DEEPEST = 3
"""Agents beyond oneself: what b believes that c believes that d believes."""


class Models:
    """Pictures by the chain of agents whose they are: ``(agent_1, agent_2)``: agent 2's, as agent 1 has it.

    All as ``me`` has them; the chains begin with others. ``own`` is the agent's own picture.
    """

    def __init__(self, me: Seat, own: Picture) -> None:
        self._me = me
        self._own = own
        self._pictures: dict[tuple[Seat, ...], Picture] = {}

    def holds(self, agents: Sequence[Seat], fact: Literal) -> bool | None:
        """What the chain of agents is taken to believe of ``fact``; none of them: what oneself does.

        A chain that is too deep, or of which nothing is known, knows nothing.
        """
        chain = self._short(agents)
        if not chain:
            return self._own.holds(fact)
        picture = self._pictures.get(chain)
        return picture.holds(fact) if picture else None

    def seen_together(self, company: Sequence[Seat], here: Mapping[Key, Value]) -> None:
        """``company`` is in the room, and all see one another and what is ``here``."""
        edge: list[tuple[Seat, ...]] = [(agent,) for agent in company]
        everyone = (self._me, *company)
        for chain in edge:
            self._of(chain).facts.update(here)
            if len(chain) < DEEPEST:
                edge += [(*chain, agent) for agent in everyone if agent != chain[-1]]

    def common(self, agents: tuple[Seat, ...], statement: Statement) -> None:
        """A message with ``statement`` went between oneself and the one agent: both know that both know."""
        if isinstance(statement, Fact):
            other, *_ = agents
            facts = [KnowledgeChain((), fact) for fact in physical(statement.formula)]
            for chain in (*facts, *chains(statement.formula)):
                for lead in ((other,), (other, self._me), (other, self._me, other)):
                    self.known(KnowledgeChain((*lead, *chain.agents), chain.fact))

    def known(self, chain: KnowledgeChain) -> None:
        """The chain holds, and so does every shorter one: who knows that another knows a thing knows it."""
        for length in range(1, len(chain.agents) + 1):
            for agents in combinations(chain.agents, length):
                short = self._short(agents)
                if short and len(short) <= DEEPEST:
                    self._of(short).note(chain.fact)

    def _of(self, chain: tuple[Seat, ...]) -> Picture:
        return self._pictures.setdefault(chain, Picture(self._own.room_of))

    def _short(self, agents: Iterable[Seat]) -> tuple[Seat, ...]:
        """The chain without repetition, and without oneself at its head."""
        found: list[Seat] = []
        for agent in agents:
            if agent != (found[-1] if found else self._me):
                found.append(agent)
        return tuple(found)
