"""Every figure with its caption and files; the exploitation profile as a figure."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree

import pytest
from msgspec.structs import replace

from otherminds import SeatSpec
from otherminds.measures.intervals import Estimate
from otherminds.reports.drawings import Drawing, drawings, save
from otherminds.reports.figures import AFTER, BEFORE, exploitation_caption, exploitation_plot
from otherminds.reports.findings import findings
from otherminds.reports.page import as_html

QA = SeatSpec("qa", model="m", label="QA@m")


@pytest.fixture(scope="module")
def named(seated):
    """The findings of two minds, each under two sets of names; their names make the same file name."""
    minds = (QA, SeatSpec("qa", model="m", label="qa m"))
    records = [
        record
        for mind in minds
        for names in (None, "canonical")
        for record in seated("ibs-single-v1", mind, names)
    ]
    planned = dict.fromkeys([(r.spec.title, r.spec.seats["ego"].title) for r in records], 6)
    return findings(planned, records, {}, {}, curves=True)


@pytest.fixture(scope="module")
def drawn(named) -> list[Drawing]:
    return drawings(named)


@pytest.fixture(scope="module")
def sheets(drawn, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The figures of ``drawn`` as SVG, by name."""
    return save(drawn, tmp_path_factory.mktemp("sheets"))


def marks(found) -> list[tuple[float, float]]:
    """The x of each mark before and from the first correct prediction, panel by panel."""
    centres = [container.lines[0] for ax in exploitation_plot(found).axes for container in ax.containers]
    return [(line.get_color(), float(line.get_xdata()[0])) for line in centres]


def test_two_marks_a_mind_where_both_are_known(found) -> None:
    expected = [
        (colour, share.mean)
        for cell in found
        for colour, share in ((BEFORE, cell.best_before), (AFTER, cell.best_after))
        if share.mean is not None
    ]
    assert marks(found) == expected
    axes = exploitation_plot(found).axes
    assert [ax.get_title(loc="left") for ax in axes] == list(dict.fromkeys(cell.scenario for cell in found))
    assert [tick.get_text() for tick in axes[0].get_yticklabels()] == ["talker", "doer"]


def test_bars_are_the_intervals(found) -> None:
    cell = replace(found[0], best_before=Estimate(0.3, 0.1, 0.6), best_after=Estimate(0.8, 0.7, 0.95))
    (ax,) = exploitation_plot([cell]).axes
    bars = [container.lines[2][0].get_segments()[0][:, 0].tolist() for container in ax.containers]
    assert bars == [pytest.approx([0.1, 0.6]), pytest.approx([0.7, 0.95])]
    (slope,) = [line for line in ax.lines if len(line.get_xdata()) == 2]
    assert slope.get_xdata().tolist() == [0.3, 0.8]


def test_a_missing_side_has_no_mark_and_no_slope(found) -> None:
    lone = replace(found[0], best_before=Estimate(None, reason="r"), best_after=Estimate(1.0, 1.0, 1.0))
    (ax,) = exploitation_plot([lone]).axes
    assert len(ax.containers) == 1
    assert [line for line in ax.lines if len(line.get_xdata()) == 2] == []


def test_who_has_neither_is_named_in_the_caption(found) -> None:
    nothing = Estimate(None, reason="never asked")
    none = replace(found[0], best_before=nothing, best_after=nothing)
    assert exploitation_plot([none]) is None
    assert "Not shown: rps-single-v1 (talker)." in exploitation_caption([none, *found[1:]])
    assert "Not shown: talker." in exploitation_caption([none, found[1]])
    assert "Not shown" not in exploitation_caption([found[1]])


def test_the_figures_of_a_report_in_order(whole, drawn) -> None:
    assert [(one.name, one.part) for one in drawings(whole)] == [
        ("verdicts", "verdict"),
        ("unused", "gap"),
        ("gap", "gap"),
        ("exploitation", "exploitation"),
        ("regret", "learning"),
        ("tom", "learning"),
    ]
    assert [one.name for one in drawn if one.part == "names"] == [
        "names-ibs-single-v1-qa-m",
        "names-ibs-single-v1-qa-m-2",
    ]
    assert all("mean over 5 rounds" in one.caption for one in drawn if one.part in ("learning", "names"))


def test_nothing_to_draw_leaves_captions(tmp_path: Path) -> None:
    drawn = drawings(findings({}, [], {}, {}, curves=True))
    assert [(one.name, one.figure) for one in drawn] == [("gap", None), ("exploitation", None)]
    assert all(one.caption for one in drawn)
    assert save(drawn, tmp_path / "none") == {}
    assert not (tmp_path / "none").exists()


def test_files_are_written_and_are_the_same_every_time(named, sheets, tmp_path: Path) -> None:
    one = save([one for one in drawings(named) if one.part != "learning"], tmp_path)
    names = [
        "verdicts",
        "unused",
        "gap",
        "exploitation",
        "names-ibs-single-v1-qa-m",
        "names-ibs-single-v1-qa-m-2",
    ]
    assert list(one) == names
    assert {name: sheets[name] for name in names} == one
    assert {file.stem: file.read_text(encoding="utf-8") for file in tmp_path.glob("*.svg")} == one
    for drawing in one.values():
        assert ElementTree.fromstring(drawing).tag.endswith("svg")


def test_figures_take_the_colours_of_the_page(named, drawn, sheets) -> None:
    page = as_html(named, drawn, sheets, "A", ())
    inside = "".join(part.split("</svg>")[0] for part in page.split("<svg")[1:])
    assert "fill: var(--ink)" in inside
    assert "stroke: var(--line)" in inside
    assert not {"#ffffff", "#24292f", "#000000"} & set(re.findall("#[0-9a-f]{6}", inside))


def test_the_page_shows_the_curves_by_names(named, drawn, sheets) -> None:
    page = as_html(named, drawn, sheets, "A study", ())
    assert page.count("<svg") == len(sheets) == 8
    part = page.split(">Learning by action names</h3>")[1].split("<h2")[0]
    assert part.count("<svg") == 2
    assert "qa m in ibs against single" in part


def test_a_page_without_them_has_no_such_part(whole) -> None:
    assert "action names</h2>" not in as_html(whole, drawings(whole), {}, "", ())
