"""Which agent is entitled to know what, by the simulator's own log of observations and truthful messages.

Knowledge is justified belief that is still true: an agent knows a fact if it saw the fact or received it in a truthful
message, and the fact has held since. A statement whose sender does not know it creates no knowledge, even if it is true.
The rules are those of the verification of tasks (that of messages is :func:`otherminds.household.epistemic.formula.learned`):

- agents that see a fact and one another know it, know that the others know it, and so on;
- what an agent sees while walking through a room, it alone knows;
- what an agent's own secrets state, it knows from the start, if it holds;
- a truthful message with the content c from x to y gives K_y c, K_y K_x c and K_x K_y c when it arrives, if x knew c when it
  sent it and c has held since;
- when a fact stops holding, even for a moment, all knowledge of it ends.

Facts are compared in their positive form: not open is closed. A sentence of a message is either understood
(:mod:`otherminds.household.epistemic.words.free`) or not, and is never guessed. The log is kept twice: once as if sentences that
were not understood stated nothing, and once as if they stated all that their writer could know. If the two differ for a
chain, its status is :data:`UNREAD`. The chains that the log of a task follows, and what is known at the start, are equal for
all its episodes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Literal as OneOf
from typing import NamedTuple, TypeAlias

from otherminds.household.engine import HouseEngine
from otherminds.household.epistemic import formula
from otherminds.household.epistemic.formula import (
    Formula,
    KnowledgeChain,
    Literal,
    atom,
    claims,
    known_to,
    learned,
    tellable,
)
from otherminds.household.epistemic.predicates import opposed, positive, positive_chain
from otherminds.household.epistemic.words.free import Reading, read_message
from otherminds.household.goal_check import CompiledLiteral, Look, holds, implies, watch
from otherminds.household.house import House
from otherminds.household.rules import BoundedCache, bits
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


Status: TypeAlias = OneOf["holds", "fails", "unknown", "unread", "outdated"]
"""What a chain of agents is entitled to say about a fact.

