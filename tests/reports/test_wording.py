"""The chapter on prompt packs: the same numbers as text, on the page and as JSON."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from otherminds.reports.build import report
from otherminds.studies.file import shipped
from otherminds.studies.plan import plan_file
from otherminds.studies.run import run
from otherminds.studies.run_dir import results
from otherminds.studies.run_overrides import RunOverrides
from tests.studies.conftest import Heard


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The shipped study with a model that reads nothing but the last label of the history."""
    out = tmp_path_factory.mktemp("wording")
    run(plan_file(shipped("wording"), RunOverrides(("scripted:echo_last",), 3, 12)), out, Heard())
    return out


def _report(folder: Path, form: str) -> str:
    plan, records = results(folder)
    return report(plan.cells(), records, plan.name, form, folder)


def test_a_model_that_ignores_the_wording_has_no_range(played: Path) -> None:
    """In all packs, the last label of a round is the other player's."""
    found = json.loads(_report(played, "json"))["wording"]
    assert len(found) == 6
    for one in found:
        assert [pack["pack"] for pack in one["packs"]] == ["plain", "roleplay", "terse"]
        assert all(pack["scored"] == pack["episodes"] == 12 for pack in one["packs"])
        assert one["ranges"]["valid"]["spread"] == 0
        for span in one["ranges"].values():
            ends = [span["spread"], *(span["paired"][end] for end in ("mean", "low", "high"))]
            assert ends == pytest.approx([0] * 4, abs=1e-12)
            assert span["pairs"] == 12


def test_text_and_page_have_the_chapter(played: Path) -> None:
    text = _report(played, "table")
    page = Path(_report(played, "html")).read_text()
    for shown in ("sensitivity to wording", "range over packs", "roleplay"):
        assert shown in text
        assert shown in page
    assert "Bonferroni" in page
