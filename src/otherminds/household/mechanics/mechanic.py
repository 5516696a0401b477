"""The interface of mechanics, their registry, and the combined effect of several on an agent.

A mechanic changes rules in one of four ways: it reverses a thing, makes things follow one another, bars rooms, or limits
or delays messages. It is not announced: an agent sees a changed thing only where it sees that thing, and learns about a mechanic
from secrets, messages and failures. Each mechanic is one file beside this one: its statements
(:class:`~otherminds.household.epistemic.words.house_rule.HouseRule`), and its binding.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, ClassVar, NamedTuple

from msgspec import Struct, field

from otherminds.core.registry import Registry
from otherminds.household.epistemic.words import Secret
from otherminds.household.epistemic.words.house_rule import HouseRule
from otherminds.household.rules.rule import Fact

Value = str
"""``is_open``, ``is_closed``, ``is_powered_on`` or ``is_powered_off``."""

STATES: Mapping[str, Value] = {
    name: value
    for value in ("is_open", "is_closed", "is_powered_on", "is_powered_off")
    for name in (value.removeprefix("is_").removeprefix("powered_"), value.removeprefix("is_"), value)
}
"""The possible names of a value in ``target_state``."""


class Binding(Struct, frozen=True, omit_defaults=True):
    """A mechanic bound to things and agents; its fields depend on ``mechanic_type``.

    ``statements`` is the largest number of statements that a message conveys; 0 if there is no limit. ``turns`` is how much
    later than usual a message arrives.
    """

    mechanic_type: str
    trigger_object: str = ""
    target_object: str = ""
    target_state: str = ""
    restricted_rooms: tuple[str, ...] = ()
    for_agents: tuple[str, ...] = ()
    message_limits: dict[str, int] = field(default_factory=dict[str, int])
    allowed_targets: dict[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    statements: int = 0
    turns: int = 0


EXAMPLES: Mapping[str, Any] = {
    "trigger_object": "cabinet_3",
    "target_object": "fridge_5",
    "target_state": "open",
    "restricted_rooms": ("kitchen_1",),
    "for_agents": ("agent_0",),
    "message_limits": {"agent_0": 2},
    "allowed_targets": {"agent_0": ("agent_1",)},
    "statements": 1,
    "turns": 2,
}
"""A value of each field of a binding."""


class Mechanic:
    """A mechanic that changes what its secrets say; subclasses override what differs.

    ``says`` is the class of its statements (none: a secret cannot tell it). ``fields`` are the required fields of a
    binding, ``optional`` the optional ones.
    """

    says: ClassVar[type[HouseRule] | None] = None
    fields: ClassVar[tuple[str, ...]] = ()
    optional: ClassVar[tuple[str, ...]] = ()

    def faults(self, binding: Binding) -> list[str]:
        """The faults of a binding besides missing fields and unknown names."""
        return []

    def reversed(self, binding: Binding) -> tuple[str, ...]:
        """The things that work in reverse."""
        return tuple(furniture for rule in self.secrets(binding) for furniture in rule.reversed())

    def follows(self, binding: Binding, furniture: str, value: Value) -> tuple[tuple[str, Value], ...]:
        """The other things that change when ``furniture`` takes ``value``, each with its new value."""
        return tuple(change for rule in self.secrets(binding) for change in rule.follows(furniture, value))

    def triggers(self, binding: Binding) -> tuple[str, ...]:
        """The things that set others, even without a state of their own."""
        return ()

    def barred(self, binding: Binding) -> Mapping[str, frozenset[str]]:
        """The rooms that each agent may neither enter nor cross."""
        return {agent: rooms for rule in self.secrets(binding) for agent, rooms in rule.barred().items()}

    def limits(self, binding: Binding) -> Mapping[str, int]:
        """The number of messages that each agent may send."""
        return {agent: limit for rule in self.secrets(binding) for agent, limit in rule.limits().items()}

    def delay(self, binding: Binding, agent: str) -> int:
        """The turns that the messages of ``agent`` take longer than usual."""
        return max((rule.delay(agent) for rule in self.secrets(binding)), default=0)

    def statements(self, binding: Binding) -> int | None:
        """The largest number of statements that a message conveys; ``None`` if there is no limit."""
        return None

    def edges(self, binding: Binding) -> Mapping[str, tuple[str, ...]]:
        """The agents that each restricted agent may write to."""
        return {agent: targets for rule in self.secrets(binding) for agent, targets in rule.edges().items()}

    def facts(self, binding: Binding) -> tuple[Fact, ...]:
        """The mechanic in the vocabulary of Juneja et al. 2026, appendix H."""
        return ()

    def secrets(self, binding: Binding) -> tuple[HouseRule, ...]:
        """The statements by which a secret can describe it, each about another agent or about other things."""
        return ()


mechanics: Registry[type[Mechanic]] = Registry("mechanic", "otherminds.household.mechanics", "mechanics")


Bound = Sequence[tuple[Mechanic, Binding]]
"""Bindings, each with its mechanic."""


def mechanic(name: str) -> Mechanic:
    """The mechanic called ``name``.

    Raises:
        StudyError: there is none; the message names similar ones.
    """
    return mechanics.get(name)()


def house_rules() -> tuple[type[HouseRule], ...]:
    """The statements of all registered mechanics, in the order of the names of these."""
    return tuple(rule for name in mechanics if (rule := mechanics.get(name).says))


class Channel(NamedTuple):
    """What an agent is told about its own messages: how many it can send, and its addressees (``None`` if it is not told)."""

    limit: int | None
    reached: tuple[str, ...] | None


def sound(bindings: Iterable[Binding]) -> Bound:
    """The bindings of known mechanics that have all required fields and no fault."""
    recognised = [
        (mechanic(binding.mechanic_type), binding)
        for binding in bindings
        if binding.mechanic_type in mechanics
    ]
    return [(m, b) for m, b in recognised if all(getattr(b, name) for name in m.fields) and not m.faults(b)]


def channel_of(secrets: Collection[Secret], agent: str) -> Channel:
    """What ``agent`` is told about its own messages by the statements in its secrets; of several limits the smallest."""
    rules = [secret for secret in secrets if isinstance(secret, HouseRule)]
    edges = [rule.edges()[agent] for rule in rules if agent in rule.edges()]
    limits = [rule.limits()[agent] for rule in rules if agent in rule.limits()]
    limit = min(limits, default=None)
    return Channel(limit, tuple(to for to in edges[0] if all(to in e for e in edges)) if edges else None)


def barred(bound: Bound, agent: str) -> frozenset[str]:
    """The rooms that ``agent`` may not enter: the union over all bindings."""
    return frozenset(room for m, b in bound for room in m.barred(b).get(agent, ()))


def reached(bound: Bound, agents: Sequence[str], agent: str) -> tuple[str, ...]:
    """The agents that ``agent`` may write to: those that every binding allows."""
    edges = [m.edges(b)[agent] for m, b in bound if agent in m.edges(b)]
    return tuple(other for other in agents if other != agent and all(other in edge for edge in edges))


def budget(bound: Bound, agent: str) -> int | None:
    """The number of messages that ``agent`` may send, the minimum over all bindings; ``None`` if unlimited."""
    return min((m.limits(b)[agent] for m, b in bound if agent in m.limits(b)), default=None)


def delay(bound: Bound, agent: str) -> int:
    """The turns that the messages of ``agent`` take longer than usual, the maximum over all bindings."""
    return max((m.delay(b, agent) for m, b in bound), default=0)


def statements_limit(bound: Bound) -> int | None:
    """The largest number of statements that a message conveys, the minimum over all bindings; ``None`` if unlimited."""
    limits = (m.statements(b) for m, b in bound)
    return min((limit for limit in limits if limit is not None), default=None)


def pair_faults(binding: Binding, verb: str) -> list[str]:
    """The faults of a trigger, a target and a target state."""
    faults: list[str] = []
    if binding.trigger_object and binding.trigger_object == binding.target_object:
        faults.append(f"a thing cannot {verb} itself")
    if binding.target_state and binding.target_state not in STATES:
        faults.append(f"target_state {binding.target_state!r} is none of {', '.join(STATES)}")
    return faults
