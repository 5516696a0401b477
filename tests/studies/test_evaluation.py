"""Sizing: what a pilot measures, which size fits, and what is kept."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from msgspec.structs import replace

from otherminds import StudyError
from otherminds.core.model import Price, Usage
from otherminds.studies.evaluation import CARD, PILOT, SPARE, Allowed, Evaluation, Need, held_in
from otherminds.studies.run_dir import results
from otherminds.studies.suite import suite

if TYPE_CHECKING:
    from conftest import Heard

MODEL = "scripted:uniform"
PRICES = {MODEL: Price(input=1.0, output=10.0)}


def task(out: Path, allowed: Allowed | None = None, model: str = MODEL, mind: str = "") -> Evaluation:
    return Evaluation(model, suite("core"), out, allowed or Allowed(), mind)


def tokens(folder: Path) -> Usage:
    return sum((record.used() for record in results(folder)[1]), Usage())


def test_a_pilot_is_the_beginning_of_the_smallest_size(tmp_path: Path, heard: Heard) -> None:
    one = task(tmp_path)
    smallest = one.suite.sizes[0]
    one.pilot(heard)
    assert len(heard.outcomes) == PILOT, "one cell, and the model serves more than six episodes"
    paid = [record.hash for record in results(one.folder(smallest))[1]]
    assert one.play(smallest, heard) == ""
    again = {record.hash for record in results(one.folder(smallest))[1]}
    assert len(again) == 3 * smallest.episodes
    assert set(paid) < again
    assert heard.done == PILOT


def test_what_a_size_takes_is_what_it_took(tmp_path: Path, heard: Heard) -> None:
    """Calls are exact where no reply is asked for again; tokens are scaled by those of the pilot."""
    one = task(tmp_path, Allowed(None, 100.0, PRICES))
    one.pilot(heard)
    need = {need.size: need for need in one.needs()}["quick"]
    assert one.play(one.suite.size("quick"), heard) == ""
    folder = tmp_path / "quick"
    took = tokens(folder)
    assert need.calls == sum(len(record.calls) for record in results(folder)[1])
    assert need.usage.prompt == pytest.approx(took.prompt, rel=0.1)
    assert need.usage.completion == pytest.approx(took.completion, rel=0.1)
    assert need.dollars == pytest.approx((took.prompt + 10 * took.completion) / 1e6, rel=0.1)
    assert need.seconds is not None
    assert (need.cells, need.episodes) == (3, 108)


def test_without_a_pilot_time_is_not_known(tmp_path: Path) -> None:
    needs = task(tmp_path).needs()
    assert [need.size for need in needs] == ["glance", "quick", "standard", "full"]
    assert all(need.seconds is None and need.dollars is None for need in needs)
    assert [need.calls for need in needs] == [30 * 3 * 2, 108 * 10 * 2, 108 * 30 * 2, 216 * 100 * 2]
    assert not any(tmp_path.iterdir())


def test_the_largest_size_that_fits_both_limits_is_taken(tmp_path: Path) -> None:
    one = task(tmp_path, Allowed(10.0, 2.0, PRICES))
    needs = [
        Need(size.name, 3, 108, 1, Usage(), seconds, dollars)
        for size, seconds, dollars in zip(
            one.suite.sizes, (1.0, 60.0, 300.0, 3000.0), (0.1, 0.5, 1.7, 9.0), strict=True
        )
    ]
    assert 1.7 > SPARE * 2.0 > 0.5
    assert [size.name for size in one.fitting(needs)] == ["glance", "quick"]
    one.allowed = replace(one.allowed, dollars=None)
    assert [size.name for size in one.fitting(needs)] == ["glance", "quick", "standard"]
    unknown = [replace(need, seconds=None) for need in needs]
    assert one.fitting(unknown) == [], "a time that is not known is not expected to fit"


def test_when_the_money_is_spent_the_rest_waits_for_a_higher_limit(tmp_path: Path, heard: Heard) -> None:
    glance = suite("core").size("glance")
    one = task(tmp_path, Allowed(None, 0.01, PRICES))
    assert "US dollars are spent" in one.play(glance, heard)
    first = len(list(results(tmp_path / "glance")[1]))
    assert 0 < first < 90
    more = task(tmp_path, Allowed(None, 50.0, PRICES))
    assert more.play(glance, heard) == ""
    assert len(list(results(tmp_path / "glance")[1])) == 90


def test_money_of_the_pilot_counts_in_every_size(tmp_path: Path, heard: Heard) -> None:
    one = task(tmp_path, Allowed(None, 1.0, PRICES))
    one.pilot(heard)
    glance, quick = one.suite.sizes[:2]
    took = tokens(one.folder(glance))
    spent = (took.prompt + 10 * took.completion) / 1e6
    assert one._limits(glance).max_cost == 1.0
    assert one._limits(quick).max_cost == pytest.approx(1.0 - spent)


def test_when_the_time_is_over_nothing_more_is_asked(tmp_path: Path, heard: Heard) -> None:
    one = task(tmp_path, Allowed(0.0))
    assert "the time allowed is over" in one.play(suite("core").size("quick"), heard)
    assert not any(record.calls for record in results(tmp_path / "quick")[1])


def test_a_folder_is_of_one_model_one_suite_and_one_mind(tmp_path: Path, heard: Heard) -> None:
    task(tmp_path).play(suite("core").sizes[0], heard)
    held = held_in(tmp_path)
    assert held is not None
    assert (held.suite, held.size, held.model, held.mind) == ("core-1", "glance", MODEL, "")
    for model, mind in (("scripted:first", ""), (MODEL, "cot")):
        with pytest.raises(
            StudyError, match=r"has an evaluation of scripted:uniform in core-1.*another --out"
        ):
            task(tmp_path, model=model, mind=mind)
    (tmp_path / CARD).write_text("{")
    with pytest.raises(StudyError, match=r"is damaged .*; delete it"):
        task(tmp_path)
