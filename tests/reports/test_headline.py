"""The opening sentences: the verdict about each language model, and what was lost."""

from __future__ import annotations

import re

import pytest
from msgspec.structs import replace

from otherminds.measures.cells import verdicts
from otherminds.measures.intervals import Estimate
from otherminds.measures.notes import ReplyCounts
from otherminds.measures.verdict import WORDS, Kind, Verdict
from otherminds.reports.findings import Findings
from otherminds.reports.opening import headline
from otherminds.reports.page import as_html
from otherminds.reports.sections import silences


def verdict(kind: Kind, reason: str = "") -> Verdict:
    return Verdict(
        kind=kind,
        mind="lm@m",
        scenarios=("rps-single-v1",),
        literal=Estimate(0.8, 0.7, 0.9),
        unused=Estimate(0.2, 0.12, 0.28),
        functional=Estimate(0.5, 0.4, 0.6),
        planned=24,
        episodes=24,
        lost=2,
        clusters=12,
        answers=240,
        unread=3,
        model=True,
        reason=reason,
    )


@pytest.mark.parametrize("kind", sorted(WORDS))
def test_a_sentence_names_the_mind_its_numbers_its_episodes_and_what_was_lost(kind: Kind) -> None:
    said = verdict(kind, "some reason").sentence
    assert said.startswith("“lm@m” in rps-single-v1 ")
    assert said.endswith("(n = 24 episodes, 12 distinct; 2 of them lost; 3 of 240 predictions unread).")
    if kind not in ("not measured", "no choice"):
        assert "L = 0.80 [0.70, 0.90]" in said
    if kind in ("uses", "uses in part", "does not use", "undecided"):
        assert "20 % [12, 28]" in said
    if kind in ("not measured", "no choice", "undecided"):
        assert "some reason" in said


def test_no_sentence_uses_words_that_were_withdrawn() -> None:
    for kind in WORDS:
        said = verdict(kind).sentence.lower()
        assert not re.search(r"\bsure\b|says more than it does|\bgap\b", said)


def test_shares_stay_within_what_a_share_can_be() -> None:
    wide = replace(verdict("uses"), unused=Estimate(0.01, -0.06, 0.08))
    assert "1 % [0, 8]" in wide.sentence


def test_an_unfinished_run_says_how_much_was_planned() -> None:
    assert "n = 24 episodes of 96 planned" in replace(verdict("uses"), planned=96).sentence


def test_language_models_come_before_yardsticks(whole: Findings) -> None:
    cells = whole.cells
    first, second = cells[0].mind, cells[1].mind
    mixed = [replace(cell, evidence=replace(cell.evidence, model=cell.mind == second)) for cell in cells]
    assert next(one.mind for one in verdicts(mixed)) == second
    assert headline(verdicts(mixed)).startswith(f"“{second}”")
    assert f"“{first}”" not in headline(verdicts(mixed))
    assert f"“{first}”" in headline(verdicts(cells))


def test_the_page_begins_with_it_too(whole: Findings) -> None:
    page = as_html(replace(whole, said={"m": ReplyCounts(2, cut=2)}), (), {}, "A study", ())
    assert page.index("Every reply of m (2 in all) was cut") < page.index("<table")
    assert page.index(f"“{whole.verdicts[0].mind}” in") < page.index("<table")


def test_causes_are_listed_where_there_are_several() -> None:
    counts = ReplyCounts(1_200, empty=1_000, cut=199) + ReplyCounts(1, filtered=1)
    assert not counts.silent
    both = {"a": counts, "b": counts + ReplyCounts(0, refused=1), "c": ReplyCounts()}
    (said,) = silences(both)
    assert said.startswith(
        "No reply of b (1,201 in all) says anything: 1,000 empty, 1 refused, 1 filtered, 199 cut."
    )
