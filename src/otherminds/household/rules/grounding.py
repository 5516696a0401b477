"""Caches that live with the house of a task: ground rules, and what calls mean."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from typing import NamedTuple, TypeVar

from otherminds.household.rules.rule import Fact, Facts, GroundRule, Rule, ground

MOST = 20_000
"""Entries of a cache; a ground rule, the largest, takes about a kilobyte. A full cache is emptied."""
Key = TypeVar("Key")
Value = TypeVar("Value")


class BoundedCache(dict[Key, Value]):
    """Values that depend on the task alone, so that it makes no difference which episode first needs one, and episodes in
    several threads can share the cache."""

    def keep(self, key: Key, value: Value) -> Value:
        """Stores and returns a value."""
        if len(self) >= MOST:
            self.clear()
        self[key] = value
        return value


class GroundRules:
    """Ground rules by name, agent, spot and other values, made when they are first needed."""

    def __init__(self, rules: Sequence[Rule], facts: Facts, static: Set[Fact]) -> None:
        self._rules: Mapping[str, tuple[Rule, tuple[str, ...]]] = {
            rule.name: (rule, tuple(name for name, _ in rule.parameters if name not in ("?a", "?s")))
            for rule in rules
        }
        self._facts, self._static = facts, static
        self._made: BoundedCache[tuple[str, ...], GroundRule] = BoundedCache()

    def __len__(self) -> int:
        return len(self._made)

    def get(self, name: str, agent: str, spot: str, *values: str) -> GroundRule:
        """The rule ``name`` for ``agent`` at ``spot``; ``values`` are those of the other parameters, in order."""
        key = (name, agent, spot, *values)
        grounded = self._made.get(key)
        if grounded is None:
            rule, others = self._rules[name]
            assignment = {"?a": agent, "?s": spot, **dict(zip(others, values, strict=True))}
            grounded = self._made.keep(key, ground(rule, assignment, self._facts, self._static))
        return grounded


class Meaning(NamedTuple):
    """What a call comes to for an agent: a ground rule, and what a success changes besides the state.

    ``spot`` is the agent's position afterwards, ``handled`` the mask of all places of the objects whose states change.
    ``lifted`` is an object that is taken into a hand; ``put`` are an object, how it is put down, the furniture, and the
    object beside it. The meaning ``lasts`` if it depends only on the agent, its spot, and where it believes the object
    of the call to be.
    """

    rule: GroundRule
    spot: int
    handled: int = 0
    lifted: str = ""
    put: tuple[str, ...] = ()
    lasts: bool = True
