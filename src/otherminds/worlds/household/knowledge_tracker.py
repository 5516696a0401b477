"""Which agent is entitled to know what, by the simulator's own log of observations and truthful messages.

Knowledge is justified belief that is still true: an agent knows a fact if it saw the fact or received it in a truthful
message, and the fact has held since. A statement whose sender does not know it creates no knowledge, even if it is true.
The rules are those of the verification of tasks:

- agents that see a fact and one another know it, know that the others know it, and so on;
- what an agent sees while walking through a room, it alone knows;
- what an agent's own secrets state, it knows from the start, if it holds;
- a truthful message with the content c from x to y gives K_y c, K_y K_x c and K_x K_y c;
- when a fact stops holding, even for a moment, all knowledge of it ends.

Facts are compared in their positive form: not open is closed. A sentence of a message is either understood
(:mod:`otherminds.epistemic.words.free`) or not, and is never guessed. The log is kept twice: once as if sentences that
were not understood stated nothing, and once as if they stated all that their writer could know. If the two differ for a
chain, its status is :data:`UNREAD`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Literal as OneOf
from typing import NamedTuple, TypeAlias

from otherminds.epistemic import formula
from otherminds.epistemic.formula import KnowledgeChain, Literal, atom, behind, claims, shared
from otherminds.epistemic.predicates import opposed, positive, positive_chain
from otherminds.epistemic.words import Fact
from otherminds.epistemic.words.free import Gathered, gathered
from otherminds.worlds.household.engine import HouseEngine
from otherminds.worlds.household.goal_check import Look, glimpsed, holds, implies, lapsed, missed, visible
from otherminds.worlds.household.house import House
from otherminds.worlds.household.task import Task

Status: TypeAlias = OneOf["holds", "fails", "unknown", "unread", "outdated"]
"""What a chain of agents is entitled to say about a fact.

