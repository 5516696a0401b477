"""Sizing: what a pilot measures, which size fits, and what is kept."""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from msgspec.structs import replace

from otherminds import StudyError
from otherminds.core.model import Price, Usage
from otherminds.studies.evaluation import (
    CARD,
    PILOT,
    RUN,
    SPARE,
    Evaluation,
    EvaluationLimits,
    Need,
    held_in,
    suite,
)
from otherminds.studies.run_dir import results
from tests.models.serving import Asked, Reply, scripted, serving

if TYPE_CHECKING:
    from conftest import Heard

MODEL = "scripted:uniform"
PRICES = {MODEL: Price(input=1.0, output=10.0)}


def task(
    out: Path, allowed: EvaluationLimits | None = None, model: str = MODEL, mind: str = ""
) -> Evaluation:
    return Evaluation(model, suite("core"), out, allowed or EvaluationLimits(), mind)


def tokens(folder: Path) -> Usage:
    return sum((record.used() for record in results(folder)[1]), Usage())


def test_a_pilot_is_the_beginning_of_every_size(tmp_path: Path, heard: Heard) -> None:
    one = task(tmp_path)
    smallest = one.suite.sizes[0]
    one.pilot(heard)
    assert len(heard.outcomes) == PILOT, "one cell, and the model serves more than six episodes"
    paid = [record.hash for record in results(one.folder)[1]]
    assert one.play(smallest, heard) == ""
    again = {record.hash for record in results(one.folder)[1]}
    assert len(again) == 3 * smallest.episodes
    assert set(paid) < again
    assert heard.done == PILOT


def test_a_larger_size_plays_only_what_a_smaller_one_has_not(tmp_path: Path, heard: Heard) -> None:
    one = task(tmp_path, EvaluationLimits(None, 100.0, PRICES))
    glance, quick = one.suite.sizes[:2]
    whole = one.needs()
    assert one.play(glance, heard) == ""
    first = [record.hash for record in results(one.folder)[1]]
    left = one.needs()
    assert [need.episodes for need in left] == [need.episodes - 9 for need in whole]
    assert (left[0].calls, left[1].calls) == (0, whole[1].calls - 9 * 20 * 2)
    assert one.play(quick, heard) == ""
    assert heard.done == len(first)
    assert set(first) < {record.hash for record in results(one.folder)[1]}
    assert (one.finished(glance), one.finished(quick), one.finished(one.suite.sizes[2])) == (
        True,
        True,
        False,
    )


def test_what_a_size_takes_is_what_it_took(tmp_path: Path, heard: Heard) -> None:
    """Calls are exact where no reply is asked for again; tokens are scaled by those of the pilot."""
    one = task(tmp_path, EvaluationLimits(None, 100.0, PRICES))
    one.pilot(heard)
    before, paid = tokens(tmp_path / RUN), sum(len(one.calls) for one in results(tmp_path / RUN)[1])
    need = {need.size: need for need in one.needs()}["quick"]
    assert one.play(one.suite.size("quick"), heard) == ""
    after = tokens(tmp_path / RUN)
    took = Usage(after.prompt - before.prompt, after.completion - before.completion)
    assert need.calls == sum(len(record.calls) for record in results(tmp_path / RUN)[1]) - paid
    assert need.usage.prompt == pytest.approx(took.prompt, rel=0.1)
    assert need.usage.completion == pytest.approx(took.completion, rel=0.1)
    assert need.dollars == pytest.approx((took.prompt + 10 * took.completion) / 1e6, rel=0.1)
    assert need.seconds is not None
    assert (need.cells, need.episodes) == (2, 48 - PILOT)


def test_without_a_pilot_time_is_not_known(tmp_path: Path) -> None:
    needs = task(tmp_path).needs()
    assert [need.size for need in needs] == ["glance", "quick", "standard", "full"]
    assert all(need.seconds is None and need.dollars is None for need in needs)
    assert [need.calls for need in needs] == [9 * 40, 48 * 40, 144 * 40 + 36 * 48, 288 * 40 + 72 * 48]
    assert not any(tmp_path.iterdir())


