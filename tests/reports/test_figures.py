"""The figures show the numbers, leave out what is null, and never change by themselves."""

from __future__ import annotations

from itertools import pairwise

import matplotlib
import numpy as np
import pytest
from matplotlib.axes import Axes
from msgspec.structs import replace

from otherminds.measures.curves import Band, Curve
from otherminds.measures.intervals import Estimate
from otherminds.measures.registry import Unknown
from otherminds.reports.drawings import curves_plot
from otherminds.reports.figures import LEAST, exploitation_plot, gap_caption, gap_plot, unused_plot
from otherminds.reports.style import COLOURS, Looks, svg


def points(ax: Axes) -> list[tuple[float, float]]:
    """Where the error bars of a panel are centred."""
    centres = [container.lines[0].get_xydata()[0] for container in ax.containers]
    return [(float(x), float(y)) for x, y in centres]


def test_one_point_a_mind_where_both_scores_are_known(found) -> None:
    axes = gap_plot(found).axes
    assert [ax.get_title(loc="left") for ax in axes] == ["rps-single-v1", "ipd-mixed-v1"]
    shown = [cell for cell in found if cell.functional.mean is not None]
    drawn = [number for ax in axes for at in points(ax) for number in at]
    expected = [number for cell in shown for number in (cell.literal.mean, cell.functional.mean)]
    inside = [number >= LEAST for number in expected]
    assert [number >= LEAST for number in drawn] == inside
    assert False in inside
    for place, number, shown_as_it_is in zip(drawn, expected, inside, strict=True):
        assert not shown_as_it_is or place == pytest.approx(number)


@pytest.mark.parametrize("values", [(-1.5, -1.1, -1.0001), (-1.2, -1.2, -1.2), (-9.0, -1.5, 0.5)])
def test_minds_beyond_the_edge_do_not_share_a_spot(found, values: tuple[float, ...]) -> None:
    cells = [
        replace(
            found[i % 2],
            mind=f"m{i}",
            literal=Estimate(value),
            functional=Estimate(value),
            unused=Estimate(0.0),
        )
        for i, value in enumerate(values)
    ]
    for plot in (gap_plot, unused_plot):
        (ax,) = plot(cells).axes
        at = [x for x, _ in points(ax)]
        assert sorted(range(3), key=lambda i: (at[i], i)) == sorted(range(3), key=lambda i: (values[i], -i))
        assert min(b - a for a, b in pairwise(sorted(at))) > 0.1
        assert ax.get_xlim()[0] < min(at)


def test_every_point_and_the_diagonal_are_inside_the_panel(found) -> None:
    low = replace(found[0], functional=Estimate(-7.0, -9.0, -5.0))
    (ax,) = gap_plot([low, found[1]]).axes
    left, right = ax.get_xlim()
    bottom, top = ax.get_ylim()
    assert all(left <= x <= right and bottom <= y <= top for x, y in points(ax))
    assert max(left, bottom) < 0
    assert min(right, top) > 1
    assert [text.get_text() for text in ax.texts] == ["↓ -7.0"]


def test_points_beyond_the_edge_have_their_values_apart(found) -> None:
    low = [
        replace(cell, literal=Estimate(-3.4 + i), functional=Estimate(-7.0 + i))
        for i, cell in enumerate(found[:2])
    ]
    figure = gap_plot(low)
    (ax,) = figure.axes
    assert [text.get_text() for text in ax.texts] == ["← -3.4 ↓ -7.0", "← -2.4 ↓ -6.0"]
    figure.draw_without_rendering()
    first, second = (text.get_window_extent() for text in ax.texts)
    assert not first.overlaps(second)


def test_error_bars_are_whole(found) -> None:
    wide = replace(found[0], literal=Estimate(0.0, -0.6, 0.6), functional=Estimate(0.1, -0.8, 0.9))
    (ax,) = gap_plot([wide]).axes
    assert ax.get_xlim()[0] < -0.6
    assert ax.get_ylim()[0] < -0.8


