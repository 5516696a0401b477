"""The shipped table of Cross et al.: complete, as printed, and with its doubts."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from otherminds.core import wording
from otherminds.core.errors import InternalError
from otherminds.gridworlds import printed_rewards as module
from otherminds.gridworlds.printed_rewards import METHODS, lookup, published
from tests.cases import for_each

SCENARIOS = {"rws-repeated": 9, "rws-arena": 8, "cooking-asymmetric": 3, "pd-repeated": 10}
HYPOTHETICAL_MINDS = {
    "rws-repeated": (50.8, 23.2, 54.6, 40.6, 48.5, 12.9, 50.5, 59.6, 63.8),
    "rws-arena": (13.3, -2.6, 16.2, 11.6, -2.6, 21.8, 24.9, 32.1),
    "cooking-asymmetric": (628.3, 498.8, 426.8),
    "pd-repeated": (40.6, 78.7, 21.9, 31.6, 27.8, 52.5, 46.7, 20.9, 42.1, 45.3),
}


def test_every_scenario_has_every_method_once() -> None:
    expected = [
        (substrate, number, method)
        for substrate, count in SCENARIOS.items()
        for number in range(count)
        for method in METHODS
    ]
    assert [(row.substrate, row.scenario, row.method) for row in published()] == expected
    labels = {(row.substrate, row.scenario): row.label for row in published()}
    assert all((row.label == labels[row.substrate, row.scenario]) for row in published())


def test_the_agent_of_the_paper_has_the_means_that_it_reports() -> None:
    for substrate, means in HYPOTHETICAL_MINDS.items():
        found = [lookup(substrate, n, "Hypothetical Minds")[0].mean for n in range(len(means))]
        assert found == list(means)


@for_each(
    ("substrate", "scenario", "method", "mean", "sem"),
    [
        ("rws-repeated", 2, "Reflexion", 29.3, 12.5),
        ("rws-repeated", 8, "PPO", -4.2, 1.4),
        ("rws-arena", 4, "Reflexion", 10.6, 2.2),
        ("rws-arena", 7, "PlanReAct", -0.2, 2.6),
        ("cooking-asymmetric", 2, "OPRE", 62.0, 62.0),
        ("cooking-asymmetric", 1, "PlanReAct", 455.6, 55.7),
        ("pd-repeated", 1, "OPRE", 102.5, 1.0),
        ("pd-repeated", 8, "Hypothetical Minds", 42.1, 1.5),
        ("pd-repeated", 9, "PPO", 15.1, 2.5),
    ],
)
def test_rewards_read_off_the_paper(
    substrate: str, scenario: int, method: str, mean: float, sem: float
) -> None:
    (row,) = lookup(substrate, scenario, method)
    assert (row.mean, row.sem, row.doubt) == (mean, sem, "")


def test_doubts_are_few_and_named() -> None:
    doubted = Counter((row.substrate, row.scenario) for row in published() if row.doubt)
    assert doubted == {
        ("rws-arena", 1): 1,  # one number that is scenario 3's
        ("rws-arena", 5): 6,  # labels exchanged
        ("rws-arena", 6): 6,
        ("cooking-asymmetric", 0): 6,  # a row that cannot be read with certainty
    }
    assert lookup("rws-arena", 5)[0].label == "Rock"
    assert "pure paper" in lookup("rws-arena", 5)[0].doubt
    assert "pure rock" in lookup("rws-arena", 6)[0].doubt


def test_standard_errors_are_in_bounds_and_an_unknown_scenario_has_no_rows() -> None:
    assert all(0 <= row.sem < 100 for row in published())
    assert lookup("rws-repeated", 9) == ()


def test_a_damaged_table_names_the_line(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    header, line, *_ = (Path(module.__file__).parent / "grid" / "published.csv").read_text().splitlines()
    (tmp_path / "published.csv").write_text(f"{header}\n{line}\n{line.replace('50.8', 'x')}\n")
    monkeypatch.setattr(wording, "files", lambda package: tmp_path)
    published.cache_clear()
    with pytest.raises(InternalError, match="line 3"):
        published()
    published.cache_clear()
