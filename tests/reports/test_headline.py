"""The opening sentence: which finding is sure, about whom it is, and that ignorance never makes one."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from otherminds.core.record import SeatSpec
from otherminds.measures import cells
from otherminds.measures.cells import in_question, sure
from otherminds.measures.intervals import Estimate
from otherminds.measures.unanswered import ReplyCounts
from otherminds.reports.chapters import NONE_TESTABLE, headline
from otherminds.reports.findings import Findings
from otherminds.reports.page import as_html
from otherminds.reports.sections import silences


def known(mean: float, error: float = 0.05) -> Estimate:
    return Estimate(mean, mean - 2 * error, mean + 2 * error, "", error, 20.0)


@pytest.fixture
def cell(found):
    """A cell of RPS that knows its partner (L = .8) and leaves .4 a round unused."""
    return replace(
        found[1],
        estimated=False,
        literal=known(0.8),
        unused=known(0.4),
        functional=known(0.1),
        gap=known(0.7),
    )


def model(cell, name: str):
    return replace(cell, mind=name, about=replace(cell.about, who=SeatSpec("lm", model="m")))


def test_unused_leads_with_its_interval_and_n(cell) -> None:
    said = headline([cell])
    assert "“doer” does not use what it says: in rps-single-v1 (n = 6)" in said
    assert "loses 0.400 a round [0.300, 0.500]" in said
    assert "in 1 of 1 cells" in said


def test_where_no_prediction_matters_the_gap_leads(cell) -> None:
    dominated = replace(cell, unused=Estimate(None, reason="dominant"), foresight=known(1.25))
    assert "says more than it does" in headline([dominated])
    assert "a gap of 0.70 [0.60, 0.80]" in headline([dominated])
    assert "1.250 a round is lost or won by planning ahead" in headline([dominated])


def test_a_mind_that_does_not_know_leaves_nothing_unused(cell) -> None:
    """A fixed prediction and a fixed action: much is lost by not acting on it, and L is not above 0."""
    for literal in (known(-0.07), known(0.0), known(0.05), Estimate(0.9)):
        said = headline([replace(cell, literal=literal)])
        assert said.startswith("No mind surely leaves unused what it knows")
        assert "n = 6 a cell" in said


def test_estimated_ends_are_never_sure(cell) -> None:
    estimated = replace(cell, estimated=True)
    assert not cells.testable(estimated)
    assert headline([estimated]) == NONE_TESTABLE


def test_language_models_come_before_yardsticks(cell) -> None:
    """A yardstick's finding is not the headline of a study of models, sure as it may be."""
    unsure = model(replace(cell, unused=known(0.01)), "lm@m")
    assert in_question([cell, unsure]) == [unsure]
    assert headline([cell, unsure]).startswith("No language model surely")
    assert "“lm@m” does not use" in headline([cell, model(cell, "lm@m")])


def test_many_cells_raise_the_bar(cell) -> None:
    """One-sided p = .01 is sure alone, not as the best of twenty."""
    borderline = replace(cell, unused=Estimate(0.1, 0.0, 0.2, "", 0.04, 20.0))
    assert borderline.unused.doubt == pytest.approx(0.0107, abs=1e-3)
    assert sure([borderline]) == [borderline]
    others = [replace(cell, mind=f"mind {k}", unused=known(0.0)) for k in range(19)]
    assert sure([borderline, *others]) == []


def test_holm_goes_on_after_the_first(cell) -> None:
    strong = replace(cell, unused=known(0.4, 0.01))
    weak = replace(cell, mind="weak", unused=Estimate(0.1, 0.0, 0.2, "", 0.04, 20.0))
    none = replace(cell, mind="none", unused=known(-0.5))
    assert sure([weak, strong]) == [strong, weak]
    assert sure([weak, strong, none]) == [strong, weak]
    assert sure([weak, none, replace(none, mind="other")]) == []


def test_the_page_begins_with_it_too(whole: Findings) -> None:
    page = as_html(replace(whole, said={"m": ReplyCounts(2, cut=2)}), (), {}, "A study", ())
    assert page.index("Every reply of m (2 in all) was cut") < page.index("<table")


def test_causes_are_listed_where_there_are_several() -> None:
    counts = ReplyCounts(1_200, empty=1_000, cut=199) + ReplyCounts(1, filtered=1)
    assert not counts.silent
    both = {"a": counts, "b": counts + ReplyCounts(0, refused=1), "c": ReplyCounts()}
    (said,) = silences(both)
    assert said.startswith(
        "No reply of b (1,201 in all) says anything: 1,000 empty, 1 refused, 1 filtered, 199 cut."
    )
