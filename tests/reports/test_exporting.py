"""A run as a Parquet file: the columns that are documented, and the numbers of the report."""

from __future__ import annotations

import csv
import io
import json
import re
import sys
from pathlib import Path

import pytest
from msgspec import structs

import otherminds as om
from otherminds.core.errors import StudyError
from otherminds.core.record import Record, Timing
from otherminds.measures.registry import measures
from otherminds.reports.build import report
from otherminds.reports.exporting import EpisodeRow, columns, export, row
from otherminds.studies.run_dir import RecordedEpisode
from tests.cli.running import otherminds


@pytest.fixture
def played(records: list[Record]) -> list[RecordedEpisode]:
    return [RecordedEpisode(n, record, Timing(0.5)) for n, record in enumerate(records)]


def test_a_row_has_only_columns_that_are_declared(played: list[RecordedEpisode]) -> None:
    for one in played:
        assert row(one).keys() <= columns().keys()
    assert [field.name for field in structs.fields(EpisodeRow)] == [*columns()][
        : len(structs.fields(EpisodeRow))
    ]
    assert set(measures) <= columns().keys()


def test_no_measure_hides_a_fixed_column() -> None:
    fixed = {field.name for field in structs.fields(EpisodeRow)}
    assert not fixed & set(measures)


def test_scores_follow_from_their_parts(played: list[RecordedEpisode]) -> None:
    rows = [row(one) for one in played]
    assert any(one["f"] is not None for one in rows)
    for one in rows:
        if one["f"] is not None:
            assert one["f"] == one["f_over"] / one["f_under"]
        if one["l"] is not None:
            assert one["l"] == (one["l_told"] - one["l_blind"]) / (one["l_known"] - one["l_blind"])
        if one["outcome"] != "scored":
            assert one["f_over"] is one["l_told"] is one["regret"] is None


