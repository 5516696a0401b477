"""The interface of mechanics, their registry, and the combined effect of several: on an agent, and on the rules of a house.

A mechanic changes rules in one of four ways: it reverses a thing, makes things follow one another, bars rooms, or limits
or delays messages. It is not announced: an agent sees a changed thing only where it sees that thing, and learns about a
mechanic from secrets, messages and failures. A thing bound by a mechanic has rules of its own, whose effects include all
consequences. Each mechanic is one file beside this one: its statements
(:class:`~otherminds.household.epistemic.words.HouseRule`), and its binding."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, ClassVar, NamedTuple, TypeAlias

from msgspec import Struct, field, structs

from otherminds.core.errors import TaskError
from otherminds.core.registry import Registry
from otherminds.household.epistemic.predicates import OPPOSITES, SHOWN
from otherminds.household.epistemic.words import HouseRule, Secret
from otherminds.household.rules import RULES, TURNING, Fact, Precondition, Rule

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


Turnable: TypeAlias = Mapping[str, tuple[Value, ...]]
"""The furniture that can change its state, with its possible values."""
TOUCHES = ("Open", "Close")
"""The tools that act on a trigger that can be neither opened nor switched."""


def folded(bound: Bound, turnable: Turnable, static: set[Fact]) -> tuple[Rule, ...]:
    """All rules of a task. Adds to ``static`` a fact ``plain`` for furniture that no mechanic binds.

    Raises:
        TaskError: one action would give a thing two values at once.
    """
    reversed_ = {furniture for m, b in bound for furniture in m.reversed(b)}
    special: list[Rule] = []
    for furniture, values in turnable.items():
        follows = (m.follows(b, furniture, value) for m, b in bound for value in values)
        if furniture not in reversed_ and not any(follows):
            static.add(("plain", furniture))
            continue
        rules = (rule for rule in TURNING if rule.add_effects[0][0] in values)
        special += [_own(rule, furniture, furniture in reversed_, bound, turnable) for rule in rules]
    triggers = dict.fromkeys(
        furniture for m, b in bound for furniture in m.triggers(b) if furniture not in turnable
    )
    touches = [rule for rule in TURNING if rule.tool in TOUCHES]
    special += [_touch_rule(rule, furniture, bound, turnable) for furniture in triggers for rule in touches]
    return (*RULES, *special)


def settled(bound: Bound, furniture: str, value: Value, turnable: Turnable | None = None) -> dict[str, Value]:
    """The values of all things that change when ``furniture`` takes ``value``, itself first.

    With ``turnable``, a thing takes only values that it can have: furniture that only opens is not switched on by an oven
    that it mirrors.

    Raises:
        TaskError: a thing would take two values.
    """
    changes: dict[str, Value] = {furniture: value}
    edge = [(furniture, value)]
    while edge:
        source, source_value = edge.pop(0)
        for m, b in bound:
            for other, follows in m.follows(b, source, source_value):
                if turnable is not None and follows not in turnable.get(other, ()):
                    continue
                if changes.get(other, follows) != follows:
                    raise TaskError(
                        f"mechanic_bindings: when {furniture} is {SHOWN[value]}, {other} would have to be both "
                        f"{SHOWN[follows]} and {SHOWN[changes[other]]}; take one of the bindings away"
                    )
                if other not in changes:
                    changes[other] = follows
                    edge.append((other, follows))
    return changes


def _touch_rule(rule: Rule, furniture: str, bound: Bound, turnable: Turnable) -> Rule:
    """The rule of a tool for a trigger without a state of its own, such as a counter.

    Its message is that of any counter that somebody tries to open; its effects are those of the trigger.
    """
    effects = settled(bound, furniture, rule.add_effects[0][0], turnable)
    del effects[furniture]
    mine = rule.given({"?f": furniture}, f"{rule.name}__{furniture}")
    here, able, *_ = mine.preconditions
    needs = (here, Precondition(("reaches", "?s", furniture), able.text))
    return structs.replace(_with(mine, needs, effects, able.text), shown=False)


def _own(rule: Rule, furniture: str, reverse: bool, bound: Bound, turnable: Turnable) -> Rule:
    """The rule of a tool for one bound thing.

    Its preconditions and messages are those of unbound furniture, so that only its effects reveal a mechanic: what
    else changes, and, for a reversed thing, that the state is the opposite of the one asked for.
    """
    requested = rule.add_effects[0][0]
    value = OPPOSITES[requested] if reverse else requested
    effects = settled(bound, furniture, value, turnable)
    mine = rule.given({"?f": furniture}, f"{rule.name}__{furniture}")
    needs = tuple(need for need in mine.preconditions if need.pattern[0] != "plain")
    if not reverse:
        return _with(mine, needs, effects, mine.says)
    *others, last = needs
    lead = last.text.partition("!")[0]
    still = Precondition((OPPOSITES[value], furniture), f"{lead}! {furniture} is still {SHOWN[value]}.")
    return _with(mine, (*others, still), effects, f"Successful execution! {furniture} is now {SHOWN[value]}.")


def _with(rule: Rule, needs: tuple[Precondition, ...], effects: Mapping[str, Value], says: str) -> Rule:
    """``rule`` with other preconditions, these values of things as its effects, and another message."""
    return structs.replace(
        rule,
        preconditions=needs,
        add_effects=tuple((state, furniture) for furniture, state in effects.items()),
        del_effects=tuple((OPPOSITES[state], furniture) for furniture, state in effects.items()),
        says=says,
    )
