"""The facts of a record of the household, with derived quantities for measures."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property, lru_cache, wraps
from typing import TypeVar

import msgspec

from otherminds.core.encoding import encode
from otherminds.core.errors import StudyError
from otherminds.core.record import Record
from otherminds.household.epistemic.forms import read_forms
from otherminds.household.epistemic.formula import Formula, KnowledgeChain, Literal, claims, physical, probed
from otherminds.household.epistemic.household_facts import Act, HouseholdFacts, Sent, add_conveyed, add_told
from otherminds.household.epistemic.parse import goal_of, parse
from otherminds.household.epistemic.predicates import positive, positive_chain
from otherminds.household.epistemic.words import Fact, HouseRule, Secret
from otherminds.measures.registry import Inapplicable, Unknown

T = TypeVar("T")
NO_HOUSEHOLD = "this is no episode of the household"
SECRETS = "secrets"
"""The grant of all secrets."""
PARTS = frozenset({"task", "log", "messages", "entitled", "held"})
"""The facts that identify an episode of the household."""


class Trace(HouseholdFacts, frozen=True, dict=True):
    """The facts of an episode of the household; ``granted`` are the seats with the grant of all secrets."""

    granted: frozenset[str] = frozenset()

    @property
    def seats(self) -> tuple[str, ...]:
        return tuple(self.task.secrets)

    @cached_property
    def goal(self) -> Formula:
        return goal_of(self.task.goal)

    @cached_property
    def asked(self) -> dict[str, KnowledgeChain]:
        """The chain of each literal probe, by id."""
        return probed(self.goal)

    @cached_property
    def _tracks(self) -> dict[Formula, tuple[tuple[int, bool], ...]]:
        """``held`` by literal in its positive form: not open is closed."""
        return {
            positive(literal): track for text, track in self.held.items() for literal in physical(parse(text))
        }

    @cached_property
    def secrets(self) -> dict[str, tuple[Secret, ...]]:
        """What the secrets of each seat say."""
        return {seat: read_forms((self.task.told or {}).get(seat, ())) for seat in self.seats}

    @cached_property
    def controls(self) -> tuple[tuple[str, str], ...]:
        """Each thing that controls or mirrors another by the secrets, with that other."""
        statements = (statement for secrets in self.secrets.values() for statement in secrets)
        return tuple(pair for rule in statements if isinstance(rule, HouseRule) for pair in rule.drives)

    @cached_property
    def _stated(self) -> dict[Sent, tuple[KnowledgeChain, ...]]:
        return {
            sent: tuple(
                part
                for statement in sent.statements
                if isinstance(statement, Fact)
                for part in claims(statement.formula)
            )
            for sent in self.messages
        }

    def facts_in(self, sent: Sent) -> tuple[KnowledgeChain, ...]:
        """The facts that a message states, each with the agents that it says know it."""
        return self._stated[sent]

    def shares(self, seat: str) -> tuple[str, ...]:
        """The seats whose secrets a seat has: its own, or all with the grant."""
        return self.seats if seat in self.granted else (seat,)

    def told(self, seat: str) -> list[Secret]:
        """What a seat was told in secrets."""
        return [statement for owner in self.shares(seat) for statement in self.secrets[owner]]

    def may_be_told(self, seat: str, names: tuple[str, ...]) -> bool:
        """Whether a secret that a seat was given has a sentence that was not read and may be about things of these names."""
        return any(self.task.may_concern(owner, names) for owner in self.shares(seat))

    @property
    def last(self) -> int:
        """The last turn with an act; 0 if there is none."""
        return max((act.turn for act in self.log), default=0)

    def private_goal(self, seat: str) -> tuple[Literal, ...]:
        """The private goal of a seat, without literals of the shared goal."""
        text = self.task.private_goals.get(seat)
        shared = physical(self.goal)
        return tuple(part for part in physical(goal_of(text)) if part not in shared) if text else ()

    def find_turns(self, literal: Literal, holds: bool) -> tuple[int, ...]:
        """The turns in which a literal began to hold, or ceased to hold."""
        return tuple(
            when - 1 for when, now in self._tracks.get(positive(literal), ()) if when and now == holds
        )

    def since(self, literal: Literal) -> int | None:
        """The turn since which a literal holds until the end; ``None`` if it does not hold at the end."""
        track = self._tracks.get(positive(literal), ())
        return track[-1][0] if track and track[-1][1] else None

    def done(self, seat: str = "") -> Iterator[Act]:
        """The successful calls of one seat or of all, in order, without messages."""
        for act in self.log:
            if act.ok and seat in ("", act.seat) and act.tool != "Communicate":
                yield act


def same(chain: KnowledgeChain, other: KnowledgeChain) -> bool:
    """Whether two chains are equal in positive form.

    >>> door = KnowledgeChain(("agent_0",), parse("(not (is_open cabinet_3))"))
    >>> same(door, KnowledgeChain(("agent_0",), parse("(is_closed cabinet_3)")))
    True
    """
    return positive_chain(chain) == positive_chain(other)


def trace(record: Record) -> Trace | Unknown:
    """The facts of a record of the household; unknown for any other.

    A record of an older version has messages and secrets without what they say: their texts are read again.

    Raises:
        StudyError: they do not have the form of this version.
    """
    if not record.facts.keys() >= PARTS:
        return Inapplicable(NO_HOUSEHOLD)
    granted = frozenset(seat for seat, names in record.spec.grants.items() if SECRETS in names)
    try:
        return _read_trace(encode(record.facts), granted)
    except msgspec.ValidationError as error:
        raise StudyError(
            f"episode {record.spec.hash[:12]}: its facts cannot be measured ({error}); "
            "play it again with this version"
        ) from error


@lru_cache(maxsize=1)
def _read_trace(facts: bytes, granted: frozenset[str]) -> Trace:
    """Cached: a dozen measures of one record follow one another."""
    episode = msgspec.json.decode(facts, type=Trace)
    messages = tuple(add_conveyed(sent, episode.seats) for sent in episode.messages)
    task = add_told(episode.task)
    return msgspec.structs.replace(episode, granted=granted, messages=messages, task=task)


def on_trace(measure: Callable[[Trace], T]) -> Callable[[Record], T | Unknown]:
    """A decorator: a measure of records from one of the facts of the household; unknown for any other record."""

    @wraps(measure)
    def measure_record(record: Record) -> T | Unknown:
        episode = trace(record)
        return episode if isinstance(episode, Unknown) else measure(episode)

    return measure_record