``holds``: they know it. ``fails``: they know its opposite. ``unknown``: neither, and nothing was ever seen or said about
it. ``unread``: it depends on a message that was not understood. ``outdated``: they saw or received something that no
longer holds or was never known, so that the log cannot determine what they would say.
"""
UNREAD: Status = "unread"


class _Turn(NamedTuple):
    """The observations of a turn, and the chains that are known, possibly known, and ever believed after it.

    Turns without any difference to the followed facts share one.
    """

    look: Look
    known: Chains
    possible: Chains
    believed: Chains


class _Arrival(NamedTuple):
    """What a message establishes before the observations of turn ``turn``, if its facts hold until then."""

    turn: int
    known: Chains
    possible: Chains
    believed: Chains


class KnowledgeTracker:
    """The log of one episode, for the chains that are ``followed``.

    :meth:`look` and :meth:`told` record; consequences are computed on demand, and only for the turns in which something
    that makes a difference to a followed fact has changed.
    """

    def __init__(self, followed: FollowedChains) -> None:
        self.followed = followed
        self._known, self._possible, self._believed = followed.known, followed.possible, 0
        self._since: dict[str, int] = {}
        self._course: list[_Turn] = []
        self._waiting: list[Look | Transmission] = []
        self._under_way: list[_Arrival] = []
        self._last: object = None

    def look(self, engine: HouseEngine) -> None:
        """Records the state and what is seen after a step."""
        self._waiting.append(Look.of(engine, bool(self.followed.pairs)))

    def told(self, sent: Transmission) -> None:
        """Records a message that is sent; its statements count if its sender was entitled to them before this turn."""
        self._waiting.append(sent)

    def status(self, name: str, turn: int) -> Status:
        """The status of the report called ``name`` after ``turn`` turns."""
        self._catch_up()
        then, chain = self._course[turn], self.followed.reports[name]
        if not chain.agents:
            return "holds" if holds(then.look, chain.fact) else "fails"
        for_it, against = self.followed.implying[name]
        if for_it & then.known:
            return "holds"
        if against & then.known:
            return "fails"
        either = for_it | against
        if either & then.possible:
            return UNREAD
        return "outdated" if either & then.believed else "unknown"

    def changes(self) -> list[int]:
        """The turns after which a status may differ from that after the turn before; 0 is the first."""
        self._catch_up()
        course = self._course
        return [turn for turn, then in enumerate(course) if not turn or then is not course[turn - 1]]

    def facts(self) -> dict[str, int | None]:
        """For each chain of the goal, the turn since which it is known, or ``None``."""
        self._catch_up()
        return {name: self._since.get(name) for name in self.followed.goal}

    def _catch_up(self) -> None:
        for entry in self._waiting:
            if isinstance(entry, Look):
                self._observe_look(entry)
            else:
                self._receive(entry)
        self._waiting.clear()

    def _observe_look(self, look: Look) -> None:
        """Removes knowledge of facts that stopped holding and adds what is seen."""
        for arrival in self._under_way:
            if arrival.turn == len(self._course):
                self._establish(arrival)
        self._under_way = [arrival for arrival in self._under_way if arrival.turn > len(self._course)]
        key = self._key(look)
        if key == self._last and not self._under_way:
            self._course.append(self._course[-1])
            return
        followed = self.followed
        gone = seen_chains = 0
        for fact in followed.facts:
            now = fact.watch.holds(look)
            if not now or fact.watch.failed(look):
                gone |= fact.chains
            if now:
                seen_chains |= fact.shown(look)
        self._known = self._known & ~gone | seen_chains
        self._possible = self._possible & ~gone | seen_chains
        self._believed |= self._possible
        self._under_way = [
            arrival._replace(known=arrival.known & ~gone, possible=arrival.possible & ~gone)
            for arrival in self._under_way
        ]
        lost = False
        for name, chain in followed.goal_chains.items():
            known_part = self._known & chain
            if chain & gone or not known_part:
                self._since.pop(name, None)
            if known_part:
                self._since.setdefault(name, len(self._course))
                lost |= bool(chain & gone)
        self._course.append(_Turn(look, self._known, self._possible, self._believed))
        # A fact that is lost and seen anew is known since this turn; the same turn again would make it later.
        self._last = None if lost else key

    def _key(self, look: Look) -> object:
        """What makes a difference to the followed facts: two turns with equal keys have equal effects, unless a message
        between them changed something."""
        mask, pairs, at = self.followed.mask, self.followed.pairs, look.state
        facts, sights = at & mask, [sight & mask for sight in look.sights]
        return (
            facts,
            sights,
            [facts if state is at else state & mask for state in look.passed],
            [glimpse & mask for glimpse in look.glimpsed] if any(look.glimpsed) else None,
            look.company if len(sights) - sights.count(0) > 1 else None,
            [look.layout.at.get(entity) for pair in pairs for entity in pair] if pairs else None,
        )

    def _receive(self, sent: Transmission) -> None:
        followed = self.followed
        look, known_chains, possible, _ = self._course[-1]
        contents = followed.contents(look.house, sent.reading.facts)
        guessed = followed.learn_chains(sent, contents, possible)
        if sent.reading.unread:
            anything = tellable(sent.sender, followed.chains_in(possible))
            guessed |= followed.learn_chains(sent, anything, possible)
        arrival = _Arrival(
            len(self._course) + sent.delay,
            followed.learn_chains(sent, contents, known_chains),
            guessed,
            followed.learn_chains(sent, contents, None),
        )
        if sent.delay:
            self._under_way.append(arrival)
        else:
            self._establish(arrival)

    def _establish(self, arrival: _Arrival) -> None:
        before = (self._known, self._possible, self._believed)
        self._known |= arrival.known
        self._possible |= arrival.possible
        self._believed |= arrival.believed
        if (self._known, self._possible, self._believed) != before:
            self._last = None