def test_the_largest_size_that_fits_both_limits_is_taken(tmp_path: Path) -> None:
    one = task(tmp_path, EvaluationLimits(10.0, 2.0, PRICES))
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
    glance, quick = suite("core").sizes[:2]
    one = task(tmp_path, EvaluationLimits(None, 0.1, PRICES))
    assert "US dollars are spent" in one.play(glance, heard)
    first = len(list(results(one.folder)[1]))
    assert 0 < first < 27
    assert one.to_report(quick) is quick, "no size is finished"
    more = task(tmp_path, EvaluationLimits(None, 0.8, PRICES))
    assert "US dollars are spent" in more.play(quick, heard)
    assert more.to_report(quick).name == "glance", "the smaller size is played first"
    most = task(tmp_path, EvaluationLimits(None, 50.0, PRICES))
    assert most.play(quick, heard) == ""
    assert len(list(results(most.folder)[1])) == 144


def test_money_that_is_spent_is_not_spent_twice(tmp_path: Path, heard: Heard) -> None:
    one = task(tmp_path, EvaluationLimits(None, 1.0, PRICES))
    one.pilot(heard)
    took = tokens(one.folder)
    spent = (took.prompt + 10 * took.completion) / 1e6
    costs = [replace(need, seconds=None, dollars=SPARE - spent + n) for n, need in enumerate(one.needs())]
    assert one.fitting([replace(costs[0], dollars=SPARE - spent - 0.01), *costs[1:]]) == one.suite.sizes[:1]
    assert one.fitting([replace(costs[0], dollars=SPARE - spent + 0.01), *costs[1:]]) == []


def test_when_the_time_is_over_nothing_more_is_asked(tmp_path: Path, heard: Heard) -> None:
    one = task(tmp_path, EvaluationLimits(0.0))
    assert "the time allowed is over" in one.play(suite("core").size("quick"), heard)
    assert not any(record.calls for record in results(one.folder)[1])


def test_a_server_that_stops_half_way_loses_nothing(tmp_path: Path, heard: Heard) -> None:
    """Replies that were paid for are not asked again, and the same call goes on, failed episodes included."""
    glance = suite("core").sizes[0]
    up = [True]

    def answer(asked: Asked) -> Reply:
        if asked.method == "POST":
            asked_for.append(asked.body)
            if len(asked_for) > 200 and up:
                return Reply({"error": {"message": "insufficient_quota", "code": "insufficient_quota"}}, 401)
        return healthy(asked)

    healthy, asked_for = scripted(), []
    with serving(answer) as server:
        model = f"openai:toy@{server.url}"
        stopped = task(tmp_path, model=model).play(glance, heard)
        assert "failed" in stopped
        first = len(asked_for)
        done = [record.hash for record in results(tmp_path / RUN)[1] if record.outcome.status == "scored"]
        up.clear()
        again = task(tmp_path, model=model)
        assert again.play(glance, heard) == ""
    whole = list(results(tmp_path / RUN)[1])
    assert {record.outcome.status for record in whole} == {"scored"}
    assert set(done) <= {record.hash for record in whole}
    calls = sum(len(record.calls) for record in whole)
    assert len(asked_for) == calls + (first - 200), "only the calls that failed were made again"


def test_what_ended_when_is_kept_and_reading_does_not_change_it(tmp_path: Path, heard: Heard) -> None:
    glance = suite("core").sizes[0]
    one = task(tmp_path)
    one.play(glance, heard)
    held = held_in(tmp_path)
    assert held is not None
    assert datetime.fromisoformat(held.ended).utcoffset() == timedelta(0)
    assert held.seconds > 0
    task(tmp_path).play(glance, heard)
    assert held_in(tmp_path) == held


def test_a_folder_is_of_one_model_one_suite_and_one_mind(tmp_path: Path, heard: Heard) -> None:
    task(tmp_path).play(suite("core").sizes[0], heard)
    held = held_in(tmp_path)
    assert held is not None
    assert (held.suite, held.size, held.model, held.mind) == ("core-2", "glance", MODEL, "")
    for model, mind in (("scripted:first", ""), (MODEL, "cot")):
        with pytest.raises(
            StudyError, match=r"has an evaluation of scripted:uniform in core-2.*another --out"
        ):
            task(tmp_path, model=model, mind=mind)
    (tmp_path / CARD).write_text("{")
    with pytest.raises(StudyError, match=r"is damaged .*; delete it"):
        task(tmp_path)


def test_a_folder_with_a_run_for_each_size_is_not_taken_for_an_empty_one(
    tmp_path: Path, heard: Heard
) -> None:
    one = task(tmp_path)
    one.play(one.suite.sizes[0], heard)
    (tmp_path / RUN).rename(tmp_path / "glance")
    with pytest.raises(StudyError, match="an earlier version wrote it, with sizes that are not nested"):
        task(tmp_path)