def test_the_file_reads_back(
    planned, played: list[RecordedEpisode], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Over several row groups: F of each cell is that of the report, a ratio of sums."""
    duckdb = pytest.importorskip("duckdb")
    pytest.importorskip("pyarrow")
    monkeypatch.setattr("otherminds.reports.exporting.GROUP", 7)
    out = tmp_path / "new" / "episodes.parquet"
    assert export(iter(played), out) == len(played)
    assert list(out.parent.iterdir()) == [out]
    names = [name for name, *_ in duckdb.sql(f"describe select * from '{out}'").fetchall()]
    assert names == [*columns()]
    query = f"select scenario, mind, count(*), avg(reward) from '{out}' where outcome = 'scored' group by all"
    found = {(scenario, mind): rest for scenario, mind, *rest in duckdb.sql(query).fetchall()}
    cells = json.loads(report(planned, [one.record for one in played], "", "json", tmp_path))["cells"]
    for cell in cells:
        if cell["scored"]:
            scored, reward = found[cell["scenario"], cell["mind"]]
            assert scored == cell["scored"]
            assert reward == pytest.approx(cell["reward"])


def test_the_command_writes_a_row_for_each_recorded_episode(tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    study = (
        'name = "few"\nepisodes = 2\n[[cells]]\nscenarios = ["rps-single-v1"]\nrounds = 3\nminds = ["nash"]\n'
    )
    (tmp_path / "few.toml").write_text(study)
    assert otherminds("run", tmp_path / "few.toml", "--out", tmp_path / "out").returncode == 0
    done = otherminds("export", tmp_path / "out", "--out", tmp_path / "few.parquet")
    assert (done.returncode, done.stdout.split()[0]) == (0, "2")
    table = parquet.read_table(tmp_path / "few.parquet").to_pylist()
    assert sorted(one["number"] for one in table) == [0, 1]
    assert {one["mind"] for one in table} == {"nash"}


LEADS = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")
FORMULAS = [
    *(f"{lead}{rest}" for lead in LEADS for rest in ("cmd|' /C calc'!A0", "1+1", "", "1;=2", " 1")),
    *(
        "x;=1+1",
        "x\t=1+1",
        "x\n=1+1",
        "x\r\n@SUM(A1)",
        "  =1+1",
        '"=1+1',
        "x; =1",
        "-1_000",
        "-\u0661",
        "+1,5",
        "--1",
    ),
]


def cells_of(text: str) -> list[str]:
    """The cells of a table as each kind of spreadsheet may cut them: by commas, semicolons or tabs."""
    return [
        cell
        for cut in ",;\t"
        for line in csv.reader(io.StringIO(text, newline=""), delimiter=cut)
        for cell in line
    ]


def test_a_spreadsheet_runs_nothing_of_an_exported_text(
    played: list[RecordedEpisode], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However it cuts the lines into cells: none but numbers begins as a formula, and the text can be read back."""
    plain = row(played[0])
    for text in FORMULAS:
        values = {**plain, "mind": text, "reason": f"lost{text}", "model": f"{text}{text}"}
        monkeypatch.setattr("otherminds.reports.exporting.row", lambda _, values=values: values)
        export(played[:1], tmp_path / "rows.csv")
        written = (tmp_path / "rows.csv").read_bytes().decode()
        for cell in cells_of(written):
            lead = cell.lstrip(' "')[:1]
            assert lead not in LEADS or not lead or is_number(cell), (text, cell)
        (read,) = csv.DictReader(io.StringIO(written, newline=""))
        assert read["mind"].replace("'", "") == text.replace("'", "")
        export(played[:1], tmp_path / "rows.jsonl")
        assert json.loads((tmp_path / "rows.jsonl").read_text())["mind"] == text


def is_number(cell: str) -> bool:
    return re.fullmatch(r"[+-]?[0-9]+(\.[0-9]+)?(e[+-]?[0-9]+)?", cell) is not None


def test_numbers_stay_numbers_in_csv(
    played: list[RecordedEpisode], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    values = {
        **row(played[0]),
        "reward": -2.5,
        "seed": 7,
        "f": -1e-9,
        "l": None,
        "mind": "-3",
        "model": "+1.5e3",
    }
    monkeypatch.setattr("otherminds.reports.exporting.row", lambda _: values)
    export(played[:1], tmp_path / "rows.csv")
    (read,) = csv.DictReader((tmp_path / "rows.csv").read_text().splitlines())
    written = [read[name] for name in ("reward", "seed", "f", "l", "mind", "model")]
    assert written == ["-2.5", "7", "-1e-09", "", "-3", "+1.5e3"]


def test_without_pyarrow_the_extra_is_named(
    played: list[RecordedEpisode], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(StudyError, match=r"otherminds\[parquet\]"):
        export(played, tmp_path / "some.parquet")
    assert list(tmp_path.iterdir()) == []


def test_a_path_that_cannot_be_written_is_one_line(played: list[RecordedEpisode], tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    (tmp_path / "file").write_text("")
    with pytest.raises(StudyError, match=r"choose another|correct the path"):
        export(played, tmp_path / "file" / "some.parquet")
    with pytest.raises(StudyError, match="is a folder"):
        export(played, tmp_path)


def test_no_file_of_a_run_is_replaced_and_no_other_ending_is_written(tmp_path: Path) -> None:
    """Each file that a run has, by whatever path, and each place that it reads as its own; a new table may lie beside them."""
    run = tmp_path / "run"
    (tmp_path / "few.toml").write_text(
        'name = "few"\nepisodes = 2\n[[cells]]\nscenarios = ["rps-single-v1"]\nrounds = 3\nminds = ["nash"]\n'
    )
    assert otherminds("run", tmp_path / "few.toml", "--out", run).returncode == 0
    (tmp_path / "link").symlink_to(run)
    (run / "mine.csv").write_text("mine")
    (tmp_path / "alias.csv").symlink_to(run / "mine.csv")

    def files() -> dict[Path, bytes]:
        return {path: path.read_bytes() for path in run.rglob("*") if path.is_file()}

    before = files()
    assert any(path.suffix == ".jsonl" for path in before)
    places = [
        *before,
        run / "records" / "new.jsonl",
        run / "shards" / "1" / "new.csv",
        tmp_path / "alias.csv",
    ]
    places += [tmp_path / "link" / path.relative_to(run) for path in before]
    places += [
        tmp_path / name for name in ("rows", "rows.txt", "rows.json", "rows.CSV", "rows.csv.gz", ".csv")
    ]
    for place in places:
        done = otherminds("export", run, "--out", place)
        assert (done.returncode, done.stderr.count("\n")) == (2, 1), place
    assert files() == before
    for name in ("new.csv", "tables/new.jsonl"):
        assert otherminds("export", run, "--out", run / name).returncode == 0
    assert otherminds("export", run, "--out", tmp_path / "rows.csv").returncode == 0
    assert otherminds("export", run, "--out", tmp_path / "rows.csv").returncode == 0, (
        "elsewhere an old one is replaced"
    )


def test_the_table_of_an_unfinished_run_says_so(tmp_path: Path) -> None:
    (tmp_path / "few.toml").write_text(
        'name = "few"\nepisodes = 6\n[[cells]]\nscenarios = ["rps-single-v1"]\nrounds = 3\nminds = ["nash"]\n'
    )
    run, rows = tmp_path / "run", tmp_path / "rows.csv"
    assert otherminds("run", tmp_path / "few.toml", "--out", run, "--shard", "1/2").returncode == 0
    count = len(om.records(run))
    said = f"{count} of 6 planned episodes are recorded"
    assert 0 < count < 6
    assert said in otherminds("export", run, "--out", rows).stdout
    assert said in repr(om.records(run))
    assert otherminds("run", tmp_path / "few.toml", "--out", run, "--shard", "2/2").returncode == 0
    assert "planned" not in otherminds("export", run, "--out", rows).stdout + repr(om.records(run))


def test_csv_and_json_lines_have_the_rows_without_any_package(
    played: list[RecordedEpisode], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    expected = [dict.fromkeys(columns()) | row(one) for one in played]
    assert export(iter(played), tmp_path / "new" / "some.jsonl") == len(played)
    lines = (tmp_path / "new" / "some.jsonl").read_text(encoding="utf-8").splitlines()
    assert [json.loads(line) for line in lines] == expected
    assert export(iter(played), tmp_path / "some.csv") == len(played)
    with (tmp_path / "some.csv").open(encoding="utf-8", newline="") as file:
        found = list(csv.DictReader(file))
    assert found == [
        {name: "" if value is None else str(value) for name, value in one.items()} for one in expected
    ]
    assert {path.suffix for path in tmp_path.rglob("some*")} == {".csv", ".jsonl"}