def test_the_caption_lists_what_is_not_shown(found) -> None:
    caption = gap_caption(found)
    assert "Not shown: rps-tit_for_tat-v1: F, L and the gap refer" in caption
    lone = replace(found[0], literal=Estimate(None, reason="never asked"))
    assert "Not shown: talker: never asked." in gap_caption([lone, found[1]])
    silent = [replace(cell, literal=lone.literal) if cell.mind == "talker" else cell for cell in found]
    assert "Not shown: talker: never asked. Not shown: rps-tit_for_tat-v1: F, L" in gap_caption(silent)
    assert "Not shown: rps-single-v1 (talker): never asked." in gap_caption([lone, *found[1:]])


def test_no_figure_without_a_point(found) -> None:
    assert gap_plot([found[2], found[3]]) is None
    assert gap_plot([]) is None
    assert curves_plot([], "regret") is None


def test_curves_are_the_means(curves) -> None:
    for key in ("regret", "tom_percent"):
        drawn = [
            line for ax in curves_plot(curves, key).axes for line in ax.lines if len(line.get_xdata()) == 12
        ]
        assert len(drawn) == len(curves)
        for line, curve in zip(drawn, curves, strict=True):
            assert line.get_xdata().tolist() == list(range(1, 13))
            assert line.get_ydata().tolist() == getattr(curve, key).mean.tolist()


def test_a_mind_without_a_curve_is_left_out(curves) -> None:
    lone = [replace(curves[0], regret=Unknown("no automaton")), *curves[1:2]]
    (ax,) = curves_plot(lone, "regret").axes
    assert len([line for line in ax.lines if len(line.get_xdata()) == 12]) == 1
    assert curves_plot([lone[0]], "regret") is None


def test_minds_keep_their_looks_and_are_told_apart() -> None:
    minds = [f"mind {i}" for i in range(24)]
    looks = Looks(minds)
    assert len({(looks.colour(m), looks.marker(m)) for m in minds}) == 24
    assert len({(looks.colour(m), looks.dash(m)) for m in minds}) == 24
    assert [looks.colour(m) for m in minds[:8]] == list(COLOURS)
    assert looks.colour("mind 3") == Looks(minds).colour("mind 3")


def test_nothing_in_a_drawing_is_fetched_or_dated(found) -> None:
    drawn = svg(gap_plot(found))
    assert {word for word in drawn.split('"') if word.startswith("http")} == {
        "http://www.w3.org/2000/svg",
        "http://www.w3.org/1999/xlink",
    }
    assert "date" not in drawn


def test_settings_are_put_back(found) -> None:
    before = dict(matplotlib.rcParams)
    gap_plot(found)
    assert dict(matplotlib.rcParams) == before


def test_room_for_many_minds_with_long_names(found) -> None:
    cells = [
        replace(found[1], mind=f"a mind with quite a long name, number {i}: {'x' * 60}") for i in range(15)
    ]
    assert svg(gap_plot(cells)).startswith("<svg")


@pytest.mark.parametrize(("low", "high"), [(-0.4, 1.7), (0.2, 1.01), (-0.01, 0.6)])
def test_error_bars_of_shares_stay_within_shares(found, low: float, high: float) -> None:
    share = Estimate(0.5, low, high)
    (ax,) = exploitation_plot([replace(found[0], best_before=share, best_after=share)]).axes
    bars = [bar.get_paths()[0].vertices[:, 0] for one in ax.containers for bar in one.lines[2]]
    assert bars
    for ends in bars:
        assert ends.min() == pytest.approx(max(low, 0.0))
        assert ends.max() == pytest.approx(min(high, 1.0))


def test_bands_of_right_predictions_stay_within_0_and_100(found) -> None:
    wide = Band(*(np.full(3, value) for value in (50.0, -20.0, 130.0)))
    curve = Curve(found[0].scenario, found[0].mind, wide, wide)
    for key, ends in (("tom_percent", (0.0, 100.0)), ("regret", (-20.0, 130.0))):
        (ax,) = curves_plot([curve], key).axes
        heights = ax.collections[0].get_paths()[0].vertices[:, 1]
        assert (heights.min(), heights.max()) == ends
