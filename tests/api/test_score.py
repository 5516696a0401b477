"""Scores of records, and the rows of a report."""

from __future__ import annotations

import json
import math
from html import escape
from pathlib import Path

import pytest

import otherminds as om
from otherminds.measures.cells import tabulate


@pytest.fixture(scope="module")
def records() -> list[om.Record]:
    return [om.play("rps-mixed-v1", "rmax", seed=seed, options={"rounds": 30}) for seed in range(12)]


def test_a_score_has_the_numbers_of_a_report(records: list[om.Record]) -> None:
    score = om.score(records)
    (cell,) = tabulate({("rps-mixed-v1", "rmax"): 12}, records)
    assert (score.scenario, score.mind, score.episodes, score.scored) == ("rps-mixed-v1", "rmax", 12, 12)
    assert score.returns == cell.reward
    for name in ("functional", "literal", "gap", "unused", "unknowable", "foresight", "mistaken", "luck"):
        assert score[name] == getattr(cell, name)
        assert score[name].mean is not None
    parts = [score[name].mean or 0.0 for name in ("unknowable", "foresight", "mistaken", "unused")]
    assert sum(parts) - (score["luck"].mean or 0.0) == pytest.approx(score["delta_functional"].mean)
    assert "functional (F)" in repr(score)
    assert "<td>functional (F)</td>" in score._repr_html_()


def test_it_says_why_a_number_is_missing(records: list[om.Record]) -> None:
    one = om.score(records[0])
    assert one["functional"].mean is None
    assert "no episode here is against" in one["functional"].reason
    assert one["functional"].reason in repr(one)
    assert escape(one["functional"].reason) in one._repr_html_()


def test_only_one_mind_in_one_scenario_has_a_score(records: list[om.Record]) -> None:
    other = om.play("rps-mixed-v1", "nash", options={"rounds": 30})
    with pytest.raises(om.StudyError, match="rmax in rps-mixed-v1, nash in rps-mixed-v1"):
        om.score([*records, other])
    with pytest.raises(om.StudyError, match="no record"):
        om.score([])


def test_a_report_of_records_has_flat_rows_of_one_shape(records: list[om.Record]) -> None:
    rows = om.report([*records, om.play("ipd-tit_for_tat-v1", "nash", options={"rounds": 5})])
    assert [(row["scenario"], row["mind"], row["scored"]) for row in rows] == [
        ("rps-mixed-v1", "rmax", 12),
        ("ipd-tit_for_tat-v1", "nash", 1),
    ]
    score = om.score(records)
    assert rows[0]["functional"] == score["functional"].mean
    assert rows[0]["functional_low"] == score["functional"].low
    assert math.isnan(float(rows[1]["functional"]))
    assert "no episode here is against" in str(rows[1]["reasons"])
    kinds = [{name: type(value) for name, value in row.items()} for row in rows]
    assert kinds[0] == kinds[1], "a data frame has one type a column"
    assert set(kinds[0].values()) <= {str, int, float, bool}
    assert type(rows[0]) is dict
    assert "rps-mixed-v1" in repr(rows)
    assert "<td>rps-mixed-v1</td>" in rows._repr_html_()


def test_a_folder_without_a_study_is_refused(tmp_path: Path) -> None:
    with pytest.raises(om.StudyError, match="holds no study"):
        om.report(tmp_path)


def test_rows_are_written_as_they_are(records: list[om.Record]) -> None:
    assert json.loads(json.dumps(om.report(records)))[0]["mind"] == "rmax"


def test_equal_records_count_once_and_it_says_so(records: list[om.Record]) -> None:
    once = om.score(records)
    for given in (
        records * 2,
        [records[0], *records],
        [*records, om.play("rps-mixed-v1", "rmax", seed=3, options={"rounds": 30})],
    ):
        score = om.score(given)
        assert (score.episodes, score.repeated) == (once.episodes, len(given) - len(records))
        assert dict(score) == dict(once)
        assert f"({score.repeated} given more than once, and counted once)" in repr(score)
    assert "more than once" not in repr(once)
