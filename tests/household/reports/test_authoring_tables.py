"""The tables of an authored pool have its numbers beside those of the paper."""

from __future__ import annotations

from pathlib import Path

import pytest

from otherminds.household.authoring.accounts import PoolAccount, account_of
from otherminds.household.authoring.authored_pool import AuthoredPool
from otherminds.household.reports.authoring_tables import (
    ablation_sheet,
    acceptance_sheet,
    cost_sheet,
    generations_sheet,
    pass_rate_sheet,
    yield_sheet,
)
from otherminds.reports.sheets import Sheet
from tests.household.authoring.pooling.filled import filled


@pytest.fixture(scope="module")
def account(tmp_path_factory: pytest.TempPathFactory) -> PoolAccount:
    return account_of(filled(tmp_path_factory.mktemp("tables") / "pool"))


def texts(sheet: Sheet) -> dict[str, list[str]]:
    return {names[0]: [" ".join(filter(None, pair)) for pair in pairs] for names, pairs in sheet.rows}


def test_generations(account: PoolAccount) -> None:
    sheet = generations_sheet(account)
    assert [(*names, pairs[0][0], pairs[1][0], pairs[4][0]) for names, pairs in sheet.rows] == [
        ("0", "generator", "2", "0.0", "0/2"),
        ("1", "scripted_author", "2", "1.0", "0/2"),
        ("2", "scripted_author", "2", "1.0", "2/2"),
    ]


def test_acceptance(account: PoolAccount) -> None:
    found = texts(acceptance_sheet(account))
    assert found["attempts"] == ["7", "100.0", "100.0"]
    assert found["structure"] == ["6", "85.7", "85.7"]
    assert found["kept"] == ["4", "57.1", "100.0"]
    assert "structure 7" in acceptance_sheet(account).notes[0]


def test_cost_is_beside_table_7(account: PoolAccount) -> None:
    found = texts(cost_sheet(account))
    assert found["US dollars an attempt"] == ["0.50", "0.52"]
    assert found["US dollars a kept task"] == ["0.88", "9.70"]
    assert found["wall-clock an attempt"] == ["10.0 s 10.0 s to 10.0 s", "13 min 6 to 40 min"]
    assert found["wall-clock a kept task, one attempt at a time"] == ["17.5 s", "1 to 2 h"]
    assert found["attempts a kept task"] == ["1.8", "about 13"]


def test_pass_rates_fall_with_the_generation(account: PoolAccount) -> None:
    sheet = pass_rate_sheet(account)
    assert sheet.heads == ("generation", "level_1")
    assert {name: pair[0].split()[0] for name, pair in texts(sheet).items()} == {
        "0": "50.0",
        "1": "50.0",
        "2": "0.0",
    }
    assert texts(sheet)["2"] == ["0.0 [0.0, 65.8]"]


def test_the_yield_ends_with_all_attempts(account: PoolAccount) -> None:
    assert texts(yield_sheet(account))["7"] == ["4"]


def test_ablations_are_in_the_layout_of_table_9(account: PoolAccount) -> None:
    sheet = ablation_sheet([account])
    found = texts(sheet)
    assert found["pool"] == ["4", "0.0 [0.0, 49.0]", "57.1 [25.0, 84.2]", "25.0 [4.6, 69.9]"]
    assert found["paper: full pipeline"] == ["–", "–", "–", "26.7"]
    assert found["paper: without baseline calibration"] == ["–", "51", "–", "–"]
    assert sheet.paper == frozenset({1, 2, 3, 4})


def test_an_empty_pool_has_tables_without_numbers(tmp_path: Path) -> None:
    empty = account_of(AuthoredPool.create(tmp_path / "empty").folder)
    assert generations_sheet(empty).rows == pass_rate_sheet(empty).rows == yield_sheet(empty).rows == ()
    assert texts(cost_sheet(empty))["US dollars a kept task"] == ["–", "9.70"]
    assert texts(ablation_sheet([empty]))["empty"] == ["0", "–", "–", "–"]
    assert texts(acceptance_sheet(empty))["kept"] == ["0", "–", "–"]
