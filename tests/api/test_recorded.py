"""Records of a folder as a lazy sequence, and their rounds as rows."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

import msgspec
import pytest

import otherminds as om
from otherminds.core.data import Invalid
from otherminds.core.encoding import encode
from otherminds.core.record import SCHEMA, record_schema
from otherminds.measures.basis import decomposition
from otherminds.reports.rounds import RoundRow
from otherminds.studies.run_dir import results


@pytest.fixture
def folder(cells, tmp_path: Path) -> Path:
    om.run(cells, tmp_path / "run")
    return tmp_path / "run"


def segment(folder: Path) -> Path:
    (path,) = (folder / "records").glob("*.jsonl")
    return path


def test_records_are_a_sequence_of_those_of_the_folder(folder):
    expected, found = list(results(folder)[1]), om.records(folder)
    assert (len(found), list(found), list(found)) == (24, expected, expected)
    assert found[3] == expected[3]
    assert found[-1] == expected[-1]
    for part in (slice(2, 9), slice(None, None, 5), slice(-4, None), slice(20, 99), slice(9, 2)):
        assert list(found[part]) == expected[part]
    with pytest.raises(IndexError):
        found[24]
    with pytest.raises(om.StudyError, match="positive step"):
        found[::-1]


def test_records_of_several_folders_follow_each_other(folder):
    both = om.records(folder, folder)
    assert len(both) == 48
    assert both[24] == both[0]


def test_what_a_run_adds_is_in_the_next_pass_and_a_torn_line_is_not(folder):
    path = segment(folder)
    *before, last = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(before) + last[:40])
    found = om.records(folder)
    assert len(found) == len(list(found)) == 23
    path.write_bytes(b"".join(before) + last)
    assert len(found) == len(list(found)) == 24


def test_a_folder_without_a_study_is_refused_and_one_without_records_is_empty(folder, tmp_path):
    (tmp_path / "empty").mkdir()
    for name in ("none", "empty"):
        for read in (om.records, om.rounds):
            with pytest.raises(om.StudyError, match="holds no study"):
                read(tmp_path / name)
    segment(folder).unlink()
    assert (len(om.records(folder)), list(om.records(folder)), list(om.rounds(folder))) == (0, [], [])


def test_a_record_of_another_version_is_refused_by_its_version(folder):
    path = segment(folder)
    path.write_bytes(path.read_bytes().replace(b'"schema":%d' % SCHEMA, b'"schema":3'))
    for read in (om.records, om.rounds):
        with pytest.raises(om.StudyError, match=f"schema 3; this version reads schema {SCHEMA}"):
            list(read(folder))


def test_rounds_have_a_row_for_each_round_and_seat(folder):
    rows, records = list(om.rounds(folder)), list(om.records(folder))
    assert len(rows) == sum(len(record.met[seat]) for record in records for seat in record.seats)
    by_seat = {(row.episode, row.seat, row.round): row for row in rows}
    for record in records:
        for n, (actions, rewards) in enumerate(zip(record.actions, record.rewards, strict=True)):
            pair = [by_seat[record.spec.hash, seat, n] for seat in record.seats]
            assert [row.payoff for row in pair] == list(rewards)
            assert [row.did for row in pair] == [
                names[action] for names, action in zip(record.game.behaviours, actions, strict=True)
            ]
            assert (pair[0].truth, pair[1].truth) == (pair[1].did, pair[0].did)
            assert (pair[0].other, pair[1].other) == record.seats[::-1]
        said = [answer.answer for answer in record.asked if answer.invalid is None]
        assert [row.said for row in rows if row.episode == record.spec.hash and row.said is not None] == said


def test_q_and_best_replies_give_the_unused_regret_of_a_report():
    record = om.play("rps-mixed-v1", "qa@scripted:uniform", options={"rounds": 6})
    rows = [row for row in om.rounds(record) if row.seat == "ego"]
    unused = 0.0
    for row in rows:
        worth = dict(zip(row.options, row.q, strict=True))
        unused += sum(worth[reply] for reply in row.best_reply) / len(row.best_reply) - worth[row.did]
    assert unused / 6 == pytest.approx(decomposition(record).unused)
    assert any(row.q is None for row in om.rounds(record) if row.seat != "ego")


@pytest.mark.parametrize("scenario", ["cooking-asymmetric-0-v1", "household-cabinet_confirmation-v1"])
def test_a_world_without_predictions_of_behaviours_has_a_row_for_each_step_and_seat(scenario):
    record = om.play(scenario, "qa@scripted:uniform", options={"steps": 20} if "cooking" in scenario else {})
    rows = list(om.rounds(record))
    assert len(rows) == len(record.rewards) * len(record.seats) > 0
    for at, seat in enumerate(record.seats):
        assert [row.payoff for row in rows if row.seat == seat] == [reward[at] for reward in record.rewards]
    assert {(row.said, row.best_reply, row.q) for row in rows} == {(None, None, None)}
    assert all(row.did is not None for row in rows)


def test_among_several_partners_a_prediction_is_in_the_row_of_the_one_met():
    record = om.play("rws-arena-0-v1", "qa@scripted:uniform", options={"steps": 200})
    rows = [row for row in om.rounds(record) if row.seat == "ego"]
    assert len(rows) == len(record.met["ego"]) > 1
    assert all(row.said is not None and row.other != "ego" for row in rows)
    for row in rows:
        (about,) = (k for k, question in enumerate(record.questions) if question.about == row.other)
        before = [one for one in record.asked if one.question == about and one.step <= row.step]
        assert row.said == before[-1].answer


def test_an_invalid_prediction_and_an_episode_without_a_round_have_rows():
    record = om.play("rps-single-v1", "qa@scripted:first", options={"rounds": 2})
    asked = tuple(
        msgspec.structs.replace(answer, answer=None, invalid=Invalid("unreadable")) for answer in record.asked
    )
    rows = [row for row in om.rounds(msgspec.structs.replace(record, asked=asked)) if row.seat == "ego"]
    assert [(row.said, row.invalid, row.best_reply) for row in rows] == [(None, "unreadable", None)] * 2
    empty = msgspec.structs.replace(
        record, actions=[], rewards=[], asked=(), met=dict.fromkeys(record.seats, ())
    )
    assert [(row.seat, row.round, row.payoff) for row in om.rounds(empty)] == [
        ("ego", None, None),
        ("partner_0", None, None),
    ]


def test_the_columns_are_those_of_rows_and_frames_keep_what_is_missing(folder):
    household = om.play("household-cabinet_confirmation-v1", "qa@scripted:uniform")
    table = om.rounds([*om.records(folder)[:2], household])
    columns, rows = table.columns(), list(table)
    assert [*columns] == [*RoundRow.__struct_fields__]
    assert columns["q"] == [row.q for row in rows]
    pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars")
    assert table.to_polars().to_dict(as_series=False) == columns
    frame = table.to_pandas()
    for name, values in columns.items():
        assert [value is None for value in values] == list(frame[name].isna())
    assert (str(frame["round"].dtype), str(frame["payoff"].dtype)) == ("Int64", "float64")
    assert table.to_polars().schema["q"] == polars.List(polars.Float64)
    assert isinstance(frame, pandas.DataFrame)


def test_the_shipped_schema_is_that_of_records_and_a_record_fits_it():
    shipped = files("otherminds.core").joinpath("record.schema.json").read_text(encoding="utf-8")
    assert shipped == record_schema()
    schema = pytest.importorskip("jsonschema")
    record = om.play("rps-mixed-v1", "qa@scripted:first", options={"rounds": 2})
    schema.validate(msgspec.json.decode(encode(record)), msgspec.json.decode(shipped))
    with pytest.raises(schema.ValidationError):
        schema.validate({"spec": {}}, msgspec.json.decode(shipped))
