"""A pool as a dataset: the rows of its tasks and results, and a card that can be read."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import msgspec
import pytest

from otherminds.core.errors import StudyError
from otherminds.household.authoring.accounts import PoolAccount, account_of
from otherminds.household.authoring.exporting import RESULTS, export
from otherminds.household.authoring.results import TargetResult
from otherminds.household.pool.store import digest_bytes
from tests.household.authoring.pooling.filled import filled

yaml = pytest.importorskip("yaml")


@pytest.fixture(scope="module")
def account(tmp_path_factory: pytest.TempPathFactory) -> PoolAccount:
    return account_of(filled(tmp_path_factory.mktemp("export") / "pool"))


def test_json_lines_have_every_task_and_result(account: PoolAccount, tmp_path: Path) -> None:
    export(account, tmp_path / "out", "cc-by-4.0", parquet=False)
    rows = {
        path.stem: [*map(json.loads, path.read_bytes().splitlines())]
        for path in (tmp_path / "out" / "jsonl" / "tasks").iterdir()
    }
    assert {split: len(found) for split, found in rows.items()} == {
        "generation_0": 2,
        "generation_1": 2,
        "generation_2": 2,
    }
    for row in (row for found in rows.values() for row in found):
        assert digest_bytes(row["task"].encode()) == row["sha256"]
    first = rows["generation_1"][0]
    assert (first["author"], first["parents"], first["generation"]) == ("scripted_author", ["relay_7"], 1)
    assert json.loads(first["judgements"])[0]["scores"]["secret_quality"]["score"] == 0.75
    assert json.loads(first["verdicts"])[0]["status"] == "proved and checked"
    lines = (tmp_path / "out" / "jsonl" / "results" / "runs.jsonl").read_bytes().splitlines()
    assert tuple(msgspec.json.decode(line, type=TargetResult) for line in lines) == account.results


def test_the_card_names_the_files_the_counts_and_the_licence(account: PoolAccount, tmp_path: Path) -> None:
    export(account, tmp_path, 'mine: "all"', parquet=False)
    text = (tmp_path / "README.md").read_text()
    head = yaml.safe_load(text.split("---")[1])
    assert head["license"] == 'mine: "all"'
    files = [one["path"] for config in head["configs"] for one in config["data_files"]]
    assert sorted(files) == sorted(
        str(path.relative_to(tmp_path)) for path in (tmp_path / "jsonl").rglob("*.jsonl")
    )
    assert "| tasks | generation_2 | 2 |" in text
    assert "| scripted_author | 4 |" in text
    assert "| kept | 4 |" in text
    assert "| solvable | proved and checked | 6 |" in text


def test_the_card_describes_every_column(account: PoolAccount, tmp_path: Path) -> None:
    export(account, tmp_path, "mit", parquet=False)
    text = (tmp_path / "README.md").read_text()
    rows = [json.loads(path.read_bytes().splitlines()[0]) for path in (tmp_path / "jsonl").rglob("*.jsonl")]
    assert all(f"\n| `{name}` | " in text for row in rows for name in row)
    assert [*RESULTS] == [*TargetResult.__struct_fields__]


def test_names_are_no_markup_in_the_card(account: PoolAccount, tmp_path: Path) -> None:
    hostile = msgspec.structs.replace(account, name="x\n---\n| <b>|")
    export(hostile, tmp_path, "mit", parquet=False)
    text = (tmp_path / "README.md").read_text()
    assert "# Household tasks: x?---?? ?b??" in text
    assert yaml.safe_load(text.split("\n---\n")[0])["pretty_name"] == "Household tasks: x\n---\n| <b>|"


def test_parquet_has_the_same_rows(account: PoolAccount, tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    export(account, tmp_path, "mit", parquet=True)
    for path in (tmp_path / "parquet").rglob("*.parquet"):
        lines = tmp_path / "jsonl" / path.parent.name / f"{path.stem}.jsonl"
        assert parquet.read_table(path).to_pylist() == [*map(json.loads, lines.read_bytes().splitlines())]
    assert "parquet/tasks/generation_0.parquet" in (tmp_path / "README.md").read_text()


def test_without_pyarrow_nothing_is_written(
    account: PoolAccount, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(StudyError, match=r"pip install 'otherminds\[parquet\]'"):
        export(account, tmp_path / "out", "mit", parquet=True)
    assert not (tmp_path / "out").exists()


def test_a_folder_with_files_is_refused(account: PoolAccount, tmp_path: Path) -> None:
    (tmp_path / "letter.txt").write_text("dear")
    with pytest.raises(StudyError, match="is not empty; choose another folder"):
        export(account, tmp_path, "mit", parquet=False)
    with pytest.raises(StudyError, match="cannot be used"):
        export(account, tmp_path / "letter.txt", "mit", parquet=False)