``holds``: they know it. ``fails``: they know its opposite. ``unknown``: neither, and nothing was ever seen or said about
it. ``unread``: it depends on a message that was not understood. ``outdated``: they saw or received something that no
longer holds or was never known, so that the log cannot determine what they would say.
"""
UNREAD: Status = "unread"
Chains = set[KnowledgeChain]


class _Turn(NamedTuple):
    """The observations of a turn, and the chains that are known, possibly known, and ever believed after it."""

    look: Look
    known: frozenset[KnowledgeChain]
    possible: frozenset[KnowledgeChain]
    believed: frozenset[KnowledgeChain]


class KnowledgeTracker:
    """The log of one episode, for the goal's chains and for ``reports``, both by name.

    :meth:`look` and :meth:`told` record; consequences are computed on demand. A report without agents is about the world.

    ``followed`` are the chains that can affect a chain of interest, by their fact, each with its agents as bits; the
    opposites of facts are included. A message adds agents only in front of a content that some agent knew before.
    Hence it is sufficient to follow each suffix of a chain behind each agent.
    """

    def __init__(self, house: House, reports: Mapping[str, KnowledgeChain] = MappingProxyType({})) -> None:
        self._house = house
        self._agents = house.agents
        bits = {agent: 1 << k for k, agent in enumerate(house.agents)}
        self._goal = {name: positive_chain(chain) for name, chain in formula.probed(house.goal).items()}
        self._reports = {name: positive_chain(chain) for name, chain in reports.items()}
        self.followed: dict[Literal, dict[KnowledgeChain, int]] = {}
        for chain in (*self._goal.values(), *self._reports.values()):
            for fact in (chain.fact, opposed(chain.fact)):
                group = self.followed.setdefault(fact, {})
                for part in formula.suffixes(KnowledgeChain(chain.agents, fact)):
                    for agent in self._agents:
                        deeper = chained(agent, part)
                        group[deeper] = sum(bits[one] for one in set(deeper.agents))
        self._spatial = any(atom(fact).predicate == "is_next_to" for fact in self.followed)
        self._known, self._possible, self._believed = Chains(), Chains(), Chains()
        self._since: dict[str, int] = {}
        self._course: list[_Turn] = []
        self._waiting: list[Look | tuple[str, tuple[str, ...], str]] = []
        for seat in house.agents:
            self._start(seat, _secrets(house.task, seat))

    def look(self, engine: HouseEngine) -> None:
        """Records the state and what is seen after a step."""
        self._waiting.append(Look.of(engine, self._spatial))

    def told(self, sender: str, reached: Iterable[str], text: str) -> None:
        """Records a message; its statements count if ``sender`` was entitled to them before this turn."""
        self._waiting.append((sender, tuple(reached), text))

    def status(self, name: str, turn: int) -> Status:
        """The status of the report called ``name`` after ``turn`` turns."""
        self._catch_up()
        then, chain = self._course[turn], self._reports[name]
        if not chain.agents:
            return "holds" if holds(then.look, chain.fact) else "fails"
        other = KnowledgeChain(chain.agents, opposed(chain.fact))
        if _contained(chain, then.known):
            return "holds"
        if _contained(other, then.known):
            return "fails"
        if _contained(chain, then.possible) or _contained(other, then.possible):
            return UNREAD
        old = _contained(chain, then.believed) or _contained(other, then.believed)
        return "outdated" if old else "unknown"

    def facts(self) -> dict[str, int | None]:
        """For each chain of the goal, the turn since which it is known, or ``None``."""
        self._catch_up()
        return {name: self._since.get(name) for name in self._goal}

    def _catch_up(self) -> None:
        for entry in self._waiting:
            if isinstance(entry, Look):
                self._looked(entry)
            else:
                self._heard(*entry)
        self._waiting.clear()

    def _looked(self, look: Look) -> None:
        """Removes knowledge of facts that stopped holding and adds what is seen."""
        gone = {fact for fact in self.followed if lapsed(look, fact)}
        for fact, followed in self.followed.items():
            if fact in gone:
                self._known -= followed.keys()
                self._possible -= followed.keys()
            if holds(look, fact):
                seen = self._seen(look, fact, followed)
                self._known |= seen
                self._possible |= seen
        self._believed |= self._possible
        for name, chain in self._goal.items():
            if chain.fact in gone or chain not in self._known:
                self._since.pop(name, None)
            if chain in self._known:
                self._since.setdefault(name, len(self._course))
        self._course.append(_Turn(look, *map(frozenset, (self._known, self._possible, self._believed))))

    def _heard(self, sender: str, reached: tuple[str, ...], text: str) -> None:
        _, known, possible, _ = self._course[-1]
        for hearer in reached:
            read = gathered(text, me=sender, you=hearer)
            for content in self._contents(read):
                whole = self._shared(sender, hearer, content)
                self._believed |= whole
                if chained(sender, content) in known:
                    self._known |= whole
                if chained(sender, content) in possible:
                    self._possible |= whole
            for content in possible if read.unread else ():
                if content.agents[0] == sender:
                    bare = KnowledgeChain(content.agents[1:], content.fact)
                    self._possible |= self._shared(sender, hearer, content)
                    self._possible |= self._shared(sender, hearer, bare)

    def _start(self, seat: str, secrets: Iterable[Gathered]) -> None:
        """Adds a seat's secrets. A secret that was not understood may state any fact about the names in it."""
        for read in secrets:
            own = {chained(seat, content) for content in self._contents(read) if not content.agents}
            self._known |= self._tracked(own)
            words = " ".join(read.unread)
            named = (fact for fact in self.followed if all(name in words for name in atom(fact).args))
            self._possible |= self._tracked(own) | {KnowledgeChain((seat,), fact) for fact in named if words}

    def _contents(self, read: Gathered) -> list[KnowledgeChain]:
        """The chains that a text states, for each followed fact that its statements imply."""
        parts = [part for stated in read.facts for part in claims(stated)]
        return [
            KnowledgeChain(part.agents, one)
            for part in parts
            for one in self.followed
            if implies(self._house, positive(part.fact), one)
        ]

    def _shared(self, sender: str, hearer: str, content: KnowledgeChain) -> Chains:
        """The followed chains that a truthful message with that content establishes."""
        agents = shared(sender, hearer, content.agents)
        return self._tracked(KnowledgeChain(one, content.fact) for one in agents)

    def _tracked(self, found: Iterable[KnowledgeChain]) -> Chains:
        return {chain for chain in found if chain in self.followed.get(chain.fact, {})}

    def _seen(self, look: Look, fact: Literal, followed: Mapping[KnowledgeChain, int]) -> Chains:
        """The chains whose agents all see the fact and one another, and what an agent alone saw while walking."""
        numbers = range(len(self._agents))
        sees = [i for i in numbers if visible(look, i, fact) or missed(look, i, fact)]
        company = {i: sum(1 << j for j in sees if i == j or look.together(i, j)) for i in sees}
        alone = {1 << i for i in numbers if glimpsed(look, i, fact)}
        return {
            chain
            for chain, whole in followed.items()
            if whole in alone or all(not whole & ~company.get(i, 0) for i in numbers if whole >> i & 1)
        }


def chained(agent: str, chain: KnowledgeChain) -> KnowledgeChain:
    """``K agent`` applied to a chain."""
    return KnowledgeChain(behind(agent, chain.agents), chain.fact)


def _contained(chain: KnowledgeChain, found: Iterable[KnowledgeChain]) -> bool:
    """Whether one of the chains implies ``chain``: an agent that knows that another knows a fact knows the fact."""
    deeper = (iter(other.agents) for other in found if other.fact == chain.fact)
    return any(all(agent in agents for agent in chain.agents) for agents in deeper)


def _secrets(task: Task, seat: str) -> list[Gathered]:
    """The secrets of a seat: its formulas, or, in a task without them, what is understood of its prose."""
    if task.verified:
        facts = tuple(one.formula for one in task.told_to(seat) if isinstance(one, Fact))
        return [Gathered(facts, ())]
    return [gathered(text, you=seat) for text in task.agent_secrets.get(seat, ())]
