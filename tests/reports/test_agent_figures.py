"""The figures of Cross et al. 2025 for a run: bars, moments of validation, cost against reward, sweeps."""

from __future__ import annotations

from itertools import pairwise
from statistics import stdev

import pytest
from msgspec.structs import replace

from otherminds import SeatSpec
from otherminds.reports.drawings import (
    published_plot,
    returns_plot,
    spending_plot,
    sweep_plot,
    validation_plot,
)
from otherminds.reports.overview import spending_sheet, sweep_sheet, sweeps
from otherminds.reports.papers import printed_rewards
from otherminds.reports.style import Looks

SCENARIOS = ["rws-repeated-6-v1", "rws-repeated-1-v1"]
REWARDS = printed_rewards.get("cross_2025")


@pytest.fixture(scope="module")
def looks(agents) -> Looks:
    return Looks([cell.mind for cell in agents.cells])


def mean(runs, scenario: str, mind: str) -> float:
    found = [run.reward for run in runs if (run.scenario, run.mind) == (scenario, mind)]
    return sum(found) / len(found)


def test_a_bar_for_each_mind_in_each_scenario(agents, looks) -> None:
    axes = returns_plot(agents.runs, looks).axes
    minds = list(dict.fromkeys(cell.mind for cell in agents.cells))
    assert [ax.get_title(loc="left") for ax in axes] == SCENARIOS
    for ax, scenario in zip(axes, SCENARIOS, strict=True):
        widths = [bar.get_width() for bar in ax.patches]
        assert widths == pytest.approx([150 * mean(agents.runs, scenario, mind) for mind in minds])
    assert [label.get_text().replace("\n", "") for label in axes[0].get_yticklabels()] == minds


def test_published_bars_stand_below_the_run_s_in_grey(agents, looks) -> None:
    figure = published_plot(agents.runs, looks, REWARDS)
    for ax, scenario in zip(figure.axes, SCENARIOS, strict=True):
        there = [entry.value for entry in REWARDS.select_row(scenario).entries]
        assert [bar.get_width() for bar in ax.patches][-len(there) :] == there
        assert ax.get_xlabel() in {"", "reward per episode"}
    (legend,) = figure.legends
    assert "not comparable" in legend.get_texts()[1].get_text()


def test_labels_do_not_overlap(agents) -> None:
    """However long names are, each has room for its lines."""
    long = [replace(run, mind=f"{run.mind}@openai:{'a-long-name-' * 5}") for run in agents.runs]
    figure = published_plot(long, Looks([run.mind for run in long]), REWARDS)
    figure.draw_without_rendering()
    boxes = [label.get_window_extent() for label in figure.axes[0].get_yticklabels()]
    assert all(above.y0 >= below.y1 - 1 for above, below in pairwise(boxes))
    assert min(box.x0 for box in boxes) >= -1


def test_no_scenario_of_the_paper_no_such_figure(whole, looks) -> None:
    names = Looks([run.mind for run in whole.runs])
    assert published_plot(whole.runs, names, REWARDS) is None
    assert returns_plot([], names) is None


def test_the_moment_of_validation(agents, looks) -> None:
    axes = validation_plot(agents.around, looks).axes
    assert [ax.get_title(loc="left") for ax in axes] == SCENARIOS
    line = next(line for line in axes[0].lines if len(line.get_xdata()) > 2)
    known = [(x, p.mean) for x, p in zip(agents.around[0].offsets, agents.around[0].rewards, strict=True)]
    assert list(zip(line.get_xdata(), line.get_ydata(), strict=True)) == [
        k for k in known if k[1] is not None
    ]
    assert 0 not in line.get_xdata()
    assert validation_plot([], looks) is None


def test_cost_is_set_against_reward(agents, looks) -> None:
    axes = spending_plot(agents.runs, looks).axes
    assert [ax.get_xlabel() for ax in axes] == [
        f"{what} per 1,200 steps" for what in ("model calls", "tokens read", "tokens written", "US dollars")
    ]
    points = [line for line in axes[0].lines if len(line.get_xdata()) == 6]
    assert sorted({x for line in points for x in line.get_xdata()}) == [9 * k * 75 for k in (1, 2, 6)]
    assert sum(line.get_linestyle() == ":" for line in axes[0].lines) == 1
    row = next(pairs for (_, mind), pairs in spending_sheet(agents.runs).rows if mind == "hm@m(top_k=5)")
    assert (row[0][0], row[1][0], row[2][0], row[5][0]) == ("4050°", "405000°", "40500°", "6")
    assert float(row[3][0].rstrip("°")) == pytest.approx((405_000 * 1 + 40_500 * 2) / 1e6, abs=0.005)


def test_without_model_calls_nothing_is_spent(whole) -> None:
    assert spending_plot(whole.runs, Looks([run.mind for run in whole.runs])) is None
    assert spending_sheet(whole.runs) is None


def test_that_scenarios_are_pooled_is_said(agents) -> None:
    """An error over the episodes of several scenarios holds what these differ by."""
    (sweep,) = sweeps(agents.runs)
    rewards = [run.reward for run in agents.runs if run.mind == "hm@m(top_k=5)"]
    assert sweep.points[-1].per_episode.sem == pytest.approx(stdev(rewards) / len(rewards) ** 0.5)
    (note,) = sweep_sheet([sweep]).notes
    assert note.endswith(f"means are over all episodes, taken together, of {', '.join(sweep.scenarios)}.")
    assert "over all episodes of all scenarios" in spending_sheet(agents.runs).notes[0]


def test_minds_alike_but_for_one_number_are_a_sweep(agents) -> None:
    (sweep,) = sweeps(agents.runs)
    assert (sweep.parameter, sweep.family, sweep.mind) == ("top_k", "rws-repeated", "hm@m")
    assert [point.value for point in sweep.points] == [0, 1, 5]
    assert {point.per_1200.n for point in sweep.points} == {6}
    assert sweep.points[0].per_1200.mean == pytest.approx(150 * sweep.points[0].per_episode.mean)
    (ax,) = sweep_plot([sweep]).axes
    assert ax.get_xlabel() == "top_k"
    assert [texts[3] for texts, _ in sweep_sheet([sweep]).rows] == ["0", "1", "5"]


def test_a_sweep_is_over_the_scenarios_that_every_value_has(agents) -> None:
    left = [run for run in agents.runs if (run.scenario, run.mind) != (SCENARIOS[0], "hm@m(top_k=1)")]
    (sweep,) = sweeps(left)
    assert sweep.scenarios == (SCENARIOS[1],)
    assert {point.per_1200.n for point in sweep.points} == {3}


def test_two_values_or_switches_are_no_sweep(agents) -> None:
    assert sweeps([run for run in agents.runs if run.who.params.get("top_k") != 1]) == []
    switched = [
        replace(run, who=SeatSpec("hm", {"on": bool(i % 2)}, "m")) for i, run in enumerate(agents.runs)
    ]
    assert sweeps(switched) == []
    assert sweep_plot([]) is None
    assert sweep_sheet([]) is None
