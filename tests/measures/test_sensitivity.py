"""Sensitivity to wording: minds that differ in their prompt pack only, compared by partner and seed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from msgspec import structs

from otherminds.core.record import SeatSpec
from otherminds.measures.episode import Episode, summarise
from otherminds.measures.intervals import TAIL, Estimate, quantile, simultaneous
from otherminds.measures.notes import About
from otherminds.measures.sensitivity import PackComparison, sensitivity
from tests.measures import conftest as scripted

SEEDS = range(12)


def episodes(pack: Any, move: int, seeds: Sequence[int] = SEEDS, **changed: Any) -> list[Episode]:
    """Episodes of a mind with ``pack`` that always plays ``move`` and predicts what the partner did last."""
    params = {"tries": 2} | ({"pack": pack} if pack else {})
    found: list[Episode] = []
    for seed in seeds:
        record = scripted.played(
            "rps-mixed-v1",
            lambda h: move,
            lambda h: h[-1][1] if h else 0,
            seed,
            label=f"mind {pack}",
            rounds=6,
        )
        who = SeatSpec("qa", params, "m", f"mind {pack}")
        made = summarise(record)
        found.append(
            structs.replace(made, about=structs.replace(made.about, who=who), read=(5, 0, 5), **changed)
        )
    return found


def only(found: list[PackComparison]) -> PackComparison:
    assert len(found) == 1
    return found[0]


def test_packs_of_one_mind_are_compared_with_the_default_first() -> None:
    one = only(sensitivity([*episodes("terse", 0), *episodes(None, 0)]))
    assert (one.scenario, one.mind) == ("rps-mixed-v1", "qa@m(tries=2)")
    assert [pack.pack for pack in one.packs] == ["plain", "terse"]
    assert [pack.scored for pack in one.packs] == [12, 12]


def test_equal_play_has_no_range_and_a_certain_difference_of_zero() -> None:
    one = only(sensitivity([*episodes(None, 1), *episodes("terse", 1), *episodes("roleplay", 1)]))
    for name in ("functional", "literal", "unused", "valid"):
        span = one.ranges[name]
        assert (span.spread, span.paired.mean, span.paired.low, span.paired.high) == (0, 0, 0, 0)
        assert span.pairs == 12
        assert span.most != span.least


def test_the_range_is_between_the_two_most_different_packs() -> None:
    mean = {}
    played = {"terse": episodes("terse", 0), "roleplay": episodes("roleplay", 1), None: episodes(None, 2)}
    one = only(sensitivity([episode for some in played.values() for episode in some]))
    mean = {pack.pack: pack.estimates["functional"].mean for pack in one.packs}
    span = one.ranges["functional"]
    assert mean[span.most] == max(mean.values())
    assert mean[span.least] == min(mean.values())
    assert span.spread == pytest.approx(mean[span.most] - mean[span.least])
    assert span.paired.mean == pytest.approx(span.spread), "all episodes are pairs"


def test_only_pairs_of_the_same_partner_and_seed_count_for_the_difference() -> None:
    one = only(sensitivity([*episodes(None, 0), *episodes("terse", 1, range(6, 18))]))
    assert one.ranges["functional"].pairs == 6
    assert only(sensitivity([*episodes(None, 0), *episodes("terse", 1, range(12, 24))])).ranges[
        "functional"
    ].paired == Estimate(None, reason="the two packs have no scored partner and seed in common")


def test_the_interval_holds_for_all_pairs_of_packs() -> None:
    found = Estimate(1.0, 0.0, 2.0, "", 0.5, 10.0)
    assert simultaneous(found, 1).low == pytest.approx(1 - 0.5 * 2.228, abs=1e-3)
    wide = simultaneous(found, 3)
    assert wide.low == pytest.approx(1 - 0.5 * float(quantile(found.freedom, TAIL / 3)))
    assert wide.low < simultaneous(found, 1).low
    assert simultaneous(Estimate(1.0), 3) == Estimate(1.0)


def test_valid_is_what_the_minds_own_reader_read() -> None:
    lenient = episodes("terse", 0)
    strict = [
        structs.replace(one, about=About(who=SeatSpec("qa", {"reader": "strict", "pack": pack}, "m")))
        for pack in ("terse", "plain")
        for one in episodes(pack, 0)
    ]
    half = [structs.replace(one, read=(2, 3, 5)) for one in (*lenient, *episodes(None, 0), *strict)]
    by_mind = {one.mind: one.packs[0].estimates["valid"].mean for one in sensitivity(half)}
    assert by_mind == {"qa@m(tries=2)": 0.5, "qa@m(reader=strict)": 0.2}


def test_minds_that_differ_in_more_or_have_no_model_are_not_compared() -> None:
    other = [
        structs.replace(one, about=About(who=SeatSpec("cot", {"tries": 2, "pack": "terse"}, "m")))
        for one in episodes("terse", 0)
    ]
    assert sensitivity([*episodes(None, 0), *other]) == []
    assert sensitivity([summarise(scripted.played("rps-mixed-v1", lambda h: 0, lambda h: 0, 0))]) == []
