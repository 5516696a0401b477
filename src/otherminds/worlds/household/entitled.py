"""Who is entitled to know what: knowledge by the simulator's own log of sights and truthful messages.

Knowledge is justified belief that is still true: an agent knows a fact if it saw it, or was
truthfully told, and it has held ever since. What somebody says without knowing it gives
nobody knowledge, even if it is true. The rules are those of the verification of tasks:

- agents who see a fact and one another know it, know that the others know it, and so on;
- what an agent sees on its way through a room it knows, for itself alone;
- what an agent's own secrets say to be so it knows from the start, if it is so;
- a truthful message with the content c from x to y gives K_y c, K_y K_x c and K_x K_y c;
- when a fact stops holding, if only for a moment, all knowledge of it is gone.

Facts are compared in their positive form: not open is closed. Messages count as far as they
are written in the controlled language (:mod:`otherminds.epistemic.words`): of freer words
this log knows nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from otherminds.epistemic.formula import Chain, Literal, chains, physical, suffixes
from otherminds.epistemic.predicates import positive
from otherminds.epistemic.probing import probed
from otherminds.epistemic.words import Fact, read
from otherminds.worlds.household.engine import Engine
from otherminds.worlds.household.holding import glimpsed, holds, lapsed, visible
from otherminds.worlds.household.house import House


class Entitled:
    """The log of one episode.

    ``followed`` are the chains that can matter to a probe, by their fact, each with its agents as
    bits. A message makes known a chain only to agents in front of its content, which some agent
    has to know before: so each part of a chain of the goal is followed behind each agent, and
    nothing else.
    """

    def __init__(self, house: House) -> None:
        self._agents = house.agents
        self._asked = {
            name: Chain(chain.agents, positive(chain.fact)) for name, chain in probed(house.goal).items()
        }
        self.followed: dict[Literal, dict[Chain, int]] = {}
        for chain in self._asked.values():
            group = self.followed.setdefault(chain.fact, {})
            for part in suffixes(chain):
                for agent in self._agents:
                    deeper = chained(agent, part)
                    group[deeper] = self._mask(deeper.agents)
        self._known: set[Chain] = set()
        for seat, secrets in house.task.agent_secrets.items():
            told = [content for text in secrets for content in contents(text, you=seat)]
            self._know(Chain((seat,), content.fact) for content in told if not content.agents)
        self._before: frozenset[Chain] = frozenset()
        self._turn = -1
        self.since: dict[str, int] = {}

    def look(self, engine: Engine) -> None:
        """After a step: what stopped holding is known no more, what is seen is known."""
        self._turn += 1
        gone = {fact for fact in self.followed if lapsed(engine, fact)}
        for fact, followed in self.followed.items():
            if fact in gone:
                self._known -= followed.keys()
            if holds(engine, fact):
                self._known |= self._seen(engine, fact, followed)
        for name, chain in self._asked.items():
            if chain.fact in gone or chain not in self._known:
                self.since.pop(name, None)
            if chain in self._known:
                self.since.setdefault(name, self._turn)
        self._before = frozenset(self._known)

    def told(self, sender: str, reached: Iterable[str], text: str) -> None:
        """A message of ``sender``: those of its statements count that it was entitled to before this turn."""
        for hearer in reached:
            for content in contents(text, me=sender, you=hearer):
                known, deeper = chained(sender, content), chained(hearer, content)
                if known in self._before:
                    self._know((deeper, chained(hearer, known), chained(sender, deeper)))

    def facts(self) -> dict[str, Any]:
        """For each probe the turn since which its chain is known; ``None`` where it is not."""
        return {name: self.since.get(name) for name in self._asked}

    def _know(self, found: Iterable[Chain]) -> None:
        self._known |= {chain for chain in found if chain in self.followed.get(chain.fact, {})}

    def _seen(self, engine: Engine, fact: Literal, followed: Mapping[Chain, int]) -> set[Chain]:
        """The chains whose agents all see the fact, and one another; and what an agent saw on its way."""
        numbers = range(len(self._agents))
        sees = [i for i in numbers if visible(engine, i, fact)]
        company = {
            i: sum(1 << j for j in sees if i == j or (engine.meets(i, j) and engine.meets(j, i)))
            for i in sees
        }
        alone = {1 << i for i in numbers if glimpsed(engine, i, fact)}
        return {
            chain
            for chain, whole in followed.items()
            if whole in alone or all(not whole & ~company.get(i, 0) for i in numbers if whole >> i & 1)
        }

    def _mask(self, agents: Iterable[str]) -> int:
        """Agents as bits, by their number."""
        return sum(1 << self._agents.index(agent) for agent in set(agents))


def contents(text: str, me: str = "", you: str = "") -> list[Chain]:
    """What a text states to be so, and to be known by whom, each fact in its positive form.

    ``me`` wrote the text and ``you`` reads it, as in :func:`~otherminds.epistemic.words.read`.
    """
    found: list[Chain] = []
    for statement in read(text, me=me, you=you):
        if isinstance(statement, Fact):
            facts = [Chain((), fact) for fact in physical(statement.formula)]
            found += [
                Chain(part.agents, positive(part.fact)) for part in (*facts, *chains(statement.formula))
            ]
    return found


def chained(agent: str, chain: Chain) -> Chain:
    """``K agent chain``; knowing that oneself knows is knowing."""
    return chain if chain.agents[:1] == (agent,) else Chain((agent, *chain.agents), chain.fact)
