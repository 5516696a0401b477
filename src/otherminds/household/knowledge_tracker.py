"""Which agent is entitled to know what, by the simulator's own log of observations and truthful messages.

Knowledge is justified belief that is still true: an agent knows a fact if it saw the fact or received it in a truthful
message, and the fact has held since. A statement whose sender does not know it creates no knowledge, even if it is true.
The rules are those of the verification of tasks (that of messages is in :mod:`otherminds.household.epistemic.knowing`):

- agents that see a fact and one another know it, know that the others know it, and so on;
- what an agent sees while walking through a room, it alone knows;
- what an agent's own secrets state, it knows from the start, if it holds;
- a truthful message with the content c from x to y gives K_y c, K_y K_x c and K_x K_y c when it arrives, if x knew c when it
  sent it and c has held since;
- when a fact stops holding, even for a moment, all knowledge of it ends.

Facts are compared in their positive form: not open is closed. A sentence of a message is either understood
(:mod:`otherminds.household.epistemic.words.free`) or not, and is never guessed. The log is kept twice: once as if sentences that
were not understood stated nothing, and once as if they stated all that their writer could know. If the two differ for a
chain, its status is :data:`UNREAD`.
"""

from __future__ import annotations

from typing import Literal as OneOf
from typing import NamedTuple, TypeAlias

from otherminds.household.engine import HouseEngine
from otherminds.household.epistemic.knowing import tellable
from otherminds.household.followed import Chains, FollowedChains
from otherminds.household.goal_check import Look, holds
from otherminds.household.transmission import Transmission

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
