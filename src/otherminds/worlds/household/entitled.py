"""Who is entitled to know what: knowledge by the simulator's own log of sights and truthful messages.

Knowledge is justified belief that is still true: an agent knows a fact if it saw it, or was
truthfully told, and it has held ever since. What somebody says without knowing it gives
nobody knowledge, even if it is true. The rules are those of the verification of tasks:

- agents who see a fact and one another know it, know that the others know it, and so on;
- a truthful message with the content c from x to y gives K_y c, K_y K_x c and K_x K_y c;
- when a fact stops holding, all knowledge of it is gone.

Messages count as far as they are written in the controlled language
(:mod:`otherminds.epistemic.words`): of freer words this log knows nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise, product
from typing import Any

from otherminds.epistemic.formula import Chain, Literal, conjuncts
from otherminds.epistemic.formula import chains as chains_of
from otherminds.epistemic.words import Fact, read
from otherminds.worlds.household.engine import Engine
from otherminds.worlds.household.holding import holds, visible
from otherminds.worlds.household.house import House
from otherminds.worlds.household.probes import Probed


class Entitled:
    """The log of one episode; only facts under a ``K`` of the goal are followed."""

    def __init__(self, house: House) -> None:
        self._agents = house.agents
        self._probed = Probed(house.goal)
        self._facts: tuple[Literal, ...] = tuple(
            dict.fromkeys(chain.fact for chain in self._probed.chains.values())
        )
        self._deepest = max(self._probed.depth, 1)
        self._known: set[Chain] = set()
        self._before: frozenset[Chain] = frozenset()
        self._turn = -1
        self.since: dict[str, int] = {}

    def look(self, engine: Engine) -> None:
        """After a step: what stopped holding is known no more, what is seen is known."""
        self._turn += 1
        for fact in self._facts:
            if not holds(engine, fact):
                self._known = {chain for chain in self._known if chain.fact != fact}
                continue
            sees = [i for i in range(len(self._agents)) if visible(engine, i, fact)]
            for group in groups(engine, sees):
                self._known |= together([self._agents[i] for i in group], fact, self._deepest)
        for name, chain in self._probed.chains.items():
            if chain in self._known:
                self.since.setdefault(name, self._turn)
            else:
                self.since.pop(name, None)
        self._before = frozenset(self._known)

    def told(self, sender: str, reached: Iterable[str], text: str) -> None:
        """A message of ``sender``: those of its statements count that it was entitled to before this turn."""
        for statement in read(text, me=sender):
            if not isinstance(statement, Fact):
                continue
            for formula in conjuncts(statement.formula):
                content = next(iter(chains_of(formula)), None) or Chain((), formula)  # pyright: ignore[reportArgumentType]
                if chained(sender, content) in self._before:
                    for hearer in reached:
                        deeper = chained(hearer, content)
                        self._known |= {
                            deeper,
                            chained(hearer, chained(sender, content)),
                            chained(sender, deeper),
                        }

    def facts(self) -> dict[str, Any]:
        """For each probe the turn since which its chain is known; ``None`` where it is not."""
        return {name: self.since.get(name) for name in self._probed.chains}


def chained(agent: str, chain: Chain) -> Chain:
    """``K agent chain``; knowing that oneself knows is knowing."""
    return chain if chain.agents[:1] == (agent,) else Chain((agent, *chain.agents), chain.fact)


def together(group: Sequence[str], fact: Literal, deepest: int) -> set[Chain]:
    """Every chain over ``group`` of at most ``deepest`` levels: all of them see the fact, and one another."""
    found: set[Chain] = set()
    for length in range(1, deepest + 1):
        for agents in product(group, repeat=length):
            if all(one != other for one, other in pairwise(agents)):
                found.add(Chain(agents, fact))
    return found


def groups(engine: Engine, sees: Sequence[int]) -> list[list[int]]:
    """The agents who see, each with those of them that it sees and that see each other too."""
    found: list[list[int]] = []
    for i in sees:
        group = [i]
        for j in sees:
            if j != i and all(engine.meets(k, j) and engine.meets(j, k) for k in group):
                group.append(j)
        found.append(group)
    return found
