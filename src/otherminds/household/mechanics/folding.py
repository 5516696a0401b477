"""Mechanics compiled into rules: a thing bound by a mechanic has rules of its own, whose effects include all consequences."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

from msgspec import structs

from otherminds.core.errors import TaskError
from otherminds.household.epistemic.predicates import OPPOSITES, SHOWN
from otherminds.household.mechanics.mechanic import Bound, Value
from otherminds.household.rules.actions import RULES, TURNING
from otherminds.household.rules.rule import Fact, Precondition, Rule

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
