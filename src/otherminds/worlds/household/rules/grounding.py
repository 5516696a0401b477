"""The ground rules of a task, made when they are first needed and kept with its house for all episodes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set

from otherminds.worlds.household.rules.rule import Fact, Facts, GroundRule, Rule, ground

MOST = 20_000
"""Ground rules that are kept; one takes about a kilobyte. A full cache is emptied."""


class GroundRules:
    """Ground rules by name, agent, spot and other values.

    A ground rule depends on the task alone, so that it makes no difference which episode first needs one, and episodes
    in several threads can share the cache.
    """

    def __init__(self, rules: Sequence[Rule], facts: Facts, static: Set[Fact]) -> None:
        self._rules: Mapping[str, tuple[Rule, tuple[str, ...]]] = {
            rule.name: (rule, tuple(name for name, _ in rule.parameters if name not in ("?a", "?s")))
            for rule in rules
        }
        self._facts, self._static = facts, static
        self._made: dict[tuple[str, ...], GroundRule] = {}

    def __len__(self) -> int:
        return len(self._made)

    def get(self, name: str, agent: str, spot: str, *values: str) -> GroundRule:
        """The rule ``name`` for ``agent`` at ``spot``; ``values`` are those of the other parameters, in order."""
        key = (name, agent, spot, *values)
        made = self._made.get(key)
        if made is None:
            rule, others = self._rules[name]
            taken = {"?a": agent, "?s": spot, **dict(zip(others, values, strict=True))}
            made = ground(rule, taken, self._facts, self._static)
            if len(self._made) >= MOST:
                self._made.clear()
            self._made[key] = made
        return made
