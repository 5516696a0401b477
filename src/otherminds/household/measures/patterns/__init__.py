"""Failure patterns of Juneja et al. 2026 (table 4, appendix C), each found in the record alone, and their registry.

A detector uses what messages conveyed, as the record has it; it parses no text, and no model is called. A pattern is found
where the record shows it: a sentence that was not read, and that may be about the things in question, is none."""

from __future__ import annotations

from collections.abc import Callable
from operator import attrgetter
from typing import TypeAlias

from msgspec import Struct

from otherminds.core.record import Record
from otherminds.core.registry import Registry
from otherminds.household.measures.trace import Trace, on_trace, trace
from otherminds.measures.registry import Unknown, measures


class Found(Struct, frozen=True):
    """An instance of a failure pattern: its ``turn``, the responsible ``seat``, and ``why``."""

    turn: int
    seat: str
    why: str


Detector: TypeAlias = Callable[[Trace], tuple[Found, ...]]
Pattern: TypeAlias = Callable[[Record], tuple[Found, ...]]
"""The instances of a pattern in a record, by turn; empty in other worlds."""

patterns: Registry[Pattern] = Registry("pattern", "otherminds.household.measures.patterns")


def pattern(name: str) -> Callable[[Detector], Pattern]:
    """A decorator: registers a detector as ``name``, and the measure ``pattern_name`` that counts its instances."""

    def remember(detect: Detector) -> Pattern:
        def find(record: Record) -> tuple[Found, ...]:
            episode = trace(record)
            return (
                () if isinstance(episode, Unknown) else tuple(sorted(detect(episode), key=attrgetter("turn")))
            )

        def count(episode: Trace) -> float:
            return float(len(detect(episode)))

        patterns.add(name, find)
        measures.add(f"pattern_{name}", on_trace(count))
        return find

    return remember
