"""The results of detectors of failure patterns, and their registry."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from msgspec import Struct

from otherminds.core.record import Record
from otherminds.core.registry import Registry
from otherminds.measures.household.trace import Trace, trace
from otherminds.measures.registry import Measure, Unknown, measures


class Found(Struct, frozen=True):
    """An instance of a failure pattern: its ``turn``, the responsible ``seat``, and ``why``."""

    turn: int
    seat: str
    why: str


Detector: TypeAlias = Callable[[Trace], tuple[Found, ...]]
Pattern: TypeAlias = Callable[[Record], tuple[Found, ...]]
"""The instances of a pattern in a record, by turn; empty in other worlds."""

patterns: Registry[Pattern] = Registry("pattern", "otherminds.measures.household.patterns")


def pattern(name: str) -> Callable[[Detector], Pattern]:
    """A decorator: registers a detector as ``name``, and the measure ``pattern_name`` that counts its instances."""

    def remember(detect: Detector) -> Pattern:
        def find(record: Record) -> tuple[Found, ...]:
            seen = trace(record)
            return () if isinstance(seen, Unknown) else tuple(sorted(detect(seen), key=_turn))

        patterns.add(name, find)
        measures.add(f"pattern_{name}", _count(find))
        return find

    return remember


def _turn(found: Found) -> int:
    return found.turn


def _count(find: Pattern) -> Measure:
    def count(record: Record) -> float | Unknown:
        seen = trace(record)
        return seen if isinstance(seen, Unknown) else float(len(find(record)))

    return count
