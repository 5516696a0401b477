"""Mechanics folded into rules: a thing that a mechanic binds gets rules of its own, with all that follows in their effects."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import structs

from otherminds.core.errors import TaskError
from otherminds.epistemic.predicates import OPPOSITES, SHOWN
from otherminds.worlds.household.mechanics.mechanic import Bound, Value
from otherminds.worlds.household.rules.actions import RULES, TURNING
from otherminds.worlds.household.rules.rule import Fact, Precondition, Rule, worded

TOUCHES = ("Open", "Close")
"""The tools that act on a trigger that can neither be opened nor switched."""


def folded(bound: Bound, turnable: Mapping[str, tuple[Value, ...]], static: set[Fact]) -> tuple[Rule, ...]:
    """All rules of a task. Adds to ``static`` which furniture is ``plain``: bound by nothing.

    Raises:
        TaskError: acting on one thing would give another two values at once.
    """
    reversed_ = {thing for m, b in bound for thing in m.reversed(b)}
    special: list[Rule] = []
    for thing, values in turnable.items():
        if thing not in reversed_ and not any(
            m.follows(b, thing, value) for m, b in bound for value in values
        ):
            static.add(("plain", thing))
            continue
        special += [
            _own(rule, thing, thing in reversed_, bound, turnable)
            for rule in TURNING
            if rule.add_effects[0][0] in values
        ]
    triggers = dict.fromkeys(thing for m, b in bound for thing in m.triggers(b) if thing not in turnable)
    special += [
        _touched(rule, thing, bound, turnable)
        for thing in triggers
        for rule in TURNING
        if rule.tool in TOUCHES
    ]
    return (*RULES, *special)


def settled(
    bound: Bound, thing: str, value: Value, turnable: Mapping[str, tuple[Value, ...]] | None = None
) -> dict[str, Value]:
    """Everything that takes a value when ``thing`` takes ``value``, itself first.

    With ``turnable`` nothing takes a value that it cannot have: what only opens is not
    switched on by an oven with which it is in step.

    Raises:
        TaskError: one thing would take two.
    """
    found: dict[str, Value] = {thing: value}
    edge = [(thing, value)]
    while edge:
        one, taken = edge.pop(0)
        for m, b in bound:
            for other, follows in m.follows(b, one, taken):
                if turnable is not None and follows not in turnable.get(other, ()):
                    continue
                if found.get(other, follows) != follows:
                    raise TaskError(
                        f"mechanic_bindings: when {thing} is {SHOWN[value]}, {other} would have to be both "
                        f"{SHOWN[follows]} and {SHOWN[found[other]]}; take one of the bindings away"
                    )
                if other not in found:
                    found[other] = follows
                    edge.append((other, follows))
    return found


def _touched(rule: Rule, thing: str, bound: Bound, turnable: Mapping[str, tuple[Value, ...]]) -> Rule:
    """The rule of a tool for a trigger without a state of its own, such as a counter.

    Its message is that of any counter that somebody tries to open; its effects are those of the trigger.
    """
    effects = settled(bound, thing, rule.add_effects[0][0], turnable)
    del effects[thing]
    here, able, *_ = rule.preconditions
    refusal = worded(able.text, {"?f": thing})
    touched = structs.replace(
        rule,
        name=f"{rule.name}__{thing}",
        parameters=tuple(pair for pair in rule.parameters if pair[0] != "?f"),
        preconditions=(here, Precondition(("reaches", "?s", thing), refusal)),
        says=refusal,
        shown=False,
    )
    return _with_effects(touched, effects)


def _own(
    rule: Rule, thing: str, reverse: bool, bound: Bound, turnable: Mapping[str, tuple[Value, ...]]
) -> Rule:
    """The rule of a tool for one bound thing.

    Its preconditions and messages are those of unbound furniture, so that only its effects reveal a mechanic: what
    else changes, and, for a reversed thing, that the state is the opposite of the one asked for.
    """
    wanted = rule.add_effects[0][0]
    value = OPPOSITES[wanted] if reverse else wanted
    effects = settled(bound, thing, value, turnable)
    mine = rule.given({"?f": thing}, f"{rule.name}__{thing}")
    preconditions = tuple(one for one in mine.preconditions if one.pattern[0] != "plain")
    says = mine.says
    if reverse:
        *others, last = preconditions
        verb = last.text.partition("!")[0]
        still = Precondition((OPPOSITES[value], thing), f"{verb}! {thing} is still {SHOWN[value]}.")
        preconditions = (*others, still)
        says = f"Successful execution! {thing} is now {SHOWN[value]}."
    return _with_effects(structs.replace(mine, preconditions=preconditions, says=says), effects)


def _with_effects(rule: Rule, effects: Mapping[str, Value]) -> Rule:
    """``rule`` with these values of things as its effects."""
    return structs.replace(
        rule,
        add_effects=tuple((state, thing) for thing, state in effects.items()),
        del_effects=tuple((OPPOSITES[state], thing) for thing, state in effects.items()),
    )
