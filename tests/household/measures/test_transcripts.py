"""The labelled free-text episodes: whole, varied, and read without a fault."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

from otherminds.core.record import EpisodeSpec, Record
from otherminds.household.measures.patterns import patterns
from otherminds.household.measures.trace import Trace, trace
from tests.cases import for_each

FILE = Path(__file__).parents[2] / "data" / "household" / "transcripts.jsonl"
HEAD, *TEXTS = (json.loads(line) for line in FILE.read_text(encoding="utf-8").splitlines())


def record_of(text: dict) -> Record:
    return Record(EpisodeSpec(text["name"], {}, 0), (), {}, None, {}, None, [], [], {}, facts=text["facts"])


def test_every_pattern_is_labelled_and_so_are_clean_ones() -> None:
    assert set(HEAD["patterns"]) == set(patterns)
    assert "before any detector was run" in HEAD["about"]
    assert len({text["name"] for text in TEXTS}) == len(TEXTS) >= 24
    counted = Counter(label for text in TEXTS for label in text["labels"])
    assert set(counted) == set(patterns)
    assert min(counted.values()) >= 5
    assert sum(not text["labels"] for text in TEXTS) >= 8


@for_each("text", TEXTS, ids=lambda text: text["name"])
def test_each_can_be_read(text: dict) -> None:
    record = record_of(text)
    seen = trace(record)
    assert isinstance(seen, Trace)
    for name in patterns:
        for found in patterns.get(name)(record):
            assert 0 <= found.turn <= seen.last
            assert found.seat in seen.seats
            assert found.why
