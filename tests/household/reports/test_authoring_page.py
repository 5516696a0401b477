"""The page on authored pools has a figure and a row for each pool, and shows names as text."""

from __future__ import annotations

from pathlib import Path

import pytest

from otherminds.household.authoring.accounts import accounts_of
from otherminds.household.authoring.authored_pool import AuthoredPool
from otherminds.household.reports.authoring_page import pools_page
from tests.household.authoring.pooling.filled import filled

HOSTILE = "<img src=x onerror=alert(1)>$\\frac{$\x1b[2J\u202e"


@pytest.fixture(scope="module")
def pools(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    folder = tmp_path_factory.mktemp("page")
    return [filled(folder / "full", HOSTILE), AuthoredPool.create(folder / "without").folder]


def test_a_page_has_figures_and_tables(pools: list[Path]) -> None:
    page = pools_page(accounts_of(pools))
    assert page.count("<svg") == 2
    for text in (
        "Yield",
        "Pass rates by generation",
        "Ablations",
        "paper: full pipeline",
        "tasks kept",
        "<h2",
    ):
        assert text in page
    for name in ("full", "without"):
        assert page.count(f">{name}</") > 1
    assert "Juneja" in page
    assert "Riemer" not in page


def test_names_from_files_are_text(pools: list[Path]) -> None:
    page = pools_page(accounts_of(pools))
    assert "<img" not in page
    assert "<script" not in page
    assert not {"\x1b", "\u202e"} & set(page)
    assert "&lt;img src=x onerror=alert(1)&gt;$" in page


def test_pools_of_one_name_are_told_apart(pools: list[Path], tmp_path: Path) -> None:
    other = AuthoredPool.create(tmp_path / "full").folder
    assert [one.name for one in accounts_of([pools[0], other])] == [str(pools[0]), str(other)]
    assert [one.name for one in accounts_of(pools)] == ["full", "without"]


def test_pools_without_attempts_have_no_figure(pools: list[Path]) -> None:
    assert "<svg" not in pools_page(accounts_of(pools[1:]))
